//! The types of format 1, as JSON and the JavaScript package have them.
//!
//! Frozen. A field that is left out of a file has the value it has here, for ever; new fields come with the value under
//! which old files mean what they meant, new commands at the end. 64-bit numbers that JavaScript would round are text.

use super::bounds::at_most;
use serde::{Deserialize, Serialize};

/// A `u64` that is decimal text for people and JSON, and a plain number in the binary form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Big(pub u64);

impl Serialize for Big {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(&self.0) } else { serializer.serialize_u64(self.0) }
    }
}

impl<'de> Deserialize<'de> for Big {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            let is_canonical = !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_digit())
                && (text.len() == 1 || !text.starts_with('0'));
            let number = text.parse().ok().filter(|_| is_canonical);
            number
                .map(Self)
                .ok_or_else(|| serde::de::Error::custom("a whole number below 2^64 as text is needed, such as \"7\""))
        } else {
            u64::deserialize(deserializer).map(Self)
        }
    }
}

/// How a link treats messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(default, deny_unknown_fields)]
pub struct Links {
    /// The shortest flight, in microseconds.
    pub latency_min_us: u32,
    /// The longest flight, in microseconds.
    pub latency_max_us: u32,
    /// How many of a million messages are lost.
    pub loss_ppm: u32,
    /// How many of a million messages arrive twice.
    pub duplicate_ppm: u32,
    /// How many of a million messages may overtake others.
    pub reorder_ppm: u32,
}

/// Whom a replica without records knows of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case")]
pub enum Bootstrap {
    /// The static voters.
    Voters,
    /// Nobody: it waits to be told.
    Nobody,
}

/// Rules of KRaft that can be switched off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(default, deny_unknown_fields)]
pub struct KRaftRules {
    /// A prospective candidate asks before it raises the epoch (KIP-996).
    pub pre_vote: bool,
    /// A leader resigns when no majority fetches from it any more.
    pub check_quorum: bool,
    /// A follower that has fetched refuses a pre-vote.
    pub fetched_refuses_pre_vote: bool,
}

/// KRaft's settings, under Kafka's names. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(default, deny_unknown_fields)]
pub struct KRaft {
    /// `election.timeout.ms`.
    pub election_timeout_ms: u32,
    /// `fetch.timeout.ms`.
    pub fetch_timeout_ms: u32,
    /// `election.backoff.max.ms`.
    pub election_backoff_max_ms: u32,
    /// `request.timeout.ms`.
    pub request_timeout_ms: u32,
    /// `retry.backoff.ms`.
    pub retry_backoff_ms: u32,
    /// How long a leader lets a fetch wait for records.
    pub fetch_max_wait_ms: u32,
    /// `append.linger.ms`.
    pub linger_ms: u32,
    /// Which nodes have no vote.
    #[serde(deserialize_with = "at_most::<25, _, _>")]
    #[cfg_attr(test, schemars(length(max = 25)))]
    pub observers: Vec<u8>,
    /// Whether observers flush what they append.
    pub observers_flush: bool,
    /// Whom a replica without records knows of.
    pub bootstrap: Bootstrap,
    /// Rules that can be switched off.
    pub rules: KRaftRules,
}

/// How nextIndex goes back after a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case")]
pub enum Backtracking {
    /// One entry back after each refusal.
    OneByOne,
    /// The follower names its last index, or the term it has there and that term's first index.
    TermHint,
    /// Follower and leader name the last entry at which their logs may still agree.
    TwoSidedHint,
}

/// What a candidate does once a majority has refused it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// It waits for its timeout.
    Waits,
    /// It becomes a follower of the same term.
    StepsDown,
}

/// Rules beside the paper's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(default, deny_unknown_fields)]
pub struct ClassicRules {
    /// PreVote, with the lease rule.
    pub pre_vote: bool,
    /// A leader that hears from no majority within an election timeout steps down.
    pub check_quorum: bool,
    /// A leader begins its term with an entry that sets nothing.
    pub no_op: bool,
}

/// The settings of the paper's Raft. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(default, deny_unknown_fields)]
pub struct Classic {
    /// The shortest election timeout.
    pub election_min_ms: u32,
    /// The longest election timeout.
    pub election_max_ms: u32,
    /// How often a leader sends heartbeats.
    pub heartbeat_ms: u32,
    /// The most entries of one AppendEntries.
    pub batch: u8,
    /// How nextIndex goes back.
    pub backtracking: Backtracking,
    /// What a refused candidate does.
    pub refused: Refused,
    /// Rules beside the paper's own.
    pub rules: ClassicRules,
}

/// The protocol and its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Protocol {
    /// KRaft.
    Kraft(KRaft),
    /// Raft as in the paper.
    Classic(Classic),
}

