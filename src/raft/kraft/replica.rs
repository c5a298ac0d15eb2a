//! The member itself: its state, its transitions and what each role does when looked at (spec 3.3 to 3.5).
//!
//! Each transition is one function that asserts its premises; the table of legal ones stands in `state`. A look at the
//! state does one role's work and asks to be called again when the role changed, as Kafka's poll does.

use super::KRaft;
use super::accumulator::Accumulator;
use super::connections::Connections;
use super::fetch::ParkedFetch;
use super::message::{Address, Answer, Body, ClusterId, ErrorCode, KRaftMessage, Successors};
use super::note::{Cause, Note};
use super::settings::{Bootstrap, KRaftSettings};
use super::state::{Disk, Follower, QuorumRecord, Role, Tally};
use crate::executor::{MICROS_PER_MILLI, NEVER, in_order};
use crate::raft::digest::Encoder;
use crate::raft::ids::{ReplicaId, ReplicaSet};
use crate::raft::listener::Listener;
use crate::raft::log::{BATCH_ENTRIES, Log, Payload};
use crate::raft::projection::{Fields, PeerView};
use crate::raft::protocol::{
    AppendError, Carries, Context, Driven, Ended, Face, Fault, Purpose, Replica, Request, RequestError, RoleShape,
    Standing,
};
use crate::raft::timers::{Timer, TimerKind, TimerTable};

pub(super) type Cx<'a, W> = Context<'a, KRaft, W>;

pub(super) const ELECTION: Timer = Timer::new(TimerKind::Election);
pub(super) const FETCH: Timer = Timer::new(TimerKind::Fetch);
pub(super) const CHECK_QUORUM: Timer = Timer::new(TimerKind::CheckQuorum);
pub(super) const BEGIN_QUORUM: Timer = Timer::new(TimerKind::BeginQuorumEpoch);
const LINGER: Timer = Timer::new(TimerKind::Linger);
const SHUTDOWN: Timer = Timer::new(TimerKind::Shutdown);
pub(super) const LONG_POLL: Timer = Timer::new(TimerKind::LongPoll);

/// One KRaft member.
#[derive(Clone, Debug)]
pub struct KRaftReplica {
    pub(super) id: ReplicaId,
    pub(super) voters: ReplicaSet,
    pub(super) role: Role,
    pub(super) epoch: u32,
    pub(super) voted: Option<ReplicaId>,
    pub(super) stored: QuorumRecord,
    pub(super) log: Log,
    pub(super) flushed: u64,
    /// Exclusive; `None` while unknown.
    pub(super) high_watermark: Option<u64>,
    pub(super) listener: Listener,
    pub(super) accumulator: Accumulator,
    pub(super) directory: u16,
    pub(super) connections: Connections,
    pub(super) timers: TimerTable,
    pub(super) parked: Vec<ParkedFetch>,
    pub(super) shutdown: Option<Shutdown>,
}

/// How far a graceful shutdown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shutdown {
    /// It waits for somebody else to lead.
    Waits,
    /// It is over.
    Ended(Ended),
}

impl KRaftReplica {
    /// Its role with what belongs to it.
    #[must_use]
    pub const fn role(&self) -> &Role {
        &self.role
    }

    /// The durable election state.
    #[must_use]
    pub const fn stored(&self) -> QuorumRecord {
        self.stored
    }

    /// The voters it knows of.
    #[must_use]
    pub const fn voters(&self) -> ReplicaSet {
        self.voters
    }

    /// How many appended records wait to be written.
    #[must_use]
    pub fn waiting_records(&self) -> usize {
        self.accumulator.len()
    }

    /// How far the log is flushed.
    #[must_use]
    pub const fn flushed(&self) -> u64 {
        self.flushed
    }

    /// The leader it knows.
    #[must_use]
    pub const fn leader(&self) -> Option<ReplicaId> {
        match &self.role {
            Role::Unattached { leader } | Role::Prospective { leader, .. } => *leader,
            Role::Candidate { .. } => None,
            Role::Leader { .. } | Role::Resigned { .. } => Some(self.id),
            Role::Follower { leader, .. } => Some(*leader),
        }
    }

    pub(super) fn is_voter(&self) -> bool {
        self.voters.contains(self.id)
    }

    pub(super) fn answer(&self, error: ErrorCode) -> Answer {
        Answer { error, leader: self.leader(), epoch: self.signed_epoch() }
    }

    pub(super) fn signed_epoch(&self) -> i32 {
        i32::try_from(self.epoch).unwrap_or(i32::MAX)
    }

