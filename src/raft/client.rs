//! A replica together with the executor on which it runs.
//!
//! A [`RaftClient`] is given its executor at construction and schedules and cancels its own tasks on it. Its work is
//! cut into *separate events*: one task to look at the state, one per inbound message, one to tell the listeners, and
//! one per armed timer. A look at the state comes before a message of the same instant and after whatever changed
//! something.
//!
//! Holds always: each armed timer of the replica has exactly one task; a task that was overtaken by a re-arm is gone.
//! Local time is converted here and nowhere else.
//!
//! Leaves out, for now: the form of the work as one self-rescheduling poll event, and graceful shutdown.

use super::digest::Encoder;
use super::ids::ReplicaId;
use super::protocol::{Context, Effects, Fault, Luck, Protocol, Replica};
use super::timers::Timer;
use crate::executor::{EventExecutor, MockEventExecutor, MockTime, NEVER, TaskId};

/// What waits on a client's executor.
#[derive(Clone, Debug)]
pub enum Task<M> {
    /// Do what the state asks for.
    PollState,
    /// Take a message.
    Message(ReplicaId, M),
    /// Tell the listeners.
    PollListeners,
    /// A timer's time has come.
    Timer(Timer),
}

/// Which task ran, without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// [`Task::PollState`].
    PollState,
    /// [`Task::Message`].
    Message,
    /// [`Task::PollListeners`].
    PollListeners,
    /// [`Task::Timer`].
    Timer(Timer),
}

/// A replica's clock against the global one.
#[derive(Clone, Copy, Debug)]
pub struct LocalClock {
    /// What it shows when the global clock shows 0, in microseconds.
    pub offset_us: u64,
    /// Local microseconds per million global ones.
    pub rate_ppm: u32,
}

impl Default for LocalClock {
    fn default() -> Self {
        Self { offset_us: 0, rate_ppm: 1_000_000 }
    }
}

impl LocalClock {
    /// Local time at a global time.
    #[must_use]
    pub fn local_us(self, global_us: u64) -> u64 {
        let run = u128::from(global_us) * u128::from(self.rate_ppm) / 1_000_000;
        self.offset_us.saturating_add(u64::try_from(run).unwrap_or(NEVER - 1)).min(NEVER - 1)
    }

    /// The first global time at which the local clock shows at least `local_us`.
    #[must_use]
    pub fn global_us(self, local_us: u64) -> u64 {
        let run = u128::from(local_us.saturating_sub(self.offset_us)) * 1_000_000;
        u64::try_from(run.div_ceil(u128::from(self.rate_ppm.max(1)))).unwrap_or(NEVER - 1).min(NEVER - 1)
    }
}

/// One driven replica.
#[derive(Clone, Debug)]
pub struct RaftClient<P: Protocol> {
    replica: P::Replica,
    executor: MockEventExecutor<Task<P::Message>>,
    /// The task of each armed timer, by [`Timer::index`].
    timer_tasks: Vec<Option<TaskId>>,
    clock: LocalClock,
    /// When the state was last looked at, in local microseconds.
    polled_at_us: Option<u64>,
    poll_is_queued: bool,
    listeners_are_queued: bool,
}

/// What driving needs from outside.
pub struct Surroundings<'a, P: Protocol> {
    /// The global clock.
    pub time: &'a MockTime,
    /// The protocol's settings.
    pub settings: &'a P::Settings,
    /// The replica's luck.
    pub luck: &'a mut dyn Luck,
    /// Where effects go; the driver itself carries out timers and notify.
    pub effects: &'a mut Effects<P>,
}

impl<P: Protocol> RaftClient<P> {
    /// Starts a replica from `disk` on `executor` and queues its first look at the state.
    #[must_use]
    pub fn start(
        id: ReplicaId,
        replicas: u8,
        disk: P::Disk,
        executor: MockEventExecutor<Task<P::Message>>,
        clock: LocalClock,
        around: &mut Surroundings<'_, P>,
    ) -> Self {
        let now_us = clock.local_us(around.time.now_us());
        let mut cx =
            Context { now_us, settings: around.settings, luck: &mut *around.luck, effects: &mut *around.effects };
        let replica = P::Replica::start(id, replicas, disk, &mut cx);
        let mut client = Self {
            replica,
            executor,
            timer_tasks: vec![None; Timer::table_len(replicas)],
            clock,
            polled_at_us: None,
            poll_is_queued: false,
            listeners_are_queued: false,
        };
        client.executor.see(around.time);
        client.settle(around);
        client.queue_poll();
        client
    }

    /// The replica.
    #[must_use]
    pub const fn replica(&self) -> &P::Replica {
        &self.replica
    }

    /// Its executor.
    #[must_use]
    pub const fn executor(&self) -> &MockEventExecutor<Task<P::Message>> {
        &self.executor
    }

    /// Its clock.
    #[must_use]
    pub const fn clock(&self) -> LocalClock {
        self.clock
    }

