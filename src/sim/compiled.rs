//! The ways into a run, compiled with the engine.
//!
//! Generic code is compiled where it is used, with the settings of that package. What runs for each event must be compiled
//! here, for speed, so whoever plays a run goes through [`Compiled`], whose methods are not generic any more.

use super::cluster::Sim;
use super::command::{Command, CommandError, Placed};
use super::history::History;
use super::trace::TraceEvent;
use crate::raft::classic::Classic;
use crate::raft::kraft::KRaft;
use crate::raft::{Any, Protocol, ReplicaId};

/// What looks at each step of a run: the cluster after it, and its trace.
pub type Visitor<'a, P> = dyn FnMut(&Sim<P>, &[TraceEvent<P>]) + 'a;

/// A protocol whose runs are compiled here. The methods are those of [`History`].
pub trait Compiled: Protocol {
    /// See [`History::step`].
    ///
    /// # Errors
    /// See [`History::step`].
    fn step(run: &mut History<Self>) -> Result<bool, CommandError>;

    /// See [`History::step_task`].
    ///
    /// # Errors
    /// See [`History::step_task`].
    fn step_task(run: &mut History<Self>) -> Result<bool, CommandError>;

    /// See [`History::seek`].
    ///
    /// # Errors
    /// See [`History::seek`].
    fn seek(run: &mut History<Self>, step: u64, tasks: u32) -> Result<(), CommandError>;

    /// See [`History::seek_time`].
    ///
    /// # Errors
    /// See [`History::seek_time`].
    fn seek_time(run: &mut History<Self>, at_us: u64) -> Result<(), CommandError>;

    /// See [`History::act`].
    ///
    /// # Errors
    /// See [`History::act`].
    fn act(run: &mut History<Self>, placed: Placed) -> Result<(), CommandError>;

    /// See [`History::visit`].
    fn visit(run: &History<Self>, first: u64, last: u64, visit: &mut Visitor<'_, Self>);

    /// Runs a cluster for so many events, with a client that appends a record at `leader` every `append_every_us` (0:
    /// never). For benchmarks: nothing is looked at meanwhile. Appends count as events.
    fn run_events(sim: &mut Sim<Self>, events: u64, leader: ReplicaId, append_every_us: u64);
}

macro_rules! compiled {
    ($($protocol:ty),*) => {$(
        impl Compiled for $protocol {
            fn step(run: &mut History<Self>) -> Result<bool, CommandError> {
                run.step()
            }

            fn step_task(run: &mut History<Self>) -> Result<bool, CommandError> {
                run.step_task()
            }

            fn seek(run: &mut History<Self>, step: u64, tasks: u32) -> Result<(), CommandError> {
                run.seek(step, tasks)
            }

            fn seek_time(run: &mut History<Self>, at_us: u64) -> Result<(), CommandError> {
                run.seek_time(at_us)
            }

            fn act(run: &mut History<Self>, placed: Placed) -> Result<(), CommandError> {
                run.act(placed)
            }

            fn visit(run: &History<Self>, first: u64, last: u64, visit: &mut Visitor<'_, Self>) {
                run.visit(first, last, visit);
            }

            fn run_events(sim: &mut Sim<Self>, events: u64, leader: ReplicaId, append_every_us: u64) {
                run_events(sim, events, leader, append_every_us);
            }
        }
    )*};
}

compiled!(Any, KRaft, Classic);

fn run_events<P: Protocol>(sim: &mut Sim<P>, events: u64, leader: ReplicaId, append_every_us: u64) {
    let until = sim.steps() + events;
    let mut append_at_us = sim.now_us() + append_every_us;
    while sim.steps() < until {
        if append_every_us > 0 && sim.next_due_us() >= append_at_us {
            let command = Command::Append { replica: leader, key: 1, value: sim.steps(), count: 1 };
            // Refused only if the leader is down, which nothing here makes it.
            let _ = sim.apply(Placed::by_hand(sim.steps(), append_at_us, command));
            append_at_us += append_every_us;
        } else if !sim.step() {
            break;
        }
    }
}