    /// The position by which logs are compared: (last epoch, end offset).
    pub(super) fn log_position(&self) -> (u32, u64) {
        (self.log.last_epoch(), self.log.end_offset())
    }

    fn persist(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let leader = self.leader();
        // A leader's own vote is not kept (spec 3.1; KAFKA-18389 would keep it).
        let voted = if leader == Some(self.id) { None } else { self.voted };
        self.stored = QuorumRecord { epoch: self.epoch, leader, voted };
        cx.effects.persisted = true;
    }

    fn became(&self, from: RoleShape, cause: Cause, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        cx.note(Note::Became {
            from: Some(from),
            to: self.role.shape(),
            epoch: self.epoch,
            cause,
            leader: self.leader(),
        });
        cx.effects.notify = true;
    }

    pub(super) const fn is_shutting_down(&self) -> bool {
        self.shutdown.is_some()
    }

    /// A new random election timeout: uniform in [T, 2T - 1] milliseconds. None while shutting down: it would be
    /// ignored (spec 3.5).
    fn arm_election(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        if self.is_shutting_down() {
            cx.disarm(&mut self.timers, ELECTION);
            return;
        }
        let t = cx.settings.election_timeout_ms;
        let timeout_ms = u64::from(t) + u64::from(cx.luck.below(Purpose::Election, t));
        cx.arm(&mut self.timers, ELECTION, timeout_ms * MICROS_PER_MILLI);
    }

    /// Answers to older requests are expected no longer.
    fn reset_connections(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        for peer in self.connections.waiting.iter() {
            cx.disarm(&mut self.timers, Timer::of(TimerKind::Request, peer));
        }
        for peer in self.connections.backing_off.iter() {
            cx.disarm(&mut self.timers, Timer::of(TimerKind::RetryBackoff, peer));
        }
        self.connections.waiting = ReplicaSet::default();
        self.connections.backing_off = ReplicaSet::default();
    }

    /// What ends with leadership: its timers, and what clients had appended and was not written (spec 3.3).
    fn leave_leadership(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        self.accumulator.clear();
        cx.disarm(&mut self.timers, LINGER);
        cx.disarm(&mut self.timers, CHECK_QUORUM);
        cx.disarm(&mut self.timers, BEGIN_QUORUM);
    }

    // Transitions.

    pub(super) fn become_unattached(&mut self, epoch: u32, cause: Cause, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let from = self.role.shape();
        let carries_timer = match &self.role {
            Role::Unattached { .. } | Role::Candidate { .. } | Role::Resigned { .. } => true,
            Role::Prospective { .. } => cause != Cause::MajorityRefused,
            Role::Leader { .. } | Role::Follower { .. } => false,
        };
        assert!(
            epoch > self.epoch || (epoch == self.epoch && from == RoleShape::Prospective),
            "Unattached in epoch {epoch} from {from:?} in epoch {}",
            self.epoch
        );
        let leader = if epoch == self.epoch { self.leader() } else { None };
        if epoch > self.epoch {
            self.voted = None;
        }
        if from == RoleShape::Leader {
            self.leave_leadership(cx);
        }
        self.epoch = epoch;
        self.role = Role::Unattached { leader };
        cx.disarm(&mut self.timers, FETCH);
        if !self.is_voter() {
            cx.disarm(&mut self.timers, ELECTION);
        } else if carries_timer {
            cx.rearm(&mut self.timers, ELECTION);
        } else {
            self.arm_election(cx);
        }
        self.reset_connections(cx);
        self.persist(cx);
        self.became(from, cause, cx);
    }

    pub(super) fn add_vote(&mut self, candidate: ReplicaId, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        assert!(self.voted.is_none() && candidate != self.id, "a second vote in epoch {}", self.epoch);
        let role = self.role.shape();
        assert!(matches!(role, RoleShape::Unattached | RoleShape::Prospective), "a vote from {role:?}");
        if let Role::Prospective { tally, .. } = &mut self.role {
            *tally = Tally { granted: ReplicaSet::only(self.id), refused: ReplicaSet::default() };
        }
        self.voted = Some(candidate);
        self.arm_election(cx);
        self.persist(cx);
    }

