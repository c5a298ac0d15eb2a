//! A replica together with the executor on which it runs.
//!
//! A [`RaftClient`] is given its executor at construction and schedules and cancels its own tasks on it, be it the
//! mock of a simulation or the default one in real time. Its work comes in one of two [forms](Form) over the same
//! timer table:
//!
//! | | separate events | one poll event |
//! | --- | --- | --- |
//! | an inbound message | a task of its own; there is no message queue | waits in the client's queue and moves the poll to now |
//! | a timer | a task of its own, scheduled for the deadline | the poll is scheduled for the earliest deadline |
//! | a look at the state | a task, before a message and after whatever changed something | the first part of each poll |
//! | listeners | a task, when something changed | the last part of each poll |
//!
//! Holds always: in both forms a look at the state comes before a message of the same instant and after it, so that
//! both do the same at the same times; in separate events each armed timer has exactly one task, and one that was
//! overtaken by a re-arm is gone; with one poll event there is at most one poll waiting, due no later than the earliest
//! deadline. Local time is converted here and nowhere else.

use super::digest::Encoder;
use super::ids::ReplicaId;
use super::protocol::{Context, Driven, Effects, Ended, Fault, Luck, Protocol, Replica, Request, RequestError};
use super::timers::{Armed, Timer, TimerTable};
use crate::executor::{
    EventExecutor, MICROS_PER_MILLI, MockEventExecutor, MockTime, NEVER, Outcome, Rejected, TaskId, Turn, Work,
    in_order,
};
use std::collections::VecDeque;

/// How a client's work is cut into events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// One task for each thing to do.
    #[default]
    SeparateEvents,
    /// One task that does a bit of everything and comes again: a polling thread, wrapped.
    OnePoll,
}

/// How a client works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientSettings {
    /// The form of its work.
    pub form: Form,
    /// Separate events: a message is preceded by a look at the state if the last one is longer ago than this.
    pub poll_state_max_age_ms: u32,
}

/// What waits on a client's executor.
#[derive(Clone, Debug)]
pub enum Task<M> {
    /// One poll event: the state, one message, the listeners.
    Poll,
    /// Do what the state asks for.
    PollState,
    /// Take a message.
    Message(ReplicaId, M),
    /// Tell the listeners.
    PollListeners,
    /// A timer's time has come.
    Timer(Timer),
    /// Do what somebody asks for.
    Request(Request),
    /// Another thread brings a message: it becomes a message of this client as soon as this runs.
    Arrival(ReplicaId, M),
}

/// Which task, without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// [`Task::Poll`].
    Poll,
    /// [`Task::PollState`].
    PollState,
    /// [`Task::Message`], and from whom.
    Message(ReplicaId),
    /// [`Task::PollListeners`].
    PollListeners,
    /// [`Task::Timer`].
    Timer(Timer),
    /// [`Task::Request`].
    Request,
    /// [`Task::Arrival`], and from whom.
    Arrival(ReplicaId),
}

impl<M> Task<M> {
    /// Which task it is.
    #[must_use]
    #[inline]
    pub const fn kind(&self) -> TaskKind {
        match self {
            Self::Poll => TaskKind::Poll,
            Self::PollState => TaskKind::PollState,
            Self::Message(from, _) => TaskKind::Message(*from),
            Self::PollListeners => TaskKind::PollListeners,
            Self::Timer(timer) => TaskKind::Timer(*timer),
            Self::Request(_) => TaskKind::Request,
            Self::Arrival(from, _) => TaskKind::Arrival(*from),
        }
    }
}

/// Why a client's task failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// The client cannot go on.
    #[error("the client stopped: {0:?}")]
    Fault(Fault),
    /// The replica refused the request; nothing has changed.
    #[error(transparent)]
    Refused(#[from] RequestError),
    /// The client had stopped before.
    #[error("the client has stopped")]
    Stopped,
}

impl<M> Work for Task<M> {
    /// Of an append the offset of its last record, as `prepareAppend` gives it.
    type Value = Option<u64>;
    type Error = TaskError;
}

/// The rate of a clock that is right.
const TRUE_RATE_PPM: u32 = 1_000_000;

