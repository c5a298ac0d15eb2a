//! Reason codes: why a replica did what it did, with the numbers that decided it. No text.

use crate::raft::ids::ReplicaId;
use crate::raft::projection::{Gist, LogEnd, Theme};
use crate::raft::protocol::{Ended, RoleShape};

/// Why a replica changed its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its election timer ran out.
    ElectionTimeout,
    /// It had not fetched from its leader for the fetch timeout.
    FetchTimeout,
    /// A leader that resigned named it a successor.
    NamedSuccessor,
    /// A message carried a higher epoch.
    HigherEpoch,
    /// A message named a leader.
    LeaderNamed,
    /// A majority said no.
    MajorityRefused,
    /// A majority said yes.
    MajorityGranted,
    /// A majority had not fetched from it.
    QuorumLost,
    /// The election state found on disk.
    Restart,
    /// It is the only voter.
    OnlyVoter,
    /// PreVote is switched off.
    NoPreVote,
    /// It was asked to resign.
    ResignAsked,
    /// It is shutting down.
    ShuttingDown,
}

/// Why a vote was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The asker's log ends before ours, epoch first.
    LogBehind,
    /// It voted for another in this epoch.
    VotedFor(ReplicaId),
    /// It knows a leader of this epoch.
    KnowsLeader(ReplicaId),
    /// It has fetched from its leader, which so is alive (KAFKA-17641).
    Fetched(ReplicaId),
    /// It votes for itself.
    OwnCandidate,
    /// It leads.
    Leads,
    /// It led in this epoch.
    HasResigned,
    /// The asker's epoch is over.
    OldEpoch,
    /// The request contradicts itself.
    Invalid,
    /// The request was meant for another voter.
    NotMeant,
}

/// Why something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It changed its role.
    Became {
        /// What it was; `None` at the start.
        from: Option<RoleShape>,
        /// What it is.
        to: RoleShape,
        /// Its epoch now.
        epoch: u32,
        /// Why.
        cause: Cause,
        /// The leader it knows now.
        leader: Option<ReplicaId>,
    },
    /// It answered a vote request with yes.
    Granted {
        /// Who asked.
        to: ReplicaId,
        /// In which epoch.
        epoch: u32,
        /// Whether it was a PreVote.
        pre_vote: bool,
        /// The asker's (end offset, last epoch).
        theirs: LogEnd,
        /// Ours.
        ours: LogEnd,
    },
    /// It answered a vote request with no.
    Refused {
        /// Who asked.
        to: ReplicaId,
        /// Our epoch.
        epoch: u32,
        /// Whether it was a PreVote.
        pre_vote: bool,
        /// Why.
        why: Refusal,
        /// The asker's (end offset, last epoch), 0 for what was not legal.
        theirs: LogEnd,
        /// Ours.
        ours: LogEnd,
    },
    /// It counted an answer to its vote request.
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
        /// In which epoch.
        epoch: u32,
    },
    /// An answer came to a request that is no longer in flight.
    LateAnswer {
        /// Who answered.
        from: ReplicaId,
    },
    /// An answer of an older epoch was ignored.
    OldAnswer {
        /// Who answered.
        from: ReplicaId,
        /// Its epoch.
        epoch: u32,
    },
    /// A request of an older epoch was refused.
    Fenced {
        /// Who asked.
        from: ReplicaId,
        /// Its epoch.
        epoch: u32,
    },
    /// A request for the leader came to somebody else.
    NotLeader {
        /// Who asked.
        from: ReplicaId,
        /// The leader we know.
        leader: Option<ReplicaId>,
    },
    /// A leader served a fetch.
    Served {
        /// Who fetched.
        to: ReplicaId,
        /// From where.
        offset: u64,
        /// How many records it got.
        records: u8,
    },
    /// A leader parked a fetch: there is nothing new.
    Parked {
        /// Who fetched.
        from: ReplicaId,
        /// From where.
        offset: u64,
    },
    /// A leader told a follower that its log differs.
    ToldDiverging {
        /// Who fetched.
        to: ReplicaId,
        /// Where the leader's log of that epoch ends.
        epoch: u32,
        /// That end.
        end_offset: u64,
    },
    /// A parked fetch was answered because its wait was over.
    WaitOver {
        /// Who fetched.
        to: ReplicaId,
    },
    /// A follower appended fetched records.
    Appended {
        /// How many.
        count: u8,
        /// Its end offset now.
        end_offset: u64,
    },
    /// A follower cut its log back to where it agrees with the leader's.
    Truncated {
        /// Its end offset now.
        end_offset: u64,
    },
    /// A follower got an empty answer: it is up to date.
    UpToDate {
        /// Its end offset.
        end_offset: u64,
    },
    /// A leader appended the first record of its epoch.
    LeaderChangeAppended {
        /// Its offset.
        offset: u64,
    },
    /// The high watermark moved.
    HighWatermark {
        /// Where to.
        to: u64,
    },
    /// The high watermark stayed: a majority does not hold this leader's first record yet.
    HighWatermarkWaits {
        /// What a majority holds.
        majority: u64,
        /// What it must exceed.
        epoch_start: u64,
    },
    /// The high watermark stayed: too few have come further.
    HighWatermarkStays {
        /// Where it is.
        at: u64,
        /// How many voters have come further.
        have: u8,
        /// How many are needed.
        need: u8,
    },
    /// A request was not answered in time.
    RequestTimedOut {
        /// By whom.
        peer: ReplicaId,
    },
    /// A peer may be asked again.
    BackoffOver {
        /// Whom.
        peer: ReplicaId,
    },
    /// A leader's BeginQuorumEpoch round.
    BeginQuorumRound {
        /// How many voters were told.
        told: u8,
    },
    /// A follower was told that its leader leads.
    HeardLeader {
        /// Which.
        leader: ReplicaId,
        /// In which epoch.
        epoch: u32,
    },
    /// A leader heard that a voter knows it leads.
    Acknowledged {
        /// By whom.
        by: ReplicaId,
    },
    /// A follower of a resigned leader waits its turn.
    SuccessorWait {
        /// Who resigned.
        leader: ReplicaId,
        /// How long, in milliseconds.
        wait_ms: u32,
    },
    /// It was asked to resign.
    ResignAsked {
        /// From which epoch; an older one than its own is ignored.
        epoch: u32,
        /// Its own.
        current: u32,
    },
    /// A leader took records of a client; they wait to be written.
    AppendTaken {
        /// The offset of the last of them.
        offset: u64,
        /// How many.
        count: u8,
    },
    /// A leader wrote what clients had appended.
    Drained {
        /// How many records.
        count: u16,
        /// Its end offset now.
        end_offset: u64,
    },
    /// The state machine heard who leads, or that nobody is known.
    Told {
        /// The epoch.
        epoch: u32,
        /// Who.
        leader: Option<ReplicaId>,
    },
    /// It was asked to shut down gracefully.
    ShutdownAsked {
        /// Within how many milliseconds.
        timeout_ms: u32,
    },
    /// Its graceful shutdown has ended.
    ShutdownEnded {
        /// How.
        ended: Ended,
        /// The leader it knows.
        leader: Option<ReplicaId>,
    },
}