    pub(super) fn become_prospective(&mut self, cause: Cause, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let from = self.role.shape();
        assert!(self.is_voter(), "an observer never campaigns");
        assert!(!matches!(from, RoleShape::Leader | RoleShape::Prospective), "Prospective from {from:?}");
        let leader = self.leader();
        cx.disarm(&mut self.timers, FETCH);
        self.role = Role::Prospective {
            leader,
            tally: Tally { granted: ReplicaSet::only(self.id), refused: ReplicaSet::default() },
        };
        self.arm_election(cx);
        self.reset_connections(cx);
        self.became(from, cause, cx);
        if !cx.settings.rules.pre_vote {
            self.become_candidate(Cause::NoPreVote, cx);
        } else if self.voters.len() == 1 {
            self.become_candidate(Cause::OnlyVoter, cx);
        }
    }

    pub(super) fn become_candidate(&mut self, cause: Cause, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let from = self.role.shape();
        assert_eq!(from, RoleShape::Prospective, "Candidate from {from:?}");
        self.epoch += 1;
        self.voted = Some(self.id);
        self.role = Role::Candidate {
            tally: Tally { granted: ReplicaSet::only(self.id), refused: ReplicaSet::default() },
            is_lost: false,
        };
        self.arm_election(cx);
        self.reset_connections(cx);
        self.persist(cx);
        self.became(from, cause, cx);
        if self.voters.len() == 1 {
            self.become_leader(Cause::OnlyVoter, cx);
        }
    }

    pub(super) fn become_leader(&mut self, cause: Cause, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let from = self.role.shape();
        let Role::Candidate { tally, .. } = &self.role else {
            panic!("Leader from {from:?}");
        };
        let granting = tally.granted;
        assert!(granting.len() >= self.voters.majority(), "Leader without a majority");
        let replicas = usize::from(self.connections.len());
        self.log.start_epoch(self.epoch);
        self.role = Role::Leader {
            epoch_start: self.log.end_offset(),
            is_first_record_due: true,
            granting,
            followers: vec![Follower::default(); replicas],
            fetched: ReplicaSet::default(),
            must_resign: false,
        };
        self.high_watermark = None;
        cx.disarm(&mut self.timers, ELECTION);
        if self.voters.len() > 1 && cx.settings.rules.check_quorum {
            cx.arm(&mut self.timers, CHECK_QUORUM, cx.settings.check_quorum_us());
        }
        cx.arm(&mut self.timers, BEGIN_QUORUM, 0);
        self.reset_connections(cx);
        self.persist(cx);
        self.became(from, cause, cx);
    }

    pub(super) fn become_resigned(&mut self, cause: Cause, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let from = self.role.shape();
        let Role::Leader { followers, .. } = &self.role else {
            panic!("Resigned from {from:?}");
        };
        let others = self.voters.without(ReplicaSet::only(self.id)).iter().collect();
        // Furthest first, unknown last, ties by ascending id (spec 4.3).
        let others = in_order(others, |id: &ReplicaId| {
            let known = followers[id.index()].end_offset;
            [u64::from(known.is_none()), known.map_or(0, |end| u64::MAX - end), id.0.into()]
        });
        let successors = Successors::new(others);
        self.high_watermark = None;
        self.role = Role::Resigned { unacked: self.voters.without(ReplicaSet::only(self.id)), successors };
        self.leave_leadership(cx);
        self.arm_election(cx);
        self.reset_connections(cx);
        self.became(from, cause, cx);
        self.fail_parked(cx);
    }

    pub(super) fn become_follower(
        &mut self,
        epoch: u32,
        leader: ReplicaId,
        cause: Cause,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) {
        let from = self.role.shape();
        assert_ne!(leader, self.id, "a follower of itself");
        assert!(epoch >= self.epoch, "Follower in epoch {epoch} after {}", self.epoch);
        assert!(
            epoch > self.epoch || !matches!(from, RoleShape::Leader | RoleShape::Follower),
            "Follower in its own epoch {epoch} from {from:?}"
        );
        if epoch > self.epoch {
            self.voted = None;
        }
        if from == RoleShape::Leader {
            self.leave_leadership(cx);
        }
        self.epoch = epoch;
        self.role = Role::Follower { leader, has_fetched: false, leader_resigned: false };
        cx.disarm(&mut self.timers, ELECTION);
        cx.arm(&mut self.timers, FETCH, cx.settings.fetch_timeout_us());
        self.reset_connections(cx);
        self.persist(cx);
        self.became(from, cause, cx);
        self.fail_parked(cx);
    }

    /// A Prospective that cannot win goes back to what it knows (spec 3.3).
    pub(super) fn give_up_pre_vote(&mut self, cause: Cause, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        match self.leader() {
            Some(leader) if leader != self.id && self.voters.contains(leader) => {
                self.become_follower(self.epoch, leader, cause, cx);
            }
            _ => self.become_unattached(self.epoch, cause, cx),
        }
    }

