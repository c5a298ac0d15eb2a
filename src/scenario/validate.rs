//! The one check that everything from outside passes.

use super::record::{ProtocolSettings, Record};
use crate::raft::kraft::KRaftSettings;
use crate::raft::{REPLICAS_MAX, ReplicaId, TASKS_AT_ONCE_MAX};
use crate::sim::{Command, EventName, LinkConditions, PPM};

/// A year in milliseconds would fit; an hour is more than anybody watches.
const TIMEOUT_MS_MAX: u32 = 3_600_000;
/// The longest flight: ten minutes.
const LATENCY_US_MAX: u32 = 600_000_000;
/// The most commands of one run.
const COMMANDS_MAX: usize = 100_000;
/// The longest title, in bytes.
const TITLE_MAX: usize = 2_000;
/// The furthest position of a record, in steps: a second or two of replay. Runs stop there.
pub const POSITION_MAX: u64 = 1_000_000;

/// What is wrong with something from outside.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {says}")]
pub struct InputError {
    /// The path of the field.
    pub path: String,
    /// What is wrong, in a sentence a teacher can act on.
    pub says: String,
}

impl InputError {
    pub(super) fn new(path: impl Into<String>, says: impl Into<String>) -> Self {
        Self { path: path.into(), says: says.into() }
    }
}

fn within(path: &str, value: u64, low: u64, high: u64) -> Result<(), InputError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(InputError::new(path, format!("{value} is not between {low} and {high}")))
    }
}

fn check_links(path: &str, c: &LinkConditions) -> Result<(), InputError> {
    within(&format!("{path}.latency_max_us"), c.latency_max_us.into(), 0, LATENCY_US_MAX.into())?;
    if c.latency_min_us > c.latency_max_us {
        return Err(InputError::new(
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

fn check_command(path: &str, command: &Command, replicas: u8) -> Result<(), InputError> {
    let exists = |field: &str, id: ReplicaId| {
        if id.0 < replicas {
            Ok(())
        } else {
            Err(InputError::new(format!("{path}.{field}"), format!("there is no node {id}")))
        }
    };
    match command {
        Command::Crash { replica, .. }
        | Command::Restart { replica }
        | Command::Resign { replica }
        | Command::Cancel { replica, .. }
        | Command::RunNow { event: EventName::Task { replica, .. } } => exists("replica", *replica),
        Command::Shutdown { replica, timeout_ms } => {
            exists("replica", *replica)?;
            within(&format!("{path}.timeout_ms"), (*timeout_ms).into(), 0, TIMEOUT_MS_MAX.into())
        }
        Command::RunNow { event: EventName::Timer { replica, timer, .. } } => {
            exists("replica", *replica)?;
            timer.peer.map_or(Ok(()), |peer| exists("peer", peer))
        }
        Command::RunNow { event: EventName::Delivery { from, to, .. } }
        | Command::Drop { from, to, .. }
        | Command::SetCut { from, to, .. } => {
            exists("from", *from)?;
            exists("to", *to)
        }
        Command::Duplicate { from, to, after_us, .. } => {
            exists("from", *from)?;
            exists("to", *to)?;
            within(&format!("{path}.after_us"), (*after_us).into(), 0, LATENCY_US_MAX.into())
        }
        Command::SetLink { link, conditions } => {
            if let Some((from, to)) = link {
                exists("from", *from)?;
                exists("to", *to)?;
            }
            check_links(&format!("{path}.conditions"), conditions)
        }
    }
}

/// Checks a record from outside.
///
/// # Errors
/// [`InputError`] with the path of the first field that is wrong.
pub fn validate(record: &Record) -> Result<(), InputError> {
    if record.title.len() > TITLE_MAX {
        return Err(InputError::new("title", format!("it is longer than {TITLE_MAX} bytes")));
    }
    within("replicas", record.replicas.into(), 1, REPLICAS_MAX.into())?;
    check_links("links", &record.links)?;
    let age_ms = record.client.poll_state_max_age_ms;
    within("client.poll_state_max_age_ms", age_ms.into(), 0, TIMEOUT_MS_MAX.into())?;
    let ProtocolSettings::KRaft(kraft) = &record.protocol;
    check_kraft("protocol.kraft", kraft)?;
    within("position", record.position, 0, POSITION_MAX)?;
    within("tasks", record.tasks.into(), 0, TASKS_AT_ONCE_MAX.into())?;
    if record.commands.len() > COMMANDS_MAX {
        return Err(InputError::new("commands", format!("there are more than {COMMANDS_MAX}")));
    }
    let mut before = (0, 0);
    for (index, placed) in record.commands.iter().enumerate() {
        let path = format!("commands[{index}]");
        let at_least = if index == 0 { 0 } else { before.0 + 1 };
        if placed.step < at_least || placed.at_us < before.1 {
            return Err(InputError::new(path, "it stands before the command that precedes it"));
        }
        within(&format!("{path}.step"), placed.step, 0, POSITION_MAX)?;
        within(&format!("{path}.tasks"), placed.tasks.into(), 0, TASKS_AT_ONCE_MAX.into())?;
        before = (placed.step, placed.at_us);
        check_command(&path, &placed.command, record.replicas)?;
    }
    Ok(())
}
