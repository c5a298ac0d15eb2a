//! The state machine that all executors share: what waits, what runs, what became of it.
//!
//! It has no clock: each call that needs the time is told it. Tasks that are due when they are given wait in a line, in
//! their order; the others in a heap. So the many that are to run at once cost no search.
//!
//! Holds always: tasks leave in the order (due time, number); at most one runs; pending tasks never exceed the
//! capacity, and a running, cancelled or dropped one is not pending; outcomes of the last tasks that ended are kept, as
//! many as asked for.

use super::order::in_order;
use super::queue::{Handle, OrderedQueue};
use super::{NEVER, Outcome, OutcomeOf, Phase, Rejected, TaskId, Work};
use std::collections::VecDeque;

/// A task in the line. Their due times and their numbers rise.
#[derive(Clone, Debug)]
struct Ready<T> {
    due_us: u64,
    number: u64,
    waiting: Waiting<T>,
}

#[derive(Clone, Debug)]
struct Waiting<T> {
    /// `None` once cancelled, where a cancelled task keeps its turn.
    task: Option<T>,
    queued_us: u64,
}

/// A task taken out of the queue, to be run and then [completed](TaskQueue::complete).
#[derive(Clone, Debug)]
pub struct Turn<T> {
    /// Its number.
    pub number: u64,
    /// The task; `None` if it was cancelled and only its turn was left.
    pub task: Option<T>,
    /// When it was due, in microseconds.
    pub due_us: u64,
    /// When it was given, in microseconds.
    pub queued_us: u64,
}

/// Tasks, waiting and ended.
#[derive(Clone, Debug)]
pub struct TaskQueue<T: Work> {
    /// The line; its first is not an empty turn unless turns are kept.
    ready: VecDeque<Ready<T>>,
    queue: OrderedQueue<(u64, u64), Waiting<T>>,
    pending: usize,
    running: Option<u64>,
    ended: VecDeque<(u64, OutcomeOf<T>)>,
    kept: usize,
    accepted: u64,
    ran: u64,
    capacity: usize,
    phase: Phase,
    keeps_turns: bool,
}

impl<T: Work> TaskQueue<T> {
    /// A queue of at most `capacity` pending tasks that remembers the outcomes of the last `kept` tasks to end.
    ///
    /// With `keeps_turns` a cancelled task stays in its place, empty, and is taken once like any other.
    #[must_use]
    #[inline]
    pub fn new(capacity: usize, kept: usize, keeps_turns: bool) -> Self {
        Self {
            ready: VecDeque::new(),
            queue: OrderedQueue::default(),
            pending: 0,
            running: None,
            ended: VecDeque::new(),
            kept,
            accepted: 0,
            ran: 0,
            capacity,
            phase: Phase::Open,
            keeps_turns,
        }
    }

    /// Accepts a task that is due at `due_us`.
    ///
    /// # Errors
    /// [`Rejected`]: first for a shutdown, then for the capacity.
    #[inline]
    pub fn add(&mut self, task: T, now_us: u64, due_us: u64) -> Result<TaskId, Rejected> {
        if self.phase != Phase::Open {
            return Err(Rejected::Shutdown);
        }
        if self.pending >= self.capacity {
            return Err(Rejected::Capacity(self.capacity));
        }
        self.pending += 1;
        Ok(self.place(task, now_us, due_us))
    }

    fn place(&mut self, task: T, now_us: u64, due_us: u64) -> TaskId {
        let number = self.accepted;
        self.accepted += 1;
        let waiting = Waiting { task: Some(task), queued_us: now_us };
        let handle = if due_us <= now_us && self.ready.back().is_none_or(|last| last.due_us <= due_us) {
            self.ready.push_back(Ready { due_us, number, waiting });
            Handle::ELSEWHERE
        } else {
            self.queue.push((due_us.min(NEVER - 1), number), waiting)
        };
        TaskId { number, handle }
    }

