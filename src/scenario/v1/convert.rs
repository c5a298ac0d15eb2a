//! From and to the simulation's types, by hand: so a field that is renamed or added there breaks a conversion here and not
//! a file out there.

use super::wire::{self, Big};
use crate::raft::classic::{self, Backtracking, ClassicSettings, Refused};
use crate::raft::kraft::{Bootstrap, KRaftSettings, Rules};
use crate::raft::{ClientSettings, Form, ProtocolSettings, REPLICAS_MAX, ReplicaId, ReplicaSet, Timer, TimerKind};
use crate::scenario::record::{Chapter, Panel, Record, Selection, Shown, Start};
use crate::scenario::validate::{Code, InputError, START_RECORDS_MAX};
use crate::sim::{
    Alarm, CLIENTS_MAX, ClientOptions, Command, EventName, FlightName, Groups, LinkConditions, Placed, Plan, client_id,
    client_number,
};

/// The format of this module.
pub(in crate::scenario) const FORMAT: u16 = 1;
/// The behaviour of the simulation.
pub(in crate::scenario) const BEHAVIOUR: u16 = 1;

fn links_out(c: &LinkConditions) -> wire::Links {
    wire::Links {
        latency_min_us: c.latency_min_us,
        latency_max_us: c.latency_max_us,
        loss_ppm: c.loss_ppm,
        duplicate_ppm: c.duplicate_ppm,
        reorder_ppm: c.reorder_ppm,
    }
}

fn links_in(c: &wire::Links) -> LinkConditions {
    LinkConditions {
        latency_min_us: c.latency_min_us,
        latency_max_us: c.latency_max_us,
        loss_ppm: c.loss_ppm,
        duplicate_ppm: c.duplicate_ppm,
        reorder_ppm: c.reorder_ppm,
    }
}

fn id_in(path: &str, shown: u8) -> Result<ReplicaId, InputError> {
    shown.checked_sub(1).map(ReplicaId).ok_or_else(|| InputError::new(Code::NoSuch, path, "nodes are numbered from 1"))
}

/// What is added to a client's number where it stands among replicas.
const CLIENTS_FROM: u8 = 101;

/// The end of a link: a replica, or a client.
fn end_in(path: &str, shown: u8) -> Result<ReplicaId, InputError> {
    match shown.checked_sub(CLIENTS_FROM) {
        None => {
            let id = id_in(path, shown)?;
            if id.0 < REPLICAS_MAX {
                Ok(id)
            } else {
                Err(InputError::new(Code::NoSuch, path, format!("there is no node {id}")))
            }
        }
        Some(client) if client < CLIENTS_MAX => Ok(client_id(client)),
        Some(_) => Err(InputError::new(
            Code::NoSuch,
            path,
            format!("clients are numbered from {CLIENTS_FROM}, at most {CLIENTS_MAX} of them"),
        )),
    }
}

fn client_in(path: &str, shown: u8) -> Result<u8, InputError> {
    shown.checked_sub(1).ok_or_else(|| InputError::new(Code::NoSuch, path, "clients are numbered from 1"))
}

const fn timer_out(kind: TimerKind) -> wire::TimerKind {
    match kind {
        TimerKind::Election => wire::TimerKind::Election,
        TimerKind::Fetch => wire::TimerKind::Fetch,
        TimerKind::CheckQuorum => wire::TimerKind::CheckQuorum,
        TimerKind::BeginQuorumEpoch => wire::TimerKind::BeginQuorumEpoch,
        TimerKind::Request => wire::TimerKind::Request,
        TimerKind::RetryBackoff => wire::TimerKind::RetryBackoff,
        TimerKind::LongPoll => wire::TimerKind::LongPoll,
        TimerKind::Shutdown => wire::TimerKind::Shutdown,
        TimerKind::Linger => wire::TimerKind::Linger,
        TimerKind::Heartbeat => wire::TimerKind::Heartbeat,
    }
}

