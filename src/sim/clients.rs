//! Clients of the cluster: who sends it commands from outside, and what they get to know.
//!
//! A client asks whom it believes to lead, one request after the other. A node that does not lead declines and names
//! the leader it knows; the client follows, waits a little if nobody is known, and goes on to the next node when its
//! time is over. So of a request it knows one of these: acknowledged; refused, when everybody it asked has declined; or
//! nothing, because somebody may have taken it. What really became of one is in the logs, and told by [`fate`]: a request
//! that the network doubled may be taken though it was refused.
//!
//! What a node does with a request stands here too ([`Desk`]): it submits it to its Raft client as an append in the
//! epoch it is in, remembers the offset that was given to it, and answers once that is committed, or that it no longer
//! leads. There are no sessions: a request that is sent again may be appended again.
//!
//! Holds always: a client has at most one request on its way; the last [`KEPT_MAX`] requests are remembered with their
//! outcomes, and all are counted.

use super::cluster::Sim;
use crate::executor::{MICROS_PER_MILLI, NEVER};
use crate::raft::{AppendError, Encoder, Protocol, Replica, ReplicaId, RequestError, RoleShape, Standing};
use std::collections::VecDeque;

/// Ids from here up are those of clients, which only links know.
pub const FIRST_CLIENT: u8 = 32;
/// The most clients.
pub const CLIENTS_MAX: u8 = 9;
/// The most requests that wait at a client.
pub const WAITING_MAX: usize = 50;
/// The settled requests that are remembered.
pub const KEPT_MAX: usize = 50;

/// The id of a client on its links.
#[must_use]
pub const fn client_id(client: u8) -> ReplicaId {
    ReplicaId(FIRST_CLIENT + client)
}

/// Which client it is, if it is one.
#[must_use]
#[inline]
pub const fn client_number(id: ReplicaId) -> Option<u8> {
    id.0.checked_sub(FIRST_CLIENT)
}

/// How a client behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    /// How long it waits for an answer, in milliseconds.
    pub timeout_ms: u32,
    /// How long it waits before it asks again, when nobody is known to lead, in milliseconds.
    pub backoff_ms: u32,
    /// How often it sends a request at most.
    pub attempts: u8,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self { timeout_ms: 1_500, backoff_ms: 250, attempts: 5 }
    }
}

/// What a client waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// The answer is late.
    Timeout,
    /// It asks again.
    Retry,
    /// It has something new to set.
    Next,
}

/// What a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Its number at the client, from 1.
    pub number: u32,
    /// How often it was sent before.
    pub attempt: u8,
    /// What to set.
    pub key: u16,
    /// To what.
    pub value: u64,
}

/// What a node answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The request's number at the client.
    pub number: u32,
    /// Which of its attempts this answers, from 0.
    pub attempt: u8,
    /// What came of it.
    pub says: Says,
}

/// What came of a request, according to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// It is committed at that offset.
    Committed {
        /// Where.
        offset: u64,
    },
    /// The node does not lead, and took nothing.
    Declined {
        /// The leader it knows.
        leader: Option<ReplicaId>,
    },
    /// The node has no room for it, and took nothing.
    Full,
    /// The node took it and leads no more: it may still be committed, or not.
    NoLonger,
}

/// What flies on links: between replicas, or from and to clients.
#[derive(Clone, Debug)]
pub enum Mail<M> {
    /// Between replicas.
    Peer(M),
    /// From a client.
    Ask(Ask),
    /// To a client.
    Reply(Reply),
}

impl Ask {
    pub(super) fn encode(self, out: &mut Encoder) {
        out.u32(self.number);
        out.u8(self.attempt);
        out.u32(self.key.into());
        out.u64(self.value);
    }
}

