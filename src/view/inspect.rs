//! What the inspector shows of a replica and of a message: every field, by the protocol's own name.

use super::say;
use crate::executor::MICROS_PER_MILLI;
use crate::raft::{Any, Payload, Protocol, Replica, ReplicaId, Value, Verdict};
use crate::session::Session;
use crate::sim::{EventName, Mail, Says, Sim, TraceEvent, What};
use crate::text::en as text;

/// A field and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The protocol's name for it.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Whether it differs from what it was before the last step.
    pub is_changed: bool,
}

fn row(name: &'static str, value: impl Into<String>) -> Row {
    Row { name, value: value.into(), is_changed: false }
}

/// Marks the fields that differ from what they were.
#[must_use]
pub fn marked(mut now: Vec<Row>, before: &[Row]) -> Vec<Row> {
    for row in &mut now {
        row.is_changed = !before.iter().any(|old| old.name == row.name && old.value == row.value);
    }
    now
}

/// The fields of a link, in one direction.
#[must_use]
pub fn link(session: &Session, from: ReplicaId, to: ReplicaId) -> Vec<Row> {
    let sim = session.sim();
    let c = sim.link(from, to);
    let ms = |us: u32| format!("{}.{} ms", us / 1_000, us % 1_000 / 100);
    let percent = |ppm: u32| format!("{}.{:02} %", ppm / 10_000, ppm % 10_000 / 100);
    let flying = sim.flights().filter(|(key, _)| (key.from, key.to) == (from, to)).count();
    vec![
        row(
            "state",
            if sim.is_cut(from, to) {
                "cut: what is sent is lost"
            } else if sim.is_blocked(from, to) {
                "parted: what is sent is lost"
            } else {
                "works"
            },
        ),
        row("in flight", flying.to_string()),
        row("shortest latency", ms(c.latency_min_us)),
        row("longest latency", ms(c.latency_max_us)),
        row("lost", percent(c.loss_ppm)),
        row("delivered twice", percent(c.duplicate_ppm)),
        row("may overtake", percent(c.reorder_ppm)),
    ]
}

fn id(session: &Session, id: Option<ReplicaId>) -> String {
    id.map_or_else(|| "none".to_owned(), |id| say::named(session, format!("node {id}")))
}

fn offset(offset: Option<u64>) -> String {
    offset.map_or_else(|| "unknown".to_owned(), |offset| offset.to_string())
}

/// The fields of a replica, running or not.
#[must_use]
pub fn replica(session: &Session, sim: &Sim<Any>, which: ReplicaId) -> Vec<Row> {
    let Some(standing) = sim.standing(which) else {
        return Vec::new();
    };
    let running = sim.replica(which);
    let words = text::words_of(sim);
    let [state, epoch, leader, voted, end, committed] = words.fields;
    let mut rows = vec![
        row(state, text::condition(words, running.map(|_| standing.role), sim.ended(which))),
        row(epoch, standing.epoch.to_string()),
        row(leader, id(session, standing.leader)),
        row(voted, id(session, standing.voted)),
        row(end, standing.end_offset.to_string()),
        row(committed, offset(standing.committed)),
    ];
    if sim.is_paused(which) {
        rows.push(row("paused", "it does nothing, and messages wait"));
    }
    let rate_ppm = sim.clock(which).rate_ppm;
    if rate_ppm != 1_000_000 {
        rows.push(row("clock", format!("goes at {} %", text::percent(rate_ppm))));
    }
    let Some(running) = running else {
        return rows;
    };
    running.fields(&mut |name, it| rows.push(row(name, value(session, it))));
    rows
}

/// A value, for people.
fn value(session: &Session, value: Value) -> String {
    let words = say::words(session);
    match value {
        Value::Number(number) => number.to_string(),
        Value::Signed(number) => number.to_string(),
        Value::Node(node) => id(session, node),
        Value::Nodes(nodes) => ids(session, nodes.iter()),
        Value::Ranked(nodes) => ids(session, nodes.into_iter()),
        Value::Yes(is_so) => (if is_so { "yes" } else { "no" }).to_owned(),
        Value::Word(word) => word.to_owned(),
        Value::Map(map) => self::map(&map),
        Value::Told(heard) => heard.map_or_else(
            || "nothing".to_owned(),
            |(epoch, leader)| say::named(session, text::told(words, epoch, leader)),
        ),
        Value::EpochEnd(known) => format!("{} {}, ends at {}", words.epoch, known.epoch, known.end_offset),
        Value::Records(None) => "none".to_owned(),
        Value::Records(Some(records)) => {
            let lines = (records.base()..).zip(records.entries());
            let shown: Vec<String> = lines
                .map(|(offset, entry)| {
                    format!("{}@{} {}", words.number(offset), entry.epoch, text::payload(entry.payload))
                })
                .collect();
            shown.join("; ")
        }
    }
}

fn map(map: &[(u16, u64)]) -> String {
    if map.is_empty() {
        return "empty".to_owned();
    }
    map.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join(", ")
}

