//! Event executors: where a Raft client's work waits for its turn.
//!
//! An [`EventExecutor`] takes *tasks*, each a plain value, now ([`EventExecutor::submit`]) or after a delay
//! ([`EventExecutor::schedule`]), and hands them back one at a time, ordered by due time and, among equals, by the
//! order in which they were given. Because a task is data and not a closure, an executor over cloneable tasks is
//! itself `Clone`: a whole cluster can be copied at any moment, which is what stepping back needs.
//!
//! [`MockEventExecutor`] runs in virtual time: nothing happens until somebody calls
//! [`poll`](MockEventExecutor::poll), and the clock ([`MockTime`]) moves only when told to. Several executors share
//! one clock by being polled with it.
//!
//! This room knows nothing of Raft, networks or pages.

mod mock;
mod queue;
mod time;

pub use mock::{MockEventExecutor, advance, earliest};
pub use queue::{Handle, OrderedQueue};
pub use time::{MICROS_PER_MILLI, MockTime, NEVER};

/// Names one task of one executor for as long as the executor lives.
///
/// `number` counts the tasks an executor has accepted, from 0, and is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskId {
    /// The count of tasks accepted before this one.
    pub number: u64,
    pub(crate) handle: Handle,
}

/// Why an executor did not take a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// `shutdown` was called before.
    #[error("event executor was shut down")]
    Shutdown,
    /// As many tasks are pending as the executor may hold.
    #[error("pending task capacity reached {0}")]
    Capacity(usize),
}

/// A single-threaded place where tasks wait and from which they run one after the other.
///
/// Holds always: a task runs at most once; a task that was cancelled while it was queued never runs; after
/// [`shutdown`](Self::shutdown) nothing new is accepted and delayed tasks that are not yet due never run.
pub trait EventExecutor<T> {
    /// Queues `task` to run as soon as possible.
    ///
    /// # Errors
    /// [`Rejected`] after a shutdown or when the executor is full.
    fn submit(&mut self, task: T) -> Result<TaskId, Rejected>;

    /// Queues `task` to run once `delay_us` microseconds have passed since the executor last saw the clock.
    ///
    /// # Errors
    /// [`Rejected`] after a shutdown or when the executor is full.
    fn schedule(&mut self, task: T, delay_us: u64) -> Result<TaskId, Rejected>;

    /// Takes a task out of the queue; gives it back if it was still there.
    fn cancel(&mut self, id: TaskId) -> Option<T>;

    /// Accepts nothing more and drops the delayed tasks that are not due.
    fn shutdown(&mut self);

    /// Whether [`shutdown`](Self::shutdown) was called.
    fn is_shutdown(&self) -> bool;

    /// How many tasks wait.
    fn pending(&self) -> usize;
}