impl Reply {
    pub(super) fn encode(self, out: &mut Encoder) {
        out.u32(self.number);
        out.u8(self.attempt);
        match self.says {
            Says::Committed { offset } => {
                out.u8(0);
                out.u64(offset);
            }
            Says::Declined { leader } => {
                out.u8(1);
                out.u8(leader.map_or(u8::MAX, |id| id.0));
            }
            Says::Full => out.u8(2),
            Says::NoLonger => out.u8(3),
        }
    }
}

impl<M> Mail<M> {
    /// Writes it for a digest.
    pub(super) fn encode(&self, out: &mut Encoder, peer: impl Fn(&M, &mut Encoder)) {
        match self {
            Self::Peer(message) => peer(message, out),
            Self::Ask(ask) => {
                out.u8(200);
                ask.encode(out);
            }
            Self::Reply(reply) => {
                out.u8(201);
                reply.encode(out);
            }
        }
    }
}

/// Where a node put a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Which node.
    pub by: ReplicaId,
    /// In which epoch.
    pub epoch: u32,
    /// At which offset.
    pub offset: u64,
}

/// What a client knows of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It waits for the one before it.
    Waits,
    /// It was sent and there is no answer yet.
    Asked,
    /// It is committed at that offset.
    Acknowledged {
        /// Where.
        offset: u64,
    },
    /// Nobody took it.
    Refused,
    /// Somebody may have taken it.
    Unknown,
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRequest {
    /// Its number at the client, from 1.
    pub number: u32,
    /// What to set.
    pub key: u16,
    /// To what.
    pub value: u64,
    /// How often it was sent.
    pub attempts: u8,
    /// Whether somebody may have taken it without an answer.
    pub is_doubtful: bool,
    /// What the client knows.
    pub outcome: Outcome,
    /// Where nodes put it; the client knows nothing of that.
    pub taken: Vec<Taken>,
}

/// How many requests ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Acknowledged.
    pub acknowledged: u32,
    /// Refused.
    pub refused: u32,
    /// Of unknown outcome.
    pub unknown: u32,
    /// Not even begun, because too many waited.
    pub skipped: u32,
}

/// A client.
#[derive(Clone, Debug)]
pub struct ClientState {
    options: ClientOptions,
    believes: ReplicaId,
    /// Oldest first: settled ones, then the one on its way, then those that wait.
    requests: VecDeque<ClientRequest>,
    sent: u32,
    tally: Tally,
    /// The timeout or the retry of the request on its way: when, and which.
    alarm: (u64, Alarm),
    every_us: u64,
    next_us: u64,
    /// How often the timeout or the retry was set, and how often the next request was.
    alarms: (u32, u32),
}

/// What happened at a client or at a node's desk, as codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallNote {
    /// The client sent a request.
    Asked {
        /// Its number.
        number: u32,
        /// How often before.
        attempt: u8,
        /// To whom.
        to: ReplicaId,
    },
    /// A node took a request in.
    Taken {
        /// Whose.
        client: u8,
        /// Its number.
        number: u32,
        /// Where it is put.
        offset: u64,
    },
    /// A node does not lead.
    Declined {
        /// Whose request.
        client: u8,
        /// Its number.
        number: u32,
        /// The leader it knows.
        leader: Option<ReplicaId>,
    },
    /// A node has no room.
    Full {
        /// Whose request.
        client: u8,
        /// Its number.
        number: u32,
    },
    /// A node knows a request to be committed, and says so.
    Committed {
        /// Whose.
        client: u8,
        /// Its number.
        number: u32,
        /// Where.
        offset: u64,
    },
    /// A node that took a request leads no more, and says so.
    NoLonger {
        /// Whose.
        client: u8,
        /// Its number.
        number: u32,
    },
    /// The client heard that its request is committed.
    Acknowledged {
        /// Its number.
        number: u32,
        /// Where.
        offset: u64,
    },
    /// The client heard so of a request that it had given up.
    AcknowledgedLate {
        /// Its number.
        number: u32,
        /// Where.
        offset: u64,
    },
    /// The client was sent to another node.
    Redirected {
        /// The request's number.
        number: u32,
        /// To whom.
        to: ReplicaId,
    },
    /// The client will ask another node a little later.
    BacksOff {
        /// The request's number.
        number: u32,
        /// Whom.
        to: ReplicaId,
    },
    /// No answer came in time.
    TimedOut {
        /// The request's number.
        number: u32,
        /// Who did not answer.
        by: ReplicaId,
    },
    /// The client gave a request up.
    GaveUp {
        /// Its number.
        number: u32,
        /// Whether somebody may have taken it.
        is_unknown: bool,
    },
    /// The client heard something about a request that is settled.
    Stale {
        /// Its number.
        number: u32,
    },
    /// So many requests wait that the client makes no new one.
    Skipped,
}