    /// Its place in the line, if it waits there.
    #[inline]
    fn in_line(&self, id: TaskId) -> Option<usize> {
        if id.handle != Handle::ELSEWHERE {
            return None;
        }
        let place = self.ready.binary_search_by_key(&id.number, |ready| ready.number).ok()?;
        self.ready[place].waiting.task.is_some().then_some(place)
    }

    #[inline]
    fn waits(&self, id: TaskId) -> bool {
        if id.handle == Handle::ELSEWHERE {
            return self.in_line(id).is_some();
        }
        self.queue.get(id.handle).is_some_and(|((_, number), waiting)| number == id.number && waiting.task.is_some())
    }

    /// Drops empty turns from the head of the line.
    #[inline]
    fn tidy(&mut self) {
        while !self.keeps_turns && self.ready.front().is_some_and(|first| first.waiting.task.is_none()) {
            self.ready.pop_front();
        }
    }

    /// Takes back a waiting task; whether there was one.
    #[inline]
    pub fn cancel(&mut self, id: TaskId) -> bool {
        if !self.waits(id) {
            return false;
        }
        if let Some(place) = self.in_line(id) {
            self.ready[place].waiting.task = None;
            self.tidy();
        } else if self.keeps_turns {
            if let Some(waiting) = self.queue.get_mut(id.handle) {
                waiting.task = None;
            }
        } else {
            self.queue.remove(id.handle);
        }
        self.pending -= 1;
        self.end(id.number, Outcome::Cancelled);
        true
    }

    /// Cancels a waiting task and accepts another that is due at `due_us`, in one go.
    ///
    /// # Errors
    /// As with [`add`](Self::add); the first task is cancelled in any case.
    #[inline]
    pub fn replace(&mut self, id: TaskId, task: T, now_us: u64, due_us: u64) -> Result<TaskId, Rejected> {
        let is_simple = !self.keeps_turns && self.phase == Phase::Open && due_us > now_us;
        if !is_simple || id.handle == Handle::ELSEWHERE || !self.waits(id) {
            self.cancel(id);
            return self.add(task, now_us, due_us);
        }
        self.end(id.number, Outcome::Cancelled);
        let number = self.accepted;
        self.accepted += 1;
        let waiting = Waiting { task: Some(task), queued_us: now_us };
        let handle = self.queue.replace(id.handle, (due_us.min(NEVER - 1), number), waiting);
        Ok(TaskId { number, handle })
    }

    /// Takes a waiting task out of turn, due or not, to be run and then [completed](Self::complete).
    #[inline]
    pub fn take(&mut self, id: TaskId) -> Option<Turn<T>> {
        if !self.waits(id) {
            return None;
        }
        let ((due_us, number), waiting) = match self.in_line(id) {
            Some(place) => {
                let Ready { due_us, number, waiting } = self.ready.remove(place)?;
                self.tidy();
                ((due_us, number), waiting)
            }
            None => self.queue.remove(id.handle)?,
        };
        Some(self.begin(due_us, number, waiting))
    }

    #[inline]
    fn begin(&mut self, due_us: u64, number: u64, waiting: Waiting<T>) -> Turn<T> {
        let Waiting { task, queued_us } = waiting;
        if task.is_some() {
            assert!(self.running.is_none(), "one task runs at a time");
            self.pending -= 1;
            self.ran += 1;
            self.running = Some(number);
        } else {
            self.settle();
        }
        Turn { number, task, due_us, queued_us }
    }

    /// Whether the first task is in the line, and its key.
    #[inline]
    fn head(&self) -> Option<(bool, (u64, u64))> {
        let line = self.ready.front().map(|first| (first.due_us, first.number));
        match (line, self.queue.first_key()) {
            (Some(line), Some(heap)) if heap < line => Some((false, heap)),
            (Some(line), _) => Some((true, line)),
            (None, Some(heap)) => Some((false, heap)),
            (None, None) => None,
        }
    }

