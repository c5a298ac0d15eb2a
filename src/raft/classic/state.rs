//! Roles and what is kept across a restart (figure 2).
//!
//! | from | to | when | term |
//! | --- | --- | --- | --- |
//! | Follower, Candidate | Candidate | its election timeout | + 1 |
//! | Follower, PreCandidate, Candidate | PreCandidate | its election timeout, with PreVote | same |
//! | PreCandidate | Candidate | a majority would vote for it | + 1 |
//! | Candidate | Leader | a majority voted for it | same |
//! | PreCandidate, Candidate | Follower | a leader of its term speaks; or a majority refused it and the setting says so | same |
//! | any | Follower | a message of a later term | the message's |
//! | Leader | Follower | CheckQuorum: no majority heard for an election timeout | same |

use crate::raft::digest::Encoder;
use crate::raft::ids::{ReplicaId, ReplicaSet};
use crate::raft::log::Log;
use crate::raft::protocol::RoleShape;

/// What a leader knows of a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// nextIndex: the next entry to send.
    pub next: u64,
    /// matchIndex: up to where its log is known to agree; 0 while unknown.
    pub matched: u64,
    /// Whether entries are sent one after the other without waiting; otherwise one AppendEntries at a time tries out where
    /// the logs agree.
    pub is_streaming: bool,
    /// While not streaming: whether one is out.
    pub is_waiting: bool,
    /// When it was last heard, in local microseconds.
    pub heard_us: Option<u64>,
}

/// Answers to a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Those who said yes, itself included.
    pub granted: ReplicaSet,
    /// Those who said no.
    pub refused: ReplicaSet,
}

/// A role with what belongs to it. Its timers are in the timer table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Follows whoever leads.
    Follower {
        /// The leader, once it has spoken in this term.
        leader: Option<ReplicaId>,
    },
    /// Asks whether it could win; the term stays (dissertation §9.6).
    PreCandidate(Tally),
    /// Asks for votes.
    Candidate(Tally),
    /// Leads.
    Leader {
        /// What it knows of each server; its own line is not used.
        progress: Vec<Progress>,
        /// Who was heard since CheckQuorum last looked, itself included.
        heard: ReplicaSet,
        /// The first index of its term: by counting it commits nothing before it (§5.4.2).
        first: u64,
    },
}

impl Role {
    /// The shape under which it is drawn.
    #[must_use]
    pub const fn shape(&self) -> RoleShape {
        match self {
            Self::Follower { .. } => RoleShape::Follower,
            Self::PreCandidate(_) => RoleShape::Prospective,
            Self::Candidate(_) => RoleShape::Candidate,
            Self::Leader { .. } => RoleShape::Leader,
        }
    }

    /// Writes it for a state digest.
    pub(super) fn encode(&self, out: &mut Encoder) {
        match self {
            Self::Follower { leader } => {
                out.u8(0);
                out.u8(leader.map_or(u8::MAX, |id| id.0));
            }
            Self::PreCandidate(tally) | Self::Candidate(tally) => {
                out.u8(if matches!(self, Self::PreCandidate(_)) { 1 } else { 2 });
                out.u32(tally.granted.0);
                out.u32(tally.refused.0);
            }
            Self::Leader { progress, heard, first } => {
                out.u8(3);
                out.u64(*first);
                out.u32(heard.0);
                for it in progress {
                    out.u64(it.next);
                    out.u64(it.matched);
                    out.bool(it.is_streaming);
                    out.bool(it.is_waiting);
                    out.option(it.heard_us);
                }
            }
        }
    }
}

/// What survives a crash: term, vote and log. A server starts as a follower of that term.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    /// currentTerm.
    pub term: u32,
    /// votedFor.
    pub voted: Option<ReplicaId>,
    /// log[].
    pub log: Log,
    /// The commit index that it knows when it starts. A crash forgets it, as figure 2 has it (volatile); only a run that
    /// begins in the middle sets it.
    pub commit: u64,
}

impl Disk {
    /// Writes it for a state digest.
    pub(super) fn encode(&self, out: &mut Encoder) {
        out.u32(self.term);
        out.u8(self.voted.map_or(u8::MAX, |id| id.0));
        self.log.encode(out);
        out.u64(self.commit);
    }
}
