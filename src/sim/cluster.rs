//! The cluster and its step.
//!
//! A step is one protocol event: a command, a message delivered, or a timer that goes off, together with the executor
//! tasks it causes at that instant on that replica. What can happen next is ordered by (time, replica, class, number),
//! timers before deliveries; so a look at the state precedes a message of the same instant.
//!
//! Holds always: the clock only moves to events and commands; between steps no task is due.

use super::command::{Command, CommandError, EventName, Placed};
use super::invariants::{Violation, Watch};
use super::luck::ReplicaLuck;
use super::network::{DeliveryKey, Flight, Network};
use super::settings::SimSettings;
use super::trace::{TraceEvent, What};
use crate::executor::{MockEventExecutor, MockTime, NEVER, earliest};
use crate::raft::{
    Effects, Encoder, Face, Failure, Fault, LocalClock, Log, Protocol, RaftClient, Replica, ReplicaId, Standing,
    Surroundings, TaskKind, Timer, TimerTable,
};
use std::sync::Arc;

/// More tasks than this at one instant on one replica is a loop, reported as a fault.
const TASKS_AT_ONCE_MAX: u32 = 10_000;

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
enum Member<P: Protocol> {
    Up(RaftClient<P>),
    Down {
        disk: P::Disk,
        fault: Option<Fault>,
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
}

impl<P: Protocol> Default for Scratch<P> {
    fn default() -> Self {
        Self {
            effects: Effects::default(),
            trace: Vec::new(),
            encoder: Encoder::default(),
            run_encoder: Encoder::default(),
        }
    }
}

impl<P: Protocol> Clone for Scratch<P> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A cluster, its network and its clock.
#[derive(Clone, Debug)]
pub struct Sim<P: Protocol> {
    settings: Arc<SimSettings<P::Settings>>,
    time: MockTime,
    members: Vec<Member<P>>,
    luck: Vec<ReplicaLuck>,
    network: Network<P::Message>,
    steps: u64,
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
    pub fn new(settings: SimSettings<P::Settings>) -> Self {
        let replicas = settings.replicas;
        assert!((1..=crate::raft::REPLICAS_MAX).contains(&replicas), "{replicas} replicas");
        let disks = (0..replicas).map(|_| P::empty_disk());
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
            members: disks.map(|disk| Member::Down { disk, fault: None, standing }).collect(),
            luck: (0..replicas).map(|id| ReplicaLuck::new(settings.seed, ReplicaId(id))).collect(),
            network: Network::new(replicas, settings.seed, settings.links),
            steps: 0,
            protocol_digest: 0,
            run_digest: 0,
            watch: Watch::new(replicas),
            scratch: Scratch::default(),
            settings: Arc::new(settings),
        };
        sim.trace(ReplicaId(0), What::Began);
        for id in 0..replicas {
            sim.start_member(ReplicaId(id));
            sim.run_tasks(ReplicaId(id));
        }
        sim.roll();
        sim
    }

    // Looking.

    /// What it was made from.
    #[must_use]
    pub fn settings(&self) -> &SimSettings<P::Settings> {
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

    /// What happened in the last step.
    #[must_use]
    pub fn last_step(&self) -> &[TraceEvent<P>] {
        &self.scratch.trace
    }

    /// What was broken so far.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        self.watch.violations()
    }

    /// The replica, if it is running.
    #[must_use]
    pub fn replica(&self, id: ReplicaId) -> Option<&P::Replica> {
        self.client(id).map(RaftClient::replica)
    }

    fn client(&self, id: ReplicaId) -> Option<&RaftClient<P>> {
        match self.members.get(id.index()) {
            Some(Member::Up(client)) => Some(client),
            _ => None,
        }
    }

    /// Why it cannot go on, if it stopped by itself.
    #[must_use]
    pub fn fault(&self, id: ReplicaId) -> Option<Failure> {
        match self.members.get(id.index()) {
            Some(Member::Down { fault: Some(fault), .. }) => Some(Failure { replica: id, fault: *fault }),
            _ => None,
        }
    }