    /// Takes over what a message says of epoch and leader (spec 4.0, `maybeTransition`).
    pub(super) fn learn(&mut self, epoch: u32, leader: Option<ReplicaId>, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let contradicts = match leader {
            Some(leader) if leader == self.id => {
                epoch > self.epoch || !matches!(self.role, Role::Leader { .. } | Role::Resigned { .. })
            }
            Some(leader) => epoch == self.epoch && self.leader().is_some_and(|known| known != leader),
            None => false,
        };
        if contradicts {
            cx.effects.fault = Some(Fault::ContradictoryLeader { epoch });
            return;
        }
        // A leader that is nowhere to be reached cannot be followed.
        match leader.filter(|leader| leader.0 < self.connections.len()) {
            Some(leader) if epoch > self.epoch => self.become_follower(epoch, leader, Cause::HigherEpoch, cx),
            None if epoch > self.epoch => self.become_unattached(epoch, Cause::HigherEpoch, cx),
            Some(leader) if epoch == self.epoch && self.leader().is_none() => {
                self.become_follower(epoch, leader, Cause::LeaderNamed, cx);
            }
            _ => {}
        }
    }

    // Sending.

    pub(super) fn ask(&mut self, peer: ReplicaId, body: Body, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let correlation = self.connections.ask(peer);
        let timeout_us = u64::from(cx.settings.request_timeout_ms) * MICROS_PER_MILLI;
        cx.arm(&mut self.timers, Timer::of(TimerKind::Request, peer), timeout_us);
        cx.send(peer, KRaftMessage { address: Address::of(peer), correlation, body });
    }

    /// Makes connections ready whose request or backoff time is over.
    fn sweep_connections(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        for peer in self.connections.waiting.iter() {
            let timer = Timer::of(TimerKind::Request, peer);
            if self.timers.is_expired(timer, cx.now_us) {
                cx.disarm(&mut self.timers, timer);
                self.connections.waiting.remove(peer);
                cx.note(Note::RequestTimedOut { peer });
            }
        }
        for peer in self.connections.backing_off.iter() {
            let timer = Timer::of(TimerKind::RetryBackoff, peer);
            if self.timers.is_expired(timer, cx.now_us) {
                cx.disarm(&mut self.timers, timer);
                self.connections.backing_off.remove(peer);
                cx.note(Note::BackoffOver { peer });
            }
        }
    }

    /// An answer came: the connection is ready again, or backs off.
    pub(super) fn settle_connection(
        &mut self,
        peer: ReplicaId,
        is_handled: bool,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) {
        cx.disarm(&mut self.timers, Timer::of(TimerKind::Request, peer));
        self.connections.waiting.remove(peer);
        if !is_handled {
            self.connections.backing_off.insert(peer);
            let backoff_us = u64::from(cx.settings.retry_backoff_ms) * MICROS_PER_MILLI;
            cx.arm(&mut self.timers, Timer::of(TimerKind::RetryBackoff, peer), backoff_us);
        }
    }

    // What each role does.

    fn poll_nominee(&mut self, pre_vote: bool, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let (Role::Prospective { tally, .. } | Role::Candidate { tally, .. }) = &self.role else {
            return;
        };
        let unrecorded = self.voters.without(tally.granted).without(tally.refused);
        let (last_epoch, end) = self.log_position();
        for peer in unrecorded.iter() {
            if self.connections.is_ready(peer) {
                let body = Body::VoteRequest {
                    epoch: self.signed_epoch(),
                    last_epoch: i32::try_from(last_epoch).unwrap_or(i32::MAX),
                    last_offset: i64::try_from(end).unwrap_or(i64::MAX),
                    pre_vote,
                };
                self.ask(peer, body, cx);
            }
        }
    }

    fn poll_leader(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) -> bool {
        if self.is_shutting_down() {
            self.become_resigned(Cause::ShuttingDown, cx);
            return true;
        }
        if matches!(self.role, Role::Leader { must_resign: true, .. }) {
            self.become_resigned(Cause::ResignAsked, cx);
            return true;
        }
        if self.timers.is_expired(CHECK_QUORUM, cx.now_us) {
            self.become_resigned(Cause::QuorumLost, cx);
            return true;
        }
        self.drain(cx);
        self.expire_parked(cx);
        if self.timers.is_expired(BEGIN_QUORUM, cx.now_us) {
            self.begin_quorum_round(cx);
        }
        false
    }

