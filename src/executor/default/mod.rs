//! The executor that runs in real time, on one thread.
//!
//! A [`DefaultEventExecutor`] is a handle; its clones are the same executor. It takes tasks from the start and runs
//! them once it is given somebody who does them ([`DefaultEventExecutor::serve`]). That worker may itself hold a
//! handle: a task may submit, schedule, cancel and shut down.
//!
//! Holds always: one task runs at a time; an error of a task is its outcome and nothing more; the executor ends only
//! by a shutdown. The clock counts microseconds from the executor's creation and never goes back.
//!
//! Natively one thread sleeps until the next deadline. In a page there is one thread anyway: `submit` goes over a
//! message channel, which browsers do not slow down as they do nested timers, and `schedule` over one browser timer for
//! the earliest deadline; each message runs one task, so that the page can paint and listen in between.

#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(not(target_arch = "wasm32"))]
mod native;

#[cfg(target_arch = "wasm32")]
pub use browser::DefaultEventExecutor;
#[cfg(not(target_arch = "wasm32"))]
pub use native::DefaultEventExecutor;

/// How many outcomes an executor remembers.
const OUTCOMES_KEPT: usize = 1_024;