/// What a client does: it sends, or it has something to say.
pub(super) enum Act {
    Send(ReplicaId, Ask),
    Note(CallNote),
}

impl ClientState {
    pub(super) const fn new(options: ClientOptions) -> Self {
        Self {
            options,
            believes: ReplicaId(0),
            requests: VecDeque::new(),
            sent: 0,
            tally: Tally { acknowledged: 0, refused: 0, unknown: 0, skipped: 0 },
            alarm: (NEVER, Alarm::Timeout),
            every_us: 0,
            next_us: NEVER,
            alarms: (0, 0),
        }
    }

    /// How it behaves.
    #[must_use]
    pub const fn options(&self) -> ClientOptions {
        self.options
    }

    /// Whom it believes to lead.
    #[must_use]
    pub const fn believes(&self) -> ReplicaId {
        self.believes
    }

    /// The requests that are remembered, oldest first.
    pub fn requests(&self) -> impl DoubleEndedIterator<Item = &ClientRequest> {
        self.requests.iter()
    }

    /// How many requests ended how.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// How often it has something new to set, in microseconds; 0: only when told.
    #[must_use]
    pub const fn every_us(&self) -> u64 {
        self.every_us
    }

    /// Its alarms that are set: when, in global microseconds, which, and under which number.
    pub fn alarms(&self) -> impl Iterator<Item = (u64, Alarm, u32)> {
        [(self.alarm.0, self.alarm.1, self.alarms.0), (self.next_us, Alarm::Next, self.alarms.1)]
            .into_iter()
            .filter(|(at_us, ..)| *at_us != NEVER)
    }

    /// The alarm that goes off first.
    pub(super) fn first_alarm(&self) -> (u64, Alarm) {
        if self.next_us < self.alarm.0 { (self.next_us, Alarm::Next) } else { self.alarm }
    }

    /// Whether that alarm is set, under that number.
    pub(super) fn has_alarm(&self, alarm: Alarm, number: u32) -> bool {
        self.alarms().any(|(_, set, n)| (set, n) == (alarm, number))
    }

    pub(super) fn push_back(&mut self, alarm: Alarm, by_us: u64) {
        match alarm {
            Alarm::Next => self.next_us += by_us,
            Alarm::Timeout | Alarm::Retry => self.alarm.0 += by_us,
        }
    }

    fn set(&mut self, at_us: u64, alarm: Alarm) {
        self.alarm = (at_us, alarm);
        self.alarms.0 = self.alarms.0.wrapping_add(1);
    }

    fn waiting(&self) -> usize {
        self.requests.iter().filter(|request| request.outcome == Outcome::Waits).count()
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting() >= WAITING_MAX
    }

    pub(super) fn set_rate(&mut self, every_us: u64, now_us: u64) {
        self.every_us = every_us;
        self.next_us = if every_us == 0 { NEVER } else { now_us };
        self.alarms.1 = self.alarms.1.wrapping_add(1);
    }