    /// Writes what is due: the first record of the epoch, and what clients have appended once it need not wait.
    fn drain(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let Role::Leader { is_first_record_due, granting, followers, .. } = &mut self.role else {
            return;
        };
        let is_first = std::mem::take(is_first_record_due);
        let is_over = self.timers.is_expired(LINGER, cx.now_us);
        let drains = !self.accumulator.is_empty() && (is_first || is_over || self.accumulator.has_complete());
        if !is_first && !drains {
            return;
        }
        if is_first {
            let offset = self.log.end_offset();
            self.log.append_batch(self.epoch, &[Payload::LeaderChange { leader: self.id, granting: *granting }]);
            cx.note(Note::LeaderChangeAppended { offset });
        }
        if drains {
            self.log.append_entries(self.accumulator.entries());
            let count = u16::try_from(self.accumulator.len()).unwrap_or(u16::MAX);
            cx.note(Note::Drained { count, end_offset: self.log.end_offset() });
            self.accumulator.clear();
            cx.disarm(&mut self.timers, LINGER);
        }
        followers[self.id.index()].end_offset = Some(self.log.end_offset());
        // Before the flush, as in Kafka (spec 4.4).
        let before = self.high_watermark;
        self.update_high_watermark(cx);
        self.flushed = self.log.end_offset();
        if self.high_watermark == before {
            self.complete_parked_below_end(cx);
        } else {
            self.complete_all_parked(cx);
        }
    }

