//! The one check that everything from outside passes.

use super::record::{Record, Selection, Shown, Start};
use crate::raft::classic::ClassicSettings;
use crate::raft::kraft::KRaftSettings;
use crate::raft::{
    Any, BATCH_ENTRIES, Protocol, ProtocolSettings, REPLICAS_MAX, ReplicaId, ReplicaSet, TASKS_AT_ONCE_MAX,
};
use crate::sim::{CLIENTS_MAX, Command, EventName, LinkConditions, PPM, client_number};

/// A year in milliseconds would fit; an hour is more than anybody watches.
const TIMEOUT_MS_MAX: u32 = 3_600_000;
/// The largest epoch to start from: far below what 31 bits hold.
const EPOCH_MAX: u32 = 1_000_000_000;
/// The longest flight: ten minutes.
const LATENCY_US_MAX: u32 = 600_000_000;
/// The latest time, in microseconds: three hundred years.
const AT_US_MAX: u64 = 10_000_000_000_000_000;
/// The shortest longest flight: a tenth of a millisecond.
const LATENCY_MAX_US_MIN: u32 = 100;
/// The most commands of one run.
const COMMANDS_MAX: usize = 100_000;
/// The most records of a replica's log at the start.
pub(super) const START_RECORDS_MAX: u64 = 10_000;
/// The longest title, name or text of a chapter, in bytes. What is longer than its place is cut where it is shown.
const TEXT_MAX: usize = 400_000;
/// The most chapters.
const CHAPTERS_MAX: usize = 1_000;
/// The furthest position of a record, in steps: some ten seconds of replay. Runs stop there.
pub const POSITION_MAX: u64 = 10_000_000;

/// What kind of mistake something from outside has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is not JSON, or JSON of another shape: a field is missing, is not known, or is of another type.
    Shape,
    /// A number is too small or too large.
    Range,
    /// There is more of it than there may be.
    TooMuch,
    /// It names something that does not exist.
    NoSuch,
    /// It contradicts something else that is said, or what can be.
    Contradiction,
    /// It is of a format or behaviour that is not known here.
    Version,
    /// It cannot be done where it stands in the run.
    CannotBeDone,
}

impl Code {
    /// As the JavaScript package names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Range => "range",
            Self::TooMuch => "too_much",
            Self::NoSuch => "no_such",
            Self::Contradiction => "contradiction",
            Self::Version => "version",
            Self::CannotBeDone => "cannot_be_done",
        }
    }
}

/// What is wrong with something from outside.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {says}")]
pub struct InputError {
    /// What kind of mistake it is.
    pub code: Code,
    /// The path of the field.
    pub path: String,
    /// What is wrong, in a sentence a teacher can act on.
    pub says: String,
}

impl InputError {
    /// What is wrong with the field at `path`.
    pub fn new(code: Code, path: impl Into<String>, says: impl Into<String>) -> Self {
        Self { code, path: path.into(), says: says.into() }
    }
}

fn within(path: &str, value: u64, low: u64, high: u64) -> Result<(), InputError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(InputError::new(Code::Range, path, format!("{value} is not between {low} and {high}")))
    }
}

fn check_links(path: &str, c: &LinkConditions) -> Result<(), InputError> {
    if c.latency_max_us < LATENCY_MAX_US_MIN {
        return Err(InputError::new(
            Code::Contradiction,
            format!("{path}.latency_max_us"),
            format!(
                "the longest latency must be at least {LATENCY_MAX_US_MIN} µs: with less, nodes that look for a leader would ask each other for ever at one instant"
            ),
        ));
    }
    within(&format!("{path}.latency_max_us"), c.latency_max_us.into(), 0, LATENCY_US_MAX.into())?;
    if c.latency_min_us > c.latency_max_us {
        return Err(InputError::new(
            Code::Contradiction,
            format!("{path}.latency_min_us"),
            format!("the shortest latency ({} µs) is above the longest ({} µs)", c.latency_min_us, c.latency_max_us),
        ));
    }
    for (name, value) in [("loss_ppm", c.loss_ppm), ("duplicate_ppm", c.duplicate_ppm), ("reorder_ppm", c.reorder_ppm)]
    {
        within(&format!("{path}.{name}"), value.into(), 0, PPM.into())?;
    }
    Ok(())
}

