//! The settings of the paper's Raft, and of what the dissertation and its followers add.

/// How a leader finds where a follower's log agrees with its own (paper §5.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backtracking {
    /// One entry back after each refusal.
    #[default]
    OneByOne,
    /// The follower names its last index, or the term it has there and the first index of that term.
    TermHint,
    /// The follower names its last entry whose term is not above the leader's, and the leader does the same.
    TwoSidedHint,
}

/// What a candidate does once a majority has refused it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refused {
    /// It waits for its election timeout (the paper).
    #[default]
    Waits,
    /// It becomes follower of the same term (etcd).
    StepsDown,
}

/// Rules beyond the plain paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Ask before raising the term (dissertation §9.6), with the lease rule: whoever heard from a live leader within the
    /// shortest election timeout refuses.
    pub pre_vote: bool,
    /// A leader that has not heard from a majority for an election timeout steps down (dissertation §6.2), and the lease
    /// rule holds for plain votes (dissertation §4.2.3; paper §6).
    pub check_quorum: bool,
    /// A new leader appends an entry of its own at once (paper §8).
    pub no_op: bool,
}

/// Timeouts in whole milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassicSettings {
    /// The shortest election timeout.
    pub election_min_ms: u32,
    /// The longest election timeout, exclusive unless it equals the shortest.
    pub election_max_ms: u32,
    /// From one heartbeat to the next.
    pub heartbeat_ms: u32,
    /// How many entries one AppendEntries carries at most.
    pub batch: u8,
    /// How logs are brought together.
    pub backtracking: Backtracking,
    /// What a candidate does once a majority has refused it.
    pub refused: Refused,
    /// Rules beyond the plain paper.
    pub rules: Rules,
}

impl Default for ClassicSettings {
    fn default() -> Self {
        Self {
            election_min_ms: 1_000,
            election_max_ms: 2_000,
            heartbeat_ms: 250,
            batch: 16,
            backtracking: Backtracking::default(),
            refused: Refused::default(),
            rules: Rules::default(),
        }
    }
}