    /// Takes records of a client (spec 5.6, `prepareAppend` and `schedulePreparedAppend` in one); gives the last one's offset.
    fn prepare_append(
        &mut self,
        epoch: u32,
        key: u16,
        value: u64,
        count: u8,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> Result<u64, AppendError> {
        let Role::Leader { is_first_record_due, .. } = &self.role else {
            return Err(AppendError::NotLeader { epoch });
        };
        if epoch < self.epoch {
            return Err(AppendError::NotLeader { epoch });
        }
        if epoch > self.epoch {
            return Err(AppendError::Ahead { epoch });
        }
        if count == 0 {
            return Err(AppendError::Nothing);
        }
        if usize::from(count) > BATCH_ENTRIES {
            return Err(AppendError::TooLarge { count });
        }
        let first = u64::from(*is_first_record_due);
        let payloads = (0..count).map(|n| Payload::Set { key, value: value.wrapping_add(n.into()) });
        if !self.accumulator.append(epoch, payloads) {
            return Err(AppendError::Full);
        }
        if self.timers.deadline_us(LINGER) == NEVER {
            cx.arm(&mut self.timers, LINGER, u64::from(cx.settings.linger_ms) * MICROS_PER_MILLI);
        }
        let offset = self.log.end_offset() + first + self.accumulator.len() as u64 - 1;
        cx.note(Note::AppendTaken { offset, count });
        Ok(offset)
    }

    fn poll_resigned(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) -> bool {
        if self.timers.is_expired(ELECTION, cx.now_us) {
            self.become_unattached(self.epoch + 1, Cause::ElectionTimeout, cx);
            return true;
        }
        self.end_quorum_round(cx);
        false
    }

    fn poll_follower(&mut self, leader: ReplicaId, cx: &mut Cx<'_, impl Carries<KRaft>>) -> bool {
        if self.timers.is_expired(FETCH, cx.now_us) && !self.is_voter() {
            // An observer has nothing to campaign for; it goes on asking (KAFKA-19354).
            cx.disarm(&mut self.timers, FETCH);
        }
        if self.timers.is_expired(FETCH, cx.now_us) {
            let is_successor = matches!(self.role, Role::Follower { leader_resigned: true, .. });
            self.become_prospective(if is_successor { Cause::NamedSuccessor } else { Cause::FetchTimeout }, cx);
            return true;
        }
        let leader_timed_out = self.connections.waiting.contains(leader)
            && self.timers.is_expired(Timer::of(TimerKind::Request, leader), cx.now_us);
        let leader_backs_off = self.connections.backing_off.contains(leader)
            && !self.timers.is_expired(Timer::of(TimerKind::RetryBackoff, leader), cx.now_us);
        self.sweep_connections(cx);
        if (leader_timed_out || leader_backs_off) && cx.settings.bootstrap != Bootstrap::Nobody {
            self.fetch_from_bootstrap(cx);
        } else if self.connections.waiting.is_empty() && self.connections.is_ready(leader) {
            self.send_fetch(leader, cx);
        }
        false
    }

    /// An older epoch than ours is over anyway; a newer one cannot be given up.
    fn ask_to_resign(&mut self, epoch: u32, cx: &mut Cx<'_, impl Carries<KRaft>>) -> Result<(), RequestError> {
        let current = self.epoch;
        if epoch > current {
            return Err(RequestError::ResignAhead { epoch, current });
        }
        if epoch == current {
            match &mut self.role {
                Role::Leader { must_resign, .. } => *must_resign = true,
                Role::Resigned { .. } => {}
                Role::Unattached { .. } | Role::Prospective { .. } | Role::Candidate { .. } | Role::Follower { .. } => {
                    return Err(RequestError::NotLeader { epoch });
                }
            }
        }
        cx.note(Note::ResignAsked { epoch, current });
        Ok(())
    }

    /// Whether the graceful shutdown is over: by its time, or because nobody needs this replica (spec 3.5): somebody
    /// else leads, it is an observer, or there is nobody else.
    fn end_shutdown(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) -> bool {
        if matches!(self.shutdown, Some(Shutdown::Ended(_))) {
            return true;
        }
        let others_lead = self.leader().is_some_and(|leader| leader != self.id);
        let ended = if self.timers.is_expired(SHUTDOWN, cx.now_us) {
            Ended::TimedOut
        } else if others_lead || !self.is_voter() || self.voters.len() == 1 {
            Ended::Completed
        } else {
            return false;
        };
        self.shutdown = Some(Shutdown::Ended(ended));
        for index in 0..Timer::table_len(self.connections.len()) {
            cx.disarm(&mut self.timers, Timer::at_index(index));
        }
        cx.note(Note::ShutdownEnded { ended, leader: self.leader() });
        true
    }

    /// Asks a random ready bootstrap server, if nothing is in flight. Draws only when there is one to ask.
    fn fetch_from_bootstrap(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        if cx.settings.bootstrap == Bootstrap::Nobody || !self.connections.waiting.is_empty() {
            return;
        }
        let servers = self.voters;
        if !servers.iter().any(|peer| self.connections.is_ready(peer)) {
            return;
        }
        let start = cx.luck.below(Purpose::Bootstrap, servers.len());
        let from_start = servers.iter().skip(start as usize).chain(servers.iter().take(start as usize));
        if let Some(peer) = from_start.into_iter().find(|&peer| self.connections.is_ready(peer)) {
            self.send_fetch(peer, cx);
        }
    }
}

impl<W: Carries<KRaft>> Driven<KRaft, W> for KRaftReplica {
    fn start(id: ReplicaId, replicas: u8, disk: Disk, cx: &mut Cx<'_, W>) -> Self {
        let voters = cx.settings.voters(replicas);
        let Disk { quorum, log, high_watermark, directory, correlation } = disk;
        let flushed = log.end_offset();
        let mut me = Self {
            id,
            voters,
            role: Role::Unattached { leader: None },
            epoch: quorum.epoch,
            voted: quorum.voted,
            stored: quorum,
            log,
            flushed,
            high_watermark,
            listener: Listener::default(),
            accumulator: Accumulator::default(),
            directory,
            connections: Connections::new(replicas, correlation),
            timers: TimerTable::new(replicas),
            parked: Vec::new(),
            shutdown: None,
        };
        // Spec 3.2, in this order.
        if quorum.epoch < me.log.last_epoch() {
            me.epoch = me.log.last_epoch();
            me.voted = None;
            me.arm_election(cx);
        } else if quorum.leader == Some(id) {
            // Never Leader again: unflushed records of this epoch may be lost (KAFKA-10527).
            me.role = Role::Resigned { unacked: voters.without(ReplicaSet::only(id)), successors: Successors::new([]) };
            me.arm_election(cx);
        } else if quorum.voted == Some(id) {
            let tally = Tally { granted: ReplicaSet::only(id), refused: ReplicaSet::default() };
            me.role = Role::Candidate { tally, is_lost: false };
            me.arm_election(cx);
        } else if let Some(leader) = quorum.leader.filter(|&leader| voters.contains(leader)) {
            me.role = Role::Follower { leader, has_fetched: false, leader_resigned: false };
            cx.arm(&mut me.timers, FETCH, cx.settings.fetch_timeout_us());
        } else {
            me.role = Role::Unattached { leader: quorum.leader };
            me.arm_election(cx);
        }
        me.persist(cx);
        cx.note(Note::Became {
            from: None,
            to: me.role.shape(),
            epoch: me.epoch,
            cause: Cause::Restart,
            leader: me.leader(),
        });
        if voters == ReplicaSet::only(id) {
            match me.role {
                Role::Candidate { .. } => me.become_leader(Cause::OnlyVoter, cx),
                Role::Unattached { .. } | Role::Follower { .. } | Role::Resigned { .. } => {
                    me.become_prospective(Cause::OnlyVoter, cx);
                }
                Role::Prospective { .. } | Role::Leader { .. } => {}
            }
        }
        me
    }