fn ids(session: &Session, ids: impl Iterator<Item = ReplicaId>) -> String {
    let shown: Vec<String> = ids.map(|id| say::short(session, id)).collect();
    if shown.is_empty() { "nobody".to_owned() } else { shown.join(", ") }
}

/// What a leader knows of another replica, in the order of [`text::Words::peers`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerLine {
    /// Which.
    pub id: ReplicaId,
    /// Whether it counts.
    pub is_voter: bool,
    /// How far it has come.
    pub matched: String,
    /// What is sent to it next, where leaders push.
    pub next: Option<String>,
    /// How long ago it was last heard.
    pub heard: String,
    /// Whether it was heard since the leader last looked for a majority.
    pub is_counted: bool,
}

/// A leader's view of each other replica; empty for any other.
#[must_use]
pub fn peers(sim: &Sim<Any>, leader: ReplicaId) -> Vec<PeerLine> {
    let words = text::words_of(sim);
    let peers = sim.replica(leader).and_then(Replica::peers).unwrap_or_default();
    let now_us = sim.timers(leader).map_or(0, |(_, clock)| clock.local_us(sim.now_us()));
    let others = peers.into_iter().filter(|peer| peer.id != leader);
    others
        .map(|peer| PeerLine {
            id: peer.id,
            is_voter: peer.is_voter,
            matched: offset(peer.matched),
            next: peer.next.map(|offset| words.number(offset).to_string()),
            heard: peer.heard_us.map_or_else(
                || "never".to_owned(),
                |at_us| format!("{} ms ago", now_us.saturating_sub(at_us) / MICROS_PER_MILLI),
            ),
            is_counted: peer.is_counted,
        })
        .collect()
}

/// A message that was sent: its line, whether it refuses something, and its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageView {
    /// What it is, in one line.
    pub line: String,
    /// Whether it refuses.
    pub is_refusal: bool,
    /// Its fields.
    pub rows: Vec<Row>,
}

/// A message in flight, or one of the steps that are remembered. `None` for what was sent too long ago.
#[must_use]
pub fn message(session: &Session, name: &EventName) -> Option<MessageView> {
    in_flight(session, session.sim(), name).or_else(|| {
        let EventName::Delivery { from, to, number, .. } = *name else {
            return None;
        };
        let sent = |event: &TraceEvent<Any>| {
            event.replica == from
                && matches!(event.what, What::Sent { to: whom, number: n, .. } if (whom, n) == (to, number))
        };
        let (step, trace) = session.recent().find(|(_, trace)| trace.iter().any(sent))?;
        let then = session.after_step(step)?;
        in_flight(session, &then, name).or_else(|| {
            // It never flew: it was lost at once.
            trace.iter().find(|event| sent(event)).and_then(|event| match event.what {
                What::Sent { face, .. } => Some(MessageView {
                    line: text::pending(name, Some(&face), |id| say::short(session, id)),
                    is_refusal: face.verdict == Verdict::Refused,
                    rows: vec![row("fate", "lost on its way"), row("name", text::event_name(name))],
                }),
                _ => None,
            })
        })
    })
}

fn in_flight(session: &Session, sim: &Sim<Any>, name: &EventName) -> Option<MessageView> {
    let EventName::Delivery { from, to, number, is_copy } = *name else {
        return None;
    };
    let mut flights = sim.flights();
    let wanted = (from, to, number, is_copy);
    let (_, flight) = flights.find(|(key, _)| (key.from, key.to, key.number, key.is_copy) == wanted)?;
    let face = Sim::<Any>::face_of(&flight.message);
    let words = text::words_of(sim);
    let mut rows = match &flight.message {
        Mail::Peer(message) => {
            let mut rows = Vec::new();
            Any::message_fields(message, from, &mut |name, it| rows.push(row(name, value(session, it))));
            rows
        }
        Mail::Ask(ask) => vec![
            row("request", ask.number.to_string()),
            row("attempt", (u16::from(ask.attempt) + 1).to_string()),
            row("sets", text::payload(Payload::Set { key: ask.key, value: ask.value })),
        ],
        Mail::Reply(reply) => vec![
            row("request", reply.number.to_string()),
            row(
                "says",
                match reply.says {
                    Says::Committed { offset } => format!("committed at {} {}", words.place, words.number(offset)),
                    Says::Declined { leader: Some(leader) } => format!("does not lead; node {leader} does"),
                    Says::Declined { leader: None } => "does not lead and knows nobody who does".to_owned(),
                    Says::Full => "has no room for it".to_owned(),
                    Says::NoLonger => "leads no more; what becomes of it is open".to_owned(),
                },
            ),
        ],
    };
    rows.push(row("name", text::event_name(name)));
    let is_refusal = face.verdict == Verdict::Refused;
    Some(MessageView { line: text::pending(name, Some(&face), |id| say::short(session, id)), is_refusal, rows })
}