fn timer_in(path: &str, kind: &wire::TimerKind, peer: Option<u8>) -> Result<Timer, InputError> {
    let (kind, needs_peer) = match kind {
        wire::TimerKind::Election => (TimerKind::Election, false),
        wire::TimerKind::Fetch => (TimerKind::Fetch, false),
        wire::TimerKind::CheckQuorum => (TimerKind::CheckQuorum, false),
        wire::TimerKind::BeginQuorumEpoch => (TimerKind::BeginQuorumEpoch, false),
        wire::TimerKind::Request => (TimerKind::Request, true),
        wire::TimerKind::RetryBackoff => (TimerKind::RetryBackoff, true),
        wire::TimerKind::LongPoll => (TimerKind::LongPoll, false),
        wire::TimerKind::Shutdown => (TimerKind::Shutdown, false),
        wire::TimerKind::Linger => (TimerKind::Linger, false),
        wire::TimerKind::Heartbeat => (TimerKind::Heartbeat, false),
    };
    let path = format!("{path}.peer");
    let peer = peer.map(|peer| id_in(&path, peer)).transpose()?;
    if peer.is_some() != needs_peer {
        return Err(InputError::new(Code::Contradiction, path, "this timer is kept per peer, or it is not"));
    }
    Ok(Timer { kind, peer })
}

const fn alarm_out(alarm: Alarm) -> wire::Alarm {
    match alarm {
        Alarm::Timeout => wire::Alarm::Timeout,
        Alarm::Retry => wire::Alarm::Retry,
        Alarm::Next => wire::Alarm::Next,
    }
}

const fn alarm_in(alarm: &wire::Alarm) -> Alarm {
    match alarm {
        wire::Alarm::Timeout => Alarm::Timeout,
        wire::Alarm::Retry => Alarm::Retry,
        wire::Alarm::Next => Alarm::Next,
    }
}

fn flight_in(path: &str, flight: &wire::Flight) -> Result<FlightName, InputError> {
    let from = end_in(&format!("{path}.from"), flight.from)?;
    Ok((from, end_in(&format!("{path}.to"), flight.to)?, flight.number, flight.is_copy))
}

fn groups_in(path: &str, groups: &[Vec<u8>]) -> Result<Groups, InputError> {
    let mut all = Groups::default();
    for (index, group) in groups.iter().enumerate() {
        let number =
            u8::try_from(index + 1).map_err(|_| InputError::new(Code::TooMuch, path, "there are too many groups"))?;
        for &member in group {
            let id = end_in(path, member)?;
            if all.of(id) != 0 {
                return Err(InputError::new(Code::Contradiction, path, "somebody is in two groups"));
            }
            all.put(id, number);
        }
    }
    Ok(all)
}

fn groups_out(groups: &Groups) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new(); usize::from(groups.last())];
    for (id, group) in groups.apart() {
        if let Some(members) = all.get_mut(usize::from(group) - 1) {
            members.push(shown(id));
        }
    }
    all
}

/// How a node or a client of the cluster is numbered for people.
#[must_use]
pub fn shown(id: ReplicaId) -> u8 {
    client_number(id).map_or(id.0 + 1, |client| client + CLIENTS_FROM)
}