    /// What checkers know of a replica; of a stopped one, what it was.
    #[must_use]
    pub fn standing(&self, id: ReplicaId) -> Option<Standing> {
        match self.members.get(id.index())? {
            Member::Up(client) => Some(client.replica().standing()),
            Member::Down { standing, .. } => Some(*standing),
            Member::Moving => None,
        }
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

    /// The timers of a running replica and the clock they are read by.
    #[must_use]
    pub fn timers(&self, id: ReplicaId) -> Option<(&TimerTable, LocalClock)> {
        self.client(id).map(|client| (client.replica().timers(), client.clock()))
    }

    /// How many tasks a running replica's executor has accepted and run.
    #[must_use]
    pub fn task_counters(&self, id: ReplicaId) -> Option<(u64, u64)> {
        self.client(id).map(|client| client.executor().counters())
    }

    /// Everything in flight, in no particular order.
    pub fn flights(&self) -> impl Iterator<Item = (DeliveryKey, &Flight<P::Message>)> {
        self.network.flights()
    }

    /// Whether a link is cut.
    #[must_use]
    pub fn is_cut(&self, from: ReplicaId, to: ReplicaId) -> bool {
        self.network.is_cut(from, to)
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
        let due_us = self.members.iter().map(|member| match member {
            Member::Up(client) => client.next_due_us(),
            Member::Down { .. } | Member::Moving => NEVER,
        });
        let mut best = (NEVER, ReplicaId(0), false);
        if let Some((index, at_us)) = earliest(due_us) {
            best = (at_us, ReplicaId(u8::try_from(index).unwrap_or(u8::MAX)), false);
        }
        if let Some(key) = self.network.first()
            && (key.at_us, key.to) < (best.0, best.1)
        {
            best = (key.at_us, key.to, true);
        }
        (best.0 != NEVER).then_some(best)
    }

    /// When the next event is due, in global microseconds; [`NEVER`] if nothing is left to do.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        self.next_key().map_or(NEVER, |(at_us, ..)| at_us)
    }

    fn timer_event(&self, replica: ReplicaId) -> Option<NextEvent> {
        let (timer, number, at_us) = self.client(replica)?.first_timer()?;
        Some(NextEvent { at_us, replica, name: EventName::Timer { replica, timer, number } })
    }

    /// What the next step will be, if it is not a command.
    #[must_use]
    pub fn next_event(&self) -> Option<NextEvent> {
        let (at_us, replica, is_delivery) = self.next_key()?;
        if is_delivery {
            let key = self.network.first()?;
            return Some(NextEvent { at_us, replica, name: delivery_name(key) });
        }
        self.timer_event(replica)
    }

    /// Everything that can happen next, in the order in which it would.
    #[must_use]
    pub fn pending(&self) -> Vec<NextEvent> {
        let mut all = Vec::new();
        for id in self.ids() {
            if let Some(client) = self.client(id) {
                all.extend(client.replica().timers().armed().map(|(timer, line)| NextEvent {
                    at_us: client.clock().global_us(line.at_us),
                    replica: id,
                    name: EventName::Timer { replica: id, timer, number: line.number },
                }));
            }
        }
        let flights = self.network.flights();
        all.extend(flights.map(|(key, _)| NextEvent { at_us: key.at_us, replica: key.to, name: delivery_name(key) }));
        all.sort_by_key(|event| {
            let class = match event.name {
                EventName::Timer { timer, number, .. } => (0, Some(timer), 0, number, false),
                EventName::Delivery { from, number, is_copy, .. } => (1, None, from.0, number, is_copy),
            };
            (event.at_us, event.replica, class)
        });
        all
    }

    // Stepping.

    /// Takes the next step; false if nothing is left to do.
    pub fn step(&mut self) -> bool {
        let Some((at_us, replica, is_delivery)) = self.next_key() else {
            return false;
        };
        self.begin(at_us);
        if is_delivery {
            if let Some((key, flight)) = self.network.pop() {
                self.deliver(key, flight);
            }
        } else if let Some(NextEvent { name, .. }) = self.timer_event(replica) {
            self.trace(replica, What::Fired { event: name });
        }
        self.finish(replica);
        true
    }

    /// Carries out a command at its time.
    ///
    /// # Errors
    /// [`CommandError`] if it cannot be carried out here; then nothing has changed.
    pub fn apply(&mut self, placed: Placed) -> Result<(), CommandError> {
        let Placed { at_us, command, .. } = placed;
        self.check(at_us, &command)?;
        self.begin(at_us);
        self.trace(ReplicaId(0), What::Command(command));
        let touched = self.carry_out(command);
        self.finish(touched);
        Ok(())
    }

