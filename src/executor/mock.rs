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

/// Which of several executors has the earliest due task, given when each one's first is due; ties: the lowest index.
pub fn earliest(due_us: impl Iterator<Item = u64>) -> Option<(usize, u64)> {
    // The first of equal minima.
    due_us.enumerate().filter(|&(_, due_us)| due_us != NEVER).min_by_key(|&(_, due_us)| due_us)
}

/// Moves `time` to the earliest due task among `executors` and polls that one once.
///
/// Gives the index of the executor that ran a task, or `None` (and leaves the clock alone) when no task waits.
pub fn advance<T>(
    time: &mut MockTime,
    executors: &mut [MockEventExecutor<T>],
    run: impl FnOnce(usize, &mut MockEventExecutor<T>, T),
) -> Option<usize> {
    let (index, due_us) = earliest(executors.iter().map(MockEventExecutor::next_due_us))?;
    if due_us > time.now_us() {
        time.set_us(due_us);
    }
    executors[index].poll(time, |executor, task| run(index, executor, task));
    Some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_deadlines_are_first_in_first_out_and_a_poll_runs_one_task() {
        let mut executor = MockEventExecutor::default();
        for name in ["a", "b", "c", "d", "e"] {
            executor.schedule(name, 100).expect("it is open");
        }
        let mut ran = Vec::new();
        assert!(!executor.poll(&MockTime::at(99), |_, _| ()));
        while executor.poll(&MockTime::at(100), |_, task| ran.push(task)) {
            assert_eq!(ran.len() + executor.pending(), 5);
        }
        assert_eq!(ran, ["a", "b", "c", "d", "e"]);
    }

    #[test]
    fn a_delayed_task_that_was_due_before_a_submit_runs_before_it() {
        let mut executor = MockEventExecutor::default();
        executor.submit("submit 1").expect("it is open");
        executor.schedule("delay 20", 20).expect("it is open");
        executor.submit("submit 2").expect("it is open");
        let time = MockTime::at(30);
        executor.see(&time);
        executor.submit("submit 3").expect("it is open");
        let mut ran = Vec::new();
        while executor.poll(&time, |_, task| ran.push(task)) {}
        assert_eq!(ran, ["submit 1", "submit 2", "delay 20", "submit 3"]);
    }

    #[test]
    fn a_cancelled_task_never_runs_and_frees_its_place() {
        let mut executor = MockEventExecutor::with_capacity_limit(1);
        let id = executor.schedule("a", 5).expect("there is room");
        assert_eq!(executor.submit("b"), Err(Rejected::Capacity(1)));
        assert_eq!(executor.cancel(id), Some("a"));
        assert_eq!(executor.cancel(id), None);
        executor.submit("c").expect("there is room again");
        let mut ran = Vec::new();
        while executor.poll(&MockTime::at(9), |_, task| ran.push(task)) {}
        assert_eq!(ran, ["c"]);
    }

    #[test]
    fn shutdown_keeps_what_is_due_drops_the_rest_and_rejects() {
        let mut executor = MockEventExecutor::default();
        executor.schedule("a", 100).expect("it is open");
        executor.schedule("b", 200).expect("it is open");
        let time = MockTime::at(100);
        executor.see(&time);
        executor.shutdown();
        assert_eq!(executor.submit("c"), Err(Rejected::Shutdown));
        let mut ran = Vec::new();
        while executor.poll(&MockTime::at(999), |_, task| ran.push(task)) {}
        assert_eq!(ran, ["a"]);
    }

    #[test]
    fn advance_moves_one_clock_to_the_earliest_task_of_all_and_polls_once() {
        let mut time = MockTime::at(0);
        let mut all = [MockEventExecutor::default(), MockEventExecutor::default()];
        all[0].schedule("late", 50).expect("it is open");
        all[1].schedule("early", 20).expect("it is open");
        all[1].schedule("tie", 50).expect("it is open");
        let mut copy = (time, all.clone());
        let mut ran = Vec::new();
        while let Some(index) = advance(&mut time, &mut all, |index, _, task| ran.push((index, task))) {
            assert!(index < 2);
        }
        assert_eq!(ran, [(1, "early"), (0, "late"), (1, "tie")]);
        assert_eq!(time.now_us(), 50);
        // A clone taken before has the same future.
        let mut again = Vec::new();
        while advance(&mut copy.0, &mut copy.1, |index, _, task| again.push((index, task))).is_some() {}
        assert_eq!(again, ran);
    }
}
