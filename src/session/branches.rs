//! Acting in the past, undo and redo, and switching between futures.
//!
//! A *branch* is a whole future: a history with its own commands. Whoever acts where a future is known begins a new
//! branch; the old one stays as it is and is listed with where and why it was left. What is done can be undone: each
//! edit keeps what was before it.
//!
//! Holds always: the numbers of branches are never used again; the current branch is not among the others.

use super::Session;
use crate::raft::Any;
use crate::scenario::{Code, InputError, validate_command};
use crate::sim::{Command, CommandError, Compiled, History, Placed, Plan};
use std::rc::Rc;
use std::sync::Arc;

/// The most branches; whoever wants more removes one.
pub const BRANCHES_MAX: usize = 50;
/// How many edits can be undone.
const UNDO_MAX: usize = 50;
/// The longest name of a branch, in bytes.
const NAME_MAX: usize = 80;

/// Why something cannot be done. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActError {
    /// The cluster cannot do it here.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// It says something that cannot be.
    #[error("{}", .0.says)]
    Input(#[from] InputError),
    /// It would begin one branch more than are kept.
    #[error("there are {BRANCHES_MAX} branches, as many as are kept; remove one first")]
    TooManyBranches,
}

/// Where and why a branch began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// From which branch.
    pub from: u32,
    /// After how many steps.
    pub step: u64,
    /// When, in global microseconds.
    pub at_us: u64,
    /// What was done there.
    pub command: Command,
}

/// What a branch is called and where it comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    id: u32,
    name: String,
    fork: Option<Fork>,
}

/// A branch that is not the current one, as it was left.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    head: Head,
    history: History<Any>,
    playhead_us: u64,
}

/// What was done to a run as a whole, and can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Something was done in it.
    Act(Command),
    /// Something was planned, or taken back.
    Plan(Command),
    /// A branch was named.
    Name(u32),
    /// A branch was removed.
    Remove(u32),
}

/// What was there before an edit.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    edit: Edit,
    line: Rc<Branch>,
    others: Vec<Rc<Branch>>,
}

/// A branch, for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchView {
    /// Its number, from 0.
    pub id: u32,
    /// What somebody called it; may be empty.
    pub name: String,
    /// Where it began; the first one at the start.
    pub fork: Option<Fork>,
    /// How far it is known, in steps.
    pub length: u64,
    /// How many commands it has.
    pub commands: usize,
    /// Whether it is the current one.
    pub is_current: bool,
}

impl Session {
    /// Whether something is known of what comes after this moment.
    #[must_use]
    pub fn has_future(&self) -> bool {
        self.history.end() > self.position() || self.history.next_command().is_some()
    }

    /// Forgets all other branches, and what could be undone.
    pub fn forget_others(&mut self) {
        self.others.clear();
        self.undo.clear();
        self.redo.clear();
    }

    fn line(&self) -> Branch {
        Branch { head: self.head.clone(), history: self.history.clone(), playhead_us: self.playhead_us }
    }

    /// Keeps what is here before an edit, and begins a new branch if it is made in the past.
    fn keep(&mut self, edit: Edit, line: Rc<Branch>) {
        self.redo.clear();
        if self.undo.len() == UNDO_MAX {
            self.undo.remove(0);
        }
        self.undo.push(Kept { edit, line, others: self.others.clone() });
    }

    fn fork(&mut self, line: Rc<Branch>, step: u64, at_us: u64, command: Command) {
        let from = self.head.id;
        self.others.push(line);
        self.head = Head { id: self.branched, name: String::new(), fork: Some(Fork { from, step, at_us, command }) };
        self.branched += 1;
    }

    /// Does something here, at the playhead. If more is known of the run, that stays as a branch of its own.
    ///
    /// # Errors
    /// [`ActError`] if it cannot be done; then nothing has changed.
    pub fn act(&mut self, command: Command) -> Result<(), ActError> {
        validate_command("command", &command, self.sim().replicas())?;
        let forks = self.has_future();
        if forks && self.others.len() + 1 >= BRANCHES_MAX {
            return Err(ActError::TooManyBranches);
        }
        let (step, tasks, at_us) = (self.position(), self.sim().tasks_into(), self.playhead_us);
        let line = Rc::new(self.line());
        let before = Arc::new(self.sim().clone());
        Any::act(&mut self.history, Placed { tasks, ..Placed::by_hand(step, at_us, command) })?;
        self.keep(Edit::Act(command), Rc::clone(&line));
        if forks {
            self.fork(line, step, at_us, command);
        }
        self.before = Some(before);
        self.playhead_us = self.sim().now_us();
        self.recent.cut(step + u64::from(tasks > 0));
        self.take_in();
        Ok(())
    }

    /// Lets something come at a time, not before the present. If more is known of the run, that stays as a branch.
    ///
    /// # Errors
    /// [`ActError`] if it says something that cannot be, or there are too many branches; then nothing has changed.
    pub fn plan(&mut self, plan: Plan) -> Result<(), ActError> {
        validate_command("plan", &plan.command, self.sim().replicas())?;
        // What has happened at that very time would come after it when the run is replayed.
        let is_over = plan.at_us < self.playhead_us || (self.position() > 0 && plan.at_us <= self.sim().now_us());
        if is_over || self.is_open() {
            return Err(InputError::new(Code::Contradiction, "at", "that time is over").into());
        }
        let forks = self.history.end() > self.position();
        if forks && self.others.len() + 1 >= BRANCHES_MAX {
            return Err(ActError::TooManyBranches);
        }
        let line = Rc::new(self.line());
        self.history.plan(plan);
        self.keep(Edit::Plan(plan.command), Rc::clone(&line));
        if forks {
            let (step, at_us) = (self.position(), self.playhead_us);
            self.fork(line, step, at_us, plan.command);
        }
        self.recent.cut(self.begun());
        Ok(())
    }

