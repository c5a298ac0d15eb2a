//! Opening a record, in pieces, so that a long one can be shown and stopped.
//!
//! All commands are carried out once, also those after the moment, and what the record says of the run is compared with
//! what it is: a byte of the digest after each command, half of the state's digest at the moment.

use super::{Session, sim_settings};
use crate::raft::Any;
use crate::scenario::{Code, InputError, Record, validate};
use crate::sim::{CommandError, Compiled, History};

/// Where a replay first differs from the run that was shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Between the command before this one (or the start) and right after this one, by its place in the list.
    Command(usize),
    /// Between the last command (or the start) and the moment.
    Moment,
}

/// A record that is being replayed.
#[derive(Clone, Debug)]
pub struct Opening {
    record: Record,
    history: History<Any>,
    /// The position after the last command.
    last: u64,
}

impl Opening {
    /// Begins.
    ///
    /// # Errors
    /// [`InputError`] if the record is wrong.
    pub fn new(record: Record) -> Result<Self, InputError> {
        validate(&record)?;
        let history = History::new(sim_settings(&record), record.commands.clone(), record.plans.clone());
        let last = record.commands.last().map_or(0, |placed| placed.step + 1);
        Ok(Self { record, history, last })
    }

    /// How many steps are replayed, and of how many.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.history.now().steps(), self.last.max(self.record.position))
    }

    /// Replays at most so many steps more; true once all are.
    ///
    /// # Errors
    /// [`InputError`] if a command cannot be carried out where it stands, or the run ends before the moment.
    pub fn go_on(&mut self, most: u64) -> Result<bool, InputError> {
        let (here, furthest) = self.progress();
        let next = furthest.min(here.saturating_add(most));
        self.seek(next, 0)?;
        let now = self.history.now().steps();
        if now < next {
            if now < self.last {
                return Err(self.cannot(CommandError::NoSuchEvent));
            }
            return Err(InputError::new(Code::CannotBeDone, "view.position", "the run ends before it"));
        }
        Ok(now == furthest)
    }

    /// The run at the record's moment, once all is replayed; what is not yet is replayed first.
    ///
    /// # Errors
    /// As with [`go_on`](Self::go_on).
    pub fn finish(mut self) -> Result<Session, InputError> {
        while !self.go_on(u64::MAX)? {}
        self.seek(self.record.position, self.record.tasks)?;
        if self.history.now().tasks_into() < self.record.tasks {
            return Err(InputError::new(Code::CannotBeDone, "view.tasks", "the step at that position has fewer"));
        }
        let difference = self.difference();
        let mut session = Session::at(self.record, self.history);
        session.difference = difference;
        Ok(session)
    }

    fn difference(&self) -> Option<Difference> {
        let both = self.record.commands.iter().zip(self.history.commands());
        let differs = |said: Option<u8>, is: Option<u8>| said.is_some() && said != is;
        let command = both.into_iter().position(|(said, is)| differs(said.check, is.check));
        let said = self.record.digest;
        let moment = said.filter(|&said| said != self.history.now().short_digest()).map(|_| Difference::Moment);
        command.map(Difference::Command).or(moment)
    }

    fn seek(&mut self, step: u64, tasks: u32) -> Result<(), InputError> {
        Any::seek(&mut self.history, step, tasks).map_err(|why| self.cannot(why))
    }

    /// The command that comes next cannot be carried out.
    fn cannot(&self, why: CommandError) -> InputError {
        let next = self.history.next_command();
        let index = next.and_then(|next| self.history.commands().iter().position(|&known| known == next)).unwrap_or(0);
        InputError::new(Code::CannotBeDone, format!("commands[{index}]"), why.to_string())
    }
}
