//! The executor that runs in virtual time.
//!
//! A *poll* looks at the clock and runs at most one task; it never moves the clock. [`advance`] moves the clock to the
//! earliest due task of several executors and polls once: the engine of a simulation.
//!
//! Holds always: tasks leave in the order (due time, number), so equal deadlines are first in, first out; a submit is
//! due at the moment the executor last saw, so a delayed task that was due before it runs before it.

use super::{EventExecutor, Handle, MockTime, NEVER, OrderedQueue, Rejected, TaskId};

/// A manually polled executor over tasks that are data.
#[derive(Clone, Debug)]
pub struct MockEventExecutor<T> {
    queue: OrderedQueue<(u64, u64), T>,
    accepted: u64,
    ran: u64,
    seen_us: u64,
    capacity: usize,
    is_shutdown: bool,
}

impl<T> Default for MockEventExecutor<T> {
    fn default() -> Self {
        Self::with_capacity_limit(usize::MAX)
    }
}

impl<T> MockEventExecutor<T> {
    /// An executor that holds at most `capacity` pending tasks.
    #[must_use]
    pub fn with_capacity_limit(capacity: usize) -> Self {
        Self { queue: OrderedQueue::default(), accepted: 0, ran: 0, seen_us: 0, capacity, is_shutdown: false }
    }

    /// Tells the executor what the clock shows. Delays count from here.
    pub fn see(&mut self, time: &MockTime) {
        self.seen_us = self.seen_us.max(time.now_us());
    }

    /// When the earliest task is due, in microseconds; [`NEVER`] without one.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        self.queue.first().map_or(NEVER, |((due_us, _), _)| due_us)
    }

    /// Takes the earliest task if it is due, to be run by the caller: one poll without the running. Gives its number too.
    pub fn take_due(&mut self, time: &MockTime) -> Option<(u64, T)> {
        self.see(time);
        if self.next_due_us() > time.now_us() {
            return None;
        }
        let ((_, number), task) = self.queue.pop()?;
        self.ran += 1;
        Some((number, task))
    }

    /// Runs at most one due task by giving it to `run`; says whether it ran one. Never moves the clock.
    pub fn poll(&mut self, time: &MockTime, run: impl FnOnce(&mut Self, T)) -> bool {
        match self.take_due(time) {
            Some((_, task)) => {
                run(self, task);
                true
            }
            None => false,
        }
    }

    /// All pending tasks as (due time in microseconds, number, task), in no particular order.
    pub fn tasks(&self) -> impl Iterator<Item = (u64, u64, &T)> {
        self.queue.iter().map(|(_, (due_us, number), task)| (due_us, number, task))
    }

    /// How many tasks have been accepted and how many have run so far.
    #[must_use]
    pub const fn counters(&self) -> (u64, u64) {
        (self.accepted, self.ran)
    }

    fn add(&mut self, task: T, due_us: u64) -> Result<TaskId, Rejected> {
        if self.is_shutdown {
            return Err(Rejected::Shutdown);
        }
        if self.queue.len() >= self.capacity {
            return Err(Rejected::Capacity(self.capacity));
        }
        let number = self.accepted;
        self.accepted += 1;
        let handle: Handle = self.queue.push((due_us, number), task);
        Ok(TaskId { number, handle })
    }
}

impl<T> EventExecutor<T> for MockEventExecutor<T> {
    fn submit(&mut self, task: T) -> Result<TaskId, Rejected> {
        self.add(task, self.seen_us)
    }

    fn schedule(&mut self, task: T, delay_us: u64) -> Result<TaskId, Rejected> {
        self.add(task, self.seen_us.saturating_add(delay_us).min(NEVER - 1))
    }

    fn cancel(&mut self, id: TaskId) -> Option<T> {
        self.queue.remove(id.handle).map(|(_, task)| task)
    }

    fn shutdown(&mut self) {
        self.is_shutdown = true;
        let now_us = self.seen_us;
        self.queue.retain(|(due_us, _), _| due_us <= now_us);
    }

    fn is_shutdown(&self) -> bool {
        self.is_shutdown
    }

    fn pending(&self) -> usize {
        self.queue.len()
    }
}

/// Moves `time` to the earliest due task among `executors` (ties: the lowest index) and polls that one once.
///
/// Gives the index of the executor that ran a task, or `None` (and leaves the clock alone) when no task waits.
pub fn advance<T>(
    time: &mut MockTime,
    executors: &mut [MockEventExecutor<T>],
    run: impl FnOnce(usize, &mut MockEventExecutor<T>, T),
) -> Option<usize> {
    let (index, due_us) = executors
        .iter()
        .map(MockEventExecutor::next_due_us)
        .enumerate()
        .min_by_key(|&(index, due_us)| (due_us, index))
        .filter(|&(_, due_us)| due_us != NEVER)?;
    if due_us > time.now_us() {
        time.set_us(due_us);
    }
    executors[index].poll(time, |executor, task| run(index, executor, task));
    Some(index)
}
