//! What a protocol must offer, and the buffer through which it acts.
//!
//! A replica is a value without clock, luck or I/O. It is called with a [`Context`] and acts by pushing into
//! [`Effects`]; whoever drives it carries the effects out in their order of duty: persist, send, arm and disarm
//! timers, notify. What a replica says about itself to people ([`Face`]) and to checkers ([`Standing`]) is plain data
//! in the protocol's own words.

use super::digest::Encoder;
use super::ids::{ReplicaId, ReplicaSet};
use super::listener::Listener;
use super::log::Log;
use super::projection::{Fields, Gist, PeerView, Traffic};
use super::timers::{Timer, TimerTable};
use std::fmt::Debug;

/// What random draws are for; each purpose of each replica has a stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The random part of an election timeout, in milliseconds.
    Election,
    /// Which bootstrap server to ask first.
    Bootstrap,
}

/// Where a replica's randomness comes from.
pub trait Luck {
    /// A number in `0..bound`; 0 when `bound` is 0.
    fn below(&mut self, purpose: Purpose, bound: u32) -> u32;
}

/// A broken rule that the protocol itself notices: the replica stops, with a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Two leaders were named for one epoch.
    ContradictoryLeader {
        /// The epoch.
        epoch: u32,
    },
    /// A truncation would have cut committed records.
    TruncationBelowHighWatermark {
        /// Where it would have cut.
        offset: u64,
        /// What was committed.
        high_watermark: u64,
    },
    /// The high watermark would have fallen.
    HighWatermarkBack {
        /// What was known.
        from: u64,
        /// What was told.
        to: u64,
    },
    /// A peer called our own request invalid.
    RequestCalledInvalid,
    /// More tasks at one instant than any correct run has.
    TaskLoop,
    /// The executor had no room for a task without which the client would never wake.
    ExecutorFull,
}

/// What a replica's user may ask of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Give up leadership of that epoch.
    Resign {
        /// The epoch.
        epoch: u32,
    },
    /// Append records as the leader of an epoch: `count` of them, each setting `key`, to `value`, `value + 1` and so on.
    Append {
        /// The epoch in which the asker believes it leads.
        epoch: u32,
        /// What to set.
        key: u16,
        /// The value of the first record.
        value: u64,
        /// How many records.
        count: u8,
    },
    /// Finish gracefully, within that time.
    Shutdown {
        /// In microseconds.
        timeout_us: u64,
    },
}

impl Request {
    /// Writes it for a digest.
    #[inline]
    pub fn encode(self, out: &mut Encoder) {
        match self {
            Self::Resign { epoch } => {
                out.u8(0);
                out.u32(epoch);
            }
            Self::Shutdown { timeout_us } => {
                out.u8(1);
                out.u64(timeout_us);
            }
            Self::Append { epoch, key, value, count } => {
                out.u8(2);
                out.u32(epoch);
                out.u32(key.into());
                out.u64(value);
                out.u8(count);
            }
        }
    }
}

/// Why a replica refused a request. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// It cannot append.
    #[error("it cannot append: {0}")]
    Append(#[from] AppendError),
    /// It cannot resign from an epoch it has not reached.
    #[error("it cannot resign from epoch {epoch}: its epoch is {current}")]
    ResignAhead {
        /// What was asked for.
        epoch: u32,
        /// Where it is.
        current: u32,
    },
    /// Its protocol knows nothing like it.
    #[error("its protocol has no such request")]
    NoSuchThing,
    /// It cannot resign: it does not lead.
    #[error("it cannot resign from epoch {epoch}: it does not lead it")]
    NotLeader {
        /// What was asked for.
        epoch: u32,
    },
}

