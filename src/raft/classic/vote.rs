//! Elections: RequestVote and its answer (§5.2, §5.4.1; PreVote: dissertation §9.6).

use super::Classic;
use super::message::{ClassicMessage, Place};
use super::note::{Cause, Note, Refusal};
use super::replica::{ClassicReplica, Cx, small};
use super::settings::Refused;
use super::state::{Role, Tally};
use crate::raft::ids::ReplicaId;
use crate::raft::projection::LogEnd;
use crate::raft::protocol::Carries;

impl ClassicReplica {
    pub(super) fn on_vote_request(
        &mut self,
        from: ReplicaId,
        term: u32,
        theirs: Place,
        pre_vote: bool,
        cx: &mut Cx<'_, impl Carries<Classic>>,
    ) {
        let rules = cx.settings.rules;
        let has_lease = self.has_lease(cx.settings, cx.now_us);
        if !pre_vote && rules.check_quorum && term > self.term && has_lease {
            cx.note(Note::Ignored { from, term });
            return;
        }
        if !pre_vote && term > self.term {
            self.follow(term, None, Cause::HigherTerm, cx);
        }
        let ours = self.last();
        let why = if term < self.term {
            Some(Refusal::OldTerm)
        } else if pre_vote && has_lease {
            Some(Refusal::LeaderLives)
        } else if let Some(other) = self.voted.filter(|&other| term == self.term && other != from) {
            Some(Refusal::VotedFor(other))
        } else if theirs < ours {
            Some(Refusal::LogBehind)
        } else {
            None
        };
        let granted = why.is_none();
        let end = |(epoch, end): Place| LogEnd { epoch, end };
        let (theirs, ours) = (end(theirs), end(ours));
        // A pre-vote that is granted names the term that was asked for; everything else its own.
        let mut answers = self.term;
        match why {
            None if pre_vote => {
                answers = term;
                cx.note(Note::Granted { to: from, term, pre_vote, theirs, ours });
            }
            None => {
                if self.voted.is_none() {
                    self.voted = Some(from);
                    cx.effects.persisted = true;
                }
                self.arm_election(cx);
                cx.note(Note::Granted { to: from, term, pre_vote, theirs, ours });
            }
            Some(why) => cx.note(Note::Refused { to: from, term: self.term, pre_vote, why, theirs, ours }),
        }
        cx.send(from, ClassicMessage::Vote { term: answers, granted, pre_vote });
    }

    pub(super) fn on_vote(
        &mut self,
        from: ReplicaId,
        term: u32,
        granted: bool,
        pre_vote: bool,
        cx: &mut Cx<'_, impl Carries<Classic>>,
    ) {
        // What it would be granted for is the next term; any other later term is somebody's.
        let is_next = pre_vote && granted && term == self.term + 1;
        if term > self.term && !is_next {
            self.follow(term, None, Cause::HigherTerm, cx);
            return;
        }
        let tally = match &mut self.role {
            Role::PreCandidate(tally) if pre_vote && (is_next || !granted) => tally,
            Role::Candidate(tally) if !pre_vote && term == self.term => tally,
            Role::Follower { .. } | Role::PreCandidate(_) | Role::Candidate(_) | Role::Leader { .. } => {
                cx.note(Note::Late { from });
                return;
            }
        };
        // Lost: so many have refused that no majority is left.
        let (servers, need) = (self.servers, self.servers.majority());
        let is_lost = |tally: &Tally| servers.without(tally.refused).len() < need;
        let was_lost = is_lost(tally);
        if granted {
            tally.granted.insert(from);
        } else {
            tally.refused.insert(from);
        }
        let (have, is_over) = (tally.granted.len(), is_lost(tally) && !was_lost);
        cx.note(Note::Counted { from, granted, pre_vote, have: small(have), need: small(need) });
        if have >= need {
            if pre_vote {
                self.stand(Cause::MajorityWould, cx);
            } else {
                self.lead(Cause::MajorityGranted, cx);
            }
        } else if is_over {
            match cx.settings.refused {
                Refused::StepsDown => self.follow(self.term, None, Cause::MajorityRefused, cx),
                Refused::Waits => cx.note(Note::Lost { term: self.term }),
            }
        }
    }
}
