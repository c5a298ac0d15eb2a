//! What a protocol shows of itself, as plain data in its own words: fields, and what its reason codes are about.
//!
//! Names of fields are the protocol's own identifiers, as its papers and schemas write them; sentences are made
//! elsewhere. Offsets are counted from 0 here, whatever the protocol counts from.

use super::ids::{ReplicaId, ReplicaSet};
use super::log::{EpochEnd, Records};

/// A value of a field.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A number that may be negative, or unknown.
    Signed(i64),
    /// A replica, if there is one.
    Node(Option<ReplicaId>),
    /// Replicas, in their order.
    Nodes(ReplicaSet),
    /// Replicas, the preferred first.
    Ranked(Vec<ReplicaId>),
    /// Yes or no.
    Yes(bool),
    /// A word of the protocol.
    Word(&'static str),
    /// What a state machine holds.
    Map(Vec<(u16, u64)>),
    /// What a state machine was told of the leader.
    Told(Option<(u32, Option<ReplicaId>)>),
    /// Where the entries of an epoch end.
    EpochEnd(EpochEnd),
    /// Entries that a message carries.
    Records(Option<Records>),
}

/// Where fields go: name and value.
pub type Fields<'a> = dyn FnMut(&'static str, Value) + 'a;

/// What a leader knows of another replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerView {
    /// Which.
    pub id: ReplicaId,
    /// Whether it counts for commits.
    pub is_voter: bool,
    /// Up to where it is known to hold the leader's log, exclusive.
    pub matched: Option<u64>,
    /// The offset of the next entry to be sent to it, where leaders push.
    pub next: Option<u64>,
    /// When it was last heard, in local microseconds.
    pub heard_us: Option<u64>,
    /// Whether it was heard since the leader last looked for a majority.
    pub is_counted: bool,
}

/// Parts of the traffic, which can be looked at each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Traffic {
    /// Campaigns and the answers to them.
    Votes = 0,
    /// A leader says that it leads, where that is a message of its own.
    Leading = 1,
    /// A leader says that it leads no more.
    Ending = 2,
    /// What carries entries.
    Entries = 3,
    /// What keeps a healthy cluster together and carries nothing.
    Quiet = 4,
    /// Requests of clients and the answers to them.
    Clients = 5,
}

/// How many parts of the traffic there are.
pub const TRAFFIC_PARTS: usize = 6;

/// Where a log ends, as notes carry it: in twelve bytes, for a note must be small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(Rust, packed(4))]
pub struct LogEnd {
    /// The epoch of its last entry.
    pub epoch: u32,
    /// One past its last entry.
    pub end: u64,
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// A role was taken on.
    Role,
    /// A vote was given.
    Vote,
    /// A vote was refused.
    VoteRefused,
    /// An answer to a campaign was counted.
    Count,
    /// Something else was refused.
    Refusal,
    /// The commit moved.
    Commit,
    /// A log changed.
    Log,
    /// What a client asked for was taken.
    Taken,
    /// Anything else.
    Other,
}

/// What a line is about, and how telling it is: of a step's lines the most telling one makes its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gist {
    /// About what.
    pub theme: Theme,
    /// From 0, the more the more telling.
    pub weight: u8,
}