/// Why an append was refused, in Kafka's names of its exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// `NotLeaderException`: not leader, or not of that epoch any more.
    #[error("it does not lead epoch {epoch}")]
    NotLeader {
        /// The epoch that was named.
        epoch: u32,
    },
    /// `IllegalArgumentException`: an epoch it has not reached.
    #[error("it has not reached epoch {epoch}")]
    Ahead {
        /// The epoch that was named.
        epoch: u32,
    },
    /// `IllegalArgumentException`: no records.
    #[error("there is nothing to append")]
    Nothing,
    /// `RecordBatchTooLargeException`: more than a batch holds.
    #[error("{count} records are more than a batch holds")]
    TooLarge {
        /// How many were given.
        count: u8,
    },
    /// `IllegalStateException`: ten complete batches wait already.
    #[error("too much waits to be written")]
    Full,
}

/// How a graceful shutdown ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Somebody else leads, or nobody else is needed.
    Completed,
    /// Its time was over.
    TimedOut,
}

/// What a replica wants done. Kept by the driver and reused, so that a step allocates nothing once warm.
#[derive(Debug)]
pub struct Effects<P: Protocol> {
    /// The election state was written durably.
    pub persisted: bool,
    /// Messages, in the order in which they were sent.
    pub sends: Vec<(ReplicaId, P::Message)>,
    /// Timers that were armed or disarmed; their new state is in the replica's table.
    pub timers: Vec<Timer>,
    /// Listeners have something to hear.
    pub notify: bool,
    /// Why things happened, for people.
    pub notes: Vec<P::Note>,
    /// The replica cannot go on.
    pub fault: Option<Fault>,
}

impl<P: Protocol> Default for Effects<P> {
    #[inline]
    fn default() -> Self {
        Self { persisted: false, sends: Vec::new(), timers: Vec::new(), notify: false, notes: Vec::new(), fault: None }
    }
}

impl<P: Protocol> Effects<P> {
    /// Whether nothing is wanted.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.persisted
            && self.sends.is_empty()
            && self.timers.is_empty()
            && !self.notify
            && self.notes.is_empty()
            && self.fault.is_none()
    }
}

/// A protocol whose messages and notes can be those of `P`: `P` itself, or one that has `P` among others. What a replica
/// wants goes straight where its driver keeps it, in the driver's own types.
pub trait Carries<P: Protocol>: Protocol {
    /// A message of `P`.
    fn message(own: P::Message) -> Self::Message;

    /// A note of `P`.
    fn note(own: P::Note) -> Self::Note;
}

impl<P: Protocol> Carries<P> for P {
    #[inline]
    fn message(own: P::Message) -> P::Message {
        own
    }

    #[inline]
    fn note(own: P::Note) -> P::Note {
        own
    }
}

/// What a replica of `P` is called with, by a driver of `W`.
pub struct Context<'a, P: Protocol, W: Protocol = P> {
    /// The replica's local time, in microseconds.
    pub now_us: u64,
    /// The protocol's settings.
    pub settings: &'a P::Settings,
    /// The replica's luck.
    pub luck: &'a mut dyn Luck,
    /// Where its effects go.
    pub effects: &'a mut Effects<W>,
}

impl<P: Protocol, W: Carries<P>> Context<'_, P, W> {
    /// Sends a message.
    #[inline]
    pub fn send(&mut self, to: ReplicaId, message: P::Message) {
        self.effects.sends.push((to, W::message(message)));
    }

    /// Arms `timer` in `table` to go off after `after_us`.
    #[inline]
    pub fn arm(&mut self, table: &mut TimerTable, timer: Timer, after_us: u64) {
        table.arm(timer, self.now_us, self.now_us.saturating_add(after_us));
        self.effects.timers.push(timer);
    }

    /// Arms `timer` again with the deadline it already had.
    #[inline]
    pub fn rearm(&mut self, table: &mut TimerTable, timer: Timer) {
        let at_us = table.deadline_us(timer);
        table.arm(timer, self.now_us, at_us);
        self.effects.timers.push(timer);
    }

    /// Stops `timer`.
    #[inline]
    pub fn disarm(&mut self, table: &mut TimerTable, timer: Timer) {
        if table.disarm(timer) {
            self.effects.timers.push(timer);
        }
    }

    /// Says why something happened.
    #[inline]
    pub fn note(&mut self, note: P::Note) {
        self.effects.notes.push(W::note(note));
    }
}

