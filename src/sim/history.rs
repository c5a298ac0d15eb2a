//! Where a run has been, so that it can be there again.
//!
//! A history keeps the commands of a run and clones of it at some positions; going anywhere is restoring the nearest
//! clone before it and replaying. Clones are taken at least every [`SPACING`] steps; past [`CHECKPOINTS_MAX`] of them
//! the older half is thinned.

use super::cluster::Sim;
use super::command::{Command, CommandError, Placed};
use super::settings::SimSettings;
use super::trace::{Mark, TraceEvent, What};
use crate::raft::Protocol;

/// Steps between two checkpoints.
const SPACING: u64 = 512;
/// Checkpoints kept.
const CHECKPOINTS_MAX: usize = 2_000;

/// A run with its past.
#[derive(Clone, Debug)]
pub struct History<P: Protocol> {
    now: Sim<P>,
    /// Rising by steps; the first is the start.
    checkpoints: Vec<Sim<P>>,
    commands: Vec<Placed>,
    /// How many of the commands have been carried out.
    done: usize,
    /// The furthest position reached since the last command.
    end: u64,
    marks: Vec<Mark>,
    /// The furthest position whose marks are kept.
    marked: u64,
}

impl<P: Protocol> History<P> {
    /// A run at its start, with commands that will be carried out when their positions are reached.
    #[must_use]
    pub fn new(settings: SimSettings<P>, commands: Vec<Placed>) -> Self {
        let now = Sim::new(settings);
        Self { checkpoints: vec![now.clone()], now, commands, done: 0, end: 0, marks: Vec::new(), marked: 0 }
    }

    /// The run as it is now.
    #[must_use]
    pub const fn now(&self) -> &Sim<P> {
        &self.now
    }

    /// The commands, carried out or still to come.
    #[must_use]
    pub fn commands(&self) -> &[Placed] {
        &self.commands
    }

    /// The furthest position reached.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// The command that comes next, if it comes here.
    #[must_use]
    pub fn next_command(&self) -> Option<Placed> {
        let here = (self.now.steps(), self.now.tasks_into());
        self.commands.get(self.done).copied().filter(|placed| (placed.step, placed.tasks) == here)
    }

    /// Whether a command comes within the next step, after some of its tasks.
    fn has_command_within(&self) -> bool {
        let here = (self.now.steps(), self.now.tasks_into());
        self.commands.get(self.done).is_some_and(|placed| placed.step == here.0 && placed.tasks > here.1)
    }