    fn check(&self, at_us: u64, command: &Command) -> Result<(), CommandError> {
        let (now_us, next_us) = (self.now_us(), self.next_due_us());
        if at_us < now_us || at_us > next_us || at_us == NEVER {
            return Err(CommandError::WrongTime { at_us, now_us, next_us });
        }
        let exists = |id: ReplicaId| {
            if id.0 < self.replicas() { Ok(()) } else { Err(CommandError::NoSuchReplica(id)) }
        };
        match *command {
            Command::Crash { replica, .. } => {
                exists(replica)?;
                self.client(replica).map(|_| ()).ok_or(CommandError::IsDown(replica))
            }
            Command::Restart { replica } => {
                exists(replica)?;
                if self.client(replica).is_some() { Err(CommandError::IsUp(replica)) } else { Ok(()) }
            }
            Command::RunNow { event: EventName::Timer { replica, timer, number } } => {
                exists(replica)?;
                let client = self.client(replica).ok_or(CommandError::IsDown(replica))?;
                if timer.peer.is_some_and(|peer| peer.0 >= self.replicas()) {
                    return Err(CommandError::NoSuchEvent);
                }
                let line = client.replica().timers().get(timer);
                if line.at_us == NEVER || line.number != number {
                    return Err(CommandError::NoSuchEvent);
                }
                Ok(())
            }
            Command::RunNow { event: EventName::Delivery { from, to, number, is_copy } }
            | Command::Drop { from, to, number, is_copy } => {
                exists(from)?;
                exists(to)?;
                self.in_flight(from, to, number, is_copy)
            }
            Command::Duplicate { from, to, number, .. } => {
                exists(from)?;
                exists(to)?;
                self.in_flight(from, to, number, false)?;
                match self.in_flight(from, to, number, true) {
                    Ok(()) => Err(CommandError::HasCopy),
                    Err(_) => Ok(()),
                }
            }
            Command::SetCut { from, to, .. } | Command::SetLink { link: Some((from, to)), .. } => {
                exists(from)?;
                exists(to)
            }
            Command::SetLink { link: None, .. } => Ok(()),
        }
    }

    fn in_flight(&self, from: ReplicaId, to: ReplicaId, number: u32, is_copy: bool) -> Result<(), CommandError> {
        let wanted = (from, to, number, is_copy);
        let found = self.network.flights().any(|(key, _)| (key.from, key.to, key.number, key.is_copy) == wanted);
        if found { Ok(()) } else { Err(CommandError::NoSuchEvent) }
    }

    /// Carries out a command that was checked; gives the replica it touched.
    fn carry_out(&mut self, command: Command) -> ReplicaId {
        match command {
            Command::Crash { replica, keep_unflushed } => {
                self.stop_member(replica, keep_unflushed, None);
                replica
            }
            Command::Restart { replica } => {
                self.start_member(replica);
                replica
            }
            Command::RunNow { event: EventName::Timer { replica, timer, .. } } => {
                self.hurry(replica, timer);
                replica
            }
            Command::RunNow { event: EventName::Delivery { from, to, number, is_copy } } => {
                if let Some((key, flight)) = self.network.take(from, to, number, is_copy) {
                    self.deliver(key, flight);
                }
                to
            }
            Command::Drop { from, to, number, is_copy } => {
                self.network.take(from, to, number, is_copy);
                to
            }
            Command::Duplicate { from, to, number, after_us } => {
                self.network.duplicate(from, to, number, u64::from(after_us));
                to
            }
            Command::SetCut { from, to, is_cut } => {
                self.network.set_cut(from, to, is_cut);
                from
            }
            Command::SetLink { link: Some((from, to)), conditions } => {
                self.network.set_conditions(from, to, conditions);
                from
            }
            Command::SetLink { link: None, conditions } => {
                for from in self.ids() {
                    for to in self.ids() {
                        self.network.set_conditions(from, to, conditions);
                    }
                }
                ReplicaId(0)
            }
        }
    }

    fn begin(&mut self, at_us: u64) {
        self.scratch.trace.clear();
        self.time.set_us(at_us.max(self.now_us()));
        self.scratch.run_encoder.u64(at_us);
    }

    fn finish(&mut self, touched: ReplicaId) {
        self.run_tasks(touched);
        self.steps += 1;
        self.roll();
    }

    fn trace(&mut self, replica: ReplicaId, what: What<P>) {
        self.scratch.trace.push(TraceEvent { at_us: self.time.now_us(), replica, what });
    }

    fn deliver(&mut self, key: DeliveryKey, flight: Flight<P::Message>) {
        let face = P::message_face(&flight.message);
        let is_wasted = match &mut self.members[key.to.index()] {
            Member::Up(client) => {
                client.receive(key.from, flight.message, &self.time);
                false
            }
            Member::Down { .. } | Member::Moving => true,
        };
        self.scratch.run_encoder.u8(key.from.0);
        self.scratch.run_encoder.u32(key.number);
        self.trace(key.to, What::Delivered { from: key.from, number: key.number, face, is_wasted });
    }

