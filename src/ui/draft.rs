//! The settings form: what is typed, before it is checked.
//!
//! Numbers are text until they are applied; then they become a record and pass its validator. A bad field keeps what
//! was typed and says what is wrong with it.

use super::typed::{scaled, unscaled};
use raftwerk::raft::kraft::Bootstrap;
use raftwerk::raft::{ClientSettings, Form, ReplicaSet};
use raftwerk::scenario::{InputError, ProtocolSettings, Record, validate};

/// A field of the form.
pub struct Field {
    /// Its path in a record, by which errors name it.
    pub path: &'static str,
    /// Its label.
    pub label: &'static str,
    /// Its unit.
    pub unit: &'static str,
}

/// All fields.
pub const FIELDS: [Field; 10] = [
    Field { path: "replicas", label: "Nodes", unit: "1 to 25" },
    Field { path: "protocol.kraft.observers", label: "Observers among them", unit: "the last ones" },
    Field { path: "seed", label: "Seed", unit: "" },
    Field { path: "protocol.kraft.election_timeout_ms", label: "Election timeout", unit: "ms, up to twice that" },
    Field { path: "protocol.kraft.fetch_timeout_ms", label: "Fetch timeout", unit: "ms" },
    Field { path: "protocol.kraft.linger_ms", label: "Append linger", unit: "ms" },
    Field { path: "links.latency_min_us", label: "Shortest latency", unit: "ms" },
    Field { path: "links.latency_max_us", label: "Longest latency", unit: "ms" },
    Field { path: "links.loss_ppm", label: "Messages lost", unit: "%" },
    Field { path: "client.poll_state_max_age_ms", label: "Oldest look before a message", unit: "ms" },
];

/// The largest cluster the form offers.
const NODES_MAX: u8 = 25;

/// What is typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// One text per field.
    pub texts: [String; 10],
    /// The form of every client's work.
    pub form: Form,
    /// Whether replicas without a leader ask the voters for one.
    pub asks_voters: bool,
    /// What is wrong.
    pub error: Option<InputError>,
}

impl Draft {
    /// The form for a record.
    pub fn of(record: &Record) -> Self {
        let ProtocolSettings::KRaft(kraft) = &record.protocol;
        Self {
            texts: [
                record.replicas.to_string(),
                kraft.observers.len().to_string(),
                record.seed.to_string(),
                kraft.election_timeout_ms.to_string(),
                kraft.fetch_timeout_ms.to_string(),
                kraft.linger_ms.to_string(),
                scaled(record.links.latency_min_us, 1_000),
                scaled(record.links.latency_max_us, 1_000),
                scaled(record.links.loss_ppm, 10_000),
                record.client.poll_state_max_age_ms.to_string(),
            ],
            form: record.client.form,
            asks_voters: kraft.bootstrap == Bootstrap::Voters,
            error: None,
        }
    }

    /// The record that is meant: `base` with the fields of the form, at its start and without commands.
    pub fn record(&self, base: &Record) -> Result<Record, InputError> {
        let number = |index: usize, unit| unscaled(FIELDS[index].path, &self.texts[index], unit);
        let seed_text = self.texts[2].trim();
        let is_plain = !seed_text.is_empty()
            && seed_text.bytes().all(|byte| byte.is_ascii_digit())
            && (seed_text == "0" || !seed_text.starts_with('0'));
        let seed = seed_text.parse::<u64>().ok().filter(|_| is_plain).ok_or_else(|| InputError {
            path: "seed".into(),
            says: "a seed is a whole number from 0 to 18446744073709551615, without leading zeros".into(),
        })?;
        let replicas = u8::try_from(number(0, 1)?).ok().filter(|count| (1..=NODES_MAX).contains(count));
        let ProtocolSettings::KRaft(mut kraft) = base.protocol.clone();
        kraft.election_timeout_ms = number(3, 1)?;
        kraft.fetch_timeout_ms = number(4, 1)?;
        kraft.linger_ms = number(5, 1)?;
        kraft.bootstrap = if self.asks_voters { Bootstrap::Voters } else { Bootstrap::Nobody };
        let mut links = base.links;
        links.latency_min_us = number(6, 1_000)?;
        links.latency_max_us = number(7, 1_000)?;
        links.loss_ppm = number(8, 10_000)?;
        let replicas = replicas.ok_or_else(|| InputError {
            path: "replicas".into(),
            says: format!("there can be 1 to {NODES_MAX} nodes"),
        })?;
        let observers = u8::try_from(number(1, 1)?).unwrap_or(u8::MAX).min(replicas);
        kraft.observers = ReplicaSet::first(replicas).without(ReplicaSet::first(replicas - observers));
        let record = Record {
            replicas,
            seed,
            links,
            client: ClientSettings { form: self.form, poll_state_max_age_ms: number(9, 1)? },
            protocol: ProtocolSettings::KRaft(kraft),
            title: base.title.clone(),
            // A smaller cluster may lack whom they are about.
            plans: if replicas == base.replicas { base.plans.clone() } else { Vec::new() },
            ..Record::default()
        };
        validate(&record)?;
        Ok(record)
    }
}
