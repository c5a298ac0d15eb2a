//! What people do to a run.
//!
//! A command is data, named by what is stable under other commands: replicas, links, and events by their own numbers.
//! Given at a position and a time it is part of the run's record, and replays.

use super::clients::{Alarm, CLIENTS_MAX, ClientOptions, WAITING_MAX, client_id, client_number};
use super::network::FlightName;
use super::settings::LinkConditions;
use crate::raft::{Encoder, REPLICAS_MAX, ReplicaId, Timer};

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
    /// `client 1 timeout #4`: a client's alarm going off.
    Client {
        /// Whose, from 0.
        client: u8,
        /// Which.
        alarm: Alarm,
        /// How often it has been set.
        number: u32,
    },
}

/// Who is in which group of a partition: replicas by their number, then clients. All in group 0: no partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups([u8; MEMBERS_MAX]);

const MEMBERS_MAX: usize = REPLICAS_MAX as usize + CLIENTS_MAX as usize;

impl Default for Groups {
    fn default() -> Self {
        Self([0; MEMBERS_MAX])
    }
}

impl Groups {
    const fn place(id: ReplicaId) -> usize {
        match client_number(id) {
            Some(client) => REPLICAS_MAX as usize + client as usize,
            None => id.index(),
        }
    }

    /// The group of a replica or a client.
    #[must_use]
    #[inline]
    pub fn of(&self, id: ReplicaId) -> u8 {
        self.0.get(Self::place(id)).copied().unwrap_or(0)
    }

    /// Puts a replica or a client into a group.
    pub fn put(&mut self, id: ReplicaId, group: u8) {
        if let Some(slot) = self.0.get_mut(Self::place(id)) {
            *slot = group;
        }
    }

    /// Whether two are in different groups.
    #[must_use]
    #[inline]
    pub fn are_apart(&self, one: ReplicaId, other: ReplicaId) -> bool {
        self.of(one) != self.of(other)
    }

    /// The largest group's number.
    #[must_use]
    pub fn last(&self) -> u8 {
        self.0.iter().copied().max().unwrap_or(0)
    }

    /// Everybody that is not in group 0, with the group.
    pub fn apart(&self) -> impl Iterator<Item = (ReplicaId, u8)> {
        let id = |place: usize| {
            let place = u8::try_from(place).unwrap_or(u8::MAX);
            if place < REPLICAS_MAX { ReplicaId(place) } else { client_id(place - REPLICAS_MAX) }
        };
        self.0.iter().enumerate().filter(|(_, group)| **group > 0).map(move |(place, group)| (id(place), *group))
    }

