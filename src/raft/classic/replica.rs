//! The server itself: its transitions, and what each role does when looked at.
//!
//! Holds always: term, vote and log are on disk before anything is sent because of them; commitIndex is at most the last
//! index; matchIndex < nextIndex; a leader never cuts or overwrites its own log. Times are drawn in whole milliseconds
//! from [shortest, longest).

use super::Classic;
use super::message::{ClassicMessage, Place};
use super::note::{Cause, Note};
use super::settings::ClassicSettings;
use super::state::{Disk, Progress, Role, Tally};
use crate::executor::{MICROS_PER_MILLI, NEVER};
use crate::raft::digest::Encoder;
use crate::raft::ids::{ReplicaId, ReplicaSet};
use crate::raft::listener::Listener;
use crate::raft::log::{BATCH_ENTRIES, Log, Payload};
use crate::raft::projection::{Fields, PeerView, Value};
use crate::raft::protocol::{
    AppendError, Carries, Context, Driven, Ended, Face, Purpose, Replica, Request, RequestError, RoleShape, Standing,
};
use crate::raft::timers::{Timer, TimerKind, TimerTable};

pub(super) type Cx<'a, W> = Context<'a, Classic, W>;

const ELECTION: Timer = Timer::new(TimerKind::Election);
const HEARTBEAT: Timer = Timer::new(TimerKind::Heartbeat);
const CHECK_QUORUM: Timer = Timer::new(TimerKind::CheckQuorum);

/// One server.
#[derive(Clone, Debug)]
pub struct ClassicReplica {
    pub(super) id: ReplicaId,
    pub(super) servers: ReplicaSet,
    pub(super) role: Role,
    pub(super) term: u32,
    pub(super) voted: Option<ReplicaId>,
    pub(super) log: Log,
    pub(super) commit: u64,
    /// When the leader of this term was last heard, in local microseconds.
    pub(super) heard_us: Option<u64>,
    listener: Listener,
    timers: TimerTable,
    has_ended: bool,
}

/// A count of servers.
pub(super) fn small(count: u32) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

impl ClassicReplica {
    /// Its role with what belongs to it.
    #[must_use]
    pub const fn role(&self) -> &Role {
        &self.role
    }

    /// currentTerm.
    #[must_use]
    pub const fn term(&self) -> u32 {
        self.term
    }

    /// votedFor.
    #[must_use]
    pub const fn voted(&self) -> Option<ReplicaId> {
        self.voted
    }

    /// The index of its last entry; 0 without one.
    #[must_use]
    pub const fn last_index(&self) -> u64 {
        self.log.end_offset()
    }

    /// commitIndex.
    #[must_use]
    pub const fn commit_index(&self) -> u64 {
        self.commit
    }

    /// The term of an entry; 0 before the first, `None` beyond the last.
    #[must_use]
    pub fn term_at(&self, index: u64) -> Option<u32> {
        match index.checked_sub(1) {
            None => Some(0),
            Some(offset) => self.log.get(offset).map(|entry| entry.epoch),
        }
    }

    /// Where its log ends.
    #[must_use]
    pub fn last(&self) -> Place {
        (self.term_at(self.last_index()).unwrap_or(0), self.last_index())
    }

    /// The leader it knows.
    #[must_use]
    pub const fn leader(&self) -> Option<ReplicaId> {
        match &self.role {
            Role::Follower { leader } => *leader,
            Role::Leader { .. } => Some(self.id),
            Role::PreCandidate(_) | Role::Candidate(_) => None,
        }
    }

    fn others(&self) -> ReplicaSet {
        self.servers.without(ReplicaSet::only(self.id))
    }

    /// Whether a live leader was heard within the shortest election timeout; a leader hears itself.
    pub(super) fn has_lease(&self, settings: &ClassicSettings, now_us: u64) -> bool {
        let window_us = u64::from(settings.election_min_ms) * MICROS_PER_MILLI;
        matches!(self.role, Role::Leader { .. })
            || self.heard_us.is_some_and(|at_us| now_us.saturating_sub(at_us) < window_us)
    }

    // Transitions.

    pub(super) fn arm_election(&mut self, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let ClassicSettings { election_min_ms: min, election_max_ms: max, .. } = *cx.settings;
        let timeout_ms = min + cx.luck.below(Purpose::Election, max.saturating_sub(min));
        cx.arm(&mut self.timers, ELECTION, u64::from(timeout_ms) * MICROS_PER_MILLI);
    }

