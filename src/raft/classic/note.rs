//! Reason codes: why a server did what it did, with the numbers that decided it. No text.

use super::message::Place;
use crate::raft::ids::ReplicaId;
use crate::raft::projection::{Gist, LogEnd, Theme};
use crate::raft::protocol::RoleShape;

/// Why a server took on a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It started.
    Restart,
    /// It heard of no leader for its election timeout.
    ElectionTimeout,
    /// A majority would vote for it.
    MajorityWould,
    /// A majority voted for it.
    MajorityGranted,
    /// It is alone.
    OnlyServer,
    /// A majority refused it.
    MajorityRefused,
    /// Somebody is in a later term.
    HigherTerm,
    /// The leader of its term spoke.
    LeaderSpoke,
    /// A majority was not heard for an election timeout.
    QuorumLost,
}

/// Why a vote was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The candidate's term is over.
    OldTerm,
    /// It has voted for another in this term, or for itself.
    VotedFor(ReplicaId),
    /// The candidate's log is behind its own (§5.4.1).
    LogBehind,
    /// It heard from a live leader within the shortest election timeout (the lease rule).
    LeaderLives,
}

/// Why something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It took on a role.
    Became {
        /// What it was; `None` at the start.
        from: Option<RoleShape>,
        /// What it is.
        to: RoleShape,
        /// Its term now.
        term: u32,
        /// Why.
        cause: Cause,
        /// The leader it knows now.
        leader: Option<ReplicaId>,
    },
    /// It answered a RequestVote with yes.
    Granted {
        /// Who asked.
        to: ReplicaId,
        /// In which term.
        term: u32,
        /// Whether it only says that it would.
        pre_vote: bool,
        /// Where the candidate's log ends.
        theirs: LogEnd,
        /// Where its own ends.
        ours: LogEnd,
    },
    /// It answered a RequestVote with no.
    Refused {
        /// Who asked.
        to: ReplicaId,
        /// Its own term.
        term: u32,
        /// Whether it was only asked whether it would.
        pre_vote: bool,
        /// Why.
        why: Refusal,
        /// Where the candidate's log ends.
        theirs: LogEnd,
        /// Where its own ends.
        ours: LogEnd,
    },
    /// It ignored a RequestVote: a live leader was heard lately (the lease rule of CheckQuorum).
    Ignored {
        /// Who asked.
        from: ReplicaId,
        /// In which term.
        term: u32,
    },
    /// It counted an answer to its campaign.
    Counted {
        /// Who answered.
        from: ReplicaId,
        /// What.
        granted: bool,
        /// Whether it was a PreVote.
        pre_vote: bool,
        /// How many said yes, itself included.
        have: u8,
        /// How many it needs.
        need: u8,
    },
    /// A candidate can no longer win and waits for its timeout.
    Lost {
        /// In which term.
        term: u32,
    },
    /// An answer came that is of no use any more.
    Late {
        /// Who answered.
        from: ReplicaId,
    },
    /// An AppendEntries of an older term was refused.
    Stale {
        /// Who sent it.
        from: ReplicaId,
        /// Its term.
        term: u32,
    },
    /// Another server leads the same term: only a lost vote makes that possible.
    Rival {
        /// Which.
        from: ReplicaId,
        /// The term.
        term: u32,
    },
    /// A leader appended what a client wants.
    Took {
        /// The index of the last entry.
        index: u64,
        /// How many entries.
        count: u8,
    },
    /// A leader appended the first entry of its term.
    NoOp {
        /// Its index.
        index: u64,
    },
    /// A follower appended entries of the leader.
    Appended {
        /// How many were new.
        count: u8,
        /// Its last index now.
        last: u64,
    },
    /// A follower cut entries that contradict the leader's (§5.3), and appended the leader's.
    Overwrote {
        /// From which index on.
        from: u64,
        /// How many entries were cut.
        cut: u64,
        /// How many were appended.
        count: u8,
    },
    /// A follower had everything that was sent.
    InStep {
        /// Its last index.
        last: u64,
    },
    /// A follower refused an AppendEntries: the entry before is missing, or another (§5.3).
    Mismatch {
        /// The entry that was asked for.
        prev: Place,
        /// The term that it has there; 0 if nothing.
        has: u32,
    },
    /// A leader learned up to where a follower's log agrees.
    Matched {
        /// Whose.
        by: ReplicaId,
        /// Its matchIndex now.
        index: u64,
    },
    /// A leader goes back with a follower that refused.
    Back {
        /// Which.
        by: ReplicaId,
        /// Its nextIndex now.
        next: u64,
    },
    /// A follower refused what it had acknowledged: an old answer, or it has lost its disk.
    Contradicts {
        /// Which.
        by: ReplicaId,
        /// Its matchIndex, which stays.
        matched: u64,
    },
    /// An answer told a leader nothing new.
    NothingNew {
        /// Whose.
        by: ReplicaId,
    },
    /// The commit index moved (§5.3, §5.4.2).
    Committed {
        /// Where to.
        to: u64,
        /// Whether a leader counted a majority; otherwise it was told.
        by_counting: bool,
    },
    /// A majority has an entry of an older term, which is not committed by counting (§5.4.2).
    OlderTerm {
        /// Its index.
        index: u64,
        /// Its term.
        term: u32,
        /// The leader's term.
        current: u32,
    },
    /// A leader told the others that it leads.
    Heartbeats {
        /// How many.
        told: u8,
    },
    /// A leader still hears a majority (CheckQuorum).
    QuorumHeard {
        /// How many, itself included.
        have: u8,
        /// How many it needs.
        need: u8,
    },
    /// The state machine was given committed entries.
    Applied {
        /// lastApplied now.
        to: u64,
    },
}

impl Note {
    /// What it is about, and how telling it is.
    pub(super) const fn gist(&self) -> Gist {
        let (theme, weight) = match self {
            Self::Became { .. } => (Theme::Role, 9),
            Self::Lost { .. } => (Theme::Other, 8),
            Self::Granted { .. } => (Theme::Vote, 7),
            Self::Refused { .. } => (Theme::VoteRefused, 7),
            Self::Ignored { .. } => (Theme::Refusal, 7),
            Self::Overwrote { .. } => (Theme::Log, 7),
            Self::Committed { .. } => (Theme::Commit, 6),
            Self::Took { .. } => (Theme::Taken, 5),
            Self::Counted { .. } => (Theme::Count, 5),
            Self::NoOp { .. } | Self::Appended { .. } => (Theme::Log, 5),
            Self::Rival { .. } | Self::Stale { .. } | Self::Mismatch { .. } => (Theme::Refusal, 4),
            Self::Back { .. } | Self::OlderTerm { .. } => (Theme::Other, 4),
            Self::Matched { .. } | Self::Contradicts { .. } => (Theme::Other, 3),
            Self::InStep { .. } | Self::Heartbeats { .. } => (Theme::Other, 2),
            Self::Late { .. } | Self::NothingNew { .. } | Self::QuorumHeard { .. } | Self::Applied { .. } => {
                (Theme::Other, 1)
            }
        };
        Gist { theme, weight }
    }
}