fn check_kraft(path: &str, k: &KRaftSettings) -> Result<(), InputError> {
    for (name, value) in [
        ("election_timeout_ms", k.election_timeout_ms),
        ("fetch_timeout_ms", k.fetch_timeout_ms),
        ("request_timeout_ms", k.request_timeout_ms),
        ("retry_backoff_ms", k.retry_backoff_ms),
        ("fetch_max_wait_ms", k.fetch_max_wait_ms),
    ] {
        within(&format!("{path}.{name}"), value.into(), 1, TIMEOUT_MS_MAX.into())?;
    }
    within(&format!("{path}.election_backoff_max_ms"), k.election_backoff_max_ms.into(), 0, TIMEOUT_MS_MAX.into())
}

/// Clocks between a tenth and ten times as fast as the true one.
const RATE_PPM: (u32, u32) = (PPM / 10, PPM * 10);
/// The largest number of a group: as many as there are letters.
const GROUPS_MAX: u64 = 25;
/// The shortest time between two requests of a client's steady rate: a millisecond.
const EVERY_US_MIN: u32 = 1_000;

/// Checks a command from outside for a cluster of so many replicas. Whether it can be carried out where it stands, only the
/// run itself tells.
///
/// # Errors
/// [`InputError`] with the path of the first field that is wrong.
pub fn validate_command(path: &str, command: &Command, replicas: u8) -> Result<(), InputError> {
    let exists = |field: &str, id: ReplicaId| {
        if id.0 < replicas {
            Ok(())
        } else {
            Err(InputError::new(Code::NoSuch, format!("{path}.{field}"), format!("there is no node {id}")))
        }
    };
    let client_exists = |field: &str, client: u8| {
        if client < CLIENTS_MAX {
            Ok(())
        } else {
            Err(InputError::new(
                Code::NoSuch,
                format!("{path}.{field}"),
                format!("clients are numbered from 1 to {CLIENTS_MAX}"),
            ))
        }
    };
    // An end of a link is a replica's or a client's; a link joins two replicas, or a client and a replica.
    let end = |field: &str, id: ReplicaId| match client_number(id) {
        Some(client) => client_exists(field, client),
        None => exists(field, id),
    };
    let link = |from: ReplicaId, to: ReplicaId| {
        end("from", from)?;
        end("to", to)?;
        if client_number(from).is_some() && client_number(to).is_some() {
            return Err(InputError::new(
                Code::Contradiction,
                format!("{path}.to"),
                "there is no link between two clients",
            ));
        }
        Ok(())
    };
    let event = |event: &EventName| match event {
        EventName::Task { replica, .. } => exists("replica", *replica),
        EventName::Timer { replica, timer, .. } => {
            exists("replica", *replica)?;
            timer.peer.map_or(Ok(()), |peer| exists("peer", peer))
        }
        EventName::Delivery { from, to, .. } => link(*from, *to),
        EventName::Client { client, .. } => client_exists("client", *client),
    };
    let later = |field: &str, us: u32| within(&format!("{path}.{field}"), us.into(), 0, LATENCY_US_MAX.into());
    match command {
        Command::Crash { replica, .. }
        | Command::Restart { replica, .. }
        | Command::Resign { replica }
        | Command::Pause { replica }
        | Command::Resume { replica }
        | Command::Cancel { replica, .. } => exists("replica", *replica),
        Command::Append { replica, count, .. } => {
            exists("replica", *replica)?;
            within(&format!("{path}.count"), (*count).into(), 1, BATCH_ENTRIES as u64)
        }
        Command::Shutdown { replica, timeout_ms } => {
            exists("replica", *replica)?;
            within(&format!("{path}.timeout_ms"), (*timeout_ms).into(), 0, TIMEOUT_MS_MAX.into())
        }
        Command::SetClock { replica, rate_ppm } => {
            exists("replica", *replica)?;
            within(&format!("{path}.rate_ppm"), (*rate_ppm).into(), RATE_PPM.0.into(), RATE_PPM.1.into())
        }
        Command::RunNow { event: name } => event(name),
        Command::PushBack { event: name, by_us } => {
            event(name)?;
            if matches!(name, EventName::Delivery { .. } | EventName::Task { .. }) {
                return Err(InputError::new(
                    Code::Contradiction,
                    format!("{path}.event"),
                    "only timers are pushed back",
                ));
            }
            later("by_us", *by_us)
        }
        Command::SpaceTimers { apart_us } => later("apart_us", *apart_us),
        Command::Drop { from, to, .. } | Command::SetHeld { from, to, .. } | Command::SetCut { from, to, .. } => {
            link(*from, *to)
        }
        Command::Delay { from, to, by_us, .. } => {
            link(*from, *to)?;
            later("by_us", *by_us)
        }
        Command::Swap { one, other } => {
            link(one.0, one.1)?;
            link(other.0, other.1)
        }
        Command::Duplicate { from, to, after_us, .. } => {
            link(*from, *to)?;
            later("after_us", *after_us)
        }
        Command::Partition { groups } => {
            groups.apart().try_for_each(|(id, _)| end("groups", id))?;
            within(&format!("{path}.groups"), groups.last().into(), 0, GROUPS_MAX)
        }
        Command::Heal => Ok(()),
        Command::AddClient { options } => {
            let path = format!("{path}.options");
            within(&format!("{path}.timeout_ms"), options.timeout_ms.into(), 1, TIMEOUT_MS_MAX.into())?;
            within(&format!("{path}.backoff_ms"), options.backoff_ms.into(), 1, TIMEOUT_MS_MAX.into())?;
            within(&format!("{path}.attempts"), options.attempts.into(), 1, 100)
        }
        Command::ClientRequest { client, .. } => client_exists("client", *client),
        Command::SetRate { client, every_us } => {
            client_exists("client", *client)?;
            if *every_us == 0 {
                return Ok(());
            }
            within(&format!("{path}.every_us"), (*every_us).into(), EVERY_US_MIN.into(), LATENCY_US_MAX.into())
        }
        Command::SetLink { link: on, conditions } => {
            if let Some((from, to)) = on {
                link(*from, *to)?;
            }
            check_links(&format!("{path}.conditions"), conditions)
        }
    }
}