/// The shape under which a role is drawn, and what checkers know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleShape {
    /// Waits, knowing no leader it follows.
    Unattached,
    /// Asks whether it could win, without raising the epoch.
    Prospective,
    /// Asks for votes.
    Candidate,
    /// Leads.
    Leader,
    /// Follows a leader.
    Follower,
    /// Led, and tells the others to elect another.
    Resigned,
}

/// What checkers may know of a replica, whatever its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its role.
    pub role: RoleShape,
    /// Its epoch or term.
    pub epoch: u32,
    /// The leader it knows.
    pub leader: Option<ReplicaId>,
    /// Whom it voted for in this epoch.
    pub voted: Option<ReplicaId>,
    /// The high watermark or commit index it knows, exclusive.
    pub committed: Option<u64>,
    /// One past its last entry.
    pub end_offset: u64,
}

/// What is drawn of a replica, beyond its standing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face {
    /// Votes it gathered, itself included.
    pub granted: ReplicaSet,
    /// Votes it was refused.
    pub refused: ReplicaSet,
    /// The voters.
    pub voters: ReplicaSet,
}

/// How an answer turned out, so that it can be told apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A request: no verdict yet.
    Asks,
    /// An answer that agrees or carries what was asked for.
    Granted,
    /// An answer that refuses.
    Refused,
    /// An answer with nothing to agree to.
    Plain,
}

/// What is drawn of a message. The kind is a code of the protocol for the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageFace<K> {
    /// Which message of the protocol.
    pub kind: K,
    /// The epoch it carries.
    pub epoch: u32,
    /// Request, or how the answer turned out.
    pub verdict: Verdict,
    /// How many log entries it carries, or its request carried.
    pub entries: u8,
}

/// A change of role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoleChange {
    /// What it was; `None` at the start.
    pub from: Option<RoleShape>,
    /// What it is.
    pub to: RoleShape,
    /// In which epoch.
    pub epoch: u32,
}

/// What a replica has on its disk where a run begins in the middle.
#[derive(Clone, Debug, Default)]
pub struct Beginning {
    /// Its epoch or term.
    pub epoch: u32,
    /// The leader of that epoch, where that is kept.
    pub leader: Option<ReplicaId>,
    /// Whom it voted for in that epoch.
    pub voted: Option<ReplicaId>,
    /// What it knows to be committed, exclusive.
    pub committed: Option<u64>,
    /// Its log.
    pub log: Log,
}

/// A protocol: a family of types and nothing else.
pub trait Protocol: Copy + Debug + PartialEq + Sized + 'static {
    /// What can be set.
    type Settings: Clone + Debug;
    /// What replicas say to each other, at most 64 bytes.
    type Message: Clone + Debug;
    /// Which message, for the catalogue.
    type MessageKind: Copy + Debug + PartialEq;
    /// The kind under which requests of clients, and their answers, are drawn.
    const CLIENT: Self::MessageKind;
    /// Why something happened, for the catalogue.
    type Note: Copy + Debug + PartialEq;
    /// What survives a crash.
    type Disk: Clone + Debug;
    /// One member.
    type Replica: Replica<Self>;

    /// Which part of the traffic a message belongs to.
    fn traffic(face: &MessageFace<Self::MessageKind>) -> Traffic;

    /// Writes a message for a digest.
    fn encode_message(message: &Self::Message, out: &mut Encoder);

    /// What is drawn of a message.
    fn message_face(message: &Self::Message) -> MessageFace<Self::MessageKind>;

    /// The fields of a message from `from`, by the protocol's names.
    fn message_fields(message: &Self::Message, from: ReplicaId, put: &mut Fields<'_>);

    /// Whether a leader can be asked to resign.
    fn resigns(settings: &Self::Settings) -> bool;

    /// Who votes, of so many replicas.
    fn voters(settings: &Self::Settings, replicas: u8) -> ReplicaSet;

    /// A disk on which nothing was ever written.
    fn empty_disk(settings: &Self::Settings) -> Self::Disk;

    /// A disk in the middle of a run.
    fn disk_of(settings: &Self::Settings, beginning: Beginning) -> Self::Disk;

    /// A new disk in the place of one that was lost.
    fn wiped_disk(lost: &Self::Disk) -> Self::Disk;

    /// The log on a disk.
    fn disk_log(disk: &Self::Disk) -> &Log;

    /// Writes a disk for a state digest.
    fn encode_disk(disk: &Self::Disk, out: &mut Encoder);

    /// What a note is about, and how telling it is.
    fn gist(note: &Self::Note) -> Gist;

    /// Up to where a note says that entries are committed, exclusive, if it says so.
    fn commit(note: &Self::Note) -> Option<u64>;

    /// The role that a note says was taken on, if it says so.
    fn role_change(note: &Self::Note) -> Option<RoleChange>;
}

