//! Where a run has been, so that it can be there again.
//!
//! A history keeps the commands of a run and clones of it at some positions; going anywhere is restoring the nearest
//! clone before it and replaying. Clones are taken every [`SPACING`] steps; past [`CHECKPOINTS_MAX`] of them half are let
//! go and the spacing doubles. Clones are shared, so that a copy of a history, which is how a branch begins, is cheap.
//!
//! Commands stand at their positions; *plans* wait for their time, and take their place among the commands when it comes.
//!
//! Holds always: a plan that waits comes after every command on record.

use super::cluster::Sim;
use super::command::{Command, CommandError, Placed, Plan};
use super::settings::SimSettings;
use super::trace::{Mark, Marked, TraceEvent, What};
use crate::executor::in_order;
use crate::raft::Protocol;
use std::collections::VecDeque;
use std::sync::Arc;

/// Steps between two checkpoints at first: up to a million steps.
const SPACING: u64 = 512;
/// Checkpoints kept.
const CHECKPOINTS_MAX: usize = 2_000;

/// A run with its past.
#[derive(Clone, Debug)]
pub struct History<P: Protocol> {
    now: Sim<P>,
    /// Rising by steps; the first is the start.
    checkpoints: Vec<Arc<Sim<P>>>,
    /// How far they are apart at least.
    spacing: u64,
    /// The run one step before the end of the last seek, for whoever wants to see what that step changed.
    before: Option<Arc<Sim<P>>>,
    commands: Vec<Placed>,
    /// How many of the commands have been carried out.
    done: usize,
    /// Rising by time.
    plans: VecDeque<Plan>,
    /// Plans that could not be carried out when their time came, and after which step that was.
    missed: Vec<(u64, Plan, CommandError)>,
    /// The furthest position reached since the last command.
    end: u64,
    marks: Vec<Mark>,
    /// The furthest position whose marks are kept.
    marked: u64,
    /// Up to where entries are committed there.
    committed: u64,
}

impl<P: Protocol> History<P> {
    /// A run at its start, with commands that will be carried out when their positions are reached.
    #[must_use]
    pub fn new(settings: SimSettings<P>, commands: Vec<Placed>, plans: Vec<Plan>) -> Self {
        let now = Sim::new(settings);
        Self {
            checkpoints: vec![Arc::new(now.clone())],
            spacing: SPACING,
            before: None,
            now,
            commands,
            done: 0,
            plans: in_order(plans, |plan| [plan.at_us, 0, 0]).into(),
            missed: Vec::new(),
            end: 0,
            marks: Vec::new(),
            marked: 0,
            committed: 0,
        }
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

    /// What waits for its time, rising by it.
    #[must_use]
    pub fn plans(&self) -> &[Plan] {
        // It is filled from lists and emptied from its front, so it never wraps.
        let (all, wrapped) = self.plans.as_slices();
        debug_assert!(wrapped.is_empty(), "the plans lie in one piece");
        all
    }

    /// Plans that could not be carried out when their time came, up to here, and why.
    pub fn missed(&self) -> impl Iterator<Item = (Plan, CommandError)> {
        let here = self.now.steps();
        self.missed.iter().filter(move |&&(step, ..)| step <= here).map(|&(_, plan, why)| (plan, why))
    }

    /// What waits for its time or could not be done when it came, rising by it: a replay needs both.
    #[must_use]
    pub fn all_plans(&self) -> Vec<Plan> {
        let missed = self.missed.iter().map(|&(_, plan, _)| plan);
        in_order(missed.chain(self.plans.iter().copied()).collect(), |plan| [plan.at_us, 0, 0])
    }

    /// The run one step before the position that was last [sought](Self::seek).
    #[must_use]
    pub fn before(&self) -> Option<&Sim<P>> {
        self.before.as_deref()
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

    /// The plan that comes next, if nothing comes before it.
    #[must_use]
    pub fn next_plan(&self) -> Option<Plan> {
        let first = self.plans.front().copied()?;
        let is_free = self.done == self.commands.len() && self.now.tasks_into() == 0;
        (is_free && first.at_us <= self.now.next_due_us()).then_some(first)
    }

    /// When the next step is, in global microseconds.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        match (self.next_command(), self.next_plan()) {
            (Some(placed), _) => placed.at_us,
            (None, Some(plan)) => plan.at_us.max(self.now.now_us()),
            (None, None) => self.now.next_due_us(),
        }
    }