/// The timers of a replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case")]
pub enum TimerKind {
    /// The election timeout.
    Election,
    /// KRaft: the fetch timeout.
    Fetch,
    /// A leader's look at whether a majority is still there.
    CheckQuorum,
    /// KRaft: the next BeginQuorumEpoch.
    BeginQuorumEpoch,
    /// KRaft: the timeout of a request to a peer.
    Request,
    /// KRaft: the backoff towards a peer.
    RetryBackoff,
    /// KRaft: the end of a waiting fetch.
    LongPoll,
    /// The end of a graceful shutdown.
    Shutdown,
    /// KRaft: the end of a linger.
    Linger,
    /// Raft: the next heartbeat.
    Heartbeat,
}

/// How a replica does its work on its executor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A task for each kind of work.
    SeparateEvents,
    /// One poll that does it all.
    OnePoll,
}

/// How replicas do their work on their executors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(default, deny_unknown_fields)]
pub struct RaftClient {
    /// In which form.
    pub form: Form,
    /// How old the last look at the state may be before a message is handled, in milliseconds.
    pub poll_state_max_age_ms: u32,
}

/// Something that is done to the cluster. Nodes are numbered from 1; where a link may end at a client of the cluster,
/// clients are numbered from 101.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// A node stops at once.
    Crash {
        /// Which.
        replica: u8,
        /// Whether what is not flushed survives.
        #[serde(default)]
        keep_unflushed: bool,
    },
    /// A crashed node starts from its disk.
    Restart {
        /// Which.
        replica: u8,
        /// Whether its disk is lost.
        #[serde(default)]
        is_wiped: bool,
    },
    /// A message arrives now.
    RunDelivery {
        /// Its sender.
        from: u8,
        /// Its receiver.
        to: u8,
        /// Its number on the link.
        number: u32,
        /// Whether the second delivery is meant.
        #[serde(default)]
        is_copy: bool,
    },
    /// A timer goes off now.
    RunTimer {
        /// Whose.
        replica: u8,
        /// Which.
        kind: TimerKind,
        /// Towards whom, if it is kept per peer.
        #[serde(default)]
        peer: Option<u8>,
        /// How often it has been armed.
        number: u32,
    },
    /// A message in flight is lost.
    Drop {
        /// Its sender.
        from: u8,
        /// Its receiver.
        to: u8,
        /// Its number on the link.
        number: u32,
        /// Whether the second delivery is meant.
        #[serde(default)]
        is_copy: bool,
    },
    /// A message in flight arrives a second time.
    Duplicate {
        /// Its sender.
        from: u8,
        /// Its receiver.
        to: u8,
        /// Its number on the link.
        number: u32,
        /// How much later, in microseconds.
        after_us: u32,
    },
    /// A link is cut or healed in one direction.
    SetCut {
        /// Its sender.
        from: u8,
        /// Its receiver.
        to: u8,
        /// Whether it is cut from now on.
        is_cut: bool,
    },
    /// How a link treats messages from now on.
    SetLink {
        /// Which: its sender and its receiver; all without one.
        #[serde(default)]
        link: Option<(u8, u8)>,
        /// How.
        conditions: Links,
    },
    /// A leader is asked to resign.
    Resign {
        /// Which node.
        replica: u8,
    },
    /// A node is asked to shut down gracefully.
    Shutdown {
        /// Which.
        replica: u8,
        /// How long it may take.
        timeout_ms: u32,
    },
    /// A task runs now.
    RunTask {
        /// On whose executor.
        replica: u8,
        /// Its number there.
        number: u32,
    },
    /// A task is taken from an executor.
    Cancel {
        /// From whose.
        replica: u8,
        /// Its number there.
        number: u32,
    },
    /// Records are appended at a node.
    Append {
        /// Which.
        replica: u8,
        /// What they set.
        key: u16,
        /// To what the first one sets it.
        value: Big,
        /// How many records.
        count: u8,
    },
    /// A message in flight is held, or flies on.
    SetHeld {
        /// Its sender.
        from: u8,
        /// Its receiver.
        to: u8,
        /// Its number on the link.
        number: u32,
        /// Whether the second delivery is meant.
        #[serde(default)]
        is_copy: bool,
        /// Whether it is held from now on.
        is_held: bool,
    },
    /// A message in flight arrives later.
    Delay {
        /// Its sender.
        from: u8,
        /// Its receiver.
        to: u8,
        /// Its number on the link.
        number: u32,
        /// Whether the second delivery is meant.
        #[serde(default)]
        is_copy: bool,
        /// How much later, in microseconds.
        by_us: u32,
    },
    /// Two messages arrive each when the other would have.
    Swap {
        /// One.
        one: Flight,
        /// The other.
        other: Flight,
    },
    /// A timer goes off later.
    PushBackTimer {
        /// Whose.
        replica: u8,
        /// Which.
        kind: TimerKind,
        /// Towards whom, if it is kept per peer.
        #[serde(default)]
        peer: Option<u8>,
        /// How often it has been armed.
        number: u32,
        /// How much later, in microseconds.
        by_us: u32,
    },
    /// A client's alarm goes off later.
    PushBackClient {
        /// Whose, from 1.
        client: u8,
        /// Which.
        alarm: Alarm,
        /// How often it has been set.
        number: u32,
        /// How much later, in microseconds.
        by_us: u32,
    },
    /// A client's alarm goes off now.
    RunClient {
        /// Whose, from 1.
        client: u8,
        /// Which.
        alarm: Alarm,
        /// How often it has been set.
        number: u32,
    },
    /// The timers on which nodes would campaign go off so far apart; 0: all at once.
    SpaceTimers {
        /// How far apart, in microseconds.
        apart_us: u32,
    },
    /// A node stands still.
    Pause {
        /// Which.
        replica: u8,
    },
    /// A paused node goes on.
    Resume {
        /// Which.
        replica: u8,
    },
    /// A node's clock goes faster or slower.
    SetClock {
        /// Which node's.
        replica: u8,
        /// Local microseconds per million global ones.
        rate_ppm: u32,
    },
    /// The cluster is parted into groups that do not hear each other.
    Partition {
        /// The members of each group but the first, in which are all others.
        #[serde(deserialize_with = "at_most::<25, _, _>")]
        #[cfg_attr(test, schemars(length(max = 25)))]
        groups: Vec<Vec<u8>>,
    },
    /// Every cut is healed, and all are one group.
    Heal,
    /// A client of the cluster joins.
    AddClient {
        /// How long it waits for an answer.
        timeout_ms: u32,
        /// How long it waits before it asks again.
        backoff_ms: u32,
        /// How often it asks at most.
        attempts: u8,
    },
    /// A client sends a request.
    ClientRequest {
        /// Which, from 1.
        client: u8,
        /// What to set.
        key: u16,
        /// To what.
        value: Big,
    },
    /// A client sends a request every so often.
    SetRate {
        /// Which, from 1.
        client: u8,
        /// How often, in microseconds; 0: no longer.
        every_us: u32,
    },
}

