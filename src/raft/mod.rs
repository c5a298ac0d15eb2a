//! What Raft protocols share, and the protocols themselves, one folder each.
//!
//! Shared: [ids](ReplicaId), the [log](Log), [timers](TimerTable), the [`Protocol`] and [`Replica`] traits, and the
//! [client](RaftClient) that runs a replica on an executor. This room does not know of networks, clusters or pages.

mod client;
mod digest;
mod ids;
pub mod kraft;
mod log;
mod protocol;
mod timers;

pub use client::{Failure, LocalClock, RaftClient, Surroundings, Task, TaskKind};
pub use digest::Encoder;
pub use ids::{REPLICAS_MAX, ReplicaId, ReplicaSet};
pub use log::{Entry, EpochEnd, Log, Payload, Records, SEGMENT_ENTRIES, encode_entry};
pub use protocol::{
    Context, Effects, Face, Fault, Luck, MessageFace, Protocol, Purpose, Replica, RoleShape, Standing, Verdict,
};
pub use timers::{Armed, Timer, TimerKind, TimerTable};