fn check_classic(path: &str, c: &ClassicSettings) -> Result<(), InputError> {
    for (name, value) in [("election_min_ms", c.election_min_ms), ("heartbeat_ms", c.heartbeat_ms)] {
        within(&format!("{path}.{name}"), value.into(), 1, TIMEOUT_MS_MAX.into())?;
    }
    let (min_ms, max_ms) = (c.election_min_ms, c.election_max_ms);
    within(&format!("{path}.election_max_ms"), max_ms.into(), min_ms.into(), TIMEOUT_MS_MAX.into())?;
    within(&format!("{path}.batch"), c.batch.into(), 1, BATCH_ENTRIES as u64)
}

/// Checks the protocol's settings.
fn check_protocol(record: &Record) -> Result<(), InputError> {
    match &record.protocol {
        ProtocolSettings::KRaft(kraft) => {
            check_kraft("protocol.kraft", kraft)?;
            if kraft.voters(record.replicas).is_empty() {
                return Err(InputError::new(
                    Code::Contradiction,
                    "protocol.kraft.observers",
                    "somebody must be a voter",
                ));
            }
            if let Some(id) = kraft.observers.without(ReplicaSet::first(record.replicas)).iter().next() {
                return Err(InputError::new(
                    Code::NoSuch,
                    "protocol.kraft.observers",
                    format!("there is no node {id}"),
                ));
            }
        }
        ProtocolSettings::Classic(classic) => {
            check_classic("protocol.classic", classic)?;
            if let Some(index) = record.starts.iter().position(|start| start.leader.is_some()) {
                return Err(InputError::new(
                    Code::Contradiction,
                    format!("starts[{index}].leader"),
                    "the paper's Raft keeps no leader on disk: let a node be elected",
                ));
            }
        }
    }
    Ok(())
}

/// Checks what the replicas are called. Names are any text: how they are shown is the page's business.
fn check_names(record: &Record) -> Result<(), InputError> {
    if record.names.is_empty() {
        return Ok(());
    }
    if record.names.len() != usize::from(record.replicas) {
        let says = format!("there are {} for {} nodes", record.names.len(), record.replicas);
        return Err(InputError::new(Code::Contradiction, "names", says));
    }
    for (index, name) in record.names.iter().enumerate() {
        let path = || format!("names[{index}]");
        check_text(&path(), name)?;
        if name.trim() != name {
            return Err(InputError::new(Code::Shape, path(), "a name has no space at its ends"));
        }
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(InputError::new(Code::Contradiction, path(), "a number would be taken for another node"));
        }
        if !name.is_empty() && record.names[..index].contains(name) {
            return Err(InputError::new(Code::Contradiction, path(), "two nodes have this name"));
        }
    }
    Ok(())
}

fn check_text(path: &str, text: &str) -> Result<(), InputError> {
    if text.len() > TEXT_MAX {
        return Err(InputError::new(Code::TooMuch, path, format!("it is longer than {TEXT_MAX} bytes")));
    }
    Ok(())
}