impl Note {
    /// What it is about, and how telling it is.
    pub(super) const fn gist(&self) -> Gist {
        let (theme, weight) = match self {
            Self::Became { .. } => (Theme::Role, 9),
            Self::ShutdownEnded { .. } => (Theme::Other, 9),
            Self::Lost { .. } => (Theme::Other, 8),
            Self::Granted { .. } => (Theme::Vote, 7),
            Self::Refused { .. } => (Theme::VoteRefused, 7),
            Self::SuccessorWait { .. } => (Theme::Other, 7),
            Self::Truncated { .. } => (Theme::Log, 7),
            Self::HighWatermark { .. } => (Theme::Commit, 6),
            Self::Drained { .. } => (Theme::Log, 6),
            Self::ResignAsked { .. } | Self::ShutdownAsked { .. } => (Theme::Other, 6),
            Self::AppendTaken { .. } => (Theme::Taken, 5),
            Self::Counted { .. } => (Theme::Count, 5),
            Self::ToldDiverging { .. } => (Theme::Refusal, 5),
            Self::LeaderChangeAppended { .. } => (Theme::Other, 5),
            Self::Appended { .. } => (Theme::Log, 4),
            Self::Fenced { .. } | Self::NotLeader { .. } => (Theme::Refusal, 4),
            Self::Served { .. } => (Theme::Other, 4),
            Self::HeardLeader { .. }
            | Self::Acknowledged { .. }
            | Self::HighWatermarkWaits { .. }
            | Self::HighWatermarkStays { .. } => (Theme::Other, 3),
            Self::Parked { .. } | Self::WaitOver { .. } | Self::UpToDate { .. } | Self::BeginQuorumRound { .. } => {
                (Theme::Other, 2)
            }
            Self::Told { .. }
            | Self::LateAnswer { .. }
            | Self::OldAnswer { .. }
            | Self::RequestTimedOut { .. }
            | Self::BackoffOver { .. } => (Theme::Other, 1),
        };
        Gist { theme, weight }
    }
}