/// What makes a replica of `P` act, called by a driver of `W`.
pub trait Driven<P: Protocol, W: Protocol = P>: Sized {
    /// Starts from what is on `disk`.
    fn start(id: ReplicaId, replicas: u8, disk: P::Disk, cx: &mut Context<'_, P, W>) -> Self;

    /// Does what its state asks for at this instant. True if it must be called again at once.
    fn poll_state(&mut self, cx: &mut Context<'_, P, W>) -> bool;

    /// Takes one message.
    fn handle(&mut self, from: ReplicaId, message: P::Message, cx: &mut Context<'_, P, W>);

    /// Tells listeners what is committed and who leads.
    fn poll_listeners(&mut self, cx: &mut Context<'_, P, W>);

    /// A timer's time has come, or is made to come. True if `poll_state` must follow at once.
    fn fire(&mut self, timer: Timer, cx: &mut Context<'_, P, W>) -> bool;

    /// Takes on what its user asks for; the next look at the state acts on it. Of an append it gives the offset of the last
    /// record.
    ///
    /// # Errors
    /// [`RequestError`]; then nothing has changed.
    fn request(&mut self, request: Request, cx: &mut Context<'_, P, W>) -> Result<Option<u64>, RequestError>;
}

/// One member of a cluster, as a value.
pub trait Replica<P: Protocol>: Clone + Debug + Driven<P> {
    /// How a graceful shutdown has ended, if it has.
    fn ended(&self) -> Option<Ended>;

    /// Its timers.
    fn timers(&self) -> &TimerTable;

    /// Its timers, for whoever moves a deadline by hand.
    fn timers_mut(&mut self) -> &mut TimerTable;

    /// The timer on which it would next seek votes, if it waits for one.
    fn campaigns_on(&self) -> Option<Timer>;

    /// Its log.
    fn log(&self) -> &Log;

    /// Stops it: what is left is on disk. Unflushed entries are lost unless `keep_unflushed`.
    fn stop(self, keep_unflushed: bool) -> P::Disk;

    /// What checkers may know.
    fn standing(&self) -> Standing;

    /// What is drawn.
    fn face(&self) -> Face;

    /// Its state machine.
    fn listener(&self) -> &Listener;

    /// What it is beyond its standing, and what only its role has, by the protocol's names.
    fn fields(&self, put: &mut Fields<'_>);

    /// What a leader knows of each replica, itself included, by index; `None` for whoever does not lead.
    fn peers(&self) -> Option<Vec<PeerView>>;

    /// The offset from which on a leader commits by counting; what is before it is committed together with that.
    fn commits_from(&self) -> Option<u64>;

    /// The leader because of whom it would refuse to let another campaign, if the rules make it do so.
    fn stands_by(&self, settings: &P::Settings, now_us: u64) -> Option<ReplicaId>;

    /// Writes everything that decides its future, for a state digest.
    fn encode(&self, out: &mut Encoder);

    /// Writes the durable election state, for a protocol digest.
    fn encode_persisted(&self, out: &mut Encoder);
}