/// Checks what is selected.
fn check_shown(path: &str, shown: &Shown, replicas: u8) -> Result<(), InputError> {
    let path = format!("{path}.selection");
    let exists = |id: ReplicaId| match client_number(id) {
        Some(client) if client < CLIENTS_MAX => Ok(()),
        None if id.0 < replicas => Ok(()),
        _ => Err(InputError::new(Code::NoSuch, path.as_str(), format!("there is no node {id}"))),
    };
    match shown.selection {
        None => Ok(()),
        Some(Selection::Node(id)) => exists(id),
        Some(Selection::Message((from, to, ..)) | Selection::Link(from, to)) => {
            exists(from)?;
            exists(to)?;
            if client_number(from).is_some() && client_number(to).is_some() {
                return Err(InputError::new(
                    Code::Contradiction,
                    path.as_str(),
                    "there is no link between two clients",
                ));
            }
            Ok(())
        }
    }
}

/// Checks the chapters.
fn check_chapters(record: &Record) -> Result<(), InputError> {
    if record.chapters.len() > CHAPTERS_MAX {
        return Err(InputError::new(Code::TooMuch, "chapters", format!("there are more than {CHAPTERS_MAX}")));
    }
    let mut before = 0;
    for (index, chapter) in record.chapters.iter().enumerate() {
        let path = format!("chapters[{index}]");
        within(&format!("{path}.position"), chapter.position, before, POSITION_MAX)?;
        before = chapter.position;
        check_text(&format!("{path}.text"), &chapter.text)?;
        check_shown(&path, &chapter.shown, record.replicas)?;
    }
    Ok(())
}

/// Checks how the replicas start: each for itself, then against each other.
fn check_starts(record: &Record) -> Result<(), InputError> {
    let voters = Any::voters(&record.protocol, record.replicas);
    if record.starts.is_empty() {
        return Ok(());
    }
    if record.starts.len() != usize::from(record.replicas) {
        let says = format!("there are {} for {} nodes", record.starts.len(), record.replicas);
        return Err(InputError::new(Code::Contradiction, "starts", says));
    }
    for (id, start) in (0..record.replicas).map(ReplicaId).zip(&record.starts) {
        check_start(&format!("starts[{}]", id.0), id, start, record.replicas, voters)?;
    }
    // One leader an epoch.
    let mut leaders: Vec<(u32, ReplicaId)> = Vec::new();
    for (index, start) in record.starts.iter().enumerate() {
        let Some(leader) = start.leader else { continue };
        match leaders.iter().find(|&&(epoch, _)| epoch == start.epoch) {
            Some(&(_, other)) if other != leader => {
                let says = format!("node {other} leads epoch {} according to another node", start.epoch);
                return Err(InputError::new(Code::Contradiction, format!("starts[{index}].leader"), says));
            }
            Some(_) => {}
            None => leaders.push((start.epoch, leader)),
        }
    }
    // Logs that have the same epoch at one place are the same up to there.
    for (index, start) in record.starts.iter().enumerate() {
        for (other, theirs) in record.starts[..index].iter().enumerate() {
            let last = start.log.iter().zip(&theirs.log).rposition(|(one, other)| one == other);
            let shared = last.map_or(0, |last| last + 1);
            if start.log[..shared] != theirs.log[..shared] {
                let says = format!(
                    "it agrees with the log of node {} at place {shared} and differs before that, which no run brings about",
                    other + 1
                );
                return Err(InputError::new(Code::Contradiction, format!("starts[{index}].log"), says));
            }
        }
    }
    // What is committed is the same everywhere, and a majority holds it.
    let furthest = record.starts.iter().max_by_key(|start| start.high_watermark);
    let Some((committed, source)) = furthest.and_then(|start| Some((start.high_watermark?, start))) else {
        return Ok(());
    };
    let prefix =
        |start: &Start, end: u64| usize::try_from(end).ok().and_then(|end| start.log.get(..end).map(<[u32]>::to_vec));
    for (index, start) in record.starts.iter().enumerate() {
        let known = start.high_watermark.unwrap_or(0);
        if prefix(start, known) != prefix(source, known) {
            let says = format!("the log differs below it from one that is committed up to {committed}");
            return Err(InputError::new(Code::Contradiction, format!("starts[{index}].high_watermark"), says));
        }
    }
    let holders = voters.iter().filter(|id| prefix(&record.starts[id.index()], committed) == prefix(source, committed));
    if holders.count() < voters.majority() as usize {
        let index = record.starts.iter().position(|start| start == source).unwrap_or(0);
        let says = format!("no majority of the voters holds the records below {committed}");
        return Err(InputError::new(Code::Contradiction, format!("starts[{index}].high_watermark"), says));
    }
    Ok(())
}