    fn arm_check_quorum(&mut self, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let window_us = u64::from(cx.settings.election_min_ms) * MICROS_PER_MILLI;
        cx.arm(&mut self.timers, CHECK_QUORUM, window_us);
    }

    fn became(&self, from: Option<RoleShape>, cause: Cause, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let (to, term, leader) = (self.role.shape(), self.term, self.leader());
        cx.note(Note::Became { from, to, term, cause, leader });
        cx.effects.notify = true;
    }

    /// Becomes follower: of a later term, or of its own.
    pub(super) fn follow(
        &mut self,
        term: u32,
        leader: Option<ReplicaId>,
        cause: Cause,
        cx: &mut Cx<'_, impl Carries<Classic>>,
    ) {
        assert!(term >= self.term, "term {term} after {}", self.term);
        let (from, followed) = (self.role.shape(), self.leader());
        if term > self.term {
            self.term = term;
            self.voted = None;
            self.heard_us = None;
            cx.effects.persisted = true;
        }
        self.role = Role::Follower { leader };
        if from == RoleShape::Leader {
            cx.disarm(&mut self.timers, HEARTBEAT);
            cx.disarm(&mut self.timers, CHECK_QUORUM);
            self.arm_election(cx);
        }
        if from != RoleShape::Follower || followed != leader || cause == Cause::HigherTerm {
            self.became(Some(from), cause, cx);
        }
    }

    /// Begins a campaign: with PreVote it asks first, else it stands at once.
    fn campaign(&mut self, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let from = self.role.shape();
        if !cx.settings.rules.pre_vote || self.servers.len() == 1 {
            self.stand(Cause::ElectionTimeout, cx);
            return;
        }
        self.role = Role::PreCandidate(self.own_tally());
        self.arm_election(cx);
        self.became(Some(from), Cause::ElectionTimeout, cx);
        self.ask_for_votes(self.term + 1, true, cx);
    }

    const fn own_tally(&self) -> Tally {
        Tally { granted: ReplicaSet::only(self.id), refused: ReplicaSet(0) }
    }

    /// Raises the term, votes for itself and asks for votes (§5.2).
    pub(super) fn stand(&mut self, cause: Cause, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let from = self.role.shape();
        assert_ne!(from, RoleShape::Leader, "a leader does not campaign");
        self.term += 1;
        self.voted = Some(self.id);
        self.heard_us = None;
        cx.effects.persisted = true;
        self.role = Role::Candidate(self.own_tally());
        self.arm_election(cx);
        self.became(Some(from), cause, cx);
        if self.servers.len() == 1 {
            self.lead(Cause::OnlyServer, cx);
        } else {
            self.ask_for_votes(self.term, false, cx);
        }
    }

    fn ask_for_votes(&self, term: u32, pre_vote: bool, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let last = self.last();
        for peer in self.others().iter() {
            cx.send(peer, ClassicMessage::RequestVote { term, last, pre_vote });
        }
    }

    pub(super) fn lead(&mut self, cause: Cause, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let from = self.role.shape();
        assert_eq!(from, RoleShape::Candidate, "Leader from {from:?}");
        let first = self.last_index() + 1;
        // Empty logs agree; nothing needs to be tried out.
        let is_streaming = first == 1;
        let unknown = Progress { next: first, matched: 0, is_streaming, is_waiting: false, heard_us: None };
        let count = self.servers.len() as usize;
        self.role = Role::Leader { progress: vec![unknown; count], heard: ReplicaSet::only(self.id), first };
        cx.disarm(&mut self.timers, ELECTION);
        // The first heartbeat goes out as soon as the state is looked at (§5.2).
        cx.arm(&mut self.timers, HEARTBEAT, 0);
        if cx.settings.rules.check_quorum && count > 1 {
            self.arm_check_quorum(cx);
        }
        self.became(Some(from), cause, cx);
        if cx.settings.rules.no_op {
            self.log.append_batch(self.term, &[Payload::NoOp]);
            cx.effects.persisted = true;
            cx.note(Note::NoOp { index: self.last_index() });
        }
        self.advance_commit(cx);
    }

    // Looking at the state.