    /// It has something to set.
    pub(super) fn request(&mut self, key: u16, value: u64, now_us: u64, acts: &mut Vec<Act>) {
        self.sent += 1;
        self.requests.push_back(ClientRequest {
            number: self.sent,
            key,
            value,
            attempts: 0,
            is_doubtful: false,
            outcome: Outcome::Waits,
            taken: Vec::new(),
        });
        if self.alarm.0 == NEVER {
            self.begin(now_us, acts);
        }
    }

    /// Sends the first request that waits, if there is one.
    fn begin(&mut self, now_us: u64, acts: &mut Vec<Act>) {
        self.alarm.0 = NEVER;
        let is_settled = |request: &&ClientRequest| !matches!(request.outcome, Outcome::Waits | Outcome::Asked);
        while self.requests.iter().filter(is_settled).count() > KEPT_MAX {
            self.requests.pop_front();
        }
        if let Some(request) = self.requests.iter_mut().find(|request| request.outcome == Outcome::Waits) {
            request.outcome = Outcome::Asked;
            self.send(now_us, acts);
        }
    }

    /// Sends the request that is on its way, for the first time or again.
    fn send(&mut self, now_us: u64, acts: &mut Vec<Act>) {
        let to = self.believes;
        let Some(request) = self.requests.iter_mut().find(|request| request.outcome == Outcome::Asked) else {
            return;
        };
        let ClientRequest { number, attempts: attempt, key, value, .. } = *request;
        request.attempts += 1;
        self.set(now_us + u64::from(self.options.timeout_ms) * MICROS_PER_MILLI, Alarm::Timeout);
        acts.push(Act::Note(CallNote::Asked { number, attempt, to }));
        acts.push(Act::Send(to, Ask { number, attempt, key, value }));
    }

    /// An alarm goes off.
    pub(super) fn wake(&mut self, alarm: Alarm, client: u8, replicas: u8, now_us: u64, acts: &mut Vec<Act>) {
        match alarm {
            Alarm::Next => {
                self.next_us = now_us + self.every_us;
                self.alarms.1 = self.alarms.1.wrapping_add(1);
                if self.is_full() {
                    self.tally.skipped += 1;
                    acts.push(Act::Note(CallNote::Skipped));
                } else {
                    self.request(u16::from(client) + 1, u64::from(self.sent) + 1, now_us, acts);
                }
            }
            Alarm::Retry => self.send(now_us, acts),
            Alarm::Timeout => {
                let by = self.believes;
                self.believes = ReplicaId((by.0 + 1) % replicas);
                let Some(request) = self.asked() else { return };
                request.is_doubtful = true;
                acts.push(Act::Note(CallNote::TimedOut { number: request.number, by }));
                if request.attempts < self.options.attempts {
                    self.send(now_us, acts);
                } else {
                    self.give_up(now_us, acts);
                }
            }
        }
    }

    fn asked(&mut self) -> Option<&mut ClientRequest> {
        self.requests.iter_mut().find(|request| request.outcome == Outcome::Asked)
    }

    fn give_up(&mut self, now_us: u64, acts: &mut Vec<Act>) {
        let Some(request) = self.asked() else { return };
        let (number, is_unknown) = (request.number, request.is_doubtful);
        request.outcome = if is_unknown { Outcome::Unknown } else { Outcome::Refused };
        if is_unknown {
            self.tally.unknown += 1;
        } else {
            self.tally.refused += 1;
        }
        acts.push(Act::Note(CallNote::GaveUp { number, is_unknown }));
        self.begin(now_us, acts);
    }

