//! What people do to a run.
//!
//! A command is data, named by what is stable under other commands: replicas, links, and events by their own numbers.
//! Given at a position and a time it is part of the run's record, and replays.

use super::settings::LinkConditions;
use crate::raft::{ReplicaId, Timer};

/// The name of something that can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventName {
    /// `link 2>3 #17`: a message's delivery.
    Delivery {
        /// Its sender.
        from: ReplicaId,
        /// Its receiver.
        to: ReplicaId,
        /// Its number on the link.
        number: u32,
        /// Whether it is the second delivery of a duplicated message.
        is_copy: bool,
    },
    /// `timer 3 election #4`: a timer going off.
    Timer {
        /// Whose.
        replica: ReplicaId,
        /// Which.
        timer: Timer,
        /// How often it has been armed.
        number: u32,
    },
    /// `task 3 #9`: a task that waits on a replica's executor.
    Task {
        /// Whose executor.
        replica: ReplicaId,
        /// How many tasks that executor has accepted before.
        number: u32,
    },
}

/// An intervention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A replica stops at once; what is not on disk is lost.
    Crash {
        /// Which.
        replica: ReplicaId,
        /// Whether records not yet flushed survive.
        keep_unflushed: bool,
    },
    /// A crashed replica starts from its disk.
    Restart {
        /// Which.
        replica: ReplicaId,
        /// Whether the disk was lost, so that it starts from an empty one: outside what Raft promises to survive.
        is_wiped: bool,
    },
    /// A client appends records at a replica, which it believes to lead the replica's epoch: `count` of them, each setting
    /// `key`, to `value`, `value + 1` and so on.
    Append {
        /// Where.
        replica: ReplicaId,
        /// What to set.
        key: u16,
        /// The value of the first record.
        value: u64,
        /// How many records.
        count: u8,
    },
    /// A replica is asked to give up leadership of its epoch.
    Resign {
        /// Which.
        replica: ReplicaId,
    },
    /// A replica is asked to finish gracefully.
    Shutdown {
        /// Which.
        replica: ReplicaId,
        /// How long it may take, in milliseconds.
        timeout_ms: u32,
    },
    /// An event that is to come happens now. A message so delivered had a shorter flight; a timer so fired has its
    /// deadline moved to now; a task so run overtakes the others of its executor, which go on waiting.
    RunNow {
        /// Which.
        event: EventName,
    },
    /// A task is taken from a replica's executor, and nobody tells the replica.
    Cancel {
        /// Whose executor.
        replica: ReplicaId,
        /// The task's number.
        number: u32,
    },
    /// A message in flight is lost.
    Drop {
        /// Its sender.
        from: ReplicaId,
        /// Its receiver.
        to: ReplicaId,
        /// Its number.
        number: u32,
        /// Whether the second delivery is meant.
        is_copy: bool,
    },
    /// A message in flight is held, so that it does not arrive; or one that is held flies on, with the rest of its flight.
    SetHeld {
        /// Its sender.
        from: ReplicaId,
        /// Its receiver.
        to: ReplicaId,
        /// Its number.
        number: u32,
        /// Whether the second delivery is meant.
        is_copy: bool,
        /// Whether it is held from now on.
        is_held: bool,
    },
    /// A message in flight is delivered a second time, the given microseconds after the first.
    Duplicate {
        /// Its sender.
        from: ReplicaId,
        /// Its receiver.
        to: ReplicaId,
        /// Its number.
        number: u32,
        /// How much later.
        after_us: u32,
    },
    /// Cuts or heals a directed link.
    SetCut {
        /// Its sender.
        from: ReplicaId,
        /// Its receiver.
        to: ReplicaId,
        /// Whether it is cut from now on.
        is_cut: bool,
    },
    /// Sets how one link (or, without one, every link) treats messages from now on.
    SetLink {
        /// Which link; all without one.
        link: Option<(ReplicaId, ReplicaId)>,
        /// How.
        conditions: LinkConditions,
    },
}

impl Command {
    /// The replica it is about: the one it acts on, or the sender of the link; the first for all.
    #[must_use]
    pub const fn place(&self) -> ReplicaId {
        match *self {
            Self::Crash { replica, .. }
            | Self::Restart { replica, .. }
            | Self::Append { replica, .. }
            | Self::Resign { replica }
            | Self::Shutdown { replica, .. }
            | Self::Cancel { replica, .. }
            | Self::RunNow { event: EventName::Timer { replica, .. } | EventName::Task { replica, .. } } => replica,
            Self::RunNow { event: EventName::Delivery { to, .. } } => to,
            Self::Drop { from, .. }
            | Self::SetHeld { from, .. }
            | Self::Duplicate { from, .. }
            | Self::SetCut { from, .. }
            | Self::SetLink { link: Some((from, _)), .. } => from,
            Self::SetLink { link: None, .. } => ReplicaId(0),
        }
    }
}

/// Where in a run a command was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// After how many steps.
    pub step: u64,
    /// After how many executor tasks of the next step.
    pub tasks: u32,
    /// What the clock showed, in global microseconds.
    pub at_us: u64,
    /// What was done.
    pub command: Command,
}

/// Why a command cannot be carried out here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// There is no such replica.
    #[error("there is no node {0}")]
    NoSuchReplica(ReplicaId),
    /// It is crashed already.
    #[error("node {0} is crashed already")]
    IsDown(ReplicaId),
    /// It is running.
    #[error("node {0} is running")]
    IsUp(ReplicaId),
    /// No such message is in flight, no such timer armed, or no such task waits.
    #[error("that event is not to come any more")]
    NoSuchEvent,
    /// The message is held.
    #[error("that message is held")]
    IsHeld,
    /// The message is not held.
    #[error("that message is not held")]
    IsNotHeld,
    /// The message has a copy already.
    #[error("that message has a copy already")]
    HasCopy,
    /// The time is before the last event or after the next one.
    #[error("the clock cannot be set to {at_us} µs: it shows {now_us} µs and the next event is due at {next_us} µs")]
    WrongTime {
        /// What was asked for.
        at_us: u64,
        /// What the clock shows.
        now_us: u64,
        /// When something is due next.
        next_us: u64,
    },
}
