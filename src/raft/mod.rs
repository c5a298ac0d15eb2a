//! What Raft protocols share, and the protocols themselves, one folder each.
//!
//! Shared: [ids](ReplicaId), the [log](Log), [timers](TimerTable), the [`Protocol`] and [`Replica`] traits, and the
//! [client](RaftClient) that runs a replica on an executor and its [driver](RaftClientDriver). This room does not know of networks, clusters or pages.

mod any;
pub mod classic;
mod client;
mod digest;
mod driver;
mod ids;
pub mod kraft;
mod listener;
mod log;
mod projection;
mod protocol;
mod timers;

pub use any::{Any, AnyDisk, AnyKind, AnyMessage, AnyNote, AnyReplica, Either, Family, ProtocolSettings};
pub use client::{ClientSettings, Form, LocalClock, RaftClient, Surroundings, Task, TaskError, TaskKind, Upcoming};
pub use digest::Encoder;
pub use driver::{DriverState, Failure, FaultHandler, RaftClientDriver, Ran, SHUTDOWN_TIMEOUT_US, TASKS_AT_ONCE_MAX};
pub use ids::{REPLICAS_MAX, ReplicaId, ReplicaSet};
pub use listener::Listener;
pub use log::{BATCH_ENTRIES, Entry, EpochEnd, Log, Payload, Records, SEGMENT_ENTRIES, encode_entry};
pub use projection::{Fields, Gist, LogEnd, PeerView, TRAFFIC_PARTS, Theme, Traffic, Value};
pub use protocol::{
    AppendError, Beginning, Carries, Context, Driven, Effects, Ended, Face, Fault, Luck, MessageFace, Protocol,
    Purpose, Replica, Request, RequestError, RoleChange, RoleShape, Standing, Verdict,
};
pub use timers::{Armed, Timer, TimerKind, TimerTable};