/// A replica's clock against the global one.
#[derive(Clone, Copy, Debug)]
pub struct LocalClock {
    /// Since when it goes at this rate, in global microseconds.
    pub since_us: u64,
    /// What it showed then, in microseconds.
    pub offset_us: u64,
    /// Local microseconds per million global ones.
    pub rate_ppm: u32,
}

impl Default for LocalClock {
    #[inline]
    fn default() -> Self {
        Self { since_us: 0, offset_us: 0, rate_ppm: TRUE_RATE_PPM }
    }
}

impl LocalClock {
    /// Local time at a global time.
    #[must_use]
    #[inline]
    pub fn local_us(self, global_us: u64) -> u64 {
        let run_us = global_us.saturating_sub(self.since_us);
        if self.rate_ppm == TRUE_RATE_PPM {
            return self.offset_us.saturating_add(run_us).min(NEVER - 1);
        }
        let run = u128::from(run_us) * u128::from(self.rate_ppm) / u128::from(TRUE_RATE_PPM);
        self.offset_us.saturating_add(u64::try_from(run).unwrap_or(NEVER - 1)).min(NEVER - 1)
    }

    /// The first global time at which the local clock shows at least `local_us`.
    #[must_use]
    #[inline]
    pub fn global_us(self, local_us: u64) -> u64 {
        let run_us = local_us.saturating_sub(self.offset_us);
        if self.rate_ppm == TRUE_RATE_PPM {
            return self.since_us.saturating_add(run_us).min(NEVER - 1);
        }
        let run = u128::from(run_us) * u128::from(TRUE_RATE_PPM);
        let run_us = u64::try_from(run.div_ceil(u128::from(self.rate_ppm.max(1)))).unwrap_or(NEVER - 1);
        self.since_us.saturating_add(run_us).min(NEVER - 1)
    }

    /// The same clock, going at another rate from a global time on.
    #[must_use]
    pub fn at_rate(self, rate_ppm: u32, global_us: u64) -> Self {
        Self { since_us: global_us, offset_us: self.local_us(global_us), rate_ppm }
    }
}

/// What driving needs from outside.
pub struct Surroundings<'a, P: Protocol> {
    /// The protocol's settings.
    pub settings: &'a P::Settings,
    /// The replica's luck.
    pub luck: &'a mut dyn Luck,
    /// Where effects go; the client itself carries out timers and notify.
    pub effects: &'a mut Effects<P>,
}

impl<P: Protocol> Surroundings<'_, P> {
    #[inline]
    fn at(&mut self, now_us: u64) -> Context<'_, P> {
        Context { now_us, settings: self.settings, luck: &mut *self.luck, effects: &mut *self.effects }
    }
}

/// A replica on its executor.
#[derive(Clone, Debug)]
pub struct RaftClient<P: Protocol, X> {
    id: ReplicaId,
    replica: P::Replica,
    executor: X,
    settings: ClientSettings,
    clock: LocalClock,
    /// When the state was last looked at, in local microseconds.
    polled_at_us: Option<u64>,
    empty_polls: u64,
    /// Separate events: the task of each armed timer, by [`Timer::index`].
    timer_tasks: Vec<Option<TaskId>>,
    /// The look at the state that waits, and the telling of the listeners.
    poll_state: Option<TaskId>,
    poll_listeners: Option<TaskId>,
    /// One poll event: the waiting poll and its global due time.
    poll: Option<(TaskId, u64)>,
    inbox: VecDeque<(ReplicaId, P::Message)>,
    /// Timers that were made to go off by hand and wait for the poll.
    hurried: Vec<Timer>,
}

impl<P: Protocol, X: EventExecutor<Task<P::Message>>> RaftClient<P, X> {
    /// Starts a replica from `disk` on `executor`. Its first look at the state is for the driver to ask for.
    #[must_use]
    #[inline]
    pub fn new(
        id: ReplicaId,
        replicas: u8,
        disk: P::Disk,
        executor: X,
        settings: ClientSettings,
        clock: LocalClock,
        around: &mut Surroundings<'_, P>,
    ) -> Self {
        let now_us = clock.local_us(executor.now_us());
        let replica = P::Replica::start(id, replicas, disk, &mut around.at(now_us));
        let mut client = Self {
            id,
            replica,
            executor,
            settings,
            clock,
            polled_at_us: None,
            empty_polls: 0,
            timer_tasks: vec![None; Timer::table_len(replicas)],
            poll_state: None,
            poll_listeners: None,
            poll: None,
            inbox: VecDeque::new(),
            hurried: Vec::new(),
        };
        if settings.form == Form::SeparateEvents {
            client.settle(around);
        }
        client
    }

