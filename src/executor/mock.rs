//! The executor that runs in virtual time.
//!
//! A *poll* looks at the clock and runs at most one task; it never moves the clock. [`advance`] moves the clock to the
//! earliest due task of several executors and polls once: the engine of a simulation.
//!
//! Holds always: a submit is due at the moment the executor last saw, so a delayed task that was due before it runs
//! before it; time passes for an executor only when it is shown the clock.

use super::{EventExecutor, MockTime, NEVER, Outcome, OutcomeOf, Phase, Rejected, TaskId, TaskQueue, Turn, Work};

/// How many outcomes an executor remembers that was not told otherwise.
const OUTCOMES_KEPT: usize = 1_024;

/// A manually polled executor over tasks that are data.
#[derive(Clone, Debug)]
pub struct MockEventExecutor<T: Work> {
    tasks: TaskQueue<T>,
    seen_us: u64,
}

impl<T: Work> Default for MockEventExecutor<T> {
    #[inline]
    fn default() -> Self {
        Self::with_capacity_limit(usize::MAX)
    }
}

impl<T: Work> MockEventExecutor<T> {
    /// An executor that holds at most `capacity` pending tasks and polls a cancelled one once, as Kafka's mock does.
    #[must_use]
    #[inline]
    pub fn with_capacity_limit(capacity: usize) -> Self {
        Self { tasks: TaskQueue::new(capacity, OUTCOMES_KEPT, true), seen_us: 0 }
    }

    /// An executor for simulations: a cancelled task leaves at once, because its empty poll would be an event without
    /// a cause, and no outcomes are remembered, because nobody asks and a cluster is copied often.
    #[must_use]
    #[inline]
    pub fn for_simulation() -> Self {
        Self { tasks: TaskQueue::new(usize::MAX, 0, false), seen_us: 0 }
    }

    /// Shows the executor the clock. Delays count from here.
    #[inline]
    pub fn see(&mut self, time: &MockTime) {
        self.seen_us = self.seen_us.max(time.now_us());
    }

    /// When the earliest task is due, in microseconds; [`NEVER`] without one.
    #[must_use]
    #[inline]
    pub fn next_due_us(&self) -> u64 {
        self.tasks.next_due_us()
    }

    /// The earliest task as (due time in microseconds, number, task).
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<(u64, u64, &T)> {
        self.tasks.first()
    }

    /// Takes the earliest task if it is due, to be run by the caller and then [completed](Self::complete): a poll in
    /// two halves, for a caller that the executor belongs to.
    #[inline]
    pub fn take_due(&mut self, time: &MockTime) -> Option<Turn<T>> {
        self.see(time);
        self.tasks.take_due(self.seen_us)
    }

    /// Takes one waiting task out of turn, like [`take_due`](Self::take_due).
    #[inline]
    pub fn take(&mut self, id: TaskId, time: &MockTime) -> Option<Turn<T>> {
        self.see(time);
        self.tasks.take(id)
    }

    /// Says how a taken task has ended.
    #[inline]
    pub fn complete(&mut self, number: u64, outcome: OutcomeOf<T>) {
        self.tasks.complete(number, outcome);
    }

    /// Runs at most one due task by giving it to `run`; says whether there was one. Never moves the clock.
    #[inline]
    pub fn poll(&mut self, time: &MockTime, run: impl FnOnce(&mut Self, T) -> Result<T::Value, T::Error>) -> bool {
        let Some(turn) = self.take_due(time) else {
            return false;
        };
        if let Some(task) = turn.task {
            let outcome = run(self, task).map_or_else(Outcome::Error, Outcome::Value);
            self.complete(turn.number, outcome);
        }
        true
    }

    /// All waiting tasks as (due time in microseconds, number, task), in no particular order.
    #[inline]
    pub fn waiting(&self) -> impl Iterator<Item = (u64, u64, &T)> {
        self.tasks.waiting()
    }

    /// The waiting task with that number.
    #[must_use]
    #[inline]
    pub fn find(&self, number: u64) -> Option<TaskId> {
        self.tasks.find(number)
    }

    /// How many tasks have been accepted and how many were run so far.
    #[must_use]
    #[inline]
    pub const fn counters(&self) -> (u64, u64) {
        self.tasks.counters()
    }
}

impl<T: Work> EventExecutor<T> for MockEventExecutor<T> {
    #[inline]
    fn now_us(&self) -> u64 {
        self.seen_us
    }

    #[inline]
    fn submit(&mut self, task: T) -> Result<TaskId, Rejected> {
        self.tasks.add(task, self.seen_us, self.seen_us)
    }

    #[inline]
    fn schedule(&mut self, task: T, delay_us: u64) -> Result<TaskId, Rejected> {
        self.tasks.add(task, self.seen_us, self.seen_us.saturating_add(delay_us))
    }

    #[inline]
    fn cancel(&mut self, id: TaskId) -> bool {
        self.tasks.cancel(id)
    }

    #[inline]
    fn reschedule(&mut self, id: TaskId, task: T, delay_us: u64) -> Result<TaskId, Rejected> {
        self.tasks.replace(id, task, self.seen_us, self.seen_us.saturating_add(delay_us))
    }

    #[inline]
    fn outcome(&self, id: TaskId) -> OutcomeOf<T> {
        self.tasks.outcome(id)
    }

    #[inline]
    fn shutdown(&mut self) {
        self.tasks.shutdown(self.seen_us);
    }

    #[inline]
    fn phase(&self) -> Phase {
        self.tasks.phase()
    }

    #[inline]
    fn pending(&self) -> usize {
        self.tasks.pending()
    }
}

/// Which of several executors has the earliest due task, given when each one's first is due; ties: the lowest index.
pub fn earliest(due_us: impl Iterator<Item = u64>) -> Option<(usize, u64)> {
    // The first of equal minima.
    due_us.enumerate().filter(|&(_, due_us)| due_us != NEVER).min_by_key(|&(_, due_us)| due_us)
}

/// Moves `time` to the earliest due task among `executors` and polls that one once.
///
/// Gives the index of the executor that was polled, or `None` (and leaves the clock alone) when no task waits.
pub fn advance<T: Work>(
    time: &mut MockTime,
    executors: &mut [MockEventExecutor<T>],
    run: impl FnOnce(usize, &mut MockEventExecutor<T>, T) -> Result<T::Value, T::Error>,
) -> Option<usize> {
    let (index, due_us) = earliest(executors.iter().map(MockEventExecutor::next_due_us))?;
    if due_us > time.now_us() {
        time.set_us(due_us);
    }
    executors[index].poll(time, |executor, task| run(index, executor, task));
    Some(index)
}