    fn hurry(&mut self, replica: ReplicaId, timer: Timer) {
        if let Member::Up(client) = &mut self.members[replica.index()] {
            let mut around = Surroundings {
                time: &self.time,
                settings: &self.settings.protocol,
                luck: &mut self.luck[replica.index()],
                effects: &mut self.scratch.effects,
            };
            client.hurry(timer, &mut around);
        }
    }

    fn start_member(&mut self, id: ReplicaId) {
        match std::mem::replace(&mut self.members[id.index()], Member::Moving) {
            Member::Down { disk, .. } => {
                let mut around = Surroundings {
                    time: &self.time,
                    settings: &self.settings.protocol,
                    luck: &mut self.luck[id.index()],
                    effects: &mut self.scratch.effects,
                };
                let executor = MockEventExecutor::default();
                let clock = LocalClock::default();
                let client = RaftClient::start(id, self.settings.replicas, disk, executor, clock, &mut around);
                self.members[id.index()] = Member::Up(client);
                self.carry_out_effects(id);
            }
            other => self.members[id.index()] = other,
        }
    }

    fn stop_member(&mut self, id: ReplicaId, keep_unflushed: bool, fault: Option<Fault>) {
        match std::mem::replace(&mut self.members[id.index()], Member::Moving) {
            Member::Up(client) => {
                let standing = client.replica().standing();
                let disk = client.stop(keep_unflushed);
                self.members[id.index()] = Member::Down { disk, fault, standing };
                self.watch.stopped(id);
            }
            other => self.members[id.index()] = other,
        }
    }

    /// Runs what is due on `id`, one task after the other.
    fn run_tasks(&mut self, id: ReplicaId) {
        let mut count = 0_u32;
        loop {
            let Member::Up(client) = &mut self.members[id.index()] else {
                return;
            };
            let before = client.replica().standing();
            let mut around = Surroundings {
                time: &self.time,
                settings: &self.settings.protocol,
                luck: &mut self.luck[id.index()],
                effects: &mut self.scratch.effects,
            };
            let Some((number, kind)) = client.poll(&mut around) else {
                return;
            };
            let after = client.replica().standing();
            count += 1;
            if count > TASKS_AT_ONCE_MAX {
                self.scratch.effects.fault = Some(Fault::TaskLoop);
            }
            self.trace(id, What::Task { number, kind });
            let out = &mut self.scratch.run_encoder;
            out.u64(number);
            out.u8(match kind {
                TaskKind::PollState => 0,
                TaskKind::Message => 1,
                TaskKind::PollListeners => 2,
                TaskKind::Timer(_) => 3,
            });
            if before != after {
                self.watch.look(self.steps + 1, id, after);
            }
            if before != after || self.scratch.effects.persisted {
                self.encode_standing(id);
            }
            self.carry_out_effects(id);
        }
    }

    /// What a replica became, for the protocol digest.
    fn encode_standing(&mut self, id: ReplicaId) {
        let Member::Up(client) = &self.members[id.index()] else {
            return;
        };
        let standing = client.replica().standing();
        let out = &mut self.scratch.encoder;
        out.u8(0);
        out.u64(self.time.now_us());
        out.u8(id.0);
        out.u8(standing.role as u8);
        out.u32(standing.epoch);
        client.replica().encode_persisted(out);
        out.option(standing.committed);
    }

    /// Persist, send, notify: timers and listeners were seen to by the client.
    fn carry_out_effects(&mut self, id: ReplicaId) {
        let now_us = self.time.now_us();
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
            let face = P::message_face(&message);
            let out = &mut self.scratch.encoder;
            out.u8(1);
            out.u8(id.0);
            out.u8(to.0);
            out.u64(now_us);
            P::encode_message(&message, out);
            let sent = self.network.send(id, to, message, now_us);
            self.trace(id, What::Sent { to, number: sent.number, at_us: sent.at_us, fate: sent.fate, face });
        }
        self.scratch.effects.sends = sends;
        if let Some(fault) = self.scratch.effects.fault.take() {
            self.trace(id, What::Failed(fault));
            self.stop_member(id, false, Some(fault));
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

    /// The state digest: recomputed from everything that decides the future.
    #[must_use]
    pub fn state_digest(&self) -> u64 {
        let mut out = Encoder::default();
        let mut order = Vec::new();
        out.u64(self.time.now_us());
        out.u64(self.steps);
        for (member, luck) in self.members.iter().zip(&self.luck) {
            luck.encode(&mut out);
            match member {
                Member::Up(client) => {
                    out.u8(1);
                    client.encode(&mut out, &mut order);
                }
                Member::Down { disk, .. } => {
                    out.u8(0);
                    P::encode_disk(disk, &mut out);
                }
                Member::Moving => out.u8(2),
            }
        }
        self.network.encode(&mut out, P::encode_message);
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