    /// An answer comes.
    pub(super) fn hear(&mut self, from: ReplicaId, reply: Reply, replicas: u8, now_us: u64, acts: &mut Vec<Act>) {
        let number = reply.number;
        let Some(request) = self.requests.iter_mut().find(|request| request.number == number) else {
            acts.push(Act::Note(CallNote::Stale { number }));
            return;
        };
        let is_current = request.outcome == Outcome::Asked;
        match reply.says {
            Says::Committed { offset } if is_current || request.outcome == Outcome::Unknown => {
                request.outcome = Outcome::Acknowledged { offset };
                self.tally.acknowledged += 1;
                self.believes = from;
                if is_current {
                    acts.push(Act::Note(CallNote::Acknowledged { number, offset }));
                    self.begin(now_us, acts);
                } else {
                    self.tally.unknown -= 1;
                    acts.push(Act::Note(CallNote::AcknowledgedLate { number, offset }));
                }
            }
            // Only the answer to the last attempt has something to say about where to go next.
            _ if !is_current || reply.attempt + 1 != request.attempts || self.alarm.1 != Alarm::Timeout => {
                acts.push(Act::Note(CallNote::Stale { number }));
            }
            says => {
                request.is_doubtful |= says == Says::NoLonger;
                let is_spent = request.attempts >= self.options.attempts;
                let leader = match says {
                    Says::Declined { leader } => leader.filter(|leader| *leader != from && leader.0 < replicas),
                    Says::Committed { .. } | Says::Full | Says::NoLonger => None,
                };
                let to = match (leader, says) {
                    (Some(leader), _) => leader,
                    (None, Says::Full) => from,
                    (None, _) => ReplicaId((from.0 + 1) % replicas),
                };
                self.believes = to;
                if is_spent {
                    self.give_up(now_us, acts);
                } else if leader.is_some() {
                    acts.push(Act::Note(CallNote::Redirected { number, to }));
                    self.send(now_us, acts);
                } else {
                    acts.push(Act::Note(CallNote::BacksOff { number, to }));
                    self.set(now_us + u64::from(self.options.backoff_ms) * MICROS_PER_MILLI, Alarm::Retry);
                }
            }
        }
    }

    /// A node put a request somewhere: what people may know and the client does not.
    pub(super) fn note_taken(&mut self, number: u32, taken: Taken) {
        if let Some(request) = self.requests.iter_mut().find(|request| request.number == number) {
            request.taken.push(taken);
        }
    }

    pub(super) fn encode(&self, out: &mut Encoder) {
        out.u32(self.options.timeout_ms);
        out.u32(self.options.backoff_ms);
        out.u8(self.options.attempts);
        out.u8(self.believes.0);
        out.u32(self.sent);
        for request in &self.requests {
            out.u32(request.number);
            out.u32(request.key.into());
            out.u64(request.value);
            out.u8(request.attempts);
            out.bool(request.is_doubtful);
            match request.outcome {
                Outcome::Waits => out.u8(0),
                Outcome::Asked => out.u8(1),
                Outcome::Acknowledged { offset } => {
                    out.u8(2);
                    out.u64(offset);
                }
                Outcome::Refused => out.u8(3),
                Outcome::Unknown => out.u8(4),
            }
        }
        out.u64(self.alarm.0);
        out.u8(self.alarm.1 as u8);
        out.u64(self.every_us);
        out.u64(self.next_us);
        out.u32(self.alarms.0);
        out.u32(self.alarms.1);
    }
}

/// How far a node is with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It waits on the executor, as that task.
    Queued(u64),
    /// It is in the log, or will be, at that offset in that epoch.
    Taken { epoch: u32, offset: u64 },
}

/// A request at a node that is not answered yet.
#[derive(Clone, Copy, Debug)]
struct Open {
    replica: ReplicaId,
    call: Call,
    stage: Stage,
}

/// Which request of which client, and which attempt at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) client: u8,
    pub(super) number: u32,
    pub(super) attempt: u8,
}

/// What nodes have taken in from clients and not answered.
#[derive(Clone, Debug, Default)]
pub(super) struct Desk(Vec<Open>);

impl Desk {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take_in(&mut self, replica: ReplicaId, call: Call, task: u64) {
        self.0.push(Open { replica, call, stage: Stage::Queued(task) });
    }