    /// When the first task is due, in microseconds; [`NEVER`] without one.
    #[inline]
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        self.head().map_or(NEVER, |(_, (due_us, _))| due_us)
    }

    /// The first task, if its turn has not been cancelled.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<(u64, u64, &T)> {
        let (is_in_line, (due_us, number)) = self.head()?;
        let waiting = if is_in_line { &self.ready.front()?.waiting } else { self.queue.first()?.1 };
        waiting.task.as_ref().map(|task| (due_us, number, task))
    }

    /// Takes the first task if it is due.
    #[inline]
    pub fn take_due(&mut self, now_us: u64) -> Option<Turn<T>> {
        let (is_in_line, (due_us, number)) = self.head()?;
        if due_us > now_us {
            return None;
        }
        let waiting = if is_in_line {
            let first = self.ready.pop_front()?;
            self.tidy();
            first.waiting
        } else {
            self.queue.pop()?.1
        };
        Some(self.begin(due_us, number, waiting))
    }

    /// Says how a task that was taken has ended.
    #[inline]
    pub fn complete(&mut self, number: u64, outcome: OutcomeOf<T>) {
        assert_eq!(self.running.take(), Some(number), "the task that ends is the one that runs");
        self.end(number, outcome);
        self.settle();
    }

    #[inline]
    fn end(&mut self, number: u64, outcome: OutcomeOf<T>) {
        if self.kept == 0 {
            return;
        }
        if self.ended.len() == self.kept {
            self.ended.pop_front();
        }
        self.ended.push_back((number, outcome));
    }

    #[inline]
    fn settle(&mut self) {
        if self.phase == Phase::Draining && self.ready.is_empty() && self.queue.is_empty() && self.running.is_none() {
            self.phase = Phase::Finished;
        }
    }

    /// What became of a task.
    #[must_use]
    #[inline]
    pub fn outcome(&self, id: TaskId) -> OutcomeOf<T> {
        if self.waits(id) || self.running == Some(id.number) {
            return Outcome::Pending;
        }
        let ended = self.ended.iter().rev().find(|(number, _)| *number == id.number);
        ended.map_or(Outcome::Forgotten, |(_, outcome)| outcome.clone())
    }

    /// Accepts nothing more and drops what is not due at `now_us`.
    #[inline]
    pub fn shutdown(&mut self, now_us: u64) {
        if self.phase != Phase::Open {
            return;
        }
        self.phase = Phase::Draining;
        let late: Vec<(u64, u64, Handle)> = self
            .queue
            .iter()
            .filter(|(_, (due_us, _), _)| *due_us > now_us)
            .map(|(handle, (due_us, number), _)| (due_us, number, handle))
            .collect();
        for (_, number, handle) in in_order(late, |&(due_us, number, _)| [due_us, number, 0]) {
            if let Some((_, Waiting { task: Some(_), .. })) = self.queue.remove(handle) {
                self.pending -= 1;
                self.end(number, Outcome::NeverRan);
            }
        }
        self.settle();
    }

    /// How far its life is.
    #[must_use]
    #[inline]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// How many tasks wait.
    #[must_use]
    #[inline]
    pub const fn pending(&self) -> usize {
        self.pending
    }

    /// All waiting tasks as (due time in microseconds, number, task), in no particular order.
    #[inline]
    pub fn waiting(&self) -> impl Iterator<Item = (u64, u64, &T)> {
        let line = self.ready.iter().map(|ready| (ready.due_us, ready.number, &ready.waiting));
        let heap = self.queue.iter().map(|(_, (due_us, number), waiting)| (due_us, number, waiting));
        line.chain(heap)
            .filter_map(|(due_us, number, waiting)| waiting.task.as_ref().map(|task| (due_us, number, task)))
    }

    /// The waiting task with that number.
    #[must_use]
    #[inline]
    pub fn find(&self, number: u64) -> Option<TaskId> {
        let in_line = TaskId { number, handle: Handle::ELSEWHERE };
        if self.waits(in_line) {
            return Some(in_line);
        }
        let found = self.queue.iter().find(|(_, (_, n), waiting)| *n == number && waiting.task.is_some());
        found.map(|(handle, ..)| TaskId { number, handle })
    }

    /// How many tasks have been accepted and how many were run so far.
    #[must_use]
    #[inline]
    pub const fn counters(&self) -> (u64, u64) {
        (self.accepted, self.ran)
    }
}