fn check_start(path: &str, id: ReplicaId, start: &Start, replicas: u8, voters: ReplicaSet) -> Result<(), InputError> {
    let error = |field: &str, says: String| Err(InputError::new(Code::Contradiction, format!("{path}.{field}"), says));
    if start.log.len() as u64 > START_RECORDS_MAX {
        return error("log", format!("there are more than {START_RECORDS_MAX} records"));
    }
    if start.log.first() == Some(&0) || start.log.windows(2).any(|pair| pair[0] > pair[1]) {
        return error("log", "epochs begin at 1 and never fall along a log".into());
    }
    let last = start.log.last().copied().unwrap_or(0);
    if start.epoch < last {
        return error("epoch", format!("it is below epoch {last} of the last record"));
    }
    within(&format!("{path}.epoch"), start.epoch.into(), 0, EPOCH_MAX.into())?;
    if start.epoch == 0 && (start.leader.is_some() || start.voted.is_some()) {
        return error("epoch", "nobody votes or leads in epoch 0".into());
    }
    for (field, named) in [("voted", start.voted), ("leader", start.leader)] {
        if let Some(named) = named {
            if named.0 >= replicas {
                return error(field, format!("there is no node {named}"));
            }
            if !voters.contains(named) {
                return error(field, format!("node {named} is an observer"));
            }
        }
    }
    if start.voted == Some(id) && start.leader.is_some_and(|leader| leader != id) {
        return error("voted", "a node that follows a leader did not vote for itself in that epoch, or lost".into());
    }
    if let Some(high_watermark) = start.high_watermark {
        within(&format!("{path}.high_watermark"), high_watermark, 0, start.log.len() as u64)?;
        if start.leader == Some(id) {
            return error("high_watermark", "a node that led starts resigned and knows of no high watermark".into());
        }
    }
    Ok(())
}

/// Checks a record from outside.
///
/// # Errors
/// [`InputError`] with the path of the first field that is wrong.
pub fn validate(record: &Record) -> Result<(), InputError> {
    check_text("title", &record.title)?;
    within("replicas", record.replicas.into(), 1, REPLICAS_MAX.into())?;
    check_links("links", &record.links)?;
    let age_ms = record.client.poll_state_max_age_ms;
    within("raft_client.poll_state_max_age_ms", age_ms.into(), 0, TIMEOUT_MS_MAX.into())?;
    check_names(record)?;
    check_protocol(record)?;
    check_starts(record)?;
    within("view.position", record.position, 0, POSITION_MAX)?;
    within("view.playhead_us", record.playhead_us, 0, AT_US_MAX)?;
    within("view.tasks", record.tasks.into(), 0, TASKS_AT_ONCE_MAX.into())?;
    if record.commands.len() > COMMANDS_MAX {
        return Err(InputError::new(Code::TooMuch, "commands", format!("there are more than {COMMANDS_MAX}")));
    }
    let mut before = (0, 0);
    for (index, placed) in record.commands.iter().enumerate() {
        let path = format!("commands[{index}]");
        let at_least = if index == 0 { 0 } else { before.0 + 1 };
        if placed.step < at_least || placed.at_us < before.1 {
            return Err(InputError::new(Code::Contradiction, path, "it stands before the command that precedes it"));
        }
        within(&format!("{path}.step"), placed.step, 0, POSITION_MAX)?;
        within(&format!("{path}.tasks"), placed.tasks.into(), 0, TASKS_AT_ONCE_MAX.into())?;
        within(&format!("{path}.at_us"), placed.at_us, 0, AT_US_MAX)?;
        before = (placed.step, placed.at_us);
        validate_command(&format!("{path}.command"), &placed.command, record.replicas)?;
    }
    if record.plans.len() > COMMANDS_MAX {
        return Err(InputError::new(Code::TooMuch, "plans", format!("there are more than {COMMANDS_MAX}")));
    }
    check_chapters(record)?;
    check_shown("view", &record.shown, record.replicas)?;
    for (index, plan) in record.plans.iter().enumerate() {
        let path = format!("plans[{index}]");
        within(&format!("{path}.at_us"), plan.at_us, 0, AT_US_MAX)?;
        validate_command(&format!("{path}.command"), &plan.command, record.replicas)?;
    }
    Ok(())
}
