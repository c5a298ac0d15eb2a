//! What happened in a step, as codes and numbers.
//!
//! A step's events are collected in a buffer that is used again for the next step. Sentences, lists and pictures are
//! made from them when they are looked at, never before.

use super::clients::CallNote;
use super::command::{Command, EventName};
use super::network::Fate;
use crate::raft::{Ended, Fault, MessageFace, Protocol, ReplicaId, RequestError, RoleShape, TaskKind};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What<P: Protocol> {
    /// The run began.
    Began,
    /// A command was carried out.
    Command(Command),
    /// A message arrived.
    Delivered {
        /// From whom.
        from: ReplicaId,
        /// Its number on the link.
        number: u32,
        /// What it was.
        face: MessageFace<P::MessageKind>,
        /// Whether nobody was there to take it.
        is_wasted: bool,
    },
    /// A timer went off.
    Fired {
        /// Its name.
        event: EventName,
    },
    /// A task ran.
    Task {
        /// Its number on the executor.
        number: u64,
        /// Which.
        kind: TaskKind,
        /// How long it was queued, in microseconds.
        queued_for_us: u64,
    },
    /// A request was refused by the replica.
    Refused(RequestError),
    /// Something about a request of a client of the cluster.
    Call(CallNote),
    /// The protocol said why.
    Note(P::Note),
    /// A message was sent.
    Sent {
        /// To whom.
        to: ReplicaId,
        /// Its number on the link.
        number: u32,
        /// When it arrives or would have, in global microseconds.
        at_us: u64,
        /// What became of it.
        fate: Fate,
        /// What it is.
        face: MessageFace<P::MessageKind>,
    },
    /// The election state was written.
    Persisted,
    /// The replica cannot go on, in this task.
    Failed(Fault, TaskKind),
    /// The replica has shut down gracefully.
    Ended(Ended),
}

/// One line of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceEvent<P: Protocol> {
    /// When, in global microseconds.
    pub at_us: u64,
    /// Where; the first replica for what concerns the whole run.
    pub replica: ReplicaId,
    /// What.
    pub what: What<P>,
}

/// A mark kept of the distant past, where traces are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// After how many steps.
    pub step: u64,
    /// When, in global microseconds.
    pub at_us: u64,
    /// Where.
    pub replica: ReplicaId,
    /// What.
    pub what: Marked,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// It took on a role in an epoch.
    Became {
        /// The role.
        role: RoleShape,
        /// The epoch.
        epoch: u32,
    },
    /// It stopped: crashed, failed, or shut down.
    Stopped,
    /// More is committed than ever before.
    Committed {
        /// The end of it, exclusive.
        end: u64,
    },
    /// Something was broken or mended by hand.
    Fault,
    /// A safety property was broken.
    Broken,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raft::Any;

    #[test]
    fn a_trace_event_is_at_most_64_bytes() {
        assert!(size_of::<TraceEvent<Any>>() <= 64, "{}", size_of::<TraceEvent<Any>>());
    }
}