/// A message in flight, by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(deny_unknown_fields)]
pub struct Flight {
    /// Its sender.
    pub from: u8,
    /// Its receiver.
    pub to: u8,
    /// Its number on the link.
    pub number: u32,
    /// Whether the second delivery is meant.
    #[serde(default)]
    pub is_copy: bool,
}

/// What a client of the cluster waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case")]
pub enum Alarm {
    /// The end of its patience.
    Timeout,
    /// To ask again.
    Retry,
    /// Its next request at a steady rate.
    Next,
}

/// What a node starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(default, deny_unknown_fields)]
pub struct Start {
    /// Its log, as runs: an epoch or term, and how many records have it.
    #[serde(deserialize_with = "at_most::<10_000, _, _>")]
    #[cfg_attr(test, schemars(length(max = 10_000)))]
    pub log: Vec<(u32, u32)>,
    /// Its epoch or term.
    pub epoch: u32,
    /// Whom it voted for in that epoch.
    pub voted: Option<u8>,
    /// KRaft: who leads that epoch.
    pub leader: Option<u8>,
    /// Up to where it knows records to be committed.
    pub high_watermark: Option<Big>,
}

/// A command at its place in the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// After how many steps.
    pub step: Big,
    /// After how many executor tasks of the next step.
    #[serde(default)]
    pub tasks: u32,
    /// What the clock showed, in microseconds.
    pub at_us: Big,
    /// What was done.
    pub command: Command,
    /// Whether it was planned for its time.
    #[serde(default)]
    pub is_planned: bool,
    /// A byte of the run's digest right after it; without one nothing is compared.
    #[serde(default)]
    pub check: Option<u8>,
}

/// A command that waits for its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// When, in microseconds.
    pub at_us: Big,
    /// What.
    pub command: Command,
}

/// What is selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Selection {
    /// A node, or from 101 on a client.
    Node(u8),
    /// A message in flight.
    Message(Flight),
    /// A link: its sender and its receiver.
    Link(u8, u8),
}

/// A panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "snake_case")]
pub enum Panel {
    /// What can happen next.
    Next,
    /// The log table.
    Logs,
    /// The space-time diagram.
    Time,
    /// The event list.
    Events,
    /// The inspector of a node.
    Node,
    /// Faults and plans.
    Faults,
    /// The clients of the cluster.
    Clients,
    /// Branches.
    Branches,
    /// Going to a moment.
    Go,
    /// The safety properties.
    Safety,
}

