//! Vote and PreVote (spec 3.6 and 4.1; KIP-595, KIP-996).

use super::KRaft;
use super::message::{Address, Body, ErrorCode};
use super::note::{Cause, Note, Refusal};
use super::replica::{Cx, KRaftReplica};
use super::state::{Role, Tally};
use crate::raft::ids::{ReplicaId, ReplicaSet};
use crate::raft::projection::LogEnd;
use crate::raft::protocol::Carries;

impl KRaftReplica {
    /// Answers a vote request. `last` is the asker's (last epoch, end offset).
    pub(super) fn on_vote_request(
        &mut self,
        from: ReplicaId,
        address: Address,
        epoch: i32,
        last: (i32, i64),
        pre_vote: bool,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> Body {
        let legal_last = if pre_vote { last.0 <= epoch } else { last.0 < epoch };
        let (Ok(asked_epoch), Ok(last_epoch), Ok(last_offset)) =
            (u32::try_from(epoch), u32::try_from(last.0), u64::try_from(last.1))
        else {
            let none = LogEnd { epoch: 0, end: 0 };
            return self.refuse_vote(from, pre_vote, Refusal::Invalid, none, ErrorCode::InvalidRequest, cx);
        };
        let theirs = LogEnd { epoch: last_epoch, end: last_offset };
        // Nobody asks itself.
        if !legal_last || from == self.id {
            return self.refuse_vote(from, pre_vote, Refusal::Invalid, theirs, ErrorCode::InvalidRequest, cx);
        }
        if asked_epoch < self.epoch {
            return self.refuse_vote(from, pre_vote, Refusal::OldEpoch, theirs, ErrorCode::FencedLeaderEpoch, cx);
        }
        if asked_epoch > self.epoch {
            // Vote and PreVote requests always count as naming no leader (spec 3.3).
            self.learn(asked_epoch, None, cx);
        }
        if !self.is_meant(address) {
            return self.refuse_vote(from, pre_vote, Refusal::NotMeant, theirs, ErrorCode::InvalidVoterKey, cx);
        }
        let up_to_date = (last_epoch, last_offset) >= self.log_position();
        if let Some(why) = self.refusal(from, up_to_date, pre_vote, cx) {
            return self.refuse_vote(from, pre_vote, why, theirs, ErrorCode::None, cx);
        }
        let may_vote = matches!(self.role, Role::Unattached { .. } | Role::Prospective { .. });
        if !pre_vote && self.voted.is_none() && may_vote {
            self.add_vote(from, cx);
        }
        let (epoch, end) = self.log_position();
        cx.note(Note::Granted { to: from, epoch: self.epoch, pre_vote, theirs, ours: LogEnd { epoch, end } });
        Body::VoteResponse { answer: self.answer(ErrorCode::None), granted: true }
    }

    /// Why a vote in our own epoch is refused, if it is (spec 3.6).
    fn refusal(
        &self,
        from: ReplicaId,
        up_to_date: bool,
        pre_vote: bool,
        cx: &Cx<'_, impl Carries<KRaft>>,
    ) -> Option<Refusal> {
        let behind = (!up_to_date).then_some(Refusal::LogBehind);
        match &self.role {
            Role::Leader { .. } => Some(Refusal::Leads),
            Role::Unattached { leader } | Role::Prospective { leader, .. } => {
                if pre_vote {
                    return behind;
                }
                match (self.voted, leader) {
                    // The same vote again is given without looking at the log again.
                    (Some(voted), _) => (voted != from).then_some(Refusal::VotedFor(voted)),
                    (None, Some(leader)) => Some(Refusal::KnowsLeader(*leader)),
                    (None, None) => behind,
                }
            }
            Role::Candidate { .. } => {
                if pre_vote {
                    behind
                } else {
                    Some(Refusal::OwnCandidate)
                }
            }
            Role::Follower { leader, has_fetched, .. } => {
                if !pre_vote {
                    Some(Refusal::KnowsLeader(*leader))
                } else if *has_fetched && cx.settings.rules.fetched_refuses_pre_vote {
                    Some(Refusal::Fetched(*leader))
                } else {
                    behind
                }
            }
            Role::Resigned { .. } => {
                if pre_vote {
                    behind
                } else {
                    Some(Refusal::HasResigned)
                }
            }
        }
    }

    fn refuse_vote(
        &self,
        to: ReplicaId,
        pre_vote: bool,
        why: Refusal,
        theirs: LogEnd,
        error: ErrorCode,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> Body {
        let (epoch, end) = self.log_position();
        cx.note(Note::Refused { to, epoch: self.epoch, pre_vote, why, theirs, ours: LogEnd { epoch, end } });
        Body::VoteResponse { answer: self.answer(error), granted: false }
    }

    /// Counts an answer to our own request. True: the connection is ready.
    pub(super) fn on_vote_answer(
        &mut self,
        from: ReplicaId,
        granted: bool,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> bool {
        let voters = self.voters;
        let need = voters.majority();
        let (tally, pre_vote) = match &mut self.role {
            Role::Prospective { tally, .. } => (tally, true),
            Role::Candidate { tally, .. } => (tally, false),
            Role::Unattached { .. } | Role::Leader { .. } | Role::Follower { .. } | Role::Resigned { .. } => {
                cx.note(Note::LateAnswer { from });
                return true;
            }
        };
        record(tally, from, granted);
        let have = tally.granted.len();
        let can_still_win = voters.without(tally.refused).len() >= need;
        cx.note(Note::Counted {
            from,
            granted,
            pre_vote,
            have: u8::try_from(have).unwrap_or(u8::MAX),
            need: u8::try_from(need).unwrap_or(u8::MAX),
        });
        match &mut self.role {
            Role::Prospective { .. } if have >= need => self.become_candidate(Cause::MajorityGranted, cx),
            Role::Prospective { .. } if !can_still_win => self.give_up_pre_vote(Cause::MajorityRefused, cx),
            Role::Candidate { .. } if have >= need => self.become_leader(Cause::MajorityGranted, cx),
            Role::Candidate { is_lost, .. } if !can_still_win && !*is_lost => {
                // It stays Candidate and waits for the rest of its timeout (KAFKA-18345).
                *is_lost = true;
                cx.note(Note::Lost { epoch: self.epoch });
            }
            _ => {}
        }
        true
    }
}

fn record(tally: &mut Tally, from: ReplicaId, granted: bool) {
    let (to, other): (&mut ReplicaSet, &mut ReplicaSet) =
        if granted { (&mut tally.granted, &mut tally.refused) } else { (&mut tally.refused, &mut tally.granted) };
    to.insert(from);
    other.remove(from);
}
