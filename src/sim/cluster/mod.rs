//! The cluster and its step.
//!
//! A step is one protocol event: a command, a message delivered, or a timer that goes off, together with the executor
//! tasks it causes at that instant on that replica. What can happen next is ordered by (time, replica, class, number):
//! timers, then deliveries, then executor tasks that stand alone; so a look at the state precedes a message of the same
//! instant.
//!
//! A step can also be taken task by task ([`Sim::step_task`]); while some of its tasks still wait it is *open*, and a
//! position is (steps, tasks into the open one). A command given there closes the step; tasks that it leaves waiting
//! are events of their own.
//!
//! Holds always: the clock only moves to events and commands.

mod acts;
mod mail;

use super::clients::{ClientState, Desk, Mail, Says, client_id, client_number};
use super::command::{EventName, Groups};
use super::invariants::{Touched, Violation, Watch};
use super::luck::ReplicaLuck;
use super::network::{DeliveryKey, Flight, Network};
use super::settings::SimSettings;
use super::trace::{TraceEvent, What};
use crate::executor::{MockEventExecutor, MockTime, NEVER, earliest, in_order};
use crate::raft::{
    Armed, DriverState, Effects, Encoder, Ended, Face, Failure, LocalClock, Log, MessageFace, Protocol, RaftClient,
    RaftClientDriver, Ran, Replica, ReplicaId, Standing, Surroundings, Task, TaskError, TaskKind, Timer, TimerTable,
    Upcoming, Verdict,
};
use std::sync::Arc;

type Executor<P> = MockEventExecutor<Task<<P as Protocol>::Message>>;
type Client<P> = RaftClient<P, Executor<P>>;
type Driver<P> = RaftClientDriver<P, Executor<P>>;

/// The three digests of a run at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digests {
    /// Recomputed from everything that decides the future.
    pub state: u64,
    /// Rolling over what replicas became and sent.
    pub protocol: u64,
    /// Rolling over all of it, executor tasks included.
    pub run: u64,
}

/// Something that can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextEvent {
    /// When it is due, in global microseconds.
    pub at_us: u64,
    /// On which replica.
    pub replica: ReplicaId,
    /// Its name.
    pub name: EventName,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a member is nearly always up")]
enum Member<P: Protocol> {
    Up(Driver<P>),
    Down {
        disk: P::Disk,
        failure: Option<Failure>,
        ended: Option<Ended>,
        standing: Standing,
    },
    /// Only while a member is being replaced.
    Moving,
}

/// Buffers that are reused and decide nothing; a clone starts with empty ones.
#[derive(Debug)]
struct Scratch<P: Protocol> {
    effects: Effects<P>,
    trace: Vec<TraceEvent<P>>,
    encoder: Encoder,
    run_encoder: Encoder,
    failure: Option<Failure>,
}

impl<P: Protocol> Default for Scratch<P> {
    fn default() -> Self {
        Self {
            effects: Effects::default(),
            trace: Vec::new(),
            encoder: Encoder::default(),
            run_encoder: Encoder::default(),
            failure: None,
        }
    }
}

impl<P: Protocol> Clone for Scratch<P> {
    /// What an open step has collected for the digests is part of the run.
    fn clone(&self) -> Self {
        Self { encoder: self.encoder.clone(), run_encoder: self.run_encoder.clone(), ..Self::default() }
    }
}

/// A cluster, its network and its clock.
#[derive(Clone, Debug)]
pub struct Sim<P: Protocol> {
    settings: Arc<SimSettings<P>>,
    time: MockTime,
    members: Vec<Member<P>>,
    /// What each replica was when it was last looked at, after its last task.
    standings: Vec<Standing>,
    /// When each executor's first task is due, in global microseconds.
    dues_us: Vec<u64>,
    luck: Vec<ReplicaLuck>,
    network: Network<Mail<P::Message>>,
    /// Each replica's clock, for all its lives.
    clocks: Vec<LocalClock>,
    clients: Vec<ClientState>,
    desk: Desk,
    steps: u64,
    /// The replica whose step is open, and how many of its tasks have run.
    open: Option<(ReplicaId, u32)>,
    protocol_digest: u64,
    run_digest: u64,
    watch: Watch,
    scratch: Scratch<P>,
}