    /// Whose client it is.
    #[must_use]
    #[inline]
    pub const fn id(&self) -> ReplicaId {
        self.id
    }

    /// The replica.
    #[must_use]
    #[inline]
    pub const fn replica(&self) -> &P::Replica {
        &self.replica
    }

    /// The replica and its local time, for queries that make it forget what is old.
    #[inline]
    pub fn replica_mut(&mut self) -> (&mut P::Replica, u64) {
        let now_us = self.clock.local_us(self.executor.now_us());
        (&mut self.replica, now_us)
    }

    /// Its executor.
    #[must_use]
    #[inline]
    pub const fn executor(&self) -> &X {
        &self.executor
    }

    /// Its executor, to show it the clock or to shut it down.
    #[inline]
    pub const fn executor_mut(&mut self) -> &mut X {
        &mut self.executor
    }

    /// Its clock.
    #[must_use]
    #[inline]
    pub const fn clock(&self) -> LocalClock {
        self.clock
    }

    /// How it works.
    #[must_use]
    #[inline]
    pub const fn settings(&self) -> ClientSettings {
        self.settings
    }

    /// How many looks at the state found nothing to do.
    #[must_use]
    #[inline]
    pub const fn empty_polls(&self) -> u64 {
        self.empty_polls
    }

    /// How a graceful shutdown has ended, if it has.
    #[must_use]
    #[inline]
    pub fn ended(&self) -> Option<Ended> {
        self.replica.ended()
    }

    /// Stops it; gives what is on disk.
    #[must_use]
    #[inline]
    pub fn stop(self, keep_unflushed: bool) -> P::Disk {
        self.replica.stop(keep_unflushed)
    }

    /// Asks for a look at the state.
    #[inline]
    pub fn queue_poll(&mut self, around: &mut Surroundings<'_, P>) {
        match self.settings.form {
            Form::SeparateEvents => self.queue_poll_state(around),
            Form::OnePoll => self.poll_at(self.executor.now_us(), around),
        }
    }

    /// Takes in a message; it is handled by a task.
    #[inline]
    pub fn receive(&mut self, from: ReplicaId, message: P::Message, around: &mut Surroundings<'_, P>) {
        match self.settings.form {
            Form::SeparateEvents => {
                let now_us = self.clock.local_us(self.executor.now_us());
                let max_age_us = u64::from(self.settings.poll_state_max_age_ms) * MICROS_PER_MILLI;
                let is_fresh = self.polled_at_us.is_some_and(|at_us| now_us.saturating_sub(at_us) <= max_age_us);
                if !is_fresh {
                    self.queue_poll_state(around);
                }
                let given = self.executor.submit(Task::Message(from, message));
                expect_room(given, around);
            }
            Form::OnePoll => {
                self.inbox.push_back((from, message));
                self.poll_at(self.executor.now_us(), around);
            }
        }
    }

    /// Submits a request of its user.
    ///
    /// # Errors
    /// [`Rejected`] if the executor does not take it.
    #[inline]
    pub fn ask(&mut self, request: Request) -> Result<TaskId, Rejected> {
        self.executor.submit(Task::Request(request))
    }

    /// Brings an armed timer forward to now.
    #[inline]
    pub fn hurry(&mut self, timer: Timer, around: &mut Surroundings<'_, P>) {
        match self.settings.form {
            Form::SeparateEvents => {
                if let Some(task) = self.timer_tasks[timer.index()].take() {
                    self.executor.cancel(task);
                    let given = self.executor.submit(Task::Timer(timer));
                    self.timer_tasks[timer.index()] = expect_room(given, around);
                }
            }
            Form::OnePoll => {
                self.hurried.push(timer);
                self.poll_at(self.executor.now_us(), around);
            }
        }
    }