    /// Stops it; gives what is on disk.
    #[must_use]
    pub fn stop(self, keep_unflushed: bool) -> P::Disk {
        self.replica.stop(keep_unflushed)
    }

    /// When its earliest task is due, in global microseconds.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        self.executor.next_due_us()
    }

    /// The timer that comes first and its global time.
    #[must_use]
    pub fn first_timer(&self) -> Option<(Timer, u32, u64)> {
        self.replica.timers().first().map(|(timer, line)| (timer, line.number, self.clock.global_us(line.at_us)))
    }

    /// Queues a message, after a look at the state if there was none at this instant.
    pub fn receive(&mut self, from: ReplicaId, message: P::Message, time: &MockTime) {
        self.executor.see(time);
        if self.polled_at_us != Some(self.clock.local_us(time.now_us())) {
            self.queue_poll();
        }
        self.submit(Task::Message(from, message));
    }

    /// Brings an armed timer forward to now.
    pub fn hurry(&mut self, timer: Timer, around: &mut Surroundings<'_, P>) {
        self.executor.see(around.time);
        if let Some(task) = self.timer_tasks[timer.index()].take() {
            self.executor.cancel(task);
            self.timer_tasks[timer.index()] = self.executor.submit(Task::Timer(timer)).ok();
        }
    }

    /// Runs at most one due task; says which.
    pub fn poll(&mut self, around: &mut Surroundings<'_, P>) -> Option<(u64, TaskKind)> {
        let (number, task) = self.executor.take_due(around.time)?;
        let now_us = self.clock.local_us(around.time.now_us());
        let mut cx =
            Context { now_us, settings: around.settings, luck: &mut *around.luck, effects: &mut *around.effects };
        let kind = match task {
            Task::PollState => {
                self.poll_is_queued = false;
                self.polled_at_us = Some(now_us);
                let again = self.replica.poll_state(&mut cx);
                if again {
                    self.queue_poll();
                }
                TaskKind::PollState
            }
            Task::Message(from, message) => {
                self.replica.handle(from, message, &mut cx);
                self.queue_poll();
                TaskKind::Message
            }
            Task::PollListeners => {
                self.listeners_are_queued = false;
                self.replica.poll_listeners(&mut cx);
                TaskKind::PollListeners
            }
            Task::Timer(timer) => {
                self.timer_tasks[timer.index()] = None;
                self.polled_at_us = Some(now_us);
                let again = self.replica.fire(timer, &mut cx);
                if again {
                    self.queue_poll();
                }
                TaskKind::Timer(timer)
            }
        };
        self.settle(around);
        Some((number, kind))
    }

    /// Carries out what concerns the executor: timers and notify.
    fn settle(&mut self, around: &mut Surroundings<'_, P>) {
        let effects = &mut *around.effects;
        for timer in effects.timers.drain(..) {
            let at_us = self.replica.timers().deadline_us(timer);
            let slot = &mut self.timer_tasks[timer.index()];
            if let Some(task) = slot.take() {
                self.executor.cancel(task);
            }
            if at_us != NEVER {
                let delay_us = self.clock.global_us(at_us).saturating_sub(around.time.now_us());
                *slot = self.executor.schedule(Task::Timer(timer), delay_us).ok();
            }
        }
        if std::mem::take(&mut effects.notify) && !self.listeners_are_queued {
            self.listeners_are_queued = true;
            self.submit(Task::PollListeners);
        }
    }

    fn queue_poll(&mut self) {
        if !self.poll_is_queued {
            self.poll_is_queued = true;
            self.submit(Task::PollState);
        }
    }

    fn submit(&mut self, task: Task<P::Message>) {
        // Rejected only after a shutdown, when nothing more is wanted.
        let _ = self.executor.submit(task);
    }

    /// Writes everything that decides its future, for a state digest.
    pub fn encode(&self, out: &mut Encoder, order: &mut Vec<(u64, u64)>) {
        self.replica.encode(out);
        out.u64(self.clock.offset_us);
        out.u32(self.clock.rate_ppm);
        out.option(self.polled_at_us);
        // Tasks in their order; their numbers are part of their names.
        order.clear();
        order.extend(self.executor.tasks().map(|(due_us, number, _)| (due_us, number)));
        order.sort_unstable();
        for &(due_us, number) in order.iter() {
            out.u64(due_us);
            out.u64(number);
            let task = self.executor.tasks().find(|&(_, n, _)| n == number).map(|(_, _, task)| task);
            match task {
                Some(Task::PollState) => out.u8(0),
                Some(Task::Message(from, message)) => {
                    out.u8(1);
                    out.u8(from.0);
                    P::encode_message(message, out);
                }
                Some(Task::PollListeners) => out.u8(2),
                Some(Task::Timer(timer)) => {
                    out.u8(3);
                    out.u32(u32::try_from(timer.index()).unwrap_or(u32::MAX));
                }
                None => {}
            }
        }
    }
}

/// What a client reports when it cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which replica.
    pub replica: ReplicaId,
    /// Why.
    pub fault: Fault,
}
