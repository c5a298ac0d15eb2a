//! The settings form: what is typed, before it is checked.
//!
//! Fields are tables, one for what all protocols have and one for each protocol. Numbers are text until they are applied;
//! then they become a record and pass its validator. A bad field keeps what was typed and says what is wrong with it.

use super::inspector::FORMS;
use super::typed::{scaled, unscaled};
use raftwerk::raft::classic::{Backtracking, Refused};
use raftwerk::raft::kraft::Bootstrap;
use raftwerk::raft::{Family, ProtocolSettings, ReplicaSet};
use raftwerk::scenario::{Code, InputError, Record, validate};

/// A field of the form.
pub struct Field {
    /// Its path in a record, by which errors name it.
    pub path: &'static str,
    /// Its label.
    pub label: &'static str,
    /// Its unit, or what it does.
    pub unit: &'static str,
    /// What can be put in.
    pub kind: Kind,
}

/// What can be put into a field.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A number: how many of the record's units a shown one is, and how it gets there and back.
    Number(u32, fn(&Record) -> Option<u32>, fn(&mut Record, u32)),
    /// The seed.
    Seed,
    /// Yes or no.
    Tick(fn(&Record) -> Option<bool>, fn(&mut Record, bool)),
    /// One of these.
    Choice(&'static [&'static str], fn(&Record) -> Option<usize>, fn(&mut Record, usize)),
}

/// How a part of a record is read and written.
type Part<T> = (fn(&Record) -> Option<T>, fn(&mut Record, T));

/// A part of a protocol's settings.
macro_rules! part {
    ($family:ident, $settings:ident => $place:expr) => {
        (
            |record| match &record.protocol {
                ProtocolSettings::$family($settings) => Some($place),
                _ => None,
            },
            |record, value| {
                if let ProtocolSettings::$family($settings) = &mut record.protocol {
                    $place = value;
                }
            },
        )
    };
}

const fn number(path: &'static str, label: &'static str, unit: &'static str, (get, set): Part<u32>) -> Field {
    Field { path, label, unit, kind: Kind::Number(1, get, set) }
}

const fn tick(path: &'static str, label: &'static str, unit: &'static str, (get, set): Part<bool>) -> Field {
    Field { path, label, unit, kind: Kind::Tick(get, set) }
}

/// The fields that come first, whatever the protocol.
const FIRST: [Field; 2] = [
    Field {
        path: "replicas",
        label: "Nodes",
        unit: "1 to 25",
        kind: Kind::Number(
            1,
            |record| Some(record.replicas.into()),
            |record, count| record.replicas = u8::try_from(count).unwrap_or(u8::MAX),
        ),
    },
    Field { path: "seed", label: "Seed", unit: "", kind: Kind::Seed },
];

/// The fields that come last.
const LAST: [Field; 5] = [
    Field {
        path: "links.latency_min_us",
        label: "Shortest latency",
        unit: "ms",
        kind: Kind::Number(
            1_000,
            |record| Some(record.links.latency_min_us),
            |record, us| record.links.latency_min_us = us,
        ),
    },
    Field {
        path: "links.latency_max_us",
        label: "Longest latency",
        unit: "ms",
        kind: Kind::Number(
            1_000,
            |record| Some(record.links.latency_max_us),
            |record, us| record.links.latency_max_us = us,
        ),
    },
    Field {
        path: "links.loss_ppm",
        label: "Messages lost",
        unit: "%",
        kind: Kind::Number(10_000, |record| Some(record.links.loss_ppm), |record, ppm| record.links.loss_ppm = ppm),
    },
    Field {
        path: "raft_client.poll_state_max_age_ms",
        label: "Oldest look before a message",
        unit: "ms",
        kind: Kind::Number(
            1,
            |record| Some(record.client.poll_state_max_age_ms),
            |record, ms| record.client.poll_state_max_age_ms = ms,
        ),
    },
    Field {
        path: "client.form",
        label: "Work on executors",
        unit: "",
        kind: Kind::Choice(
            &[FORMS[0].1, FORMS[1].1],
            |record| FORMS.iter().position(|(form, _)| *form == record.client.form),
            |record, index| record.client.form = FORMS[index.min(1)].0,
        ),
    },
];

const KRAFT: [Field; 5] = [
    Field {
        path: "protocol.kraft.observers",
        label: "Observers among them",
        unit: "the last ones",
        kind: Kind::Number(
            1,
            |record| match &record.protocol {
                ProtocolSettings::KRaft(kraft) => Some(kraft.observers.len()),
                ProtocolSettings::Classic(_) => None,
            },
            |record, count| {
                let replicas = record.replicas.min(NODES_MAX);
                let observers = u8::try_from(count).unwrap_or(u8::MAX).min(replicas);
                if let ProtocolSettings::KRaft(kraft) = &mut record.protocol {
                    kraft.observers = ReplicaSet::first(replicas).without(ReplicaSet::first(replicas - observers));
                }
            },
        ),
    },
    number(
        "protocol.kraft.election_timeout_ms",
        "Election timeout",
        "ms, up to twice that",
        part!(KRaft, kraft => kraft.election_timeout_ms),
    ),
    number("protocol.kraft.fetch_timeout_ms", "Fetch timeout", "ms", part!(KRaft, kraft => kraft.fetch_timeout_ms)),
    number("protocol.kraft.linger_ms", "Append linger", "ms", part!(KRaft, kraft => kraft.linger_ms)),
    Field {
        path: "protocol.kraft.bootstrap",
        label: "Ask voters for the leader",
        unit: "while none is known",
        kind: Kind::Tick(
            |record| match &record.protocol {
                ProtocolSettings::KRaft(kraft) => Some(kraft.bootstrap == Bootstrap::Voters),
                ProtocolSettings::Classic(_) => None,
            },
            |record, asks| {
                if let ProtocolSettings::KRaft(kraft) = &mut record.protocol {
                    kraft.bootstrap = if asks { Bootstrap::Voters } else { Bootstrap::Nobody };
                }
            },
        ),
    },
];