    fn check_quorum(&mut self, cx: &mut Cx<'_, impl Carries<Classic>>) -> bool {
        let need = self.servers.majority();
        let Role::Leader { heard, .. } = &mut self.role else { return false };
        let have = heard.len();
        if have < need {
            self.follow(self.term, None, Cause::QuorumLost, cx);
            return true;
        }
        *heard = ReplicaSet::only(self.id);
        cx.note(Note::QuorumHeard { have: small(have), need: small(need) });
        self.arm_check_quorum(cx);
        false
    }

    /// Sends entries to whoever lacks some, and heartbeats when they are due.
    fn replicate(&mut self, cx: &mut Cx<'_, impl Carries<Classic>>) {
        if !matches!(self.role, Role::Leader { .. }) {
            return;
        }
        let is_beat = self.timers.is_expired(HEARTBEAT, cx.now_us);
        let mut told = 0;
        for peer in self.others().iter() {
            let mut has_sent = false;
            while self.has_more_for(peer, cx.settings.batch) {
                self.send_append(peer, cx);
                has_sent = true;
            }
            if is_beat && !has_sent {
                self.send_append(peer, cx);
                told += 1;
            }
        }
        if is_beat {
            cx.arm(&mut self.timers, HEARTBEAT, u64::from(cx.settings.heartbeat_ms) * MICROS_PER_MILLI);
            if told > 0 {
                cx.note(Note::Heartbeats { told });
            }
        }
    }
}

impl<W: Carries<Classic>> Driven<Classic, W> for ClassicReplica {
    fn start(id: ReplicaId, replicas: u8, disk: Disk, cx: &mut Cx<'_, W>) -> Self {
        let Disk { term, voted, log, commit } = disk;
        let mut me = Self {
            id,
            servers: ReplicaSet::first(replicas),
            role: Role::Follower { leader: None },
            // An entry of a term says that the term was reached, whatever was written of it.
            term: term.max(log.last_epoch()),
            voted: voted.filter(|_| term >= log.last_epoch()),
            commit: commit.min(log.end_offset()),
            log,
            heard_us: None,
            listener: Listener::default(),
            timers: TimerTable::new(replicas),
            has_ended: false,
        };
        me.arm_election(cx);
        me.became(None, Cause::Restart, cx);
        me
    }

    fn poll_state(&mut self, cx: &mut Cx<'_, W>) -> bool {
        if self.timers.is_expired(ELECTION, cx.now_us) && !matches!(self.role, Role::Leader { .. }) {
            self.campaign(cx);
            return true;
        }
        if self.timers.is_expired(CHECK_QUORUM, cx.now_us) && self.check_quorum(cx) {
            return true;
        }
        self.replicate(cx);
        false
    }

    fn handle(&mut self, from: ReplicaId, message: ClassicMessage, cx: &mut Cx<'_, W>) {
        match message {
            ClassicMessage::RequestVote { term, last, pre_vote } => {
                self.on_vote_request(from, term, last, pre_vote, cx);
            }
            ClassicMessage::Vote { term, granted, pre_vote } => self.on_vote(from, term, granted, pre_vote, cx),
            ClassicMessage::AppendEntries { term, prev, records, commit } => {
                let entries = records.as_ref().map_or(&[][..], |records| records.entries());
                self.on_append(from, term, prev, entries, commit, cx);
            }
            ClassicMessage::Appended { term, outcome, .. } => self.on_appended(from, term, outcome, cx),
        }
    }

    fn poll_listeners(&mut self, cx: &mut Cx<'_, W>) {
        if self.listener.feed(&self.log, self.commit) > 0 {
            cx.note(Note::Applied { to: self.listener.next_offset() });
        }
    }

    fn fire(&mut self, timer: Timer, cx: &mut Cx<'_, W>) -> bool {
        self.timers.hurry(timer, cx.now_us);
        self.poll_state(cx)
    }

    fn request(&mut self, request: Request, cx: &mut Cx<'_, W>) -> Result<Option<u64>, RequestError> {
        match request {
            Request::Resign { .. } => Err(RequestError::NoSuchThing),
            Request::Append { epoch, key, value, count } => {
                if epoch > self.term {
                    return Err(AppendError::Ahead { epoch }.into());
                }
                if epoch < self.term || !matches!(self.role, Role::Leader { .. }) {
                    return Err(AppendError::NotLeader { epoch }.into());
                }
                if count == 0 {
                    return Err(AppendError::Nothing.into());
                }
                if usize::from(count) > BATCH_ENTRIES {
                    return Err(AppendError::TooLarge { count }.into());
                }
                for value in (0..count).map(|more| value.wrapping_add(more.into())) {
                    self.log.append_batch(self.term, &[Payload::Set { key, value }]);
                }
                cx.effects.persisted = true;
                cx.note(Note::Took { index: self.last_index(), count });
                self.advance_commit(cx);
                Ok(Some(self.last_index() - 1))
            }
            // Nothing needs to be said to anybody: what is on disk is all that counts.
            Request::Shutdown { .. } => {
                self.has_ended = true;
                Ok(None)
            }
        }
    }
}