    fn poll_state(&mut self, cx: &mut Cx<'_, W>) -> bool {
        if self.is_shutting_down() && self.end_shutdown(cx) {
            return false;
        }
        match &self.role {
            Role::Unattached { .. } => {
                if self.timers.is_expired(ELECTION, cx.now_us) {
                    if self.is_voter() {
                        self.become_prospective(Cause::ElectionTimeout, cx);
                        return true;
                    }
                    cx.disarm(&mut self.timers, ELECTION);
                }
                self.sweep_connections(cx);
                if !self.is_shutting_down() {
                    self.fetch_from_bootstrap(cx);
                }
                self.expire_parked(cx);
                false
            }
            Role::Prospective { .. } => {
                if self.timers.is_expired(ELECTION, cx.now_us) {
                    self.give_up_pre_vote(Cause::ElectionTimeout, cx);
                    return true;
                }
                self.sweep_connections(cx);
                self.poll_nominee(true, cx);
                self.expire_parked(cx);
                false
            }
            Role::Candidate { is_lost, .. } => {
                let is_lost = *is_lost;
                if self.timers.is_expired(ELECTION, cx.now_us) {
                    self.become_prospective(Cause::ElectionTimeout, cx);
                    return true;
                }
                self.sweep_connections(cx);
                if !is_lost {
                    self.poll_nominee(false, cx);
                }
                self.expire_parked(cx);
                false
            }
            Role::Leader { .. } => {
                self.sweep_connections(cx);
                self.poll_leader(cx)
            }
            Role::Resigned { .. } => {
                self.sweep_connections(cx);
                self.poll_resigned(cx)
            }
            Role::Follower { leader, .. } => {
                let leader = *leader;
                self.poll_follower(leader, cx)
            }
        }
    }

    fn handle(&mut self, from: ReplicaId, message: KRaftMessage, cx: &mut Cx<'_, W>) {
        let KRaftMessage { address, correlation, body } = message;
        if address.cluster == ClusterId::Other
            && let Some(body) = self.refuse_foreign(&body)
        {
            cx.send(from, KRaftMessage { address: Address::default(), correlation, body });
            return;
        }
        let answer = match body {
            Body::VoteRequest { epoch, last_epoch, last_offset, pre_vote } => {
                self.on_vote_request(from, address, epoch, (last_epoch, last_offset), pre_vote, cx)
            }
            Body::BeginQuorumEpochRequest { leader, epoch } => self.on_begin_quorum_request(address, leader, epoch, cx),
            Body::EndQuorumEpochRequest { leader, epoch, successors } => {
                self.on_end_quorum_request(leader, epoch, successors, cx)
            }
            Body::FetchRequest { epoch, offset, last_epoch, high_watermark, max_wait_ms } => {
                let fetch = ParkedFetch::new(from, correlation, epoch, offset, last_epoch, high_watermark);
                match self.on_fetch_request(fetch, max_wait_ms, cx) {
                    Some(answer) => answer,
                    None => return,
                }
            }
            Body::VoteResponse { .. }
            | Body::BeginQuorumEpochResponse { .. }
            | Body::EndQuorumEpochResponse { .. }
            | Body::FetchResponse { .. } => {
                self.on_answer(from, correlation, body, cx);
                return;
            }
        };
        cx.send(from, KRaftMessage { address: Address::default(), correlation, body: answer });
    }

    fn poll_listeners(&mut self, cx: &mut Cx<'_, W>) {
        if let Some(high_watermark) = self.high_watermark {
            self.listener.feed(&self.log, high_watermark);
        }
        let is_told = match &self.role {
            // It must have been fed its own first record.
            Role::Leader { epoch_start, .. } => self.listener.next_offset() > *epoch_start,
            // Nothing was decided.
            Role::Prospective { .. } | Role::Resigned { .. } => false,
            Role::Unattached { .. } | Role::Candidate { .. } | Role::Follower { .. } => true,
        };
        if is_told && self.listener.tell(self.epoch, self.leader()) {
            cx.note(Note::Told { epoch: self.epoch, leader: self.leader() });
        }
    }

    fn fire(&mut self, timer: Timer, cx: &mut Cx<'_, W>) -> bool {
        self.timers.hurry(timer, cx.now_us);
        self.poll_state(cx)
    }