pub(in crate::scenario) fn command_out(command: Command) -> wire::Command {
    let flight =
        |(from, to, number, is_copy): FlightName| wire::Flight { from: shown(from), to: shown(to), number, is_copy };
    match command {
        Command::Crash { replica, keep_unflushed } => wire::Command::Crash { replica: shown(replica), keep_unflushed },
        Command::Restart { replica, is_wiped } => wire::Command::Restart { replica: shown(replica), is_wiped },
        Command::RunNow { event: EventName::Delivery { from, to, number, is_copy } } => {
            wire::Command::RunDelivery { from: shown(from), to: shown(to), number, is_copy }
        }
        Command::RunNow { event: EventName::Timer { replica, timer, number } } => wire::Command::RunTimer {
            replica: shown(replica),
            kind: timer_out(timer.kind),
            peer: timer.peer.map(shown),
            number,
        },
        Command::RunNow { event: EventName::Task { replica, number } } => {
            wire::Command::RunTask { replica: shown(replica), number }
        }
        Command::Append { replica, key, value, count } => {
            wire::Command::Append { replica: shown(replica), key, value: Big(value), count }
        }
        Command::Resign { replica } => wire::Command::Resign { replica: shown(replica) },
        Command::Shutdown { replica, timeout_ms } => wire::Command::Shutdown { replica: shown(replica), timeout_ms },
        Command::Cancel { replica, number } => wire::Command::Cancel { replica: shown(replica), number },
        Command::Drop { from, to, number, is_copy } => {
            wire::Command::Drop { from: shown(from), to: shown(to), number, is_copy }
        }
        Command::SetHeld { from, to, number, is_copy, is_held } => {
            wire::Command::SetHeld { from: shown(from), to: shown(to), number, is_copy, is_held }
        }
        Command::Delay { from, to, number, is_copy, by_us } => {
            wire::Command::Delay { from: shown(from), to: shown(to), number, is_copy, by_us }
        }
        Command::Swap { one, other } => wire::Command::Swap { one: flight(one), other: flight(other) },
        Command::PushBack { event: EventName::Timer { replica, timer, number }, by_us } => {
            wire::Command::PushBackTimer {
                replica: shown(replica),
                kind: timer_out(timer.kind),
                peer: timer.peer.map(shown),
                number,
                by_us,
            }
        }
        Command::PushBack { event: EventName::Client { client, alarm, number }, by_us } => {
            wire::Command::PushBackClient { client: client + 1, alarm: alarm_out(alarm), number, by_us }
        }
        Command::PushBack { event: EventName::Delivery { .. } | EventName::Task { .. }, .. } => {
            unreachable!("the validator lets only timers be pushed back")
        }
        Command::RunNow { event: EventName::Client { client, alarm, number } } => {
            wire::Command::RunClient { client: client + 1, alarm: alarm_out(alarm), number }
        }
        Command::SpaceTimers { apart_us } => wire::Command::SpaceTimers { apart_us },
        Command::Pause { replica } => wire::Command::Pause { replica: shown(replica) },
        Command::Resume { replica } => wire::Command::Resume { replica: shown(replica) },
        Command::SetClock { replica, rate_ppm } => wire::Command::SetClock { replica: shown(replica), rate_ppm },
        Command::Partition { groups } => wire::Command::Partition { groups: groups_out(&groups) },
        Command::Heal => wire::Command::Heal,
        Command::AddClient { options: ClientOptions { timeout_ms, backoff_ms, attempts } } => {
            wire::Command::AddClient { timeout_ms, backoff_ms, attempts }
        }
        Command::ClientRequest { client, key, value } => {
            wire::Command::ClientRequest { client: client + 1, key, value: Big(value) }
        }
        Command::SetRate { client, every_us } => wire::Command::SetRate { client: client + 1, every_us },
        Command::Duplicate { from, to, number, after_us } => {
            wire::Command::Duplicate { from: shown(from), to: shown(to), number, after_us }
        }
        Command::SetCut { from, to, is_cut } => wire::Command::SetCut { from: shown(from), to: shown(to), is_cut },
        Command::SetLink { link, conditions } => wire::Command::SetLink {
            link: link.map(|(from, to)| (shown(from), shown(to))),
            conditions: links_out(&conditions),
        },
    }
}

