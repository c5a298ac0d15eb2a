//! KRaft's settings, with Kafka's names and defaults (spec 3.4).

use crate::executor::MICROS_PER_MILLI;
use crate::raft::ids::ReplicaSet;

/// Whom a replica asks that knows no leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bootstrap {
    /// The static voters under their real ids, itself included: Kafka's rule when no addresses are configured.
    Voters,
    /// Nobody: it waits to be told.
    Nobody,
}

/// Rules that can be switched, to see what each is for. All on is Kafka 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Ask before raising the epoch (KIP-996).
    pub pre_vote: bool,
    /// A leader that a majority does not fetch from resigns (KAFKA-15489).
    pub check_quorum: bool,
    /// A follower that has fetched from its leader refuses PreVotes (KAFKA-17641).
    pub fetched_refuses_pre_vote: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { pre_vote: true, check_quorum: true, fetched_refuses_pre_vote: true }
    }
}

/// Timeouts in whole milliseconds, as in Kafka's `controller.quorum.*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KRaftSettings {
    /// `election.timeout.ms`: the timeout is drawn from [T, 2T - 1].
    pub election_timeout_ms: u32,
    /// `fetch.timeout.ms`: exact; the base of check-quorum (1.5 times) and of BeginQuorumEpoch (half).
    pub fetch_timeout_ms: u32,
    /// `election.backoff.max.ms`: the longest wait of an EndQuorumEpoch successor.
    pub election_backoff_max_ms: u32,
    /// `request.timeout.ms`, per connection.
    pub request_timeout_ms: u32,
    /// `retry.backoff.ms`, per connection after a failed answer.
    pub retry_backoff_ms: u32,
    /// How long a fetch may be parked at the leader.
    pub fetch_max_wait_ms: u32,
    /// `append.linger.ms`: how long appended records wait for more to share a batch.
    pub linger_ms: u32,
    /// Replicas that fetch and never campaign; the others are the voters.
    pub observers: ReplicaSet,
    /// Whether observers could become voters, and so flush what they fetch.
    pub observers_flush: bool,
    /// Whom to ask for the leader.
    pub bootstrap: Bootstrap,
    /// Rule flags.
    pub rules: Rules,
}

impl Default for KRaftSettings {
    fn default() -> Self {
        Self {
            election_timeout_ms: 1_000,
            fetch_timeout_ms: 2_000,
            election_backoff_max_ms: 1_000,
            request_timeout_ms: 2_000,
            retry_backoff_ms: 20,
            fetch_max_wait_ms: 500,
            linger_ms: 25,
            observers: ReplicaSet::default(),
            observers_flush: true,
            bootstrap: Bootstrap::Voters,
            rules: Rules::default(),
        }
    }
}

impl KRaftSettings {
    /// The voters among `replicas`.
    #[must_use]
    pub fn voters(&self, replicas: u8) -> ReplicaSet {
        ReplicaSet::first(replicas).without(self.observers)
    }

    /// How long a leader lives without fetches of a majority: 1.5 times the fetch timeout, in microseconds.
    #[must_use]
    pub fn check_quorum_us(&self) -> u64 {
        u64::from(self.fetch_timeout_ms) * 3 / 2 * MICROS_PER_MILLI
    }

    /// The period of BeginQuorumEpoch: half the fetch timeout, in microseconds.
    #[must_use]
    pub fn begin_quorum_us(&self) -> u64 {
        u64::from(self.fetch_timeout_ms) / 2 * MICROS_PER_MILLI
    }

    /// The fetch timeout in microseconds.
    #[must_use]
    pub fn fetch_timeout_us(&self) -> u64 {
        u64::from(self.fetch_timeout_ms) * MICROS_PER_MILLI
    }
}