const CLASSIC: [Field; 9] = [
    number(
        "protocol.classic.election_min_ms",
        "Shortest election timeout",
        "ms",
        part!(Classic, raft => raft.election_min_ms),
    ),
    number(
        "protocol.classic.election_max_ms",
        "Longest election timeout",
        "ms",
        part!(Classic, raft => raft.election_max_ms),
    ),
    number("protocol.classic.heartbeat_ms", "Heartbeat every", "ms", part!(Classic, raft => raft.heartbeat_ms)),
    Field {
        path: "protocol.classic.batch",
        label: "Entries in one AppendEntries",
        unit: "at most",
        kind: Kind::Number(
            1,
            |record| match &record.protocol {
                ProtocolSettings::Classic(raft) => Some(raft.batch.into()),
                ProtocolSettings::KRaft(_) => None,
            },
            |record, count| {
                if let ProtocolSettings::Classic(raft) = &mut record.protocol {
                    raft.batch = u8::try_from(count).unwrap_or(u8::MAX);
                }
            },
        ),
    },
    Field {
        path: "protocol.classic.backtracking",
        label: "nextIndex goes back",
        unit: "",
        kind: Kind::Choice(
            &["one by one", "by the term’s first index", "by a hint of both sides"],
            |record| match &record.protocol {
                ProtocolSettings::Classic(raft) => BACKTRACKING.iter().position(|&how| how == raft.backtracking),
                ProtocolSettings::KRaft(_) => None,
            },
            |record, index| {
                if let ProtocolSettings::Classic(raft) = &mut record.protocol {
                    raft.backtracking = BACKTRACKING[index.min(2)];
                }
            },
        ),
    },
    Field {
        path: "protocol.classic.refused",
        label: "A candidate refused by a majority",
        unit: "",
        kind: Kind::Choice(
            &["waits for its timeout", "becomes follower"],
            |record| match &record.protocol {
                ProtocolSettings::Classic(raft) => Some(usize::from(raft.refused == Refused::StepsDown)),
                ProtocolSettings::KRaft(_) => None,
            },
            |record, index| {
                if let ProtocolSettings::Classic(raft) = &mut record.protocol {
                    raft.refused = if index == 0 { Refused::Waits } else { Refused::StepsDown };
                }
            },
        ),
    },
    tick(
        "protocol.classic.rules.no_op",
        "No-op entry",
        "at the start of a term",
        part!(Classic, raft => raft.rules.no_op),
    ),
    tick(
        "protocol.classic.rules.pre_vote",
        "PreVote",
        "ask before raising the term",
        part!(Classic, raft => raft.rules.pre_vote),
    ),
    tick(
        "protocol.classic.rules.check_quorum",
        "CheckQuorum",
        "a leader without a majority steps down",
        part!(Classic, raft => raft.rules.check_quorum),
    ),
];

const BACKTRACKING: [Backtracking; 3] = [Backtracking::OneByOne, Backtracking::TermHint, Backtracking::TwoSidedHint];

/// The largest cluster the form offers.
const NODES_MAX: u8 = 25;

/// The fields for a protocol, in order.
pub fn fields(family: Family) -> impl Iterator<Item = &'static Field> {
    let own: &'static [Field] = match family {
        Family::KRaft => &KRAFT,
        Family::Classic => &CLASSIC,
    };
    FIRST.iter().chain(own).chain(&LAST)
}

/// What is typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// For which protocol.
    pub family: Family,
    /// One text a field: what was typed; `true` or `false`; the place of the choice.
    pub texts: Vec<String>,
    /// What is wrong.
    pub error: Option<InputError>,
}

impl Draft {
    /// The form for a record.
    pub fn of(record: &Record) -> Self {
        let family = record.protocol.family();
        let text = |field: &Field| match field.kind {
            Kind::Number(scale, get, _) => get(record).map_or_else(String::new, |number| scaled(number, scale)),
            Kind::Seed => record.seed.to_string(),
            Kind::Tick(get, _) => get(record).unwrap_or(false).to_string(),
            Kind::Choice(_, get, _) => get(record).unwrap_or(0).to_string(),
        };
        Self { family, texts: fields(family).map(text).collect(), error: None }
    }

    /// The record that is meant: `base` with the fields of the form.
    pub fn record(&self, base: &Record) -> Result<Record, InputError> {
        if base.protocol.family() != self.family {
            return Err(InputError::new(Code::Contradiction, "protocol", "the run has another protocol by now"));
        }
        let mut record = base.clone();
        for (field, text) in fields(self.family).zip(&self.texts) {
            match field.kind {
                Kind::Number(scale, _, set) => set(&mut record, unscaled(field.path, text, scale)?),
                Kind::Seed => record.seed = seed(text)?,
                Kind::Tick(_, set) => set(&mut record, text == "true"),
                Kind::Choice(_, _, set) => set(&mut record, text.parse().unwrap_or(0)),
            }
        }
        if record.replicas != base.replicas {
            // A smaller cluster may lack whom they are about.
            (record.plans, record.starts, record.names) = (Vec::new(), Vec::new(), Vec::new());
        }
        validate(&record)?;
        Ok(record)
    }
}

fn seed(text: &str) -> Result<u64, InputError> {
    let text = text.trim();
    let is_plain =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse::<u64>().ok().filter(|_| is_plain).ok_or_else(|| {
        InputError::new(
            Code::Range,
            "seed",
            "a seed is a whole number from 0 to 18446744073709551615, without leading zeros",
        )
    })
}