    /// Gives it another clock; what is due keeps its local time.
    pub fn set_clock(&mut self, clock: LocalClock, around: &mut Surroundings<'_, P>) {
        self.clock = clock;
        self.replan(around);
    }

    /// Moves deadlines by hand.
    pub fn move_timers(&mut self, around: &mut Surroundings<'_, P>, change: impl FnOnce(&mut TimerTable)) {
        change(self.replica.timers_mut());
        self.replan(around);
    }

    /// Places the tasks of all armed timers anew.
    fn replan(&mut self, around: &mut Surroundings<'_, P>) {
        match self.settings.form {
            // One whose task was lost stays asleep.
            Form::SeparateEvents => {
                let awake = self.replica.timers().armed().map(|(timer, _)| timer);
                around.effects.timers.extend(awake.filter(|timer| self.timer_tasks[timer.index()].is_some()));
            }
            Form::OnePoll => {
                // A poll that is due already may be there for more than timers: for what waits, or because the last one asked
                // for another.
                let now_us = self.executor.now_us();
                let is_busy = !self.inbox.is_empty()
                    || !self.hurried.is_empty()
                    || self.polled_at_us == Some(self.clock.local_us(now_us));
                match self.poll.take_if(|(_, due_us)| *due_us > now_us || !is_busy) {
                    Some((task, _)) => {
                        self.executor.cancel(task);
                    }
                    None => return,
                }
            }
        }
        self.settle(around);
    }

    /// Takes back a waiting task, as a fault of the executor would: nobody tells the client.
    #[inline]
    pub fn lose(&mut self, id: TaskId) -> bool {
        if !self.executor.cancel(id) {
            return false;
        }
        self.forget(id.number);
        true
    }

    /// A task that waits no longer leaves no trace in the client's own books.
    #[inline]
    fn forget(&mut self, number: u64) {
        if self.poll.is_some_and(|(task, _)| task.number == number) {
            self.poll = None;
        }
        for slot in self.timer_tasks.iter_mut().chain([&mut self.poll_state, &mut self.poll_listeners]) {
            if slot.is_some_and(|task| task.number == number) {
                *slot = None;
            }
        }
    }

    /// Takes back all that is scheduled: nothing more is to be done.
    #[inline]
    pub fn give_up(&mut self) {
        for slot in &mut self.timer_tasks {
            if let Some(task) = slot.take() {
                self.executor.cancel(task);
            }
        }
        if let Some((task, _)) = self.poll.take() {
            self.executor.cancel(task);
        }
        self.inbox.clear();
        self.hurried.clear();
    }

    /// Runs one task that came from its executor.
    ///
    /// # Errors
    /// [`TaskError::Refused`] for a request that the replica refuses. A fault is left in the effects.
    #[inline]
    pub fn run(&mut self, task: Task<P::Message>, around: &mut Surroundings<'_, P>) -> Result<Option<u64>, TaskError> {
        let now_us = self.clock.local_us(self.executor.now_us());
        let mut offset = None;
        match task {
            Task::Poll => self.run_poll(now_us, around),
            Task::PollState => {
                self.poll_state = None;
                self.polled_at_us = Some(now_us);
                let again = self.replica.poll_state(&mut around.at(now_us));
                if again {
                    self.queue_poll_state(around);
                } else {
                    self.empty_polls += u64::from(around.effects.is_empty());
                }
            }
            Task::Message(from, message) => {
                self.replica.handle(from, message, &mut around.at(now_us));
                self.queue_poll_state(around);
            }
            Task::PollListeners => {
                self.poll_listeners = None;
                self.replica.poll_listeners(&mut around.at(now_us));
            }
            Task::Timer(timer) => {
                self.timer_tasks[timer.index()] = None;
                self.polled_at_us = Some(now_us);
                if self.replica.fire(timer, &mut around.at(now_us)) {
                    self.queue_poll_state(around);
                }
            }
            Task::Request(request) => {
                offset = self.replica.request(request, &mut around.at(now_us))?;
                self.queue_poll(around);
            }
            Task::Arrival(from, message) => self.receive(from, message, around),
        }
        self.settle(around);
        Ok(offset)
    }

