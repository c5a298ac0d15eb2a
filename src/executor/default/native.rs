//! Natively: one thread that sleeps until the next deadline.

use super::OUTCOMES_KEPT;
use crate::executor::{EventExecutor, NEVER, Outcome, OutcomeOf, Phase, Rejected, TaskId, TaskQueue, Work};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[expect(clippy::disallowed_types, reason = "this is the executor that runs in real time")]
type Start = std::time::Instant;

struct Shared<T: Work> {
    tasks: Mutex<TaskQueue<T>>,
    /// Something changed: a task came, went or ended, or the executor was shut down.
    changed: Condvar,
    start: Start,
}

/// An executor in real time. Clones are handles of the same executor.
///
/// Its thread ends by [`shutdown`](EventExecutor::shutdown) and not before.
pub struct DefaultEventExecutor<T: Work> {
    shared: Arc<Shared<T>>,
}

impl<T: Work> Clone for DefaultEventExecutor<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<T> DefaultEventExecutor<T>
where
    T: Work + Send + 'static,
    T::Value: Send,
    T::Error: Send,
{
    /// An executor that holds at most `capacity` pending tasks. It runs none before it is [served](Self::serve).
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let tasks = Mutex::new(TaskQueue::new(capacity, OUTCOMES_KEPT, false));
        Self { shared: Arc::new(Shared { tasks, changed: Condvar::new(), start: Start::now() }) }
    }

    /// Runs the tasks, one after the other, by giving them to `worker`, on a thread of its own.
    ///
    /// # Panics
    /// If the system refuses a thread.
    pub fn serve(&self, worker: impl FnMut(T) -> Result<T::Value, T::Error> + Send + 'static) {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("event-executor".into());
        thread.spawn(move || shared.run(worker)).expect("the system gives a thread");
    }

    /// Waits until a task has ended and says how.
    #[must_use]
    pub fn wait(&self, id: TaskId) -> OutcomeOf<T> {
        let mut tasks = self.shared.lock();
        loop {
            match tasks.outcome(id) {
                Outcome::Pending => {
                    tasks = self.shared.changed.wait(tasks).unwrap_or_else(PoisonError::into_inner);
                }
                ended => return ended,
            }
        }
    }

    /// Waits until the executor has finished after a shutdown.
    pub fn wait_finished(&self) {
        let mut tasks = self.shared.lock();
        while tasks.phase() != Phase::Finished {
            tasks = self.shared.changed.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T: Work> Shared<T> {
    /// The tasks. No task runs while they are locked, so a panic cannot leave them half changed.
    fn lock(&self) -> MutexGuard<'_, TaskQueue<T>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(NEVER - 1)
    }

    fn run(&self, mut worker: impl FnMut(T) -> Result<T::Value, T::Error>) {
        let mut tasks = self.lock();
        while tasks.phase() != Phase::Finished {
            let now_us = self.now_us();
            if let Some(turn) = tasks.take_due(now_us) {
                let Some(task) = turn.task else { continue };
                drop(tasks);
                let outcome = match catch_unwind(AssertUnwindSafe(|| worker(task))) {
                    Ok(ended) => ended.map_or_else(Outcome::Error, Outcome::Value),
                    Err(panic) => {
                        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                        Outcome::Panicked(text.unwrap_or_default())
                    }
                };
                tasks = self.lock();
                tasks.complete(turn.number, outcome);
                self.changed.notify_all();
                continue;
            }
            let due_us = tasks.next_due_us();
            tasks = if due_us == NEVER {
                self.changed.wait(tasks).unwrap_or_else(PoisonError::into_inner)
            } else {
                let sleep = Duration::from_micros(due_us.saturating_sub(now_us));
                self.changed.wait_timeout(tasks, sleep).unwrap_or_else(PoisonError::into_inner).0
            };
        }
        self.changed.notify_all();
    }

    fn change<R>(&self, change: impl FnOnce(&mut TaskQueue<T>, u64) -> R) -> R {
        let mut tasks = self.lock();
        let result = change(&mut tasks, self.now_us());
        self.changed.notify_all();
        result
    }
}

impl<T: Work> EventExecutor<T> for DefaultEventExecutor<T> {
    fn now_us(&self) -> u64 {
        self.shared.now_us()
    }

    fn submit(&mut self, task: T) -> Result<TaskId, Rejected> {
        self.shared.change(|tasks, now_us| tasks.add(task, now_us, now_us))
    }

    fn schedule(&mut self, task: T, delay_us: u64) -> Result<TaskId, Rejected> {
        self.shared.change(|tasks, now_us| tasks.add(task, now_us, now_us.saturating_add(delay_us)))
    }

    fn cancel(&mut self, id: TaskId) -> bool {
        self.shared.change(|tasks, _| tasks.cancel(id))
    }

    fn outcome(&self, id: TaskId) -> OutcomeOf<T> {
        self.shared.lock().outcome(id)
    }

    fn shutdown(&mut self) {
        self.shared.change(TaskQueue::shutdown);
    }

    fn phase(&self) -> Phase {
        self.shared.lock().phase()
    }

    fn pending(&self) -> usize {
        self.shared.lock().pending()
    }
}
