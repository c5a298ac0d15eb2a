//! What servers say to each other (figure 2).
//!
//! Indexes are the paper's: the first entry has index 1, and 0 is before it. Answers carry what their request asked
//! about, so that nobody needs to remember requests.

use crate::raft::digest::Encoder;
use crate::raft::log::{Records, encode_entry};
use crate::raft::projection::{Fields, Value};
use crate::raft::protocol::{MessageFace, Verdict};

/// Where a log ends, or an entry stands: (term, index).
pub type Place = (u32, u64);

/// A message.
#[derive(Clone, Debug)]
pub enum ClassicMessage {
    /// RequestVote (§5.2).
    RequestVote {
        /// The candidate's term; of a pre-vote the one to which it would raise.
        term: u32,
        /// Where its log ends.
        last: Place,
        /// Whether it only asks whether it could win (dissertation §9.6).
        pre_vote: bool,
    },
    /// The answer to RequestVote.
    Vote {
        /// The voter's term; of a pre-vote that is granted the term that was asked for.
        term: u32,
        /// Whether it grants.
        granted: bool,
        /// Which kind of request this answers.
        pre_vote: bool,
    },
    /// AppendEntries (§5.3); without entries a heartbeat.
    AppendEntries {
        /// The leader's term.
        term: u32,
        /// The entry before the new ones.
        prev: Place,
        /// The entries.
        records: Option<Records>,
        /// The leader's commit index.
        commit: u64,
    },
    /// The answer to AppendEntries.
    Appended {
        /// The follower's term.
        term: u32,
        /// How many entries the request carried.
        count: u8,
        /// What came of it.
        outcome: AppendOutcome,
    },
}

/// What came of an AppendEntries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// Everything up to there agrees with the leader's log.
    Matches {
        /// The last index that is known to agree.
        index: u64,
    },
    /// The entry before the new ones is missing, or another.
    Refused {
        /// The index that was asked for.
        prev: u64,
        /// The term and index that the follower names instead, by the backtracking that is set.
        hint: Place,
    },
    /// The sender's term is over, or it does not lead it.
    Stale,
}

/// Which message, for the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// RequestVote that only asks.
    PreVote,
    /// RequestVote.
    RequestVote,
    /// The answer to either.
    Vote,
    /// AppendEntries with entries.
    AppendEntries,
    /// AppendEntries without.
    Heartbeat,
    /// The answer to either.
    Appended,
    /// What clients of the cluster ask, and the answer: not a message of the protocol.
    Client,
}

fn place((term, index): Place, out: &mut Encoder) {
    out.u32(term);
    out.u64(index);
}

impl ClassicMessage {
    /// Writes it for a digest.
    pub(super) fn encode(&self, out: &mut Encoder) {
        match self {
            Self::RequestVote { term, last, pre_vote } => {
                out.u8(0);
                out.u32(*term);
                place(*last, out);
                out.bool(*pre_vote);
            }
            Self::Vote { term, granted, pre_vote } => {
                out.u8(1);
                out.u32(*term);
                out.bool(*granted);
                out.bool(*pre_vote);
            }
            Self::AppendEntries { term, prev, records, commit } => {
                out.u8(2);
                out.u32(*term);
                place(*prev, out);
                out.u64(*commit);
                out.u64(records.as_ref().map_or(0, |records| records.entries().len() as u64));
                for &entry in records.iter().flat_map(Records::entries) {
                    encode_entry(entry, out);
                }
            }
            Self::Appended { term, count, outcome } => {
                out.u8(3);
                out.u32(*term);
                out.u8(*count);
                match *outcome {
                    AppendOutcome::Matches { index } => {
                        out.u8(0);
                        out.u64(index);
                    }
                    AppendOutcome::Refused { prev, hint } => {
                        out.u8(1);
                        out.u64(prev);
                        place(hint, out);
                    }
                    AppendOutcome::Stale => out.u8(2),
                }
            }
        }
    }

    /// What is drawn of it.
    pub(super) fn face(&self) -> MessageFace<MessageKind> {
        let face = |kind, epoch: u32, verdict| MessageFace { kind, epoch, verdict, entries: 0 };
        match self {
            Self::RequestVote { term, pre_vote: true, .. } => face(MessageKind::PreVote, *term, Verdict::Asks),
            Self::RequestVote { term, .. } => face(MessageKind::RequestVote, *term, Verdict::Asks),
            Self::Vote { term, granted, .. } => {
                face(MessageKind::Vote, *term, if *granted { Verdict::Granted } else { Verdict::Refused })
            }
            Self::AppendEntries { term, records: None, .. } => face(MessageKind::Heartbeat, *term, Verdict::Asks),
            Self::AppendEntries { term, records: Some(records), .. } => {
                let entries = u8::try_from(records.entries().len()).unwrap_or(u8::MAX);
                MessageFace { entries, ..face(MessageKind::AppendEntries, *term, Verdict::Asks) }
            }
            Self::Appended { term, count, outcome } => {
                let verdict = match outcome {
                    AppendOutcome::Matches { .. } => Verdict::Plain,
                    AppendOutcome::Refused { .. } | AppendOutcome::Stale => Verdict::Refused,
                };
                MessageFace { entries: *count, ..face(MessageKind::Appended, *term, verdict) }
            }
        }
    }

    /// Its fields, by the paper's names; answers also carry what is beyond figure 2.
    pub(super) fn fields(&self, put: &mut Fields<'_>) {
        match self {
            Self::RequestVote { term, last, pre_vote } => {
                put("term", Value::Number((*term).into()));
                put("lastLogTerm", Value::Number(last.0.into()));
                put("lastLogIndex", Value::Number(last.1));
                if *pre_vote {
                    put("preVote", Value::Yes(true));
                }
            }
            Self::Vote { term, granted, .. } => {
                put("term", Value::Number((*term).into()));
                put("voteGranted", Value::Yes(*granted));
            }
            Self::AppendEntries { term, prev, records, commit } => {
                put("term", Value::Number((*term).into()));
                put("prevLogTerm", Value::Number(prev.0.into()));
                put("prevLogIndex", Value::Number(prev.1));
                put("entries[]", Value::Records(records.clone()));
                put("leaderCommit", Value::Number(*commit));
            }
            Self::Appended { term, outcome, .. } => {
                put("term", Value::Number((*term).into()));
                put("success", Value::Yes(matches!(outcome, AppendOutcome::Matches { .. })));
                match *outcome {
                    AppendOutcome::Matches { index } => put("matches up to", Value::Number(index)),
                    AppendOutcome::Refused { prev, hint } => {
                        put("of prevLogIndex", Value::Number(prev));
                        put("hint: term", Value::Number(hint.0.into()));
                        put("hint: index", Value::Number(hint.1));
                    }
                    AppendOutcome::Stale => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_at_most_64_bytes() {
        assert!(size_of::<ClassicMessage>() <= 64, "{}", size_of::<ClassicMessage>());
    }
}