impl Replica<Classic> for ClassicReplica {
    fn ended(&self) -> Option<Ended> {
        self.has_ended.then_some(Ended::Completed)
    }

    fn timers(&self) -> &TimerTable {
        &self.timers
    }

    fn timers_mut(&mut self) -> &mut TimerTable {
        &mut self.timers
    }

    fn campaigns_on(&self) -> Option<Timer> {
        (self.timers.deadline_us(ELECTION) != NEVER).then_some(ELECTION)
    }

    fn log(&self) -> &Log {
        &self.log
    }

    fn stop(self, _: bool) -> Disk {
        Disk { term: self.term, voted: self.voted, log: self.log, commit: 0 }
    }

    fn standing(&self) -> Standing {
        Standing {
            role: self.role.shape(),
            epoch: self.term,
            leader: self.leader(),
            voted: self.voted,
            committed: Some(self.commit),
            end_offset: self.log.end_offset(),
        }
    }

    fn face(&self) -> Face {
        let (granted, refused) = match &self.role {
            Role::PreCandidate(tally) | Role::Candidate(tally) => (tally.granted, tally.refused),
            Role::Follower { .. } | Role::Leader { .. } => (ReplicaSet::default(), ReplicaSet::default()),
        };
        Face { granted, refused, voters: self.servers }
    }

    fn listener(&self) -> &Listener {
        &self.listener
    }

    fn fields(&self, put: &mut Fields<'_>) {
        put("lastApplied", Value::Number(self.listener.next_offset()));
        put("state machine", Value::Map(self.listener.map().to_vec()));
        match &self.role {
            Role::Leader { heard, .. } if self.timers.deadline_us(CHECK_QUORUM) != NEVER => {
                put("heard since CheckQuorum looked", Value::Nodes(*heard));
            }
            Role::Leader { .. } => {}
            Role::PreCandidate(tally) | Role::Candidate(tally) => {
                put("granted by", Value::Nodes(tally.granted));
                put("refused by", Value::Nodes(tally.refused));
            }
            Role::Follower { .. } => {}
        }
    }

    fn peers(&self) -> Option<Vec<PeerView>> {
        let Role::Leader { progress, heard, .. } = &self.role else { return None };
        let line = |(id, it): (ReplicaId, &Progress)| PeerView {
            id,
            is_voter: true,
            matched: Some(if id == self.id { self.last_index() } else { it.matched }),
            next: Some(it.next - 1),
            heard_us: it.heard_us,
            is_counted: heard.contains(id),
        };
        Some((0..).map(ReplicaId).zip(progress).map(line).collect())
    }

    fn commits_from(&self) -> Option<u64> {
        match &self.role {
            Role::Leader { first, .. } => Some(first - 1),
            Role::Follower { .. } | Role::PreCandidate(_) | Role::Candidate(_) => None,
        }
    }

    fn stands_by(&self, settings: &ClassicSettings, now_us: u64) -> Option<ReplicaId> {
        let has_rule = settings.rules.pre_vote || settings.rules.check_quorum;
        self.leader().filter(|_| has_rule && self.has_lease(settings, now_us))
    }

    fn encode(&self, out: &mut Encoder) {
        out.u8(self.id.0);
        out.u32(self.servers.0);
        self.role.encode(out);
        out.u32(self.term);
        out.u8(self.voted.map_or(u8::MAX, |id| id.0));
        self.log.encode(out);
        out.u64(self.commit);
        out.option(self.heard_us);
        self.listener.encode(out);
        self.timers.encode(out);
        out.bool(self.has_ended);
    }

    fn encode_persisted(&self, out: &mut Encoder) {
        out.u32(self.term);
        out.u8(self.voted.map_or(u8::MAX, |id| id.0));
        out.u64(self.log.end_offset());
        out.u32(self.log.last_epoch());
    }
}