    /// Takes back what waits for its time.
    pub fn unplan(&mut self, plan: Plan) {
        let line = Rc::new(self.line());
        self.keep(Edit::Plan(plan.command), line);
        self.history.unplan(plan);
    }

    /// What would be undone.
    #[must_use]
    pub fn to_undo(&self) -> Option<&Edit> {
        self.undo.last().map(|kept| &kept.edit)
    }

    /// What would be done again.
    #[must_use]
    pub fn to_redo(&self) -> Option<&Edit> {
        self.redo.last().map(|kept| &kept.edit)
    }

    /// Goes to what is kept; gives what was here.
    fn restore(&mut self, kept: Kept) -> Kept {
        let Kept { edit, line, others } = kept;
        let here = Kept { edit, line: Rc::new(self.line()), others: std::mem::replace(&mut self.others, others) };
        self.open_line(&line);
        here
    }

    fn open_line(&mut self, line: &Branch) {
        self.head = line.head.clone();
        self.history = line.history.clone();
        self.playhead_us = line.playhead_us;
        let at_us = self.playhead_us;
        self.look_back();
        self.set_playhead(at_us);
    }

    /// Takes the last edit back; false if there is none.
    pub fn undo(&mut self) -> bool {
        let Some(kept) = self.undo.pop() else { return false };
        let here = self.restore(kept);
        self.redo.push(here);
        true
    }

    /// Does again what was taken back; false if there is nothing.
    pub fn redo(&mut self) -> bool {
        let Some(kept) = self.redo.pop() else { return false };
        let here = self.restore(kept);
        self.undo.push(here);
        true
    }

    /// All branches by their numbers, the current one included.
    #[must_use]
    pub fn branches(&self) -> Vec<BranchView> {
        let view = |head: &Head, history: &History<Any>, is_current| BranchView {
            id: head.id,
            name: head.name.clone(),
            fork: head.fork,
            length: history.end(),
            commands: history.commands().len() + history.plans().len(),
            is_current,
        };
        let mut all: Vec<BranchView> =
            self.others.iter().map(|branch| view(&branch.head, &branch.history, false)).collect();
        let here = view(&self.head, &self.history, true);
        let place = all.iter().position(|branch| branch.id > here.id).unwrap_or(all.len());
        all.insert(place, here);
        all
    }

    /// The number of the current branch.
    #[must_use]
    pub const fn branch(&self) -> u32 {
        self.head.id
    }

    /// Goes to another branch, where it was left; false if there is none of that number.
    pub fn switch(&mut self, id: u32) -> bool {
        let Some(place) = self.others.iter().position(|branch| branch.head.id == id) else {
            return false;
        };
        let line = self.others.remove(place);
        let left = Rc::new(self.line());
        let after = self.others.iter().position(|branch| branch.head.id > left.head.id).unwrap_or(self.others.len());
        self.others.insert(after, left);
        self.open_line(&line);
        true
    }

    /// Another branch as a run of its own, to be laid beside this one.
    #[must_use]
    pub fn beside(&self, id: u32) -> Option<Self> {
        let line = self.others.iter().find(|branch| branch.head.id == id)?;
        let mut other = Self { others: Vec::new(), undo: Vec::new(), redo: Vec::new(), ..self.clone() };
        other.open_line(line);
        Some(other)
    }

    /// Calls a branch something; of the name so much is kept as fits.
    pub fn name(&mut self, id: u32, name: &str) {
        let mut name = name.trim().to_owned();
        while name.len() > NAME_MAX {
            name.pop();
        }
        let line = Rc::new(self.line());
        if id == self.head.id {
            self.keep(Edit::Name(id), line);
            self.head.name = name;
        } else if let Some(place) = self.others.iter().position(|branch| branch.head.id == id) {
            self.keep(Edit::Name(id), line);
            let mut branch = Branch::clone(&self.others[place]);
            branch.head.name = name;
            self.others[place] = Rc::new(branch);
        }
    }

    /// Removes a branch that is not the current one; that can be undone.
    pub fn remove(&mut self, id: u32) {
        if self.others.iter().any(|branch| branch.head.id == id) {
            let line = Rc::new(self.line());
            self.keep(Edit::Remove(id), line);
            self.others.retain(|branch| branch.head.id != id);
        }
    }

    /// The first position after which this run and another of the same settings differ; `None` if one is the beginning of
    /// the other.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<u64> {
        let (ours, theirs) = (self.history.commands(), other.history.commands());
        let same = ours.iter().zip(theirs).take_while(|(one, other)| one == other).count();
        let step = |commands: &[Placed]| commands.get(same).map(|placed| placed.step);
        match (step(ours), step(theirs)) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (Some(one), None) if other.history.end() > one => Some(one),
            (None, Some(other)) if self.history.end() > other => Some(other),
            _ => None,
        }
    }
}