impl<P: Protocol> Sim<P> {
    /// A cluster that has just been switched on: every replica has started and looked at its state once.
    ///
    /// # Panics
    /// If the number of replicas is not 1 to 25; settings are validated where they come in.
    #[must_use]
    pub fn new(settings: SimSettings<P>) -> Self {
        let replicas = settings.replicas;
        assert!((1..=crate::raft::REPLICAS_MAX).contains(&replicas), "{replicas} replicas");
        let disk =
            |id: u8| settings.disks.get(usize::from(id)).cloned().unwrap_or_else(|| P::empty_disk(&settings.protocol));
        let disks: Vec<P::Disk> = (0..replicas).map(disk).collect();
        let standing = Standing {
            role: crate::raft::RoleShape::Unattached,
            epoch: 0,
            leader: None,
            voted: None,
            committed: None,
            end_offset: 0,
        };
        let mut sim = Self {
            time: MockTime::at(0),
            standings: vec![standing; usize::from(replicas)],
            dues_us: vec![NEVER; usize::from(replicas)],
            members: disks
                .into_iter()
                .map(|disk| Member::Down { disk, failure: None, ended: None, standing })
                .collect(),
            luck: (0..replicas).map(|id| ReplicaLuck::new(settings.seed, ReplicaId(id))).collect(),
            network: Network::new(replicas, settings.seed, settings.links),
            clocks: vec![LocalClock::default(); usize::from(replicas)],
            clients: Vec::new(),
            desk: Desk::default(),
            steps: 0,
            open: None,
            protocol_digest: 0,
            run_digest: 0,
            watch: Watch::new(replicas),
            scratch: Scratch::default(),
            settings: Arc::new(settings),
        };
        sim.trace(ReplicaId(0), What::Began);
        for id in 0..replicas {
            sim.start_member(ReplicaId(id));
            while sim.run_task(ReplicaId(id), None) {}
        }
        sim.roll();
        sim
    }

    // Looking.

    /// What it was made from.
    #[must_use]
    pub fn settings(&self) -> &SimSettings<P> {
        &self.settings
    }

    /// How many replicas it has.
    #[must_use]
    pub fn replicas(&self) -> u8 {
        self.settings.replicas
    }

    /// All replica ids.
    pub fn ids(&self) -> impl Iterator<Item = ReplicaId> + use<P> {
        (0..self.settings.replicas).map(ReplicaId)
    }

    /// What the clock shows, in global microseconds.
    #[must_use]
    pub const fn now_us(&self) -> u64 {
        self.time.now_us()
    }

    /// How many steps have been taken.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// How many executor tasks of the next step have run already.
    #[must_use]
    pub fn tasks_into(&self) -> u32 {
        self.open.map_or(0, |(_, tasks)| tasks)
    }

    /// The replica whose step is open.
    #[must_use]
    pub fn open_on(&self) -> Option<ReplicaId> {
        self.open.map(|(replica, _)| replica)
    }

    /// What happened in the last step, or so far in the open one.
    #[must_use]
    pub fn last_step(&self) -> &[TraceEvent<P>] {
        &self.scratch.trace
    }

