//! The wire's own types, format 0 (a preview: it may change until links are declared stable).
//!
//! Converted by hand from and to the simulation's types, so that a renamed field there breaks a conversion here and not
//! a link out there. 64-bit numbers that JavaScript would round are text in JSON.

use super::record::{Record, Start};
use super::validate::{InputError, START_RECORDS_MAX};
use crate::raft::classic::{self, Backtracking, ClassicSettings, Refused};
use crate::raft::kraft::{Bootstrap, KRaftSettings, Rules};
use crate::raft::{ClientSettings, Form, ProtocolSettings, REPLICAS_MAX, ReplicaId, ReplicaSet, Timer, TimerKind};
use crate::sim::{
    Alarm, CLIENTS_MAX, ClientOptions, Command, EventName, FlightName, Groups, LinkConditions, Placed, Plan, client_id,
    client_number,
};
use serde::{Deserialize, Serialize};

/// A `u64` that is decimal text for people and JSON, and a plain number in the binary form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Big(pub u64);

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
            number.map(Self).ok_or_else(|| serde::de::Error::custom("a whole number below 2^64 as text is needed"))
        } else {
            u64::deserialize(deserializer).map(Self)
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinksV0 {
    latency_min_us: u32,
    latency_max_us: u32,
    loss_ppm: u32,
    duplicate_ppm: u32,
    reorder_ppm: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BootstrapV0 {
    Voters,
    Nobody,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RulesV0 {
    pre_vote: bool,
    check_quorum: bool,
    fetched_refuses_pre_vote: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KRaftV0 {
    election_timeout_ms: u32,
    fetch_timeout_ms: u32,
    election_backoff_max_ms: u32,
    request_timeout_ms: u32,
    retry_backoff_ms: u32,
    fetch_max_wait_ms: u32,
    linger_ms: u32,
    observers: Vec<u8>,
    observers_flush: bool,
    bootstrap: BootstrapV0,
    rules: RulesV0,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BacktrackingV0 {
    OneByOne,
    TermHint,
    TwoSidedHint,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RefusedV0 {
    Waits,
    StepsDown,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassicRulesV0 {
    pre_vote: bool,
    check_quorum: bool,
    no_op: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassicV0 {
    election_min_ms: u32,
    election_max_ms: u32,
    heartbeat_ms: u32,
    batch: u8,
    backtracking: BacktrackingV0,
    refused: RefusedV0,
    rules: ClassicRulesV0,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ProtocolV0 {
    Kraft(KRaftV0),
    Classic(ClassicV0),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TimerKindV0 {
    Election,
    Fetch,
    CheckQuorum,
    BeginQuorumEpoch,
    Request,
    RetryBackoff,
    LongPoll,
    Shutdown,
    Linger,
    Heartbeat,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FormV0 {
    SeparateEvents,
    OnePoll,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientV0 {
    form: FormV0,
    poll_state_max_age_ms: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CommandV0 {
    Crash {
        replica: u8,
        keep_unflushed: bool,
    },
    Restart {
        replica: u8,
        is_wiped: bool,
    },
    RunDelivery {
        from: u8,
        to: u8,
        number: u32,
        is_copy: bool,
    },
    RunTimer {
        replica: u8,
        kind: TimerKindV0,
        peer: Option<u8>,
        number: u32,
    },
    Drop {
        from: u8,
        to: u8,
        number: u32,
        is_copy: bool,
    },
    Duplicate {
        from: u8,
        to: u8,
        number: u32,
        after_us: u32,
    },
    SetCut {
        from: u8,
        to: u8,
        is_cut: bool,
    },
    SetLink {
        link: Option<(u8, u8)>,
        conditions: LinksV0,
    },
    Resign {
        replica: u8,
    },
    Shutdown {
        replica: u8,
        timeout_ms: u32,
    },
    RunTask {
        replica: u8,
        number: u32,
    },
    Cancel {
        replica: u8,
        number: u32,
    },
    Append {
        replica: u8,
        key: u16,
        value: Big,
        count: u8,
    },
    SetHeld {
        from: u8,
        to: u8,
        number: u32,
        is_copy: bool,
        is_held: bool,
    },
    Delay {
        from: u8,
        to: u8,
        number: u32,
        is_copy: bool,
        by_us: u32,
    },
    Swap {
        one: FlightV0,
        other: FlightV0,
    },
    PushBackTimer {
        replica: u8,
        kind: TimerKindV0,
        peer: Option<u8>,
        number: u32,
        by_us: u32,
    },
    PushBackClient {
        client: u8,
        alarm: AlarmV0,
        number: u32,
        by_us: u32,
    },
    RunClient {
        client: u8,
        alarm: AlarmV0,
        number: u32,
    },
    SpaceTimers {
        apart_us: u32,
    },
    Pause {
        replica: u8,
    },
    Resume {
        replica: u8,
    },
    SetClock {
        replica: u8,
        rate_ppm: u32,
    },
    /// The members of each group but the first.
    Partition {
        groups: Vec<Vec<u8>>,
    },
    Heal,
    AddClient {
        timeout_ms: u32,
        backoff_ms: u32,
        attempts: u8,
    },
    ClientRequest {
        client: u8,
        key: u16,
        value: Big,
    },
    SetRate {
        client: u8,
        every_us: u32,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FlightV0 {
    from: u8,
    to: u8,
    number: u32,
    is_copy: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AlarmV0 {
    Timeout,
    Retry,
    Next,
}

/// Epochs of a log are written as runs: (epoch, how many records).
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StartV0 {
    log: Vec<(u32, u32)>,
    epoch: u32,
    voted: Option<u8>,
    leader: Option<u8>,
    high_watermark: Option<Big>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacedV0 {
    step: Big,
    tasks: u32,
    at_us: Big,
    command: CommandV0,
    is_planned: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanV0 {
    at_us: Big,
    command: CommandV0,
}

/// A whole record. Replicas are numbered from 1, as people see them; where a link may end at a client, clients from 101.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordV0 {
    format: u16,
    behaviour: u16,
    title: String,
    replicas: u8,
    names: Vec<String>,
    seed: Big,
    links: LinksV0,
    client: ClientV0,
    protocol: ProtocolV0,
    starts: Vec<StartV0>,
    commands: Vec<PlacedV0>,
    plans: Vec<PlanV0>,
    position: Big,
    tasks: u32,
    playhead_us: Big,
}

/// The format of this module.
const FORMAT: u16 = 0;
/// The behaviour of the simulation: a preview.
const BEHAVIOUR: u16 = 0;

fn links_out(c: &LinkConditions) -> LinksV0 {
    LinksV0 {
        latency_min_us: c.latency_min_us,
        latency_max_us: c.latency_max_us,
        loss_ppm: c.loss_ppm,
        duplicate_ppm: c.duplicate_ppm,
        reorder_ppm: c.reorder_ppm,
    }
}

fn links_in(c: &LinksV0) -> LinkConditions {
    LinkConditions {
        latency_min_us: c.latency_min_us,
        latency_max_us: c.latency_max_us,
        loss_ppm: c.loss_ppm,
        duplicate_ppm: c.duplicate_ppm,
        reorder_ppm: c.reorder_ppm,
    }
}

fn id_in(path: &str, shown: u8) -> Result<ReplicaId, InputError> {
    shown.checked_sub(1).map(ReplicaId).ok_or_else(|| InputError::new(path, "nodes are numbered from 1"))
}

/// What is added to a client's number where it stands among replicas.
const CLIENTS_FROM: u8 = 101;

/// The end of a link: a replica, or a client.
fn end_in(path: &str, shown: u8) -> Result<ReplicaId, InputError> {
    match shown.checked_sub(CLIENTS_FROM) {
        None => {
            let id = id_in(path, shown)?;
            if id.0 < REPLICAS_MAX { Ok(id) } else { Err(InputError::new(path, format!("there is no node {id}"))) }
        }
        Some(client) if client < CLIENTS_MAX => Ok(client_id(client)),
        Some(_) => Err(InputError::new(
            path,
            format!("clients are numbered from {CLIENTS_FROM}, at most {CLIENTS_MAX} of them"),
        )),
    }
}

fn client_in(path: &str, shown: u8) -> Result<u8, InputError> {
    shown.checked_sub(1).ok_or_else(|| InputError::new(path, "clients are numbered from 1"))
}

const fn timer_out(kind: TimerKind) -> TimerKindV0 {
    match kind {
        TimerKind::Election => TimerKindV0::Election,
        TimerKind::Fetch => TimerKindV0::Fetch,
        TimerKind::CheckQuorum => TimerKindV0::CheckQuorum,
        TimerKind::BeginQuorumEpoch => TimerKindV0::BeginQuorumEpoch,
        TimerKind::Request => TimerKindV0::Request,
        TimerKind::RetryBackoff => TimerKindV0::RetryBackoff,
        TimerKind::LongPoll => TimerKindV0::LongPoll,
        TimerKind::Shutdown => TimerKindV0::Shutdown,
        TimerKind::Linger => TimerKindV0::Linger,
        TimerKind::Heartbeat => TimerKindV0::Heartbeat,
    }
}

fn timer_in(path: &str, kind: &TimerKindV0, peer: Option<u8>) -> Result<Timer, InputError> {
    let (kind, needs_peer) = match kind {
        TimerKindV0::Election => (TimerKind::Election, false),
        TimerKindV0::Fetch => (TimerKind::Fetch, false),
        TimerKindV0::CheckQuorum => (TimerKind::CheckQuorum, false),
        TimerKindV0::BeginQuorumEpoch => (TimerKind::BeginQuorumEpoch, false),
        TimerKindV0::Request => (TimerKind::Request, true),
        TimerKindV0::RetryBackoff => (TimerKind::RetryBackoff, true),
        TimerKindV0::LongPoll => (TimerKind::LongPoll, false),
        TimerKindV0::Shutdown => (TimerKind::Shutdown, false),
        TimerKindV0::Linger => (TimerKind::Linger, false),
        TimerKindV0::Heartbeat => (TimerKind::Heartbeat, false),
    };
    let path = format!("{path}.peer");
    let peer = peer.map(|peer| id_in(&path, peer)).transpose()?;
    if peer.is_some() != needs_peer {
        return Err(InputError::new(path, "this timer is kept per peer, or it is not"));
    }
    Ok(Timer { kind, peer })
}

const fn alarm_out(alarm: Alarm) -> AlarmV0 {
    match alarm {
        Alarm::Timeout => AlarmV0::Timeout,
        Alarm::Retry => AlarmV0::Retry,
        Alarm::Next => AlarmV0::Next,
    }
}

const fn alarm_in(alarm: &AlarmV0) -> Alarm {
    match alarm {
        AlarmV0::Timeout => Alarm::Timeout,
        AlarmV0::Retry => Alarm::Retry,
        AlarmV0::Next => Alarm::Next,
    }
}

fn flight_in(path: &str, flight: &FlightV0) -> Result<FlightName, InputError> {
    let from = end_in(&format!("{path}.from"), flight.from)?;
    Ok((from, end_in(&format!("{path}.to"), flight.to)?, flight.number, flight.is_copy))
}

fn groups_in(path: &str, groups: &[Vec<u8>]) -> Result<Groups, InputError> {
    let mut all = Groups::default();
    for (index, group) in groups.iter().enumerate() {
        let number = u8::try_from(index + 1).map_err(|_| InputError::new(path, "there are too many groups"))?;
        for &member in group {
            let id = end_in(path, member)?;
            if all.of(id) != 0 {
                return Err(InputError::new(path, "somebody is in two groups"));
            }
            all.put(id, number);
        }
    }
    Ok(all)
}

fn groups_out(groups: &Groups, shown: impl Fn(ReplicaId) -> u8) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new(); usize::from(groups.last())];
    for (id, group) in groups.apart() {
        if let Some(members) = all.get_mut(usize::from(group) - 1) {
            members.push(shown(id));
        }
    }
    all
}

fn command_out(command: Command) -> CommandV0 {
    let shown = |id: ReplicaId| client_number(id).map_or(id.0 + 1, |client| client + CLIENTS_FROM);
    let flight =
        |(from, to, number, is_copy): FlightName| FlightV0 { from: shown(from), to: shown(to), number, is_copy };
    match command {
        Command::Crash { replica, keep_unflushed } => CommandV0::Crash { replica: shown(replica), keep_unflushed },
        Command::Restart { replica, is_wiped } => CommandV0::Restart { replica: shown(replica), is_wiped },
        Command::RunNow { event: EventName::Delivery { from, to, number, is_copy } } => {
            CommandV0::RunDelivery { from: shown(from), to: shown(to), number, is_copy }
        }
        Command::RunNow { event: EventName::Timer { replica, timer, number } } => CommandV0::RunTimer {
            replica: shown(replica),
            kind: timer_out(timer.kind),
            peer: timer.peer.map(shown),
            number,
        },
        Command::RunNow { event: EventName::Task { replica, number } } => {
            CommandV0::RunTask { replica: shown(replica), number }
        }
        Command::Append { replica, key, value, count } => {
            CommandV0::Append { replica: shown(replica), key, value: Big(value), count }
        }
        Command::Resign { replica } => CommandV0::Resign { replica: shown(replica) },
        Command::Shutdown { replica, timeout_ms } => CommandV0::Shutdown { replica: shown(replica), timeout_ms },
        Command::Cancel { replica, number } => CommandV0::Cancel { replica: shown(replica), number },
        Command::Drop { from, to, number, is_copy } => {
            CommandV0::Drop { from: shown(from), to: shown(to), number, is_copy }
        }
        Command::SetHeld { from, to, number, is_copy, is_held } => {
            CommandV0::SetHeld { from: shown(from), to: shown(to), number, is_copy, is_held }
        }
        Command::Delay { from, to, number, is_copy, by_us } => {
            CommandV0::Delay { from: shown(from), to: shown(to), number, is_copy, by_us }
        }
        Command::Swap { one, other } => CommandV0::Swap { one: flight(one), other: flight(other) },
        Command::PushBack { event: EventName::Timer { replica, timer, number }, by_us } => CommandV0::PushBackTimer {
            replica: shown(replica),
            kind: timer_out(timer.kind),
            peer: timer.peer.map(shown),
            number,
            by_us,
        },
        Command::PushBack { event: EventName::Client { client, alarm, number }, by_us } => {
            CommandV0::PushBackClient { client: client + 1, alarm: alarm_out(alarm), number, by_us }
        }
        Command::PushBack { event: EventName::Delivery { .. } | EventName::Task { .. }, .. } => {
            unreachable!("the validator lets only timers be pushed back")
        }
        Command::RunNow { event: EventName::Client { client, alarm, number } } => {
            CommandV0::RunClient { client: client + 1, alarm: alarm_out(alarm), number }
        }
        Command::SpaceTimers { apart_us } => CommandV0::SpaceTimers { apart_us },
        Command::Pause { replica } => CommandV0::Pause { replica: shown(replica) },
        Command::Resume { replica } => CommandV0::Resume { replica: shown(replica) },
        Command::SetClock { replica, rate_ppm } => CommandV0::SetClock { replica: shown(replica), rate_ppm },
        Command::Partition { groups } => CommandV0::Partition { groups: groups_out(&groups, shown) },
        Command::Heal => CommandV0::Heal,
        Command::AddClient { options: ClientOptions { timeout_ms, backoff_ms, attempts } } => {
            CommandV0::AddClient { timeout_ms, backoff_ms, attempts }
        }
        Command::ClientRequest { client, key, value } => {
            CommandV0::ClientRequest { client: client + 1, key, value: Big(value) }
        }
        Command::SetRate { client, every_us } => CommandV0::SetRate { client: client + 1, every_us },
        Command::Duplicate { from, to, number, after_us } => {
            CommandV0::Duplicate { from: shown(from), to: shown(to), number, after_us }
        }
        Command::SetCut { from, to, is_cut } => CommandV0::SetCut { from: shown(from), to: shown(to), is_cut },
        Command::SetLink { link, conditions } => CommandV0::SetLink {
            link: link.map(|(from, to)| (shown(from), shown(to))),
            conditions: links_out(&conditions),
        },
    }
}

fn command_in(path: &str, command: &CommandV0) -> Result<Command, InputError> {
    let id = |field: &str, shown: u8| id_in(&format!("{path}.{field}"), shown);
    let end = |field: &str, shown: u8| end_in(&format!("{path}.{field}"), shown);
    let client_of = |shown: u8| client_in(&format!("{path}.client"), shown);
    Ok(match *command {
        CommandV0::Crash { replica, keep_unflushed } => {
            Command::Crash { replica: id("replica", replica)?, keep_unflushed }
        }
        CommandV0::Restart { replica, is_wiped } => Command::Restart { replica: id("replica", replica)?, is_wiped },
        CommandV0::RunDelivery { from, to, number, is_copy } => Command::RunNow {
            event: EventName::Delivery { from: end("from", from)?, to: end("to", to)?, number, is_copy },
        },
        CommandV0::RunTimer { replica, ref kind, peer, number } => {
            let timer = timer_in(path, kind, peer)?;
            Command::RunNow { event: EventName::Timer { replica: id("replica", replica)?, timer, number } }
        }
        CommandV0::PushBackTimer { replica, ref kind, peer, number, by_us } => {
            let timer = timer_in(path, kind, peer)?;
            Command::PushBack { event: EventName::Timer { replica: id("replica", replica)?, timer, number }, by_us }
        }
        CommandV0::PushBackClient { client, ref alarm, number, by_us } => {
            let event = EventName::Client { client: client_of(client)?, alarm: alarm_in(alarm), number };
            Command::PushBack { event, by_us }
        }
        CommandV0::RunClient { client, ref alarm, number } => {
            Command::RunNow { event: EventName::Client { client: client_of(client)?, alarm: alarm_in(alarm), number } }
        }
        CommandV0::Delay { from, to, number, is_copy, by_us } => {
            Command::Delay { from: end("from", from)?, to: end("to", to)?, number, is_copy, by_us }
        }
        CommandV0::Swap { ref one, ref other } => Command::Swap {
            one: flight_in(&format!("{path}.one"), one)?,
            other: flight_in(&format!("{path}.other"), other)?,
        },
        CommandV0::SpaceTimers { apart_us } => Command::SpaceTimers { apart_us },
        CommandV0::Pause { replica } => Command::Pause { replica: id("replica", replica)? },
        CommandV0::Resume { replica } => Command::Resume { replica: id("replica", replica)? },
        CommandV0::SetClock { replica, rate_ppm } => Command::SetClock { replica: id("replica", replica)?, rate_ppm },
        CommandV0::Partition { ref groups } => {
            Command::Partition { groups: groups_in(&format!("{path}.groups"), groups)? }
        }
        CommandV0::Heal => Command::Heal,
        CommandV0::AddClient { timeout_ms, backoff_ms, attempts } => {
            Command::AddClient { options: ClientOptions { timeout_ms, backoff_ms, attempts } }
        }
        CommandV0::ClientRequest { client, key, value } => {
            Command::ClientRequest { client: client_of(client)?, key, value: value.0 }
        }
        CommandV0::SetRate { client, every_us } => Command::SetRate { client: client_of(client)?, every_us },
        CommandV0::Append { replica, key, value, count } => {
            Command::Append { replica: id("replica", replica)?, key, value: value.0, count }
        }
        CommandV0::Resign { replica } => Command::Resign { replica: id("replica", replica)? },
        CommandV0::Shutdown { replica, timeout_ms } => {
            Command::Shutdown { replica: id("replica", replica)?, timeout_ms }
        }
        CommandV0::RunTask { replica, number } => {
            Command::RunNow { event: EventName::Task { replica: id("replica", replica)?, number } }
        }
        CommandV0::Cancel { replica, number } => Command::Cancel { replica: id("replica", replica)?, number },
        CommandV0::Drop { from, to, number, is_copy } => {
            Command::Drop { from: end("from", from)?, to: end("to", to)?, number, is_copy }
        }
        CommandV0::SetHeld { from, to, number, is_copy, is_held } => {
            Command::SetHeld { from: end("from", from)?, to: end("to", to)?, number, is_copy, is_held }
        }
        CommandV0::Duplicate { from, to, number, after_us } => {
            Command::Duplicate { from: end("from", from)?, to: end("to", to)?, number, after_us }
        }
        CommandV0::SetCut { from, to, is_cut } => {
            Command::SetCut { from: end("from", from)?, to: end("to", to)?, is_cut }
        }
        CommandV0::SetLink { link, ref conditions } => Command::SetLink {
            link: link.map(|(from, to)| Ok::<_, InputError>((end("link", from)?, end("link", to)?))).transpose()?,
            conditions: links_in(conditions),
        },
    })
}

fn observers_in(observers: &[u8]) -> Result<ReplicaSet, InputError> {
    let mut set = ReplicaSet::default();
    for (index, &shown) in observers.iter().enumerate() {
        let path = format!("protocol.kraft.observers[{index}]");
        let id = id_in(&path, shown)?;
        if id.0 >= REPLICAS_MAX {
            return Err(InputError::new(path, format!("there is no node {id}")));
        }
        set.insert(id);
    }
    Ok(set)
}

fn start_out(start: &Start) -> StartV0 {
    let mut log: Vec<(u32, u32)> = Vec::new();
    for &epoch in &start.log {
        match log.last_mut() {
            Some((last, count)) if *last == epoch => *count += 1,
            _ => log.push((epoch, 1)),
        }
    }
    StartV0 {
        log,
        epoch: start.epoch,
        voted: start.voted.map(|id| id.0 + 1),
        leader: start.leader.map(|id| id.0 + 1),
        high_watermark: start.high_watermark.map(Big),
    }
}

fn start_in(path: &str, start: &StartV0) -> Result<Start, InputError> {
    let count: u64 = start.log.iter().map(|&(_, count)| u64::from(count)).sum();
    if count > START_RECORDS_MAX {
        return Err(InputError::new(format!("{path}.log"), format!("there are more than {START_RECORDS_MAX} records")));
    }
    let id = |field: &str, shown: Option<u8>| shown.map(|shown| id_in(&format!("{path}.{field}"), shown)).transpose();
    Ok(Start {
        log: start.log.iter().flat_map(|&(epoch, count)| (0..count).map(move |_| epoch)).collect(),
        epoch: start.epoch,
        voted: id("voted", start.voted)?,
        leader: id("leader", start.leader)?,
        high_watermark: start.high_watermark.map(|offset| offset.0),
    })
}

fn protocol_out(protocol: &ProtocolSettings) -> ProtocolV0 {
    match protocol {
        ProtocolSettings::KRaft(k) => ProtocolV0::Kraft(KRaftV0 {
            election_timeout_ms: k.election_timeout_ms,
            fetch_timeout_ms: k.fetch_timeout_ms,
            election_backoff_max_ms: k.election_backoff_max_ms,
            request_timeout_ms: k.request_timeout_ms,
            retry_backoff_ms: k.retry_backoff_ms,
            fetch_max_wait_ms: k.fetch_max_wait_ms,
            linger_ms: k.linger_ms,
            observers: k.observers.iter().map(|id| id.0 + 1).collect(),
            observers_flush: k.observers_flush,
            bootstrap: match k.bootstrap {
                Bootstrap::Voters => BootstrapV0::Voters,
                Bootstrap::Nobody => BootstrapV0::Nobody,
            },
            rules: RulesV0 {
                pre_vote: k.rules.pre_vote,
                check_quorum: k.rules.check_quorum,
                fetched_refuses_pre_vote: k.rules.fetched_refuses_pre_vote,
            },
        }),
        ProtocolSettings::Classic(c) => ProtocolV0::Classic(ClassicV0 {
            election_min_ms: c.election_min_ms,
            election_max_ms: c.election_max_ms,
            heartbeat_ms: c.heartbeat_ms,
            batch: c.batch,
            backtracking: match c.backtracking {
                Backtracking::OneByOne => BacktrackingV0::OneByOne,
                Backtracking::TermHint => BacktrackingV0::TermHint,
                Backtracking::TwoSidedHint => BacktrackingV0::TwoSidedHint,
            },
            refused: match c.refused {
                Refused::Waits => RefusedV0::Waits,
                Refused::StepsDown => RefusedV0::StepsDown,
            },
            rules: ClassicRulesV0 {
                pre_vote: c.rules.pre_vote,
                check_quorum: c.rules.check_quorum,
                no_op: c.rules.no_op,
            },
        }),
    }
}

fn protocol_in(protocol: ProtocolV0) -> Result<ProtocolSettings, InputError> {
    Ok(match protocol {
        ProtocolV0::Kraft(k) => ProtocolSettings::KRaft(KRaftSettings {
            election_timeout_ms: k.election_timeout_ms,
            fetch_timeout_ms: k.fetch_timeout_ms,
            election_backoff_max_ms: k.election_backoff_max_ms,
            request_timeout_ms: k.request_timeout_ms,
            retry_backoff_ms: k.retry_backoff_ms,
            fetch_max_wait_ms: k.fetch_max_wait_ms,
            linger_ms: k.linger_ms,
            observers: observers_in(&k.observers)?,
            observers_flush: k.observers_flush,
            bootstrap: match k.bootstrap {
                BootstrapV0::Voters => Bootstrap::Voters,
                BootstrapV0::Nobody => Bootstrap::Nobody,
            },
            rules: Rules {
                pre_vote: k.rules.pre_vote,
                check_quorum: k.rules.check_quorum,
                fetched_refuses_pre_vote: k.rules.fetched_refuses_pre_vote,
            },
        }),
        ProtocolV0::Classic(c) => ProtocolSettings::Classic(ClassicSettings {
            election_min_ms: c.election_min_ms,
            election_max_ms: c.election_max_ms,
            heartbeat_ms: c.heartbeat_ms,
            batch: c.batch,
            backtracking: match c.backtracking {
                BacktrackingV0::OneByOne => Backtracking::OneByOne,
                BacktrackingV0::TermHint => Backtracking::TermHint,
                BacktrackingV0::TwoSidedHint => Backtracking::TwoSidedHint,
            },
            refused: match c.refused {
                RefusedV0::Waits => Refused::Waits,
                RefusedV0::StepsDown => Refused::StepsDown,
            },
            rules: classic::Rules {
                pre_vote: c.rules.pre_vote,
                check_quorum: c.rules.check_quorum,
                no_op: c.rules.no_op,
            },
        }),
    })
}

pub(super) fn out(record: &Record) -> RecordV0 {
    RecordV0 {
        format: FORMAT,
        behaviour: BEHAVIOUR,
        title: record.title.clone(),
        replicas: record.replicas,
        names: record.names.clone(),
        seed: Big(record.seed),
        links: links_out(&record.links),
        client: ClientV0 {
            form: match record.client.form {
                Form::SeparateEvents => FormV0::SeparateEvents,
                Form::OnePoll => FormV0::OnePoll,
            },
            poll_state_max_age_ms: record.client.poll_state_max_age_ms,
        },
        protocol: protocol_out(&record.protocol),
        starts: record.starts.iter().map(start_out).collect(),
        commands: record
            .commands
            .iter()
            .map(|placed| PlacedV0 {
                step: Big(placed.step),
                tasks: placed.tasks,
                at_us: Big(placed.at_us),
                command: command_out(placed.command),
                is_planned: placed.is_planned,
            })
            .collect(),
        plans: record
            .plans
            .iter()
            .map(|plan| PlanV0 { at_us: Big(plan.at_us), command: command_out(plan.command) })
            .collect(),
        position: Big(record.position),
        tasks: record.tasks,
        playhead_us: Big(record.playhead_us),
    }
}

/// Whether this module knows what these numbers mean.
pub(super) fn is_known(record: &RecordV0) -> bool {
    record.format == FORMAT && record.behaviour == BEHAVIOUR
}

pub(super) fn into_record(wire: RecordV0) -> Result<Record, InputError> {
    if !is_known(&wire) {
        return Err(InputError::new("format", "it was made by another version of this page"));
    }
    let plans = wire
        .plans
        .iter()
        .enumerate()
        .map(|(index, plan)| {
            let command = command_in(&format!("plans[{index}].command"), &plan.command)?;
            Ok(Plan { at_us: plan.at_us.0, command })
        })
        .collect::<Result<_, InputError>>()?;
    let commands = wire
        .commands
        .iter()
        .enumerate()
        .map(|(index, placed)| {
            let command = command_in(&format!("commands[{index}].command"), &placed.command)?;
            Ok(Placed {
                step: placed.step.0,
                tasks: placed.tasks,
                at_us: placed.at_us.0,
                command,
                is_planned: placed.is_planned,
            })
        })
        .collect::<Result<_, InputError>>()?;
    let starts = wire.starts.iter().enumerate();
    let starts = starts.map(|(index, start)| start_in(&format!("starts[{index}]"), start)).collect::<Result<_, _>>()?;
    Ok(Record {
        title: wire.title,
        replicas: wire.replicas,
        names: wire.names,
        seed: wire.seed.0,
        links: links_in(&wire.links),
        client: ClientSettings {
            form: match wire.client.form {
                FormV0::SeparateEvents => Form::SeparateEvents,
                FormV0::OnePoll => Form::OnePoll,
            },
            poll_state_max_age_ms: wire.client.poll_state_max_age_ms,
        },
        protocol: protocol_in(wire.protocol)?,
        starts,
        commands,
        plans,
        position: wire.position.0,
        tasks: wire.tasks,
        playhead_us: wire.playhead_us.0,
    })
}
