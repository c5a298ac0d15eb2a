//! The log table: nodes as rows, offsets as columns, so that logs can be compared at a glance.
//!
//! Only a window of offsets is projected, however long the logs are.

use crate::explain::{Question, ask};
use crate::raft::{Any, Entry, Log, Payload, PeerView, Replica, ReplicaId};
use crate::sim::Sim;
use crate::text::en as text;

/// How far an entry has come on its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellState {
    /// It may still be lost.
    Uncommitted,
    /// The node knows that it is committed.
    Committed,
    /// Its state machine has it too.
    Applied,
    /// The leader's log has another entry there, or ends before: it will be cut.
    WillGo,
}

/// An entry in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its epoch.
    pub epoch: u32,
    /// What it says, in a few characters: the value it sets, LC, or nop.
    pub label: String,
    /// What it says, how far it has come, who has it and why it is or is not committed.
    pub says: String,
    /// How far it has come.
    pub state: CellState,
}

/// A node's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// Which.
    pub id: ReplicaId,
    /// Whether it runs; the log of one that does not is what is on its disk.
    pub is_up: bool,
    /// Its entries in the window; `None` where it has none.
    pub cells: Vec<Option<Cell>>,
    /// Its end offset.
    pub end: u64,
    /// The high watermark it knows.
    pub high_watermark: Option<u64>,
    /// Up to where the leader knows it to hold the leader's log, exclusive.
    pub matched: Option<u64>,
    /// The offset that the leader will send next, where leaders push.
    pub next: Option<u64>,
}

/// The table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogTable {
    /// The first offset of the window.
    pub first: u64,
    /// How many offsets the window has.
    pub width: u64,
    /// One past the last offset that any node has.
    pub end: u64,
    /// Whether the leader pushes, and so keeps a next entry for each follower.
    pub pushes: bool,
    /// One line a node.
    pub rows: Vec<LogRow>,
}

fn label(entry: Entry) -> String {
    match entry.payload {
        Payload::LeaderChange { .. } => "LC".to_owned(),
        Payload::NoOp => "nop".to_owned(),
        Payload::Set { value, .. } => value.to_string(),
    }
}

fn is_same(one: Entry, other: Option<Entry>) -> bool {
    other.is_some_and(|other| one.epoch == other.epoch && one.payload == other.payload)
}

/// The table of a window of `width` offsets: from `first`, or the last ones.
#[must_use]
pub fn log_table(sim: &Sim<Any>, first: Option<u64>, width: u64) -> LogTable {
    let logs: Vec<Option<&Log>> = sim.ids().map(|id| sim.log(id).or_else(|| sim.disk_log(id))).collect();
    let end = logs.iter().flatten().map(|log| log.end_offset()).max().unwrap_or(0);
    let last_first = end.saturating_sub(width);
    let first = first.unwrap_or(last_first).min(last_first);
    let leads = sim.leader().map(|(id, _)| id);
    let known = leads.and_then(|id| sim.log(id));
    let words = text::words_of(sim);
    let peers: Option<Vec<PeerView>> = leads.and_then(|id| sim.replica(id)?.peers());
    let why: Vec<String> = (first..end.min(first + width))
        .map(|offset| {
            let question = Question::WhyNotCommitted { offset };
            text::because(words, question, &ask(sim, [], question)).text
        })
        .collect();
    let rows = sim.ids().zip(&logs).map(|(id, log)| {
        let running = sim.replica(id);
        let high_watermark = running.and_then(|replica| replica.standing().committed);
        let applied = running.map_or(0, |replica| replica.listener().next_offset());
        let cell = |offset: u64| {
            let entry = log.and_then(|log| log.get(offset))?;
            let is_committed = high_watermark.is_some_and(|committed| offset < committed);
            let state = match known {
                _ if is_committed && offset < applied => CellState::Applied,
                _ if is_committed => CellState::Committed,
                Some(known) if !is_same(entry, known.get(offset)) => CellState::WillGo,
                _ => CellState::Uncommitted,
            };
            let why = usize::try_from(offset - first).ok().and_then(|place| why.get(place)).map_or("", String::as_str);
            let says = text::record(words, &text::payload(entry.payload), entry.epoch, state as usize, why);
            Some(Cell { epoch: entry.epoch, label: label(entry), says, state })
        };
        let seen = peers.as_ref().and_then(|peers| peers.get(id.index())).filter(|_| leads != Some(id));
        LogRow {
            id,
            is_up: sim.replica(id).is_some(),
            cells: (first..first + width).map(cell).collect(),
            end: log.map_or(0, Log::end_offset),
            high_watermark,
            matched: seen.and_then(|peer| peer.matched),
            next: seen.and_then(|peer| peer.next),
        }
    });
    let pushes = peers.as_ref().is_some_and(|peers| peers.iter().any(|peer| peer.next.is_some()));
    LogTable { first, width, end, pushes, rows: rows.collect() }
}