    /// When the next step is, in global microseconds.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        self.next_command().map_or_else(|| self.now.next_due_us(), |placed| placed.at_us)
    }

    /// Takes one step, be it a command on record or the next event. Stops within a step where a command comes there.
    /// False if nothing is left to do.
    ///
    /// # Errors
    /// [`CommandError`] if a command on record cannot be carried out at its position; the run stays before it.
    pub fn step(&mut self) -> Result<bool, CommandError> {
        let before = self.now.steps();
        while self.has_command_within() {
            if !self.step_task()? {
                return Ok(false);
            }
            if self.now.steps() > before {
                // The step had fewer tasks than the command says.
                return Err(CommandError::NoSuchEvent);
            }
            if self.next_command().is_some() {
                return Ok(true);
            }
        }
        match self.next_command() {
            Some(placed) => {
                self.now.apply(placed)?;
                self.done += 1;
            }
            None => {
                if !self.now.step() {
                    return Ok(false);
                }
            }
        }
        self.note_progress();
        Ok(true)
    }

    /// Runs one executor task of the next step, or the command on record that comes here. False if nothing is left.
    ///
    /// # Errors
    /// As with [`step`](Self::step).
    pub fn step_task(&mut self) -> Result<bool, CommandError> {
        if self.next_command().is_some() {
            return self.step();
        }
        if !self.now.step_task() {
            return Ok(false);
        }
        self.note_progress();
        Ok(true)
    }

    fn note_progress(&mut self) {
        self.mark();
        self.end = self.end.max(self.now.steps());
        self.remember();
    }

    fn remember(&mut self) {
        let last = self.checkpoints.last().map_or(0, Sim::steps);
        if self.now.steps() < last + SPACING || self.now.tasks_into() > 0 {
            return;
        }
        self.checkpoints.push(self.now.clone());
        if self.checkpoints.len() > CHECKPOINTS_MAX {
            let half = CHECKPOINTS_MAX / 2;
            let mut place = 0;
            self.checkpoints.retain(|_| {
                place += 1;
                place > half || place % 2 == 1
            });
        }
    }

    /// Carries out a new command here and forgets the commands that were to come.
    ///
    /// # Errors
    /// [`CommandError`] if it cannot be carried out; then nothing is forgotten.
    pub fn act(&mut self, placed: Placed) -> Result<(), CommandError> {
        let placed = Placed { step: self.now.steps(), tasks: self.now.tasks_into(), ..placed };
        self.now.apply(placed)?;
        self.commands.truncate(self.done);
        self.commands.push(placed);
        self.done += 1;
        self.end = self.now.steps();
        let here = placed.step;
        self.marks.retain(|mark| mark.step <= here);
        self.marked = here;
        self.mark();
        self.checkpoints.retain(|checkpoint| checkpoint.steps() <= here);
        self.remember();
        Ok(())
    }

    /// Goes to a position, back or forward: so many steps, and so many tasks into the next. Stops early where nothing is
    /// left to do, and where a command ends the step.
    ///
    /// # Errors
    /// [`CommandError`] if a command on record cannot be carried out on the way.
    pub fn seek(&mut self, step: u64, tasks: u32) -> Result<(), CommandError> {
        if (step, tasks) < (self.now.steps(), self.now.tasks_into()) {
            let after = self.checkpoints.partition_point(|checkpoint| checkpoint.steps() <= step);
            let from = &self.checkpoints[after.saturating_sub(1)];
            // One step short, so that the trace of the last step is there again.
            let from = if from.steps() == step && after >= 2 { &self.checkpoints[after - 2] } else { from };
            self.now = from.clone();
            let here = self.now.steps();
            self.done = self.commands.partition_point(|placed| placed.step < here);
        }
        while self.now.steps() < step {
            if !self.step()? {
                break;
            }
        }
        while self.now.steps() == step && self.now.tasks_into() < tasks {
            if self.next_command().is_some() || !self.now.step_task() {
                break;
            }
        }
        self.mark();
        self.end = self.end.max(self.now.steps());
        Ok(())
    }

    /// Replays the steps from `first` to `last` (by the position after them; 0 is the start) and gives each step's trace to
    /// `visit`. The run stays where it is.
    pub fn visit(&self, first: u64, last: u64, mut visit: impl FnMut(&Sim<P>, &[TraceEvent<P>])) {
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.steps() < first.max(1));
        let start = &self.checkpoints[after.saturating_sub(1)];
        let mut copy = Self {
            now: start.clone(),
            checkpoints: vec![start.clone()],
            commands: self.commands.clone(),
            done: self.commands.partition_point(|placed| placed.step < start.steps()),
            end: self.end,
            marks: Vec::new(),
            marked: u64::MAX,
        };
        if first == 0 {
            visit(&copy.now, copy.now.last_step());
        }
        while copy.now.steps() < last {
            let before = copy.now.steps();
            if !copy.step().unwrap_or(false) {
                break;
            }
            if copy.now.steps() > before && copy.now.steps() >= first {
                visit(&copy.now, copy.now.last_step());
            }
        }
    }

    /// Role changes and stops of the whole run so far, in order; those after the position where one stands included.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Keeps the marks of the last step, if it is the furthest yet.
    fn mark(&mut self) {
        let step = self.now.steps();
        if step <= self.marked {
            return;
        }
        self.marked = step;
        for event in self.now.last_step() {
            let (role, epoch) = match event.what {
                What::Note(note) => match P::role_change(&note) {
                    Some((role, epoch)) => (Some(role), epoch),
                    None => continue,
                },
                What::Failed(..) | What::Ended(_) => (None, 0),
                What::Command(Command::Crash { replica, .. }) => {
                    self.marks.push(Mark { step, at_us: event.at_us, replica, role: None, epoch: 0 });
                    continue;
                }
                _ => continue,
            };
            self.marks.push(Mark { step, at_us: event.at_us, replica: event.replica, role, epoch });
        }
    }

    /// Goes to the last position at or before a time, in global microseconds, as far as the run has come.
    ///
    /// # Errors
    /// [`CommandError`] if a command on record cannot be carried out on the way.
    pub fn seek_time(&mut self, at_us: u64) -> Result<(), CommandError> {
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.now_us() <= at_us);
        let start = self.checkpoints[after.saturating_sub(1)].steps();
        self.seek(start, 0)?;
        while self.now.steps() < self.end && self.next_due_us() <= at_us {
            if !self.step()? {
                break;
            }
        }
        Ok(())
    }
}
