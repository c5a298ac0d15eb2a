//! What moves the playhead: one task on an event executor of the page's own.
//!
//! While something plays, a *beat* waits on a [`DefaultEventExecutor`]; when it runs, the page moves the playhead by the
//! real time since the last one and asks for the next. Frames only draw.
//!
//! Holds always: at most one beat waits, and none while the page is still; one beat accounts for at most
//! [`ELAPSED_MS_MAX`], so that a page that was held up goes on where it stopped (case B20).

use super::app::{App, Msg};
use raftwerk::executor::{DefaultEventExecutor, EventExecutor, TaskId, Work};
use yew::html::Scope;

/// The most real time one beat may account for, in milliseconds.
pub const ELAPSED_MS_MAX: f64 = 100.0;
/// The time from one beat to the next: less than a frame, so that no frame draws an old playhead.
const BEAT_US: u64 = 12_000;

/// The playback task.
#[derive(Clone, Copy, Debug)]
struct Beat;

impl Work for Beat {
    type Value = ();
    type Error = ();
}

/// The executor and the beat that waits on it.
pub struct Playback {
    executor: DefaultEventExecutor<Beat>,
    waiting: Option<TaskId>,
    last_us: u64,
}

impl Playback {
    /// A playback that stands still and sends its beats to the page.
    pub fn new(page: Scope<App>) -> Self {
        let executor = DefaultEventExecutor::new(1);
        executor.serve(move |Beat| {
            page.send_message(Msg::Beat);
            Ok(())
        });
        Self { executor, waiting: None, last_us: 0 }
    }

    /// Sees to it that beats come, from now on; `at_once` leaves no pause between them.
    pub fn go_on(&mut self, at_once: bool) {
        if self.waiting.is_some() {
            return;
        }
        self.waiting = if at_once { self.executor.submit(Beat) } else { self.executor.schedule(Beat, BEAT_US) }.ok();
    }

    /// Starts to count time from now.
    pub fn start(&mut self) {
        self.last_us = self.executor.now_us();
    }

    /// Sees to it that no beat comes.
    pub fn stop(&mut self) {
        if let Some(id) = self.waiting.take() {
            self.executor.cancel(id);
        }
    }

    /// A beat came: the real time since the last one, in milliseconds.
    pub fn elapsed_ms(&mut self) -> f64 {
        self.waiting = None;
        let now_us = self.executor.now_us();
        #[expect(clippy::cast_precision_loss, reason = "the time between two beats is short")]
        let elapsed_ms = now_us.saturating_sub(self.last_us) as f64 / 1_000.0;
        self.last_us = now_us;
        elapsed_ms.min(ELAPSED_MS_MAX)
    }
}