    /// What was broken so far.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        self.watch.violations()
    }

    /// Checks the safety properties no more, for whoever measures what that costs.
    pub const fn stop_checking(&mut self) {
        self.watch.stop();
    }

    /// The replica, if it is running.
    #[must_use]
    pub fn replica(&self, id: ReplicaId) -> Option<&P::Replica> {
        self.client(id).map(RaftClient::replica)
    }

    /// The client of a running replica.
    #[must_use]
    pub fn client(&self, id: ReplicaId) -> Option<&Client<P>> {
        match self.members.get(id.index()) {
            Some(Member::Up(driver)) => Some(driver.client()),
            _ => None,
        }
    }

    /// Why it cannot go on, if it stopped by itself.
    #[must_use]
    pub fn fault(&self, id: ReplicaId) -> Option<Failure> {
        match self.members.get(id.index()) {
            Some(Member::Down { failure, .. }) => *failure,
            _ => None,
        }
    }

    /// What checkers know of a replica; of a stopped one, what it was.
    #[must_use]
    pub fn standing(&self, id: ReplicaId) -> Option<Standing> {
        match self.members.get(id.index())? {
            Member::Up(driver) => Some(driver.client().replica().standing()),
            Member::Down { standing, .. } => Some(*standing),
            Member::Moving => None,
        }
    }

    /// Who leads, and in which epoch: of the running leaders the one of the highest.
    #[must_use]
    pub fn leader(&self) -> Option<(ReplicaId, u32)> {
        self.ids()
            .filter_map(|id| self.replica(id).map(|replica| (id, replica.standing())))
            .filter(|(_, standing)| standing.role == crate::raft::RoleShape::Leader)
            .map(|(id, standing)| (id, standing.epoch))
            .max_by_key(|&(_, epoch)| epoch)
    }

    /// What is drawn of a running replica.
    #[must_use]
    pub fn face(&self, id: ReplicaId) -> Option<Face> {
        self.replica(id).map(Replica::face)
    }

    /// The log of a running replica.
    #[must_use]
    pub fn log(&self, id: ReplicaId) -> Option<&Log> {
        self.replica(id).map(Replica::log)
    }

    /// The log on the disk of a replica that does not run.
    #[must_use]
    pub fn disk_log(&self, id: ReplicaId) -> Option<&Log> {
        match self.members.get(id.index()) {
            Some(Member::Down { disk, .. }) => Some(P::disk_log(disk)),
            _ => None,
        }
    }

    /// The timers of a running replica and the clock they are read by.
    #[must_use]
    pub fn timers(&self, id: ReplicaId) -> Option<(&TimerTable, LocalClock)> {
        self.client(id).map(|client| (client.replica().timers(), client.clock()))
    }

    /// The task that ran last on a running replica's executor.
    #[must_use]
    pub fn last_ran(&self, id: ReplicaId) -> Option<Ran> {
        match self.members.get(id.index()) {
            Some(Member::Up(driver)) => driver.last_ran(),
            _ => None,
        }
    }

    /// How a replica's graceful shutdown ended, if that is why it is down.
    #[must_use]
    pub fn ended(&self, id: ReplicaId) -> Option<Ended> {
        match self.members.get(id.index()) {
            Some(Member::Down { ended, .. }) => *ended,
            _ => None,
        }
    }

    /// Everything in flight, in no particular order.
    pub fn flights(&self) -> impl Iterator<Item = (DeliveryKey, &Flight<Mail<P::Message>>)> {
        self.network.flights()
    }

    /// Whether a link itself is cut.
    #[must_use]
    pub fn is_cut(&self, from: ReplicaId, to: ReplicaId) -> bool {
        self.network.is_cut(from, to)
    }

    /// Whether what is sent there is lost: the link is cut, or the two are in different groups.
    #[must_use]
    pub fn is_blocked(&self, from: ReplicaId, to: ReplicaId) -> bool {
        self.network.is_blocked(from, to)
    }

    /// Who is in which group of a partition.
    #[must_use]
    pub const fn groups(&self) -> &Groups {
        self.network.groups()
    }

    /// Whether nothing is cut or parted.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.network.is_whole()
    }

    /// Whether a replica is paused.
    #[must_use]
    pub fn is_paused(&self, id: ReplicaId) -> bool {
        self.network.paused().contains(id)
    }

    /// A replica's clock.
    #[must_use]
    pub fn clock(&self, id: ReplicaId) -> LocalClock {
        self.clocks.get(id.index()).copied().unwrap_or_default()
    }

    /// The clients of the cluster, by their number.
    #[must_use]
    pub fn clients(&self) -> &[ClientState] {
        &self.clients
    }

    pub(super) const fn desk(&self) -> &Desk {
        &self.desk
    }

    /// What is drawn of a message.
    #[must_use]
    pub fn face_of(mail: &Mail<P::Message>) -> MessageFace<P::MessageKind> {
        match mail {
            Mail::Peer(message) => P::message_face(message),
            Mail::Ask(_) => MessageFace { kind: P::CLIENT, epoch: 0, verdict: Verdict::Asks, entries: 1 },
            Mail::Reply(reply) => {
                let verdict =
                    if matches!(reply.says, Says::Committed { .. }) { Verdict::Granted } else { Verdict::Refused };
                MessageFace { kind: P::CLIENT, epoch: 0, verdict, entries: 0 }
            }
        }
    }

    /// Whether there is a link, at this moment.
    #[must_use]
    pub fn has_link(&self, from: ReplicaId, to: ReplicaId) -> bool {
        self.network.has_link(from, to)
    }

    /// How a link treats messages.
    #[must_use]
    pub fn link(&self, from: ReplicaId, to: ReplicaId) -> super::settings::LinkConditions {
        self.network.conditions(from, to)
    }

    /// The luck of a link, as far as it has been used.
    #[must_use]
    pub fn link_luck(&self, from: ReplicaId, to: ReplicaId) -> &super::luck::Stream {
        self.network.luck(from, to)
    }

    /// When the next event is due and where; timers come before deliveries of the same instant and replica.
    fn next_key(&self) -> Option<(u64, ReplicaId, bool)> {
        let mut best = (NEVER, ReplicaId(0), false);
        if let Some((index, at_us)) = earliest(self.dues_us.iter().copied()) {
            best = (at_us, ReplicaId(u8::try_from(index).unwrap_or(u8::MAX)), false);
        }
        for (client, state) in (0..).zip(&self.clients) {
            let (at_us, _) = state.first_alarm();
            if at_us < best.0 {
                best = (at_us, client_id(client), false);
            }
        }
        if let Some(key) = self.network.first() {
            let comes_first = match (key.at_us, key.to).cmp(&(best.0, best.1)) {
                std::cmp::Ordering::Less => true,
                // Of one time and replica: timers, deliveries, tasks.
                std::cmp::Ordering::Equal => {
                    matches!(self.client(best.1).and_then(Client::<P>::upcoming), Some((_, Upcoming::Task(..))))
                }
                std::cmp::Ordering::Greater => false,
            };
            if comes_first {
                best = (key.at_us, key.to, true);
            }
        }
        (best.0 != NEVER).then_some(best)
    }

    /// When the next event is due, in global microseconds; [`NEVER`] if nothing is left to do.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        // What waited for a paused replica may have been due before.
        self.next_key().map_or(NEVER, |(at_us, ..)| at_us.max(self.now_us()))
    }

    fn executor_event(&self, replica: ReplicaId) -> Option<NextEvent> {
        if let Some(client) = client_number(replica) {
            let state = self.clients.get(usize::from(client))?;
            let (at_us, first) = state.first_alarm();
            let (.., number) = state.alarms().find(|&(_, alarm, _)| alarm == first)?;
            return Some(NextEvent { at_us, replica, name: EventName::Client { client, alarm: first, number } });
        }
        let (at_us, upcoming) = self.client(replica)?.upcoming()?;
        let name = match upcoming {
            Upcoming::Timer(timer, line) => timer_name(replica, timer, line),
            Upcoming::Task(number, _) => task_name(replica, number),
        };
        Some(NextEvent { at_us, replica, name })
    }

    /// What the next step will be, if it is not a command.
    #[must_use]
    pub fn next_event(&self) -> Option<NextEvent> {
        let (at_us, replica, is_delivery) = self.next_key()?;
        if is_delivery {
            let key = self.network.first()?;
            return Some(NextEvent { at_us: at_us.max(self.now_us()), replica, name: delivery_name(key) });
        }
        self.executor_event(replica).map(|event| NextEvent { at_us: event.at_us.max(self.now_us()), ..event })
    }

    /// Everything that can happen next, in the order in which it would.
    #[must_use]
    pub fn pending(&self) -> Vec<NextEvent> {
        let mut all = Vec::new();
        for (client, state) in (0..).zip(&self.clients) {
            all.extend(state.alarms().map(|(at_us, alarm, number)| NextEvent {
                at_us,
                replica: client_id(client),
                name: EventName::Client { client, alarm, number },
            }));
        }
        for id in self.ids().filter(|&id| !self.is_paused(id)) {
            if let Some(client) = self.client(id) {
                all.extend(client.waking().map(|(timer, line)| NextEvent {
                    at_us: client.clock().global_us(line.at_us),
                    replica: id,
                    name: timer_name(id, timer, line),
                }));
                // Tasks that stand for themselves and not for a timer.
                let has_timer = matches!(client.upcoming(), Some((_, Upcoming::Timer(..))));
                let is_alone = |kind: TaskKind| match kind {
                    TaskKind::Timer(_) => false,
                    TaskKind::Poll => !has_timer,
                    _ => true,
                };
                let tasks = client.queue().into_iter().filter(|&(_, _, kind)| is_alone(kind));
                all.extend(tasks.map(|(at_us, number, _)| NextEvent {
                    at_us,
                    replica: id,
                    name: task_name(id, number),
                }));
            }
        }
        let flights = self.network.flights();
        all.extend(flights.map(|(key, _)| NextEvent { at_us: key.at_us, replica: key.to, name: delivery_name(key) }));
        for event in &mut all {
            event.at_us = event.at_us.max(self.now_us());
        }
        in_order(all, |event| {
            // Of one time and replica: timers, deliveries, tasks.
            let [class, a, b, c] = match event.name {
                EventName::Timer { timer, number, .. } => {
                    [0, timer.kind as u64, timer.peer.map_or(0, |peer| 1 + u64::from(peer.0)), number.into()]
                }
                EventName::Delivery { from, number, is_copy, .. } => [1, from.0.into(), number.into(), is_copy.into()],
                EventName::Task { number, .. } => [2, 0, 0, number.into()],
                EventName::Client { alarm, number, .. } => [0, alarm as u64, 0, number.into()],
            };
            [event.at_us, u64::from(event.replica.0) << 16 | class << 8 | a, b << 32 | c]
        })
    }

    // Stepping.

    /// Takes the next step, or what is left of an open one; false if nothing is left to do.
    pub fn step(&mut self) -> bool {
        let Some(replica) = self.open_on().or_else(|| self.begin_event()) else {
            return false;
        };
        self.finish(replica);
        true
    }

    /// Runs the next executor task and nothing more; false if nothing is left to do. The step stays open while tasks
    /// wait that belong to it.
    pub fn step_task(&mut self) -> bool {
        let (replica, tasks) = match self.open {
            Some(open) => open,
            None => match self.begin_event() {
                Some(replica) => (replica, 0),
                None => return false,
            },
        };
        self.run_task(replica, None);
        let is_more = !self.is_paused(replica)
            && self.client(replica).is_some_and(|client| client.next_due_us() <= self.now_us());
        if is_more {
            self.open = Some((replica, tasks + 1));
        } else {
            self.close();
        }
        true
    }

    /// Lets the next event happen, without the tasks that it causes.
    fn begin_event(&mut self) -> Option<ReplicaId> {
        let (at_us, replica, is_delivery) = self.next_key()?;
        self.begin(at_us);
        if is_delivery {
            if let Some((key, flight)) = self.network.pop() {
                self.deliver(key, flight);
            }
        } else if let Some(client) = client_number(replica) {
            self.wake_client(client);
        } else if let Some(NextEvent { name, .. }) = self.executor_event(replica) {
            self.trace(replica, What::Fired { event: name });
        }
        Some(replica)
    }

    fn begin(&mut self, at_us: u64) {
        self.scratch.trace.clear();
        self.time.set_us(at_us.max(self.now_us()));
        self.scratch.run_encoder.u64(at_us);
    }

    fn finish(&mut self, touched: ReplicaId) {
        while self.run_task(touched, None) {}
        self.close();
    }

    fn close(&mut self) {
        self.open = None;
        self.steps += 1;
        self.roll();
    }

    /// Shows a running client the clock, does something with it, and looks anew when it is due.
    fn drive<T>(
        &mut self,
        id: ReplicaId,
        act: impl FnOnce(&mut Client<P>, &mut Surroundings<'_, P>) -> T,
    ) -> Option<T> {
        let mut done = None;
        if let Member::Up(driver) = &mut self.members[id.index()] {
            let mut around = Surroundings {
                settings: &self.settings.protocol,
                luck: &mut self.luck[id.index()],
                effects: &mut self.scratch.effects,
            };
            let client = driver.client_mut();
            client.executor_mut().see(&self.time);
            done = Some(act(client, &mut around));
        }
        self.note_due(id);
        done
    }

    /// Looks anew when a member's executor is due; whatever changes an executor ends with this.
    fn note_due(&mut self, id: ReplicaId) {
        if client_number(id).is_some() {
            return;
        }
        let is_paused = self.is_paused(id);
        self.dues_us[id.index()] = match &self.members[id.index()] {
            Member::Up(driver) if !is_paused => driver.client().next_due_us(),
            Member::Up(_) | Member::Down { .. } | Member::Moving => NEVER,
        };
    }

    fn trace(&mut self, replica: ReplicaId, what: What<P>) {
        self.scratch.trace.push(TraceEvent { at_us: self.time.now_us(), replica, what });
    }

    fn start_member(&mut self, id: ReplicaId) {
        match std::mem::replace(&mut self.members[id.index()], Member::Moving) {
            Member::Down { disk, .. } => {
                let mut around = Surroundings {
                    settings: &self.settings.protocol,
                    luck: &mut self.luck[id.index()],
                    effects: &mut self.scratch.effects,
                };
                let mut executor = MockEventExecutor::for_simulation();
                executor.see(&self.time);
                let (replicas, client) = (self.settings.replicas, self.settings.client);
                let clock = self.clocks[id.index()];
                let client = RaftClient::new(id, replicas, disk, executor, client, clock, &mut around);
                let mut driver = RaftClientDriver::new(client);
                driver.start(&mut around);
                self.standings[id.index()] = driver.client().replica().standing();
                self.members[id.index()] = Member::Up(driver);
                self.note_due(id);
                self.carry_out_effects(id);
            }
            other => self.members[id.index()] = other,
        }
    }

    fn stop_member(&mut self, id: ReplicaId, keep_unflushed: bool, failure: Option<Failure>) {
        match std::mem::replace(&mut self.members[id.index()], Member::Moving) {
            Member::Up(driver) => {
                let standing = driver.client().replica().standing();
                let ended = driver.client().ended();
                let disk = driver.stop(keep_unflushed);
                self.members[id.index()] = Member::Down { disk, failure, ended, standing };
                self.watch.stopped(id);
                self.desk.forget(id);
            }
            other => self.members[id.index()] = other,
        }
        if self.is_paused(id) {
            // Nobody is there any more for whom messages could wait.
            self.network.set_paused(id, false);
        }
        self.note_due(id);
    }

    /// Runs one task of `id`: the one with that number, or the first if it is due. False if there was none.
    fn run_task(&mut self, id: ReplicaId, number: Option<u64>) -> bool {
        if self.is_paused(id) {
            return false;
        }
        let Some(Member::Up(driver)) = self.members.get_mut(id.index()) else {
            return false;
        };
        let before = self.standings[id.index()];
        let mut around = Surroundings {
            settings: &self.settings.protocol,
            luck: &mut self.luck[id.index()],
            effects: &mut self.scratch.effects,
        };
        let faults = &mut self.scratch.failure;
        let ran = match number {
            None => driver.poll(&self.time, &mut around, faults),
            Some(number) => driver.run_now(number, &self.time, &mut around, faults),
        };
        let Some(Ran { number, kind, queued_for_us, result }) = ran else {
            return false;
        };
        let after = driver.client().replica().standing();
        let due_us = driver.client().next_due_us();
        let ended = match driver.state() {
            DriverState::Ended(ended) => Some(ended),
            DriverState::Running | DriverState::Failed(_) => None,
        };
        self.trace(id, What::Task { number, kind, queued_for_us });
        if let Err(TaskError::Refused(why)) = result {
            self.trace(id, What::Refused(why));
        }
        let out = &mut self.scratch.run_encoder;
        out.u64(number);
        out.u8(match kind {
            TaskKind::PollState => 0,
            TaskKind::Message(_) => 1,
            TaskKind::PollListeners => 2,
            TaskKind::Timer(_) => 3,
            TaskKind::Poll => 4,
            TaskKind::Request => 5,
            TaskKind::Arrival(_) => 6,
        });
        self.dues_us[id.index()] = due_us;
        if before != after || self.scratch.effects.persisted {
            self.watch_member(id, before, after);
            self.standings[id.index()] = after;
        }
        if before != after || self.scratch.effects.persisted {
            self.encode_standing(id);
        }
        if !self.scratch.effects.is_empty() || self.scratch.failure.is_some() {
            self.carry_out_effects(id);
        }
        if !self.desk.is_empty() {
            if kind == TaskKind::Request {
                let result = match result {
                    Ok(offset) => Ok(offset),
                    Err(TaskError::Refused(why)) => Err(why),
                    Err(TaskError::Fault(_) | TaskError::Stopped) => Ok(None),
                };
                self.note_request(id, number, result);
            }
            self.answer_requests(id);
        }
        if let Some(ended) = ended {
            self.end_member(id, ended);
        }
        true
    }

    /// Shows a member that a task has changed to whoever watches.
    fn watch_member(&mut self, id: ReplicaId, before: Standing, standing: Standing) {
        let Self { members, watch, standings, steps, .. } = self;
        let Member::Up(driver) = &members[id.index()] else { return };
        let replica = driver.client().replica();
        let logs = |id: ReplicaId| match members.get(id.index()) {
            Some(Member::Up(driver)) => Some(driver.client().replica().log()),
            Some(Member::Down { disk, .. }) => Some(P::disk_log(disk)),
            Some(Member::Moving) | None => None,
        };
        watch.look(&Touched {
            replica: id,
            before,
            standing,
            log: replica.log(),
            voters: replica.face().voters,
            standings,
            logs: &logs,
            step: *steps + 1,
        });
    }

    /// A client has finished: what it wrote is on disk, flushed or not.
    fn end_member(&mut self, id: ReplicaId, ended: Ended) {
        self.trace(id, What::Ended(ended));
        self.stop_member(id, true, None);
    }

    /// What a replica became, for the protocol digest.
    fn encode_standing(&mut self, id: ReplicaId) {
        let Member::Up(driver) = &self.members[id.index()] else {
            return;
        };
        let replica = driver.client().replica();
        let standing = replica.standing();
        let out = &mut self.scratch.encoder;
        out.u8(0);
        out.u64(self.time.now_us());
        out.u8(id.0);
        out.u8(standing.role as u8);
        out.u32(standing.epoch);
        replica.encode_persisted(out);
        out.option(standing.committed);
    }

    /// Persist, send, notify: timers and listeners were seen to by the client.
    fn carry_out_effects(&mut self, id: ReplicaId) {
        if std::mem::take(&mut self.scratch.effects.persisted) {
            self.trace(id, What::Persisted);
        }
        let mut notes = std::mem::take(&mut self.scratch.effects.notes);
        for note in notes.drain(..) {
            self.trace(id, What::Note(note));
        }
        self.scratch.effects.notes = notes;
        let mut sends = std::mem::take(&mut self.scratch.effects.sends);
        for (to, message) in sends.drain(..) {
            self.send(id, to, Mail::Peer(message));
        }
        self.scratch.effects.sends = sends;
        if let Some(failure) = self.scratch.failure.take() {
            self.trace(id, What::Failed(failure.fault, failure.task));
            self.stop_member(id, false, Some(failure));
        }
    }

    /// Rolls the digests over what this step collected.
    fn roll(&mut self) {
        self.protocol_digest = self.scratch.encoder.digest(self.protocol_digest);
        self.scratch.run_encoder.u64(self.protocol_digest);
        self.run_digest = self.scratch.run_encoder.digest(self.run_digest);
        self.scratch.encoder.clear();
        self.scratch.run_encoder.clear();
    }

    // Digests.

    /// A byte of the run's digest: what a link keeps of it after each command.
    #[must_use]
    pub const fn check_byte(&self) -> u8 {
        self.run_digest.to_be_bytes()[0]
    }

    /// The upper half of the state digest: what a link keeps of the moment.
    #[must_use]
    pub fn short_digest(&self) -> u32 {
        (self.state_digest() >> 32) as u32
    }

    /// The state digest: recomputed from everything that decides the future.
    #[must_use]
    pub fn state_digest(&self) -> u64 {
        let mut out = Encoder::default();
        out.u64(self.time.now_us());
        out.u64(self.steps);
        if let Some((replica, tasks)) = self.open {
            out.u8(replica.0);
            out.u32(tasks);
        }
        for (member, luck) in self.members.iter().zip(&self.luck) {
            luck.encode(&mut out);
            match member {
                Member::Up(driver) => {
                    out.u8(1);
                    driver.encode(&mut out);
                }
                Member::Down { disk, .. } => {
                    out.u8(0);
                    P::encode_disk(disk, &mut out);
                }
                Member::Moving => out.u8(2),
            }
        }
        self.network.encode(&mut out, |mail, out| mail.encode(out, P::encode_message));
        for clock in &self.clocks {
            out.u64(clock.since_us);
            out.u64(clock.offset_us);
            out.u32(clock.rate_ppm);
        }
        for client in &self.clients {
            client.encode(&mut out);
        }
        self.desk.encode(&mut out);
        out.digest(0)
    }

    /// All three digests.
    #[must_use]
    pub fn digests(&self) -> Digests {
        Digests { state: self.state_digest(), protocol: self.protocol_digest, run: self.run_digest }
    }
}

const fn delivery_name(key: DeliveryKey) -> EventName {
    EventName::Delivery { from: key.from, to: key.to, number: key.number, is_copy: key.is_copy }
}

const fn timer_name(replica: ReplicaId, timer: Timer, line: Armed) -> EventName {
    EventName::Timer { replica, timer, number: line.number }
}

/// A million steps run some ten million tasks; numbers fit 32 bits.
fn task_name(replica: ReplicaId, number: u64) -> EventName {
    EventName::Task { replica, number: u32::try_from(number).unwrap_or(u32::MAX) }
}