/// A place in the run with something to say about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(deny_unknown_fields)]
pub struct Chapter {
    /// After how many steps.
    pub position: Big,
    /// What is said. Text and nothing else.
    pub text: String,
    /// What it points at.
    #[serde(default)]
    pub selection: Option<Selection>,
    /// The panel to look at.
    #[serde(default)]
    pub panel: Option<Panel>,
}

/// The moment to look at, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(default, deny_unknown_fields)]
pub struct View {
    /// After how many steps.
    pub position: Big,
    /// After how many executor tasks of the next step.
    pub tasks: u32,
    /// The time, in microseconds; not before the last step nor after the next.
    pub playhead_us: Big,
    /// What is selected.
    pub selection: Option<Selection>,
    /// The panel to look at.
    pub panel: Option<Panel>,
    /// Half of the state's digest there; without it nothing is compared.
    pub digest: Option<u32>,
}

/// A whole scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(all(feature = "api", target_arch = "wasm32"), derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// 1: this format.
    pub format: u16,
    /// How the simulation behaves: 1.
    #[serde(default = "behaviour")]
    pub behaviour: u16,
    /// What the run is called. Text and nothing else.
    #[serde(default)]
    pub title: String,
    /// The protocol and its settings.
    pub protocol: Protocol,
    /// How many nodes there are.
    #[serde(default = "replicas")]
    pub replicas: u8,
    /// What the nodes are called: one name each, an empty one for its number; or nothing.
    #[serde(default)]
    #[serde(deserialize_with = "at_most::<25, _, _>")]
    #[cfg_attr(test, schemars(length(max = 25)))]
    pub names: Vec<String>,
    /// The seed of all luck.
    #[serde(default = "seed")]
    pub seed: Big,
    /// How every link starts out.
    #[serde(default)]
    pub links: Links,
    /// How nodes do their work on their executors.
    #[serde(default)]
    pub raft_client: RaftClient,
    /// What the nodes start from: one each; or nothing, if all start empty.
    #[serde(default)]
    #[serde(deserialize_with = "at_most::<25, _, _>")]
    #[cfg_attr(test, schemars(length(max = 25)))]
    pub starts: Vec<Start>,
    /// What was done, in order.
    #[serde(default)]
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    #[cfg_attr(test, schemars(length(max = 100_000)))]
    pub commands: Vec<Placed>,
    /// What is to be done at a time, rising by it.
    #[serde(default)]
    #[serde(deserialize_with = "at_most::<100_000, _, _>")]
    #[cfg_attr(test, schemars(length(max = 100_000)))]
    pub plans: Vec<Plan>,
    /// Places with something to say about them, rising by position.
    #[serde(default)]
    #[serde(deserialize_with = "at_most::<1_000, _, _>")]
    #[cfg_attr(test, schemars(length(max = 1_000)))]
    pub chapters: Vec<Chapter>,
    /// The moment to look at, and how.
    #[serde(default)]
    pub view: View,
}

/// The behaviour of a file that names none.
const fn behaviour() -> u16 {
    1
}

/// How many nodes a file has that names no number.
const fn replicas() -> u8 {
    5
}

/// The seed of a file that names none.
const fn seed() -> Big {
    Big(1)
}

impl Default for Links {
    fn default() -> Self {
        Self { latency_min_us: 60_000, latency_max_us: 120_000, loss_ppm: 0, duplicate_ppm: 0, reorder_ppm: 0 }
    }
}

impl Default for KRaftRules {
    fn default() -> Self {
        Self { pre_vote: true, check_quorum: true, fetched_refuses_pre_vote: true }
    }
}

impl Default for KRaft {
    fn default() -> Self {
        Self {
            election_timeout_ms: 1_000,
            fetch_timeout_ms: 2_000,
            election_backoff_max_ms: 1_000,
            request_timeout_ms: 2_000,
            retry_backoff_ms: 20,
            fetch_max_wait_ms: 500,
            linger_ms: 25,
            observers: Vec::new(),
            observers_flush: true,
            bootstrap: Bootstrap::Voters,
            rules: KRaftRules::default(),
        }
    }
}

impl Default for Classic {
    fn default() -> Self {
        Self {
            election_min_ms: 1_000,
            election_max_ms: 2_000,
            heartbeat_ms: 250,
            batch: 16,
            backtracking: Backtracking::OneByOne,
            refused: Refused::Waits,
            rules: ClassicRules::default(),
        }
    }
}

impl Default for RaftClient {
    fn default() -> Self {
        Self { form: Form::SeparateEvents, poll_state_max_age_ms: 0 }
    }
}
