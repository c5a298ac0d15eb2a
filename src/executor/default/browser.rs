//! In a page: a message channel for what is due, one browser timer for the earliest deadline.

use super::OUTCOMES_KEPT;
use crate::executor::{
    EventExecutor, MICROS_PER_MILLI, NEVER, Outcome, OutcomeOf, Phase, Rejected, TaskId, TaskQueue, Work,
};
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{MessageChannel, MessagePort};

/// Browsers count a timer's delay in 31 bits; a longer one goes off early and is set again.
const DELAY_MS_MAX: u64 = 1 << 30;

type Worker<T> = dyn FnMut(T) -> Result<<T as Work>::Value, <T as Work>::Error>;

struct Shared<T: Work> {
    tasks: RefCell<TaskQueue<T>>,
    worker: RefCell<Option<Box<Worker<T>>>>,
    /// Where a message means: run one task.
    ring: MessagePort,
    /// Whether such a message is on its way.
    rings: Cell<bool>,
    /// The timer for the earliest deadline, and that deadline.
    timer: RefCell<Option<(u64, Timeout)>>,
    bell: RefCell<Option<EventListener>>,
    start_ms: f64,
}

/// An executor in real time. Clones are handles of the same executor.
pub struct DefaultEventExecutor<T: Work> {
    shared: Rc<Shared<T>>,
}

impl<T: Work> Clone for DefaultEventExecutor<T> {
    fn clone(&self) -> Self {
        Self { shared: Rc::clone(&self.shared) }
    }
}

/// Milliseconds on a clock that never goes back, in a page or a worker.
fn clock_ms() -> f64 {
    let performance = js_sys::Reflect::get(&js_sys::global(), &JsValue::from_str("performance"));
    let performance: Result<web_sys::Performance, _> = performance.map(Into::into);
    performance.map_or(0.0, |performance| performance.now())
}

impl<T: Work + 'static> DefaultEventExecutor<T> {
    /// An executor that holds at most `capacity` pending tasks. It runs none before it is [served](Self::serve).
    ///
    /// # Panics
    /// If the browser has no message channels; every one that runs WebAssembly does.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let channel = MessageChannel::new().expect("browsers have message channels");
        let shared = Rc::new(Shared {
            tasks: RefCell::new(TaskQueue::new(capacity, OUTCOMES_KEPT, false)),
            worker: RefCell::new(None),
            ring: channel.port1(),
            rings: Cell::new(false),
            timer: RefCell::new(None),
            bell: RefCell::new(None),
            start_ms: clock_ms(),
        });
        let weak = Rc::downgrade(&shared);
        let port = channel.port2();
        let bell = EventListener::new(&port, "message", move |_| {
            if let Some(shared) = weak.upgrade() {
                shared.rings.set(false);
                shared.run_one();
                shared.wake();
            }
        });
        port.start();
        *shared.bell.borrow_mut() = Some(bell);
        Self { shared }
    }

    /// Runs the tasks, one after the other, by giving them to `worker`.
    pub fn serve(&self, worker: impl FnMut(T) -> Result<T::Value, T::Error> + 'static) {
        *self.shared.worker.borrow_mut() = Some(Box::new(worker));
        self.shared.wake();
    }
}

impl<T: Work + 'static> Shared<T> {
    fn now_us(&self) -> u64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a page lives for days, not centuries"
        )]
        let now_us = ((clock_ms() - self.start_ms).max(0.0) * 1_000.0) as u64;
        now_us
    }

    fn run_one(&self) {
        let turn = self.tasks.borrow_mut().take_due(self.now_us());
        let Some(turn) = turn else { return };
        let Some(task) = turn.task else { return };
        // Out of its place while it works, so that nothing is borrowed that a task may want.
        let worker = self.worker.borrow_mut().take();
        let Some(mut worker) = worker else { return };
        let outcome = worker(task).map_or_else(Outcome::Error, Outcome::Value);
        let mut place = self.worker.borrow_mut();
        if place.is_none() {
            *place = Some(worker);
        }
        drop(place);
        self.tasks.borrow_mut().complete(turn.number, outcome);
        self.release();
    }

    /// Once finished, lets the worker go: it may hold a handle of this very executor.
    fn release(&self) {
        if self.tasks.borrow().phase() == Phase::Finished {
            let worker = self.worker.borrow_mut().take();
            let bell = self.bell.borrow_mut().take();
            drop((worker, bell));
        }
    }

    /// Sees to it that the next task will run: by a message if it is due, else by a timer.
    fn wake(self: &Rc<Self>) {
        if self.worker.borrow().is_none() {
            return;
        }
        let due_us = self.tasks.borrow().next_due_us();
        let now_us = self.now_us();
        if due_us <= now_us {
            if !self.rings.replace(true) {
                let _ = self.ring.post_message(&JsValue::NULL);
            }
            return;
        }
        if due_us == NEVER {
            self.timer.borrow_mut().take();
            return;
        }
        if self.timer.borrow().as_ref().is_some_and(|&(at_us, _)| at_us == due_us) {
            return;
        }
        // Rounded up: a timer that goes off too early would only have to be set again.
        let delay_ms = (due_us - now_us).div_ceil(MICROS_PER_MILLI).min(DELAY_MS_MAX);
        let weak = Rc::downgrade(self);
        let timeout = Timeout::new(u32::try_from(delay_ms).unwrap_or(u32::MAX), move || {
            if let Some(shared) = weak.upgrade() {
                let gone_off = shared.timer.borrow_mut().take();
                shared.wake();
                drop(gone_off);
            }
        });
        *self.timer.borrow_mut() = Some((due_us, timeout));
    }
}

impl<T: Work + 'static> EventExecutor<T> for DefaultEventExecutor<T> {
    fn now_us(&self) -> u64 {
        self.shared.now_us()
    }

    fn submit(&mut self, task: T) -> Result<TaskId, Rejected> {
        self.schedule(task, 0)
    }

    fn schedule(&mut self, task: T, delay_us: u64) -> Result<TaskId, Rejected> {
        let now_us = self.shared.now_us();
        let id = self.shared.tasks.borrow_mut().add(task, now_us, now_us.saturating_add(delay_us))?;
        self.shared.wake();
        Ok(id)
    }

    fn cancel(&mut self, id: TaskId) -> bool {
        let was_waiting = self.shared.tasks.borrow_mut().cancel(id);
        self.shared.wake();
        was_waiting
    }

    fn outcome(&self, id: TaskId) -> OutcomeOf<T> {
        self.shared.tasks.borrow().outcome(id)
    }

    fn shutdown(&mut self) {
        let now_us = self.shared.now_us();
        self.shared.tasks.borrow_mut().shutdown(now_us);
        self.shared.release();
        self.shared.wake();
    }

    fn phase(&self) -> Phase {
        self.shared.tasks.borrow().phase()
    }

    fn pending(&self) -> usize {
        self.shared.tasks.borrow().pending()
    }
}
