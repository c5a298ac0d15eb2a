//! Starts a client, watches over it and shuts it down.
//!
//! A [`RaftClientDriver`] asks for the first poll; from then on the client keeps itself going. It looks at the end of
//! each task: a fault is reported once and stops the client; a client that says it has finished gets its executor shut
//! down.
//!
//! Holds always: a shutdown never cuts a client short: the executor stays open until a leader has resigned and told
//! the others, or the time for that is over. Kafka's proposal shut the executor down right after asking the client, so
//! that at most one more poll could happen; see `docs/executors.md`.

use super::client::{RaftClient, Surroundings, Task, TaskError, TaskKind};
use super::digest::Encoder;
use super::ids::ReplicaId;
use super::protocol::{Ended, Fault, Protocol, Request};
use crate::executor::{EventExecutor, MICROS_PER_MILLI, MockEventExecutor, MockTime, Rejected, TaskId, Turn};

/// More tasks than this at one instant on one client is a loop, reported as a fault.
pub const TASKS_AT_ONCE_MAX: u32 = 10_000;

/// How long a graceful shutdown may take if nobody says otherwise, in microseconds (Kafka's driver: 5,000 ms).
pub const SHUTDOWN_TIMEOUT_US: u64 = 5_000 * MICROS_PER_MILLI;

/// What a driver reports when its client cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which replica.
    pub replica: ReplicaId,
    /// Why.
    pub fault: Fault,
    /// Which task it happened in.
    pub task: TaskKind,
}

/// Who is told of a fault after which a client cannot go on.
pub trait FaultHandler {
    /// Told once for each client.
    fn handle_fault(&mut self, failure: Failure);
}

impl FaultHandler for Option<Failure> {
    fn handle_fault(&mut self, failure: Failure) {
        self.get_or_insert(failure);
    }
}

/// How far a driver's client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverState {
    /// It does its work, possibly that of shutting down.
    Running,
    /// It cannot go on.
    Failed(Fault),
    /// It has shut down.
    Ended(Ended),
}

/// A task that was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its number on the executor.
    pub number: u64,
    /// Which task.
    pub kind: TaskKind,
    /// How long it was queued, in microseconds.
    pub queued_for_us: u64,
    /// How it ended.
    pub result: Result<Option<u64>, TaskError>,
}

/// A client with somebody who watches over it.
#[derive(Clone, Debug)]
pub struct RaftClientDriver<P: Protocol, X> {
    client: RaftClient<P, X>,
    state: DriverState,
    /// The instant of the last task and how many ran at it.
    at_once: (u64, u32),
    /// For looking; decides nothing.
    last_ran: Option<Ran>,
}

impl<P: Protocol, X: EventExecutor<Task<P::Message>>> RaftClientDriver<P, X> {
    /// A driver whose client has not polled yet.
    #[must_use]
    pub const fn new(client: RaftClient<P, X>) -> Self {
        Self { client, state: DriverState::Running, at_once: (0, 0), last_ran: None }
    }

    /// Asks for the first poll; nothing else.
    pub fn start(&mut self, around: &mut Surroundings<'_, P>) {
        self.client.queue_poll(around);
    }

    /// The client.
    #[must_use]
    pub const fn client(&self) -> &RaftClient<P, X> {
        &self.client
    }

    /// The client, to hand it messages.
    pub const fn client_mut(&mut self) -> &mut RaftClient<P, X> {
        &mut self.client
    }

    /// Ends it at once; gives what is on disk.
    #[must_use]
    pub fn stop(self, keep_unflushed: bool) -> P::Disk {
        self.client.stop(keep_unflushed)
    }

    /// How far it is.
    #[must_use]
    pub const fn state(&self) -> DriverState {
        self.state
    }

    /// Whether the client still does its work.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        matches!(self.state, DriverState::Running)
    }

    /// Asks the client to shut down within `timeout_us`. It goes on until it says it has finished or that time is over;
    /// only then its executor is shut down.
    ///
    /// # Errors
    /// [`Rejected`] if the executor takes no more tasks.
    pub fn shutdown(&mut self, timeout_us: u64) -> Result<TaskId, Rejected> {
        self.client.ask(Request::Shutdown { timeout_us })
    }

    /// Runs one task of the client's executor; of an append it gives the last record's offset.
    ///
    /// # Errors
    /// [`TaskError`]; a fault has been reported to `faults`.
    pub fn run(
        &mut self,
        task: Task<P::Message>,
        around: &mut Surroundings<'_, P>,
        faults: &mut dyn FaultHandler,
    ) -> Result<Option<u64>, TaskError> {
        if !self.is_running() {
            return Err(TaskError::Stopped);
        }
        let now_us = self.client.executor().now_us();
        let kind = task.kind();
        let result = self.client.run(task, around);
        self.at_once = if self.at_once.0 == now_us { (now_us, self.at_once.1 + 1) } else { (now_us, 1) };
        if self.at_once.1 > TASKS_AT_ONCE_MAX {
            around.effects.fault.get_or_insert(Fault::TaskLoop);
        }
        if let Some(fault) = around.effects.fault.take() {
            self.state = DriverState::Failed(fault);
            self.client.give_up();
            faults.handle_fault(Failure { replica: self.client.id(), fault, task: kind });
            return Err(TaskError::Fault(fault));
        }
        if let Some(ended) = self.client.ended() {
            self.state = DriverState::Ended(ended);
            self.client.executor_mut().shutdown();
        }
        result
    }
}

/// In a simulation.
impl<P: Protocol> RaftClientDriver<P, MockEventExecutor<Task<P::Message>>> {
    /// Runs at most one due task; says which.
    pub fn poll(
        &mut self,
        time: &MockTime,
        around: &mut Surroundings<'_, P>,
        faults: &mut dyn FaultHandler,
    ) -> Option<Ran> {
        let turn = self.client.take_due(time)?;
        self.run_turn(turn, around, faults)
    }

    /// Runs the waiting task with that number, whether or not it is its turn.
    pub fn run_now(
        &mut self,
        number: u64,
        time: &MockTime,
        around: &mut Surroundings<'_, P>,
        faults: &mut dyn FaultHandler,
    ) -> Option<Ran> {
        let turn = self.client.take(number, time)?;
        self.run_turn(turn, around, faults)
    }

    fn run_turn(
        &mut self,
        turn: Turn<Task<P::Message>>,
        around: &mut Surroundings<'_, P>,
        faults: &mut dyn FaultHandler,
    ) -> Option<Ran> {
        let Turn { number, task, queued_us, .. } = turn;
        let task = task?;
        let kind = task.kind();
        let queued_for_us = self.client.executor().now_us().saturating_sub(queued_us);
        let result = self.run(task, around, faults);
        self.client.complete(number, result);
        self.last_ran = Some(Ran { number, kind, queued_for_us, result });
        self.last_ran
    }

    /// Writes everything that decides its future, for a state digest.
    pub fn encode(&self, out: &mut Encoder) {
        out.u64(self.at_once.0);
        out.u32(self.at_once.1);
        self.client.encode(out);
    }

    /// The task that ran last.
    #[must_use]
    pub const fn last_ran(&self) -> Option<Ran> {
        self.last_ran
    }
}