    pub(super) fn encode(&self, out: &mut Encoder) {
        for group in self.0 {
            out.u8(group);
        }
    }
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
    /// A message in flight arrives later.
    Delay {
        /// Its sender.
        from: ReplicaId,
        /// Its receiver.
        to: ReplicaId,
        /// Its number.
        number: u32,
        /// Whether the second delivery is meant.
        is_copy: bool,
        /// How much later.
        by_us: u32,
    },
    /// Two messages that fly arrive each when the other would have.
    Swap {
        /// One.
        one: FlightName,
        /// The other.
        other: FlightName,
    },
    /// A timer or a client's alarm goes off later.
    PushBack {
        /// Which.
        event: EventName,
        /// How much later, by the clock that it is read by.
        by_us: u32,
    },
    /// The timers on which voters would next campaign go off one after the other, so far apart, in the order in which they
    /// would have; the first when it would have. Nothing apart: all at once, which splits the vote.
    SpaceTimers {
        /// How far apart, in microseconds.
        apart_us: u32,
    },
    /// A replica stands still: it runs no task, and messages wait at its door. Its clock goes on.
    Pause {
        /// Which.
        replica: ReplicaId,
    },
    /// A paused replica goes on: first with what waited.
    Resume {
        /// Which.
        replica: ReplicaId,
    },
    /// A replica's clock goes faster or slower from now on.
    SetClock {
        /// Which.
        replica: ReplicaId,
        /// Local microseconds per million global ones.
        rate_ppm: u32,
    },
    /// Parts the cluster: groups do not hear each other from now on. Cuts of single links stay as they are.
    Partition {
        /// Who is in which group.
        groups: Groups,
    },
    /// Heals every cut, and puts all into one group.
    Heal,
    /// A client of the cluster joins.
    AddClient {
        /// How it behaves.
        options: ClientOptions,
    },
    /// A client has something to set; it sends it when what it sent before is settled.
    ClientRequest {
        /// Which client, from 0.
        client: u8,
        /// What to set.
        key: u16,
        /// To what.
        value: u64,
    },
    /// A client has something to set every so often from now on, or no longer.
    SetRate {
        /// Which client, from 0.
        client: u8,
        /// How often; 0: no longer.
        every_us: u32,
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

impl EventName {
    /// Where it happens: the replica or the client.
    #[must_use]
    pub const fn place(&self) -> ReplicaId {
        match *self {
            Self::Delivery { to, .. } => to,
            Self::Timer { replica, .. } | Self::Task { replica, .. } => replica,
            Self::Client { client, .. } => client_id(client),
        }
    }
}

impl Command {
    /// Whether it names a message, a timer or a task, which may be gone at another time.
    #[must_use]
    pub const fn names_an_event(&self) -> bool {
        matches!(
            self,
            Self::RunNow { .. }
                | Self::Cancel { .. }
                | Self::Drop { .. }
                | Self::SetHeld { .. }
                | Self::Duplicate { .. }
                | Self::Delay { .. }
                | Self::Swap { .. }
                | Self::PushBack { .. }
        )
    }

    /// Whether it is a fault: something that breaks, or is mended.
    #[must_use]
    pub const fn is_fault(&self) -> bool {
        match self {
            Self::Crash { .. }
            | Self::Restart { .. }
            | Self::Shutdown { .. }
            | Self::Pause { .. }
            | Self::Resume { .. }
            | Self::SetClock { .. }
            | Self::Partition { .. }
            | Self::Heal
            | Self::SetCut { .. }
            | Self::SetLink { .. }
            | Self::Drop { .. } => true,
            Self::Append { .. }
            | Self::Resign { .. }
            | Self::RunNow { .. }
            | Self::Cancel { .. }
            | Self::SetHeld { .. }
            | Self::Duplicate { .. }
            | Self::Delay { .. }
            | Self::Swap { .. }
            | Self::PushBack { .. }
            | Self::SpaceTimers { .. }
            | Self::AddClient { .. }
            | Self::ClientRequest { .. }
            | Self::SetRate { .. } => false,
        }
    }

    /// Whether it can be said of any run of such a cluster, whatever its protocol: it names no message, timer, task or role.
    #[must_use]
    pub const fn suits_any_run(&self) -> bool {
        match self {
            Self::Drop { .. } => false,
            Self::AddClient { .. } | Self::ClientRequest { .. } | Self::SetRate { .. } => true,
            other => other.is_fault(),
        }
    }

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
            | Self::Pause { replica }
            | Self::Resume { replica }
            | Self::SetClock { replica, .. } => replica,
            Self::RunNow { event } | Self::PushBack { event, .. } => event.place(),
            Self::Drop { from, .. }
            | Self::SetHeld { from, .. }
            | Self::Delay { from, .. }
            | Self::Duplicate { from, .. }
            | Self::SetCut { from, .. }
            | Self::Swap { one: (from, ..), .. }
            | Self::SetLink { link: Some((from, _)), .. } => from,
            Self::ClientRequest { client, .. } | Self::SetRate { client, .. } => client_id(client),
            Self::SetLink { link: None, .. }
            | Self::SpaceTimers { .. }
            | Self::Partition { .. }
            | Self::Heal
            | Self::AddClient { .. } => ReplicaId(0),
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
    /// Whether it was planned for its time, and not given at its place.
    pub is_planned: bool,
    /// A byte of the run's digest right after it, once that is known.
    pub check: Option<u8>,
}

impl Placed {
    /// One that is given by hand between two steps.
    #[must_use]
    pub const fn by_hand(step: u64, at_us: u64, command: Command) -> Self {
        Self { step, tasks: 0, at_us, command, is_planned: false, check: None }
    }
}

/// A command that is to come at a time: before everything else that is due then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// When, in global microseconds.
    pub at_us: u64,
    /// What.
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
    /// One of the two messages does not fly, or they are one.
    #[error("only two messages that fly can be swapped")]
    CannotSwap,
    /// It is paused.
    #[error("node {0} is paused")]
    IsPaused(ReplicaId),
    /// It is not paused.
    #[error("node {0} is not paused")]
    IsNotPaused(ReplicaId),
    /// There is no such client.
    #[error("there is no client {0}")]
    NoSuchClient(u8),
    /// There are as many clients as there can be.
    #[error("there are {CLIENTS_MAX} clients, and no more can join")]
    TooManyClients,
    /// A client has so much to send that it takes no more.
    #[error("client {0} has {WAITING_MAX} requests waiting and takes no more")]
    ClientIsFull(u8),
    /// Fewer than two voters wait for a timer to campaign on.
    #[error("fewer than two nodes wait for a timeout on which they would seek votes")]
    NothingToSpace,
    /// Nothing is cut.
    #[error("nothing is cut")]
    NothingToHeal,
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
