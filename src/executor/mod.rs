//! Event executors: where a Raft client's work waits for its turn.
//!
//! An [`EventExecutor`] takes *tasks*, each a plain value, now ([`EventExecutor::submit`]) or after a delay
//! ([`EventExecutor::schedule`]), and runs them one at a time, ordered by due time and, among equals, by the order in
//! which they were given. What became of a task can be asked for ([`EventExecutor::outcome`]). Because a task is data
//! and not a closure, an executor over cloneable tasks is itself `Clone`: a whole cluster can be copied at any moment,
//! which is what stepping back needs.
//!
//! | executor | time | who runs the tasks |
//! | --- | --- | --- |
//! | [`MockEventExecutor`] | [`MockTime`], moved by hand | whoever calls `poll`; nothing happens by itself |
//! | [`DefaultEventExecutor`], natively | a monotonic clock | a thread of its own, which sleeps until the next deadline |
//! | [`DefaultEventExecutor`], in a page | a monotonic clock | the page's event loop, through a message channel and browser timers |
//!
//! All three are one state machine, [`TaskQueue`], with different clocks and different callers; `docs/executors.md`
//! has the lines in which they still differ, and where they differ on purpose from Kafka's.
//!
//! This room knows nothing of Raft, networks or pages.

mod default;
mod mock;
mod order;
mod queue;
mod tasks;
mod time;

pub use default::DefaultEventExecutor;
pub use mock::{MockEventExecutor, advance, earliest};
pub use order::in_order;
pub use queue::{Handle, OrderedQueue};
pub use tasks::{TaskQueue, Turn};
pub use time::{MICROS_PER_MILLI, MockTime, NEVER};

/// What an executor carries: plain data, with a value or an error when it has run.
pub trait Work {
    /// What a task gives when all went well.
    type Value: Clone + std::fmt::Debug;
    /// What it gives when not.
    type Error: Clone + std::fmt::Debug;
}

/// Names one task of one executor for as long as the executor lives.
///
/// `number` counts the tasks an executor has accepted, from 0, and is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskId {
    /// The count of tasks accepted before this one.
    pub number: u64,
    pub(crate) handle: Handle,
}

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<V, E> {
    /// It waits or is being run.
    Pending,
    /// It ran.
    Value(V),
    /// It ran and failed.
    Error(E),
    /// It ran and panicked, with this message. Only where a panic can be caught: natively.
    Panicked(String),
    /// It was cancelled before it ran.
    Cancelled,
    /// It was not due when the executor was shut down.
    NeverRan,
    /// It ended so long ago that the executor no longer remembers how.
    Forgotten,
}

/// The outcome of a task of type `T`.
pub type OutcomeOf<T> = Outcome<<T as Work>::Value, <T as Work>::Error>;

/// How far an executor's life is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It takes tasks.
    Open,
    /// It was shut down and runs what was due then.
    Draining,
    /// Nothing runs any more: the shutdown's own result.
    Finished,
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
/// Holds always: a task runs at most once; a task that was cancelled while it was queued never runs; the running task
/// does not count as pending; after [`shutdown`](Self::shutdown) nothing new is accepted and delayed tasks that were
/// not due at that moment never run.
pub trait EventExecutor<T: Work> {
    /// What the executor's clock shows, in microseconds.
    fn now_us(&self) -> u64;

    /// Queues `task` to run as soon as possible.
    ///
    /// # Errors
    /// [`Rejected`] after a shutdown or when the executor is full.
    fn submit(&mut self, task: T) -> Result<TaskId, Rejected>;

    /// Queues `task` to run once `delay_us` microseconds have passed.
    ///
    /// # Errors
    /// [`Rejected`] after a shutdown or when the executor is full.
    fn schedule(&mut self, task: T, delay_us: u64) -> Result<TaskId, Rejected>;

    /// Takes back a task that waits; whether it did. A task that runs already is not disturbed.
    fn cancel(&mut self, id: TaskId) -> bool;

    /// [Cancels](Self::cancel) one task and [schedules](Self::schedule) another, which takes its place: the way of
    /// timers that are armed anew.
    ///
    /// # Errors
    /// [`Rejected`] as with `schedule`; the first task is cancelled in any case.
    fn reschedule(&mut self, id: TaskId, task: T, delay_us: u64) -> Result<TaskId, Rejected> {
        self.cancel(id);
        self.schedule(task, delay_us)
    }

    /// What became of a task.
    fn outcome(&self, id: TaskId) -> OutcomeOf<T>;

    /// Accepts nothing more, drops the delayed tasks that are not due and finishes when the others have run. A second
    /// call changes nothing.
    fn shutdown(&mut self);

    /// How far its life is; [`Phase::Finished`] once a shutdown has ended.
    fn phase(&self) -> Phase;

    /// How many tasks wait: accepted, not yet started, not cancelled.
    fn pending(&self) -> usize;
}