    fn request(&mut self, request: Request, cx: &mut Cx<'_, W>) -> Result<Option<u64>, RequestError> {
        match request {
            Request::Resign { epoch } => self.ask_to_resign(epoch, cx).map(|()| None),
            Request::Append { epoch, key, value, count } => {
                Ok(Some(self.prepare_append(epoch, key, value, count, cx)?))
            }
            Request::Shutdown { timeout_us } => {
                if self.shutdown.is_none() {
                    self.shutdown = Some(Shutdown::Waits);
                    cx.disarm(&mut self.timers, ELECTION);
                    cx.arm(&mut self.timers, SHUTDOWN, timeout_us);
                    let timeout_ms = u32::try_from(timeout_us / MICROS_PER_MILLI).unwrap_or(u32::MAX);
                    cx.note(Note::ShutdownAsked { timeout_ms });
                }
                Ok(None)
            }
        }
    }
}

impl Replica<KRaft> for KRaftReplica {
    fn ended(&self) -> Option<Ended> {
        match self.shutdown {
            Some(Shutdown::Ended(ended)) => Some(ended),
            Some(Shutdown::Waits) | None => None,
        }
    }

    fn timers(&self) -> &TimerTable {
        &self.timers
    }

    fn timers_mut(&mut self) -> &mut TimerTable {
        &mut self.timers
    }

    fn campaigns_on(&self) -> Option<Timer> {
        let is_armed = |timer: &Timer| self.timers.deadline_us(*timer) != NEVER;
        [ELECTION, FETCH].into_iter().find(is_armed).filter(|_| self.is_voter())
    }

    fn log(&self) -> &Log {
        &self.log
    }

    fn stop(mut self, keep_unflushed: bool) -> Disk {
        if !keep_unflushed {
            self.log.truncate(self.flushed);
        }
        Disk {
            quorum: self.stored,
            log: self.log,
            high_watermark: None,
            directory: self.directory,
            correlation: self.connections.next_correlation(),
        }
    }

    fn standing(&self) -> Standing {
        Standing {
            role: self.role.shape(),
            epoch: self.epoch,
            leader: self.leader(),
            voted: self.voted,
            committed: self.high_watermark,
            end_offset: self.log.end_offset(),
        }
    }

    fn face(&self) -> Face {
        let (granted, refused) = match &self.role {
            Role::Prospective { tally, .. } | Role::Candidate { tally, .. } => (tally.granted, tally.refused),
            Role::Unattached { .. } | Role::Leader { .. } | Role::Follower { .. } | Role::Resigned { .. } => {
                (ReplicaSet::default(), ReplicaSet::default())
            }
        };
        Face { granted, refused, voters: self.voters }
    }

    fn listener(&self) -> &Listener {
        &self.listener
    }

    fn fields(&self, put: &mut Fields<'_>) {
        self.own_fields(put);
    }

    fn peers(&self) -> Option<Vec<PeerView>> {
        self.followers_seen()
    }

    fn commits_from(&self) -> Option<u64> {
        match self.role {
            Role::Leader { epoch_start, .. } => Some(epoch_start),
            _ => None,
        }
    }

    fn stands_by(&self, settings: &KRaftSettings, _: u64) -> Option<ReplicaId> {
        let has_rule = settings.rules.pre_vote && settings.rules.fetched_refuses_pre_vote;
        match self.role {
            Role::Follower { leader, has_fetched: true, .. } if has_rule => Some(leader),
            Role::Leader { .. } if has_rule => Some(self.id),
            _ => None,
        }
    }

    fn encode(&self, out: &mut Encoder) {
        out.u8(self.id.0);
        out.u32(self.voters.0);
        self.role.encode(out);
        out.u32(self.epoch);
        out.u8(self.voted.map_or(u8::MAX, |id| id.0));
        self.stored.encode(out);
        self.log.encode(out);
        out.u64(self.flushed);
        out.option(self.high_watermark);
        self.listener.encode(out);
        self.accumulator.encode(out);
        out.u32(self.directory.into());
        self.connections.encode(out);
        self.timers.encode(out);
        out.u8(match self.shutdown {
            None => 0,
            Some(Shutdown::Waits) => 1,
            Some(Shutdown::Ended(Ended::Completed)) => 2,
            Some(Shutdown::Ended(Ended::TimedOut)) => 3,
        });
        out.u64(self.parked.len() as u64);
        for parked in &self.parked {
            parked.encode(out);
        }
    }

    fn encode_persisted(&self, out: &mut Encoder) {
        self.stored.encode(out);
    }
}
