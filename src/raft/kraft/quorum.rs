//! BeginQuorumEpoch and EndQuorumEpoch (spec 4.2 and 4.3), and what all answers have in common (spec 4.0).

use super::KRaft;
use super::message::{Address, Answer, Body, ErrorCode, Successors};
use super::note::{Cause, Note};
use super::replica::{BEGIN_QUORUM, Cx, FETCH, KRaftReplica};
use super::state::{Follower, Role};
use crate::executor::MICROS_PER_MILLI;
use crate::raft::ids::{ReplicaId, ReplicaSet};
use crate::raft::protocol::{Carries, Fault};

impl KRaftReplica {
    /// Checks a request that comes from a leader; an error is answered as it stands.
    fn check_leadership_request(
        &self,
        from: ReplicaId,
        epoch: i32,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> Result<u32, ErrorCode> {
        if epoch < self.signed_epoch() {
            let epoch = u32::try_from(epoch).unwrap_or(0);
            cx.note(Note::Fenced { from, epoch });
            return Err(ErrorCode::FencedLeaderEpoch);
        }
        u32::try_from(epoch).map_err(|_| ErrorCode::InvalidRequest)
    }

    /// The answer to a request of another cluster, which is not even looked at; `None` for an answer.
    pub(super) fn refuse_foreign(&self, body: &Body) -> Option<Body> {
        let answer = self.answer(ErrorCode::InconsistentClusterId);
        match body {
            Body::VoteRequest { .. } => Some(Body::VoteResponse { answer, granted: false }),
            Body::BeginQuorumEpochRequest { .. } => Some(Body::BeginQuorumEpochResponse { answer }),
            Body::EndQuorumEpochRequest { .. } => Some(Body::EndQuorumEpochResponse { answer }),
            Body::FetchRequest { .. } => Some(self.fetch_error(ErrorCode::InconsistentClusterId)),
            Body::VoteResponse { .. }
            | Body::BeginQuorumEpochResponse { .. }
            | Body::EndQuorumEpochResponse { .. }
            | Body::FetchResponse { .. } => None,
        }
    }

    /// Whether a request names this replica, as far as it names one (KIP-853).
    pub(super) fn is_meant(&self, address: Address) -> bool {
        address.voter.is_none_or(|voter| voter == self.id)
            && (address.directory == 0 || address.directory == self.directory)
    }

    pub(super) fn on_begin_quorum_request(
        &mut self,
        address: Address,
        leader: ReplicaId,
        epoch: i32,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> Body {
        let error = match self.check_leadership_request(leader, epoch, cx) {
            Ok(epoch) => {
                self.learn(epoch, Some(leader), cx);
                cx.note(Note::HeardLeader { leader, epoch });
                // After having followed (spec 4.2).
                if self.is_meant(address) { ErrorCode::None } else { ErrorCode::InvalidVoterKey }
            }
            Err(error) => error,
        };
        Body::BeginQuorumEpochResponse { answer: self.answer(error) }
    }

    pub(super) fn on_end_quorum_request(
        &mut self,
        leader: ReplicaId,
        epoch: i32,
        successors: Successors,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> Body {
        let error = match self.check_leadership_request(leader, epoch, cx) {
            Ok(epoch) => {
                self.learn(epoch, Some(leader), cx);
                if matches!(self.role, Role::Follower { leader: known, .. } if known == leader) {
                    let wait_ms = successor_wait_ms(cx.settings.election_backoff_max_ms, self.id, &successors);
                    cx.arm(&mut self.timers, FETCH, u64::from(wait_ms) * MICROS_PER_MILLI);
                    if let Role::Follower { leader_resigned, .. } = &mut self.role {
                        *leader_resigned = true;
                    }
                    cx.note(Note::SuccessorWait { leader, wait_ms });
                }
                ErrorCode::None
            }
            Err(error) => error,
        };
        Body::EndQuorumEpochResponse { answer: self.answer(error) }
    }

    /// A leader makes itself known to voters that have not fetched for half the fetch timeout.
    pub(super) fn begin_quorum_round(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let Role::Leader { followers, .. } = &self.role else {
            return;
        };
        let period_us = cx.settings.begin_quorum_us();
        let mut silent = ReplicaSet::default();
        for peer in self.voters.without(ReplicaSet::only(self.id)).iter() {
            let is_silent =
                followers[peer.index()].last_fetch_us.is_none_or(|at| cx.now_us.saturating_sub(at) >= period_us);
            if is_silent && self.connections.is_ready(peer) {
                silent.insert(peer);
            }
        }
        for peer in silent.iter() {
            self.ask(peer, Body::BeginQuorumEpochRequest { leader: self.id, epoch: self.signed_epoch() }, cx);
        }
        cx.note(Note::BeginQuorumRound { told: u8::try_from(silent.len()).unwrap_or(u8::MAX) });
        // A period of 0 would be due again at this very instant.
        cx.arm(&mut self.timers, BEGIN_QUORUM, period_us.max(MICROS_PER_MILLI));
    }

    /// A resigned leader tells those who have not answered.
    pub(super) fn end_quorum_round(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let Role::Resigned { unacked, successors } = &self.role else {
            return;
        };
        let (unacked, successors) = (*unacked, *successors);
        for peer in unacked.iter() {
            if self.connections.is_ready(peer) {
                let body = Body::EndQuorumEpochRequest { leader: self.id, epoch: self.signed_epoch(), successors };
                self.ask(peer, body, cx);
            }
        }
    }

    /// Takes an answer if its request is in flight (spec 4.0; first match wins).
    pub(super) fn on_answer(
        &mut self,
        from: ReplicaId,
        correlation: u32,
        body: Body,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) {
        if !self.connections.expects(from, correlation) {
            cx.note(Note::LateAnswer { from });
            return;
        }
        let answer = match &body {
            Body::VoteResponse { answer, .. }
            | Body::BeginQuorumEpochResponse { answer }
            | Body::EndQuorumEpochResponse { answer }
            | Body::FetchResponse { answer, .. } => *answer,
            Body::VoteRequest { .. }
            | Body::BeginQuorumEpochRequest { .. }
            | Body::EndQuorumEpochRequest { .. }
            | Body::FetchRequest { .. } => return,
        };
        if answer.error == ErrorCode::UnsupportedVersion
            && matches!(body, Body::VoteResponse { .. })
            && matches!(self.role, Role::Prospective { .. })
        {
            // Some voter has no PreVote: the election goes on without (KIP-996).
            self.become_candidate(Cause::NoPreVote, cx);
            return;
        }
        let is_handled = match self.on_common_answer(from, answer, cx) {
            Some(is_handled) => is_handled,
            None => match body {
                Body::VoteResponse { granted, .. } => self.on_vote_answer(from, granted, cx),
                Body::FetchResponse { high_watermark, outcome, .. } => {
                    self.on_fetch_answer(from, high_watermark, outcome, cx)
                }
                Body::EndQuorumEpochResponse { .. } => {
                    if let Role::Resigned { unacked, .. } = &mut self.role {
                        unacked.remove(from);
                    }
                    cx.note(Note::Acknowledged { by: from });
                    true
                }
                Body::BeginQuorumEpochResponse { .. } => {
                    cx.note(Note::Acknowledged { by: from });
                    true
                }
                Body::VoteRequest { .. }
                | Body::BeginQuorumEpochRequest { .. }
                | Body::EndQuorumEpochRequest { .. }
                | Body::FetchRequest { .. } => true,
            },
        };
        // A transition on the way has reset the connections already.
        if self.connections.expects(from, correlation) {
            self.settle_connection(from, is_handled, cx);
        }
    }

    /// `Some(handled)` if the answer needs no further handling.
    fn on_common_answer(
        &mut self,
        from: ReplicaId,
        answer: Answer,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> Option<bool> {
        let Ok(epoch) = u32::try_from(answer.epoch) else {
            return Some(true);
        };
        if matches!(answer.error, ErrorCode::InconsistentClusterId | ErrorCode::UnsupportedVersion) {
            return Some(false);
        }
        if epoch < self.epoch || answer.error == ErrorCode::UnknownLeaderEpoch {
            cx.note(Note::OldAnswer { from, epoch });
            return Some(true);
        }
        if epoch > self.epoch || matches!(answer.error, ErrorCode::FencedLeaderEpoch | ErrorCode::NotLeaderOrFollower) {
            if answer.error == ErrorCode::NotLeaderOrFollower {
                cx.note(Note::NotLeader { from, leader: answer.leader });
            }
            self.learn(epoch, answer.leader, cx);
            return Some(true);
        }
        if answer.leader.is_some() && self.leader().is_none() {
            self.learn(epoch, answer.leader, cx);
            if answer.error != ErrorCode::None {
                return Some(true);
            }
        }
        if answer.error == ErrorCode::BrokerNotAvailable {
            return Some(false);
        }
        if answer.error == ErrorCode::InvalidVoterKey {
            return Some(true);
        }
        if answer.error == ErrorCode::InvalidRequest {
            cx.effects.fault = Some(Fault::RequestCalledInvalid);
            return Some(true);
        }
        None
    }
}

/// A line of DescribeQuorum's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaDescription {
    /// Which replica.
    pub id: ReplicaId,
    /// Its end offset, as far as the leader knows.
    pub log_end_offset: Option<u64>,
    /// When it last fetched, in local microseconds; for the leader: now.
    pub last_fetch_us: Option<u64>,
    /// When it last had all the leader had; for the leader: now.
    pub last_caught_up_us: Option<u64>,
}

/// What DescribeQuorum answers (spec 4.7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuorumDescription {
    /// Who leads.
    pub leader: ReplicaId,
    /// Its epoch.
    pub epoch: u32,
    /// The high watermark, if it is known.
    pub high_watermark: Option<u64>,
    /// The voters.
    pub voters: Vec<ReplicaDescription>,
    /// The observers that have fetched in the last five minutes.
    pub observers: Vec<ReplicaDescription>,
}

/// How long the leader remembers an observer that does not fetch.
const OBSERVER_SESSION_US: u64 = 300_000 * MICROS_PER_MILLI;

impl KRaftReplica {
    /// What the leader knows of its quorum. Observers that have not fetched for five minutes are forgotten by this.
    ///
    /// # Errors
    /// [`ErrorCode::NotLeaderOrFollower`] elsewhere.
    pub fn describe_quorum(&mut self, now_us: u64) -> Result<QuorumDescription, ErrorCode> {
        let (id, epoch, high_watermark, voters) = (self.id, self.epoch, self.high_watermark, self.voters);
        let Role::Leader { followers, .. } = &mut self.role else {
            return Err(ErrorCode::NotLeaderOrFollower);
        };
        let mut description =
            QuorumDescription { leader: id, epoch, high_watermark, voters: Vec::new(), observers: Vec::new() };
        for (place, follower) in (0..).zip(followers.iter_mut()) {
            let peer = ReplicaId(place);
            let is_voter = voters.contains(peer);
            let silent_us = follower.last_fetch_us.map(|at_us| now_us.saturating_sub(at_us));
            if !is_voter && silent_us.is_none_or(|us| us >= OBSERVER_SESSION_US) {
                *follower = Follower::default();
                continue;
            }
            let own = (peer == id).then_some(now_us);
            let line = ReplicaDescription {
                id: peer,
                log_end_offset: follower.end_offset,
                last_fetch_us: own.or(follower.last_fetch_us),
                last_caught_up_us: own.or(follower.caught_up_us),
            };
            if is_voter { description.voters.push(line) } else { description.observers.push(line) }
        }
        Ok(description)
    }
}

/// How long a follower waits before it may seek votes after its leader resigned (spec 4.3).
///
/// The first successor, and anyone when the list is empty, does not wait; one that is not named waits longest.
fn successor_wait_ms(max_ms: u32, me: ReplicaId, successors: &Successors) -> u32 {
    if successors.is_empty() {
        return 0;
    }
    let len = u32::from(successors.len());
    match successors.iter().position(|id| id == me) {
        None => max_ms,
        Some(0) => 0,
        Some(place) => {
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            let first = max_ms.checked_shr(len - 1).unwrap_or(0);
            u32::try_from(u64::from(first) << (place - 1).min(31)).map_or(max_ms, |wait| wait.min(max_ms))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successor_wait_gives_the_table_of_4_3() {
        let wait = |n: u8, p: u8| {
            let list = Successors::new((0..n).map(|i| ReplicaId(if i == p { 20 } else { i })));
            successor_wait_ms(1000, ReplicaId(20), &list)
        };
        assert_eq!(wait(1, 0), 0);
        assert_eq!([wait(2, 0), wait(2, 1)], [0, 500]);
        assert_eq!([wait(3, 0), wait(3, 1), wait(3, 2)], [0, 250, 500]);
        assert_eq!([wait(4, 0), wait(4, 1), wait(4, 2), wait(4, 3)], [0, 125, 250, 500]);
        for n in 1..5 {
            assert_eq!(wait(n, 9), 1000);
        }
        assert_eq!(successor_wait_ms(1000, ReplicaId(0), &Successors::new([])), 0);
    }
}
