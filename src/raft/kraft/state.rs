//! Roles and what is kept across a restart (spec 3.1 to 3.3).
//!
//! | from | to | when | epoch |
//! | --- | --- | --- | --- |
//! | any | Unattached | a higher epoch without a leader | the message's |
//! | Prospective | Unattached | PreVote lost or timed out, no leader known | same |
//! | Resigned | Unattached | election timeout | + 1 |
//! | Unattached, Candidate, Follower | Prospective | election or fetch timeout | same |
//! | Prospective | Candidate | a majority of PreVotes | + 1 |
//! | Candidate | Leader | a majority of votes | same |
//! | Leader | Resigned | check-quorum expired, asked to resign, or shutting down | same |
//! | any | Follower | a higher epoch that names a leader | the message's |
//! | Unattached, Prospective, Candidate | Follower | the same epoch, a leader named, none known | same |
//! | Prospective | Follower | PreVote lost or timed out, leader known | same |
//!
//! Holds always: within an epoch a vote and a leader, once known, are kept; that is what makes one leader per epoch hold.

use crate::raft::digest::Encoder;
use crate::raft::ids::{ReplicaId, ReplicaSet};
use crate::raft::log::Log;
use crate::raft::protocol::RoleShape;

/// What a leader knows of a follower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Follower {
    /// How far it has come: the offset it last fetched from.
    pub end_offset: Option<u64>,
    /// When it last fetched, in local microseconds.
    pub last_fetch_us: Option<u64>,
    /// When it last had all the leader had, in local microseconds.
    pub caught_up_us: Option<u64>,
    /// The leader's end offset at its last fetch.
    pub leader_end: u64,
}

/// Votes gathered and refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those who said yes.
    pub granted: ReplicaSet,
    /// Those who said no.
    pub refused: ReplicaSet,
}

/// A role with what belongs to it. Its timer is in the timer table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Waits for an election timeout or for news of a leader.
    Unattached {
        /// A leader found on disk that cannot be followed.
        leader: Option<ReplicaId>,
    },
    /// Asks for PreVotes.
    Prospective {
        /// The leader it followed.
        leader: Option<ReplicaId>,
        /// The answers.
        tally: Tally,
    },
    /// Asks for votes.
    Candidate {
        /// The answers.
        tally: Tally,
        /// Whether a majority has refused.
        is_lost: bool,
    },
    /// Leads.
    Leader {
        /// The offset of its first record: only above it does it commit.
        epoch_start: u64,
        /// Whether that record still waits to be appended.
        is_first_record_due: bool,
        /// Who voted for it.
        granting: ReplicaSet,
        /// What it knows of each replica, by index; its own line holds its own end offset.
        followers: Vec<Follower>,
        /// Who has fetched since check-quorum was last reached.
        fetched: ReplicaSet,
        /// Whether somebody asked it to resign.
        must_resign: bool,
    },
    /// Fetches from a leader.
    Follower {
        /// Whom.
        leader: ReplicaId,
        /// Whether a fetch has succeeded while in this role.
        has_fetched: bool,
        /// Whether the leader said that it has resigned, so that the fetch timer is a successor's wait.
        leader_resigned: bool,
    },
    /// Led, and says so to the voters.
    Resigned {
        /// Who has not answered.
        unacked: ReplicaSet,
        /// Who should follow, best first.
        successors: super::message::Successors,
    },
}

impl Role {
    /// Its shape.
    #[must_use]
    pub const fn shape(&self) -> RoleShape {
        match self {
            Self::Unattached { .. } => RoleShape::Unattached,
            Self::Prospective { .. } => RoleShape::Prospective,
            Self::Candidate { .. } => RoleShape::Candidate,
            Self::Leader { .. } => RoleShape::Leader,
            Self::Follower { .. } => RoleShape::Follower,
            Self::Resigned { .. } => RoleShape::Resigned,
        }
    }

    /// Writes it for a state digest.
    pub(super) fn encode(&self, out: &mut Encoder) {
        let option = |out: &mut Encoder, id: Option<ReplicaId>| out.u8(id.map_or(u8::MAX, |id| id.0));
        match self {
            Self::Unattached { leader } => {
                out.u8(0);
                option(out, *leader);
            }
            Self::Prospective { leader, tally } => {
                out.u8(1);
                option(out, *leader);
                out.u32(tally.granted.0);
                out.u32(tally.refused.0);
            }
            Self::Candidate { tally, is_lost } => {
                out.u8(2);
                out.u32(tally.granted.0);
                out.u32(tally.refused.0);
                out.bool(*is_lost);
            }
            Self::Leader { epoch_start, is_first_record_due, granting, followers, fetched, must_resign } => {
                out.u8(3);
                out.u64(*epoch_start);
                out.bool(*is_first_record_due);
                out.bool(*must_resign);
                out.u32(granting.0);
                out.u32(fetched.0);
                for follower in followers {
                    out.option(follower.end_offset);
                    out.option(follower.last_fetch_us);
                    out.option(follower.caught_up_us);
                    out.u64(follower.leader_end);
                }
            }
            Self::Follower { leader, has_fetched, leader_resigned } => {
                out.u8(4);
                out.u8(leader.0);
                out.bool(*has_fetched);
                out.bool(*leader_resigned);
            }
            Self::Resigned { unacked, successors } => {
                out.u8(5);
                out.u32(unacked.0);
                out.u8(successors.len());
                for id in successors.iter() {
                    out.u8(id.0);
                }
            }
        }
    }
}

/// Kafka's quorum-state file: written durably before each durable transition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuorumRecord {
    /// `leaderEpoch`.
    pub epoch: u32,
    /// `leaderId`.
    pub leader: Option<ReplicaId>,
    /// `votedId`.
    pub voted: Option<ReplicaId>,
}

impl QuorumRecord {
    /// Writes it for a digest.
    pub fn encode(self, out: &mut Encoder) {
        out.u32(self.epoch);
        out.u8(self.leader.map_or(u8::MAX, |id| id.0));
        out.u8(self.voted.map_or(u8::MAX, |id| id.0));
    }
}

/// What survives a crash.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    /// The election state.
    pub quorum: QuorumRecord,
    /// The flushed log.
    pub log: Log,
    /// The high watermark that was known, where a scenario starts from one; a disk that was written to has none.
    pub high_watermark: Option<u64>,
    /// The id of this disk's directory; a new disk has a new one.
    pub directory: u16,
    /// The next correlation id: stands for the connections of one life not reaching into the next.
    pub correlation: u32,
}

impl Disk {
    /// Writes it for a state digest.
    pub fn encode(&self, out: &mut Encoder) {
        self.quorum.encode(out);
        self.log.encode(out);
        out.option(self.high_watermark);
        out.u32(self.directory.into());
        out.u32(self.correlation);
    }
}