    /// The state, one message, the listeners; then it says when it wants to come again.
    #[inline]
    fn run_poll(&mut self, now_us: u64, around: &mut Surroundings<'_, P>) {
        self.poll = None;
        self.polled_at_us = Some(now_us);
        let mut again = if self.hurried.is_empty() {
            self.replica.poll_state(&mut around.at(now_us))
        } else {
            let timer = self.hurried.remove(0);
            self.replica.fire(timer, &mut around.at(now_us))
        };
        let was_empty = !again && around.effects.is_empty();
        if let Some((from, message)) = self.inbox.pop_front() {
            self.replica.handle(from, message, &mut around.at(now_us));
            again = true;
        } else {
            self.empty_polls += u64::from(was_empty);
        }
        if std::mem::take(&mut around.effects.notify) {
            self.replica.poll_listeners(&mut around.at(now_us));
        }
        if again || !self.inbox.is_empty() || !self.hurried.is_empty() {
            self.poll_at(self.executor.now_us(), around);
        }
    }

    /// Carries out what concerns the executor: timers and notify.
    #[inline]
    fn settle(&mut self, around: &mut Surroundings<'_, P>) {
        match self.settings.form {
            Form::SeparateEvents => self.settle_separate(around),
            Form::OnePoll => {
                around.effects.timers.clear();
                around.effects.notify = false;
                let at_us = self.replica.timers().first_deadline_us();
                if at_us != NEVER {
                    self.poll_at(self.clock.global_us(at_us).max(self.executor.now_us()), around);
                }
            }
        }
    }

    #[inline]
    fn settle_separate(&mut self, around: &mut Surroundings<'_, P>) {
        let mut timers = std::mem::take(&mut around.effects.timers);
        for timer in timers.drain(..) {
            let at_us = self.replica.timers().deadline_us(timer);
            let before = self.timer_tasks[timer.index()].take();
            if at_us == NEVER {
                if let Some(task) = before {
                    self.executor.cancel(task);
                }
                continue;
            }
            let delay_us = self.clock.global_us(at_us).saturating_sub(self.executor.now_us());
            let given = match before {
                Some(task) => self.executor.reschedule(task, Task::Timer(timer), delay_us),
                None => self.executor.schedule(Task::Timer(timer), delay_us),
            };
            self.timer_tasks[timer.index()] = expect_room(given, around);
        }
        around.effects.timers = timers;
        if std::mem::take(&mut around.effects.notify) && self.poll_listeners.is_none() {
            let given = self.executor.submit(Task::PollListeners);
            self.poll_listeners = expect_room(given, around);
        }
    }

    #[inline]
    fn queue_poll_state(&mut self, around: &mut Surroundings<'_, P>) {
        if self.poll_state.is_none() {
            let given = self.executor.submit(Task::PollState);
            self.poll_state = expect_room(given, around);
        }
    }

    /// Sees to it that the poll comes at `at_us` (global) or before.
    #[inline]
    fn poll_at(&mut self, at_us: u64, around: &mut Surroundings<'_, P>) {
        let delay_us = at_us.saturating_sub(self.executor.now_us());
        let given = match self.poll {
            Some((_, due_us)) if due_us <= at_us => return,
            Some((task, _)) => self.executor.reschedule(task, Task::Poll, delay_us),
            None => self.executor.schedule(Task::Poll, delay_us),
        };
        self.poll = expect_room(given, around).map(|task| (task, at_us));
    }
}

/// A task that finds no room would leave the client asleep for ever, which is a fault. After a shutdown of the executor
/// nothing more is wanted.
fn expect_room<P: Protocol>(given: Result<TaskId, Rejected>, around: &mut Surroundings<'_, P>) -> Option<TaskId> {
    if matches!(given, Err(Rejected::Capacity(_))) {
        around.effects.fault = Some(Fault::ExecutorFull);
    }
    given.ok()
}

/// What a client will do next by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcoming {
    /// A timer goes off.
    Timer(Timer, Armed),
    /// A task runs for which no timer is the reason.
    Task(u64, TaskKind),
}

/// In a simulation.
impl<P: Protocol> RaftClient<P, MockEventExecutor<Task<P::Message>>> {
    /// When its earliest task is due, in global microseconds.
    #[must_use]
    #[inline]
    pub fn next_due_us(&self) -> u64 {
        self.executor.next_due_us()
    }