    /// Carries out the plan that comes next, if one does; those that cannot be are put aside.
    fn carry_out_plan(&mut self) -> bool {
        while let Some(plan) = self.next_plan() {
            self.plans.pop_front();
            let placed = Placed {
                step: self.now.steps(),
                tasks: 0,
                at_us: plan.at_us.max(self.now.now_us()),
                command: plan.command,
                is_planned: true,
                check: None,
            };
            match self.now.apply(placed) {
                Ok(()) => {
                    self.commands.push(Placed { check: Some(self.now.check_byte()), ..placed });
                    self.done += 1;
                    return true;
                }
                Err(why) => self.missed.push((self.now.steps(), plan, why)),
            }
        }
        false
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
                let so_far = self.open_marks();
                self.now.apply(placed)?;
                self.commands[self.done].check = Some(self.now.check_byte());
                self.done += 1;
                if self.now.steps() > self.marked {
                    self.marks.extend(so_far);
                }
            }
            None => {
                if !self.carry_out_plan() && !self.now.step() {
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
        if self.next_command().is_some() || self.next_plan().is_some() {
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
        let last = self.checkpoints.last().map_or(0, |checkpoint| checkpoint.steps());
        if self.now.steps() < last.saturating_add(self.spacing) || self.now.tasks_into() > 0 {
            return;
        }
        self.checkpoints.push(Arc::new(self.now.clone()));
        if self.checkpoints.len() > CHECKPOINTS_MAX {
            self.spacing *= 2;
            let mut is_odd = false;
            self.checkpoints.retain(|_| {
                is_odd = !is_odd;
                is_odd
            });
        }
    }

    /// Forgets what was to come by hand; what was planned waits for its time again.
    fn forget_future(&mut self) {
        let planned = self.commands.drain(self.done..).filter(|placed| placed.is_planned);
        let again = planned.map(|placed| Plan { at_us: placed.at_us, command: placed.command });
        self.plans.extend(again);
        // What could not be done later may be possible now.
        let here = self.now.steps();
        let later: Vec<Plan> =
            self.missed.iter().filter(|&&(step, ..)| step > here).map(|&(_, plan, _)| plan).collect();
        self.missed.retain(|&(step, ..)| step <= here);
        self.plans.extend(later);
        self.plans = in_order(std::mem::take(&mut self.plans).into(), |plan| [plan.at_us, 0, 0]).into();
    }

    /// Lets a command come at a time, not before the present, and forgets the commands that were to come by hand.
    pub fn plan(&mut self, plan: Plan) {
        self.forget_future();
        self.plans.push_back(plan);
        self.plans = in_order(std::mem::take(&mut self.plans).into(), |plan| [plan.at_us, 0, 0]).into();
        self.cut(self.now.steps());
    }

    /// Takes back what waits for its time.
    pub fn unplan(&mut self, plan: Plan) {
        if let Some(place) = self.plans.iter().position(|&known| known == plan) {
            self.plans.remove(place);
        }
    }

    /// Forgets what is known beyond a position.
    fn cut(&mut self, here: u64) {
        self.end = self.now.steps();
        self.marks.retain(|mark| mark.step <= here);
        self.marked = self.marked.min(here);
        let last = self.marks.iter().rev().find_map(|mark| match mark.what {
            Marked::Committed { end } => Some(end),
            _ => None,
        });
        self.committed = last.unwrap_or(0);
        self.checkpoints.retain(|checkpoint| checkpoint.steps() <= here);
    }

    /// Carries out a new command here and forgets the commands that were to come.
    ///
    /// # Errors
    /// [`CommandError`] if it cannot be carried out; then nothing is forgotten.
    pub fn act(&mut self, placed: Placed) -> Result<(), CommandError> {
        let placed = Placed { step: self.now.steps(), tasks: self.now.tasks_into(), ..placed };
        let so_far = self.open_marks();
        self.now.apply(placed)?;
        self.forget_future();
        self.commands.push(Placed { check: Some(self.now.check_byte()), ..placed });
        self.done += 1;
        self.cut(placed.step);
        self.marks.extend(so_far);
        self.mark();
        self.remember();
        Ok(())
    }

    /// Goes to a position, back or forward: so many steps, and so many tasks into the next. Stops early where nothing is
    /// left to do, and where a command ends the step.
    ///
    /// # Errors
    /// [`CommandError`] if a command on record cannot be carried out on the way.
    pub fn seek(&mut self, step: u64, tasks: u32) -> Result<(), CommandError> {
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.steps() <= step);
        let place = after.saturating_sub(1);
        // One step short, so that the trace of the last step is there again.
        let place = if self.checkpoints[place].steps() == step { place.saturating_sub(1) } else { place };
        let from = &self.checkpoints[place];
        let is_back = (step, tasks) < (self.now.steps(), self.now.tasks_into());
        if is_back || from.steps() > self.now.steps() {
            self.now = Sim::clone(from);
            let here = self.now.steps();
            self.done = self.commands.partition_point(|placed| placed.step < here);
            self.before = None;
        }
        // Within a step, what was before it is its start.
        let looked_at = step.saturating_sub(u64::from(tasks == 0));
        while self.now.steps() < step {
            if self.now.steps() == looked_at {
                self.before = Some(Arc::new(self.now.clone()));
            }
            if !self.step()? {
                break;
            }
        }
        if tasks > 0 && self.now.steps() == step && self.now.tasks_into() == 0 {
            self.before = Some(Arc::new(self.now.clone()));
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
            now: Sim::clone(start),
            checkpoints: vec![Arc::clone(start)],
            spacing: u64::MAX,
            before: None,
            commands: self.commands.clone(),
            done: self.commands.partition_point(|placed| placed.step < start.steps()),
            plans: VecDeque::new(),
            missed: Vec::new(),
            end: self.end,
            marks: Vec::new(),
            marked: u64::MAX,
            committed: 0,
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

    /// What happened in the whole run so far that is worth a mark, in order; also after the position where one stands.
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
        let marks = self.marks_of(step);
        for mark in &marks {
            if let Marked::Committed { end } = mark.what {
                self.committed = end;
            }
        }
        self.marks.extend(marks);
        let broken = self.now.violations().iter().rev().take_while(|violation| violation.step == step);
        let at_us = self.now.now_us();
        self.marks.extend(broken.map(|it| Mark { step, at_us, replica: it.replica, what: Marked::Broken }));
    }

    /// The marks of an open step so far, which a command within it would wipe from the trace.
    fn open_marks(&self) -> Vec<Mark> {
        if self.now.tasks_into() == 0 { Vec::new() } else { self.marks_of(self.now.steps() + 1) }
    }

    /// What of the last trace is worth a mark, as part of a step.
    fn marks_of(&self, step: u64) -> Vec<Mark> {
        let mut committed = self.committed;
        let mut marks = Vec::new();
        for event in self.now.last_step() {
            let (replica, what) = match event.what {
                What::Note(note) => match (P::role_change(&note), P::commit(&note)) {
                    (Some(change), _) => (event.replica, Marked::Became { role: change.to, epoch: change.epoch }),
                    (None, Some(end)) if end > committed => {
                        committed = end;
                        (event.replica, Marked::Committed { end })
                    }
                    (None, _) => continue,
                },
                What::Failed(..) | What::Ended(_) => (event.replica, Marked::Stopped),
                What::Command(Command::Crash { replica, .. }) => (replica, Marked::Stopped),
                What::Command(command) if command.is_fault() => (command.place(), Marked::Fault),
                _ => continue,
            };
            marks.push(Mark { step, at_us: event.at_us, replica, what });
        }
        marks
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