pub(in crate::scenario) fn command_in(path: &str, command: &wire::Command) -> Result<Command, InputError> {
    let id = |field: &str, shown: u8| id_in(&format!("{path}.{field}"), shown);
    let end = |field: &str, shown: u8| end_in(&format!("{path}.{field}"), shown);
    let client_of = |shown: u8| client_in(&format!("{path}.client"), shown);
    Ok(match *command {
        wire::Command::Crash { replica, keep_unflushed } => {
            Command::Crash { replica: id("replica", replica)?, keep_unflushed }
        }
        wire::Command::Restart { replica, is_wiped } => Command::Restart { replica: id("replica", replica)?, is_wiped },
        wire::Command::RunDelivery { from, to, number, is_copy } => Command::RunNow {
            event: EventName::Delivery { from: end("from", from)?, to: end("to", to)?, number, is_copy },
        },
        wire::Command::RunTimer { replica, ref kind, peer, number } => {
            let timer = timer_in(path, kind, peer)?;
            Command::RunNow { event: EventName::Timer { replica: id("replica", replica)?, timer, number } }
        }
        wire::Command::PushBackTimer { replica, ref kind, peer, number, by_us } => {
            let timer = timer_in(path, kind, peer)?;
            Command::PushBack { event: EventName::Timer { replica: id("replica", replica)?, timer, number }, by_us }
        }
        wire::Command::PushBackClient { client, ref alarm, number, by_us } => {
            let event = EventName::Client { client: client_of(client)?, alarm: alarm_in(alarm), number };
            Command::PushBack { event, by_us }
        }
        wire::Command::RunClient { client, ref alarm, number } => {
            Command::RunNow { event: EventName::Client { client: client_of(client)?, alarm: alarm_in(alarm), number } }
        }
        wire::Command::Delay { from, to, number, is_copy, by_us } => {
            Command::Delay { from: end("from", from)?, to: end("to", to)?, number, is_copy, by_us }
        }
        wire::Command::Swap { ref one, ref other } => Command::Swap {
            one: flight_in(&format!("{path}.one"), one)?,
            other: flight_in(&format!("{path}.other"), other)?,
        },
        wire::Command::SpaceTimers { apart_us } => Command::SpaceTimers { apart_us },
        wire::Command::Pause { replica } => Command::Pause { replica: id("replica", replica)? },
        wire::Command::Resume { replica } => Command::Resume { replica: id("replica", replica)? },
        wire::Command::SetClock { replica, rate_ppm } => {
            Command::SetClock { replica: id("replica", replica)?, rate_ppm }
        }
        wire::Command::Partition { ref groups } => {
            Command::Partition { groups: groups_in(&format!("{path}.groups"), groups)? }
        }
        wire::Command::Heal => Command::Heal,
        wire::Command::AddClient { timeout_ms, backoff_ms, attempts } => {
            Command::AddClient { options: ClientOptions { timeout_ms, backoff_ms, attempts } }
        }
        wire::Command::ClientRequest { client, key, value } => {
            Command::ClientRequest { client: client_of(client)?, key, value: value.0 }
        }
        wire::Command::SetRate { client, every_us } => Command::SetRate { client: client_of(client)?, every_us },
        wire::Command::Append { replica, key, value, count } => {
            Command::Append { replica: id("replica", replica)?, key, value: value.0, count }
        }
        wire::Command::Resign { replica } => Command::Resign { replica: id("replica", replica)? },
        wire::Command::Shutdown { replica, timeout_ms } => {
            Command::Shutdown { replica: id("replica", replica)?, timeout_ms }
        }
        wire::Command::RunTask { replica, number } => {
            Command::RunNow { event: EventName::Task { replica: id("replica", replica)?, number } }
        }
        wire::Command::Cancel { replica, number } => Command::Cancel { replica: id("replica", replica)?, number },
        wire::Command::Drop { from, to, number, is_copy } => {
            Command::Drop { from: end("from", from)?, to: end("to", to)?, number, is_copy }
        }
        wire::Command::SetHeld { from, to, number, is_copy, is_held } => {
            Command::SetHeld { from: end("from", from)?, to: end("to", to)?, number, is_copy, is_held }
        }
        wire::Command::Duplicate { from, to, number, after_us } => {
            Command::Duplicate { from: end("from", from)?, to: end("to", to)?, number, after_us }
        }
        wire::Command::SetCut { from, to, is_cut } => {
            Command::SetCut { from: end("from", from)?, to: end("to", to)?, is_cut }
        }
        wire::Command::SetLink { link, ref conditions } => Command::SetLink {
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
            return Err(InputError::new(Code::NoSuch, path, format!("there is no node {id}")));
        }
        set.insert(id);
    }
    Ok(set)
}

fn start_out(start: &Start) -> wire::Start {
    let mut log: Vec<(u32, u32)> = Vec::new();
    for &epoch in &start.log {
        match log.last_mut() {
            Some((last, count)) if *last == epoch => *count += 1,
            _ => log.push((epoch, 1)),
        }
    }
    wire::Start {
        log,
        epoch: start.epoch,
        voted: start.voted.map(|id| id.0 + 1),
        leader: start.leader.map(|id| id.0 + 1),
        high_watermark: start.high_watermark.map(Big),
    }
}

fn start_in(path: &str, start: &wire::Start) -> Result<Start, InputError> {
    let count: u64 = start.log.iter().map(|&(_, count)| u64::from(count)).sum();
    if count > START_RECORDS_MAX {
        return Err(InputError::new(
            Code::TooMuch,
            format!("{path}.log"),
            format!("there are more than {START_RECORDS_MAX} records"),
        ));
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

fn protocol_out(protocol: &ProtocolSettings) -> wire::Protocol {
    match protocol {
        ProtocolSettings::KRaft(k) => wire::Protocol::Kraft(wire::KRaft {
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
                Bootstrap::Voters => wire::Bootstrap::Voters,
                Bootstrap::Nobody => wire::Bootstrap::Nobody,
            },
            rules: wire::KRaftRules {
                pre_vote: k.rules.pre_vote,
                check_quorum: k.rules.check_quorum,
                fetched_refuses_pre_vote: k.rules.fetched_refuses_pre_vote,
            },
        }),
        ProtocolSettings::Classic(c) => wire::Protocol::Classic(wire::Classic {
            election_min_ms: c.election_min_ms,
            election_max_ms: c.election_max_ms,
            heartbeat_ms: c.heartbeat_ms,
            batch: c.batch,
            backtracking: match c.backtracking {
                Backtracking::OneByOne => wire::Backtracking::OneByOne,
                Backtracking::TermHint => wire::Backtracking::TermHint,
                Backtracking::TwoSidedHint => wire::Backtracking::TwoSidedHint,
            },
            refused: match c.refused {
                Refused::Waits => wire::Refused::Waits,
                Refused::StepsDown => wire::Refused::StepsDown,
            },
            rules: wire::ClassicRules {
                pre_vote: c.rules.pre_vote,
                check_quorum: c.rules.check_quorum,
                no_op: c.rules.no_op,
            },
        }),
    }
}

fn protocol_in(protocol: wire::Protocol) -> Result<ProtocolSettings, InputError> {
    Ok(match protocol {
        wire::Protocol::Kraft(k) => ProtocolSettings::KRaft(KRaftSettings {
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
                wire::Bootstrap::Voters => Bootstrap::Voters,
                wire::Bootstrap::Nobody => Bootstrap::Nobody,
            },
            rules: Rules {
                pre_vote: k.rules.pre_vote,
                check_quorum: k.rules.check_quorum,
                fetched_refuses_pre_vote: k.rules.fetched_refuses_pre_vote,
            },
        }),
        wire::Protocol::Classic(c) => ProtocolSettings::Classic(ClassicSettings {
            election_min_ms: c.election_min_ms,
            election_max_ms: c.election_max_ms,
            heartbeat_ms: c.heartbeat_ms,
            batch: c.batch,
            backtracking: match c.backtracking {
                wire::Backtracking::OneByOne => Backtracking::OneByOne,
                wire::Backtracking::TermHint => Backtracking::TermHint,
                wire::Backtracking::TwoSidedHint => Backtracking::TwoSidedHint,
            },
            refused: match c.refused {
                wire::Refused::Waits => Refused::Waits,
                wire::Refused::StepsDown => Refused::StepsDown,
            },
            rules: classic::Rules {
                pre_vote: c.rules.pre_vote,
                check_quorum: c.rules.check_quorum,
                no_op: c.rules.no_op,
            },
        }),
    })
}

pub(in crate::scenario) fn out(record: &Record) -> wire::Scenario {
    // Without `..`: whoever adds a field is led here.
    let Record {
        title,
        replicas,
        names,
        seed,
        links,
        client: ClientSettings { form, poll_state_max_age_ms },
        protocol,
        starts,
        commands,
        plans,
        chapters,
        position,
        tasks,
        playhead_us,
        shown: Shown { selection, panel },
        digest,
    } = record;
    let placed = |placed: &Placed| {
        let Placed { step, tasks, at_us, command, is_planned, check } = *placed;
        let command = command_out(command);
        wire::Placed { step: Big(step), tasks, at_us: Big(at_us), command, is_planned, check }
    };
    let plan = |&Plan { at_us, command }: &Plan| wire::Plan { at_us: Big(at_us), command: command_out(command) };
    let chapter = |Chapter { position, text, shown: Shown { selection, panel } }: &Chapter| wire::Chapter {
        position: Big(*position),
        text: text.clone(),
        selection: selection.map(selection_out),
        panel: panel.map(panel_out),
    };
    wire::Scenario {
        format: FORMAT,
        behaviour: BEHAVIOUR,
        title: title.clone(),
        protocol: protocol_out(protocol),
        replicas: *replicas,
        names: names.clone(),
        seed: Big(*seed),
        links: links_out(links),
        raft_client: wire::RaftClient {
            form: match form {
                Form::SeparateEvents => wire::Form::SeparateEvents,
                Form::OnePoll => wire::Form::OnePoll,
            },
            poll_state_max_age_ms: *poll_state_max_age_ms,
        },
        starts: starts.iter().map(start_out).collect(),
        commands: commands.iter().map(placed).collect(),
        plans: plans.iter().map(plan).collect(),
        chapters: chapters.iter().map(chapter).collect(),
        view: wire::View {
            position: Big(*position),
            tasks: *tasks,
            playhead_us: Big(*playhead_us),
            selection: selection.map(selection_out),
            panel: panel.map(panel_out),
            digest: *digest,
        },
    }
}

/// Whether this module knows what these numbers mean.
pub(in crate::scenario) const fn is_known(format: u16, behaviour: u16) -> bool {
    format == FORMAT && behaviour == BEHAVIOUR
}

pub(in crate::scenario) fn into_record(wire: wire::Scenario) -> Result<Record, InputError> {
    if !is_known(wire.format, wire.behaviour) {
        let path = if wire.format == FORMAT { "behaviour" } else { "format" };
        return Err(InputError::new(Code::Version, path, "it was made by another version of this page"));
    }
    let plan = |(index, plan): (usize, &wire::Plan)| {
        Ok(Plan { at_us: plan.at_us.0, command: command_in(&format!("plans[{index}].command"), &plan.command)? })
    };
    let placed = |(index, placed): (usize, &wire::Placed)| {
        Ok(Placed {
            step: placed.step.0,
            tasks: placed.tasks,
            at_us: placed.at_us.0,
            command: command_in(&format!("commands[{index}].command"), &placed.command)?,
            is_planned: placed.is_planned,
            check: placed.check,
        })
    };
    let chapter = |(index, chapter): (usize, wire::Chapter)| {
        Ok(Chapter {
            position: chapter.position.0,
            text: chapter.text,
            shown: shown_in(&format!("chapters[{index}]"), chapter.selection.as_ref(), chapter.panel.as_ref())?,
        })
    };
    let start = |(index, start): (usize, &wire::Start)| start_in(&format!("starts[{index}]"), start);
    Ok(Record {
        title: wire.title,
        replicas: wire.replicas,
        names: wire.names,
        seed: wire.seed.0,
        links: links_in(&wire.links),
        client: ClientSettings {
            form: match wire.raft_client.form {
                wire::Form::SeparateEvents => Form::SeparateEvents,
                wire::Form::OnePoll => Form::OnePoll,
            },
            poll_state_max_age_ms: wire.raft_client.poll_state_max_age_ms,
        },
        protocol: protocol_in(wire.protocol)?,
        starts: wire.starts.iter().enumerate().map(start).collect::<Result<_, _>>()?,
        commands: wire.commands.iter().enumerate().map(placed).collect::<Result<_, _>>()?,
        plans: wire.plans.iter().enumerate().map(plan).collect::<Result<_, _>>()?,
        chapters: wire.chapters.into_iter().enumerate().map(chapter).collect::<Result<_, _>>()?,
        position: wire.view.position.0,
        tasks: wire.view.tasks,
        playhead_us: wire.view.playhead_us.0,
        shown: shown_in("view", wire.view.selection.as_ref(), wire.view.panel.as_ref())?,
        digest: wire.view.digest,
    })
}

fn selection_out(selection: Selection) -> wire::Selection {
    match selection {
        Selection::Node(id) => wire::Selection::Node(shown(id)),
        Selection::Message((from, to, number, is_copy)) => {
            wire::Selection::Message(wire::Flight { from: shown(from), to: shown(to), number, is_copy })
        }
        Selection::Link(from, to) => wire::Selection::Link(shown(from), shown(to)),
    }
}

fn shown_in(path: &str, selection: Option<&wire::Selection>, panel: Option<&wire::Panel>) -> Result<Shown, InputError> {
    let path = format!("{path}.selection");
    let selection = match selection {
        None => None,
        Some(&wire::Selection::Node(id)) => Some(Selection::Node(end_in(&path, id)?)),
        Some(wire::Selection::Message(flight)) => Some(Selection::Message(flight_in(&path, flight)?)),
        Some(&wire::Selection::Link(from, to)) => Some(Selection::Link(end_in(&path, from)?, end_in(&path, to)?)),
    };
    Ok(Shown { selection, panel: panel.map(panel_in) })
}

const fn panel_out(panel: Panel) -> wire::Panel {
    match panel {
        Panel::Next => wire::Panel::Next,
        Panel::Logs => wire::Panel::Logs,
        Panel::Time => wire::Panel::Time,
        Panel::Events => wire::Panel::Events,
        Panel::Node => wire::Panel::Node,
        Panel::Faults => wire::Panel::Faults,
        Panel::Clients => wire::Panel::Clients,
        Panel::Branches => wire::Panel::Branches,
        Panel::Go => wire::Panel::Go,
        Panel::Safety => wire::Panel::Safety,
    }
}

const fn panel_in(panel: &wire::Panel) -> Panel {
    match panel {
        wire::Panel::Next => Panel::Next,
        wire::Panel::Logs => Panel::Logs,
        wire::Panel::Time => Panel::Time,
        wire::Panel::Events => Panel::Events,
        wire::Panel::Node => Panel::Node,
        wire::Panel::Faults => Panel::Faults,
        wire::Panel::Clients => Panel::Clients,
        wire::Panel::Branches => Panel::Branches,
        wire::Panel::Go => Panel::Go,
        wire::Panel::Safety => Panel::Safety,
    }
}