    /// The append was carried out, or refused: gives whose it was, where it is put, and what to answer at once.
    pub(super) fn carried_out(
        &mut self,
        replica: ReplicaId,
        task: u64,
        epoch: u32,
        result: Result<Option<u64>, RequestError>,
        leader: Option<ReplicaId>,
    ) -> Option<(Call, Result<Taken, Says>)> {
        let place = self.0.iter().position(|open| open.replica == replica && open.stage == Stage::Queued(task))?;
        let Open { call, .. } = self.0[place];
        match result {
            Ok(Some(offset)) => {
                self.0[place].stage = Stage::Taken { epoch, offset };
                return Some((call, Ok(Taken { by: replica, epoch, offset })));
            }
            Ok(None) | Err(_) => self.0.remove(place),
        };
        let says =
            if result == Err(RequestError::Append(AppendError::Full)) { Says::Full } else { Says::Declined { leader } };
        Some((call, Err(says)))
    }

    /// What a node can answer now, given what it is: each once.
    pub(super) fn answers(&mut self, replica: ReplicaId, standing: &Standing) -> Vec<(Call, Says)> {
        let mut answers = Vec::new();
        self.0.retain(|open| {
            let Stage::Taken { epoch, offset } = open.stage else { return true };
            if open.replica != replica {
                return true;
            }
            let leads = standing.role == RoleShape::Leader && standing.epoch == epoch;
            let says = if leads && standing.committed.is_some_and(|committed| committed > offset) {
                Says::Committed { offset }
            } else if leads {
                return true;
            } else {
                Says::NoLonger
            };
            answers.push((open.call, says));
            false
        });
        answers
    }

    /// A node stopped and answers nothing any more.
    pub(super) fn forget(&mut self, replica: ReplicaId) {
        self.0.retain(|open| open.replica != replica);
    }

    fn holds(&self, client: u8, number: u32, offset: u64) -> bool {
        let is_it = |open: &Open| (open.call.client, open.call.number) == (client, number);
        self.0.iter().any(|open| is_it(open) && matches!(open.stage, Stage::Taken { offset: at, .. } if at == offset))
    }

    pub(super) fn encode(&self, out: &mut Encoder) {
        for open in &self.0 {
            out.u8(open.replica.0);
            out.u8(open.call.client);
            out.u32(open.call.number);
            out.u8(open.call.attempt);
            match open.stage {
                Stage::Queued(task) => {
                    out.u8(0);
                    out.u64(task);
                }
                Stage::Taken { epoch, offset } => {
                    out.u8(1);
                    out.u32(epoch);
                    out.u64(offset);
                }
            }
        }
    }
}

/// What really became of what a node took in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFate {
    /// It is committed.
    Committed,
    /// Something else is committed at its offset: it will never be.
    Overwritten,
    /// Nobody holds it any more.
    Lost,
    /// It may be committed yet, or not.
    Open,
}

/// What really became of what a node took in, by all logs.
#[must_use]
pub fn fate<P: Protocol>(sim: &Sim<P>, client: u8, number: u32, taken: Taken) -> CallFate {
    let Taken { epoch, offset, .. } = taken;
    let epoch_at = |id: ReplicaId| {
        let log = sim.log(id).or_else(|| sim.disk_log(id));
        log.and_then(|log| log.get(offset)).map(|entry| entry.epoch)
    };
    let committed = |id: ReplicaId| {
        sim.replica(id).and_then(|replica| replica.standing().committed).is_some_and(|committed| committed > offset)
    };
    if let Some(id) = sim.ids().find(|&id| committed(id)) {
        return if epoch_at(id) == Some(epoch) { CallFate::Committed } else { CallFate::Overwritten };
    }
    let is_held = sim.ids().any(|id| epoch_at(id) == Some(epoch));
    if is_held || sim.desk().holds(client, number, offset) { CallFate::Open } else { CallFate::Lost }
}