    /// The timers that will wake it, with their lines of the table. A timer whose task was lost is not among them.
    #[inline]
    pub fn waking(&self) -> impl Iterator<Item = (Timer, Armed)> {
        let is_awake = |timer: Timer| match self.settings.form {
            Form::SeparateEvents => self.timer_tasks[timer.index()].is_some(),
            Form::OnePoll => self.poll.is_some(),
        };
        self.replica.timers().armed().filter(move |(timer, _)| is_awake(*timer))
    }

    /// What its earliest task is for.
    #[must_use]
    #[inline]
    pub fn upcoming(&self) -> Option<(u64, Upcoming)> {
        let (due_us, number, task) = self.executor.first()?;
        let is_for_timer = match task {
            Task::Timer(_) => true,
            Task::Poll => self.inbox.is_empty() && self.hurried.is_empty(),
            _ => false,
        };
        // Of the timers of one instant the first in their order gives the name.
        let timer = self
            .waking()
            .filter(|(_, line)| is_for_timer && self.clock.global_us(line.at_us) <= due_us)
            .min_by_key(|(timer, line)| (line.at_us, *timer));
        let upcoming = timer.map_or(Upcoming::Task(number, task.kind()), |(timer, line)| Upcoming::Timer(timer, line));
        Some((due_us, upcoming))
    }

    /// All that waits on its executor, in order: due time in global microseconds, number, kind.
    #[must_use]
    #[inline]
    pub fn queue(&self) -> Vec<(u64, u64, TaskKind)> {
        let queue = self.executor.waiting().map(|(due_us, number, task)| (due_us, number, task.kind())).collect();
        in_order(queue, |&(due_us, number, _)| [due_us, number, 0])
    }

    /// Messages that wait for the one poll event.
    #[must_use]
    #[inline]
    pub fn inbox_len(&self) -> usize {
        self.inbox.len()
    }

    /// Takes its earliest task if it is due.
    #[inline]
    pub fn take_due(&mut self, time: &MockTime) -> Option<Turn<Task<P::Message>>> {
        self.executor.take_due(time)
    }

    /// Takes the waiting task with that number out of turn.
    #[inline]
    pub fn take(&mut self, number: u64, time: &MockTime) -> Option<Turn<Task<P::Message>>> {
        let id = self.executor.find(number)?;
        let turn = self.executor.take(id, time)?;
        self.forget(number);
        Some(turn)
    }

    /// Says how a taken task has ended.
    #[inline]
    pub fn complete(&mut self, number: u64, result: Result<Option<u64>, TaskError>) {
        self.executor.complete(number, result.map_or_else(Outcome::Error, Outcome::Value));
    }

    /// Writes everything that decides its future, for a state digest.
    #[inline]
    pub fn encode(&self, out: &mut Encoder) {
        self.replica.encode(out);
        out.u64(self.clock.since_us);
        out.u64(self.clock.offset_us);
        out.u32(self.clock.rate_ppm);
        out.option(self.polled_at_us);
        // Future tasks are named by how many there were.
        out.u64(self.executor.counters().0);
        for &(from, ref message) in &self.inbox {
            out.u8(from.0);
            P::encode_message(message, out);
        }
        for timer in &self.hurried {
            out.u32(u32::try_from(timer.index()).unwrap_or(u32::MAX));
        }
        // Tasks in their order; their numbers are part of their names.
        let waiting = self.executor.waiting().collect();
        for (due_us, number, task) in in_order(waiting, |&(due_us, number, _)| [due_us, number, 0]) {
            out.u64(due_us);
            out.u64(number);
            match task {
                Task::PollState => out.u8(0),
                Task::Message(from, message) => {
                    out.u8(1);
                    out.u8(from.0);
                    P::encode_message(message, out);
                }
                Task::PollListeners => out.u8(2),
                Task::Timer(timer) => {
                    out.u8(3);
                    out.u32(u32::try_from(timer.index()).unwrap_or(u32::MAX));
                }
                Task::Poll => out.u8(4),
                Task::Request(request) => {
                    out.u8(5);
                    request.encode(out);
                }
                Task::Arrival(from, message) => {
                    out.u8(6);
                    out.u8(from.0);
                    P::encode_message(message, out);
                }
            }
        }
    }
}
