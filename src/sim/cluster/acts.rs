//! What people do to a cluster: whether it can be done here, and doing it.

use super::{Member, Sim};
use crate::executor::{MICROS_PER_MILLI, NEVER, in_order};
use crate::raft::{Protocol, Replica, ReplicaId, Request, TaskKind, Timer, TimerTable};
use crate::sim::clients::{CLIENTS_MAX, ClientState, client_id, client_number};
use crate::sim::command::{Command, CommandError, EventName, Placed};
use crate::sim::trace::What;

impl<P: Protocol> Sim<P> {
    /// Carries out a command at its time.
    ///
    /// # Errors
    /// [`CommandError`] if it cannot be carried out here; then nothing has changed.
    pub fn apply(&mut self, placed: Placed) -> Result<(), CommandError> {
        let Placed { at_us, command, .. } = placed;
        self.check(at_us, &command)?;
        self.begin(at_us);
        self.trace(ReplicaId(0), What::Command(command));
        match self.carry_out(command) {
            Some(touched) => self.finish(touched),
            None => self.close(),
        }
        Ok(())
    }

    pub(super) fn check(&self, at_us: u64, command: &Command) -> Result<(), CommandError> {
        let (now_us, next_us) = (self.now_us(), self.next_due_us());
        if at_us < now_us || at_us > next_us || at_us == NEVER {
            return Err(CommandError::WrongTime { at_us, now_us, next_us });
        }
        let exists = |id: ReplicaId| {
            if id.0 < self.replicas() { Ok(()) } else { Err(CommandError::NoSuchReplica(id)) }
        };
        // A link's end may be a client's.
        let is_end = |id: ReplicaId| match client_number(id) {
            Some(client) => self.client_exists(client),
            None => exists(id),
        };
        let is_link = |from: ReplicaId, to: ReplicaId| {
            if from.0.min(to.0) >= self.replicas() {
                return Err(CommandError::NoSuchReplica(to));
            }
            is_end(from)?;
            is_end(to)
        };
        let works = |replica: ReplicaId| {
            exists(replica)?;
            let client = self.client(replica).ok_or(CommandError::IsDown(replica))?;
            if self.is_paused(replica) { Err(CommandError::IsPaused(replica)) } else { Ok(client) }
        };
        match *command {
            Command::Crash { replica, .. } => {
                exists(replica)?;
                self.client(replica).map(|_| ()).ok_or(CommandError::IsDown(replica))
            }
            Command::Append { replica, .. }
            | Command::Resign { replica }
            | Command::Shutdown { replica, .. }
            | Command::Pause { replica } => works(replica).map(|_| ()),
            Command::Resume { replica } => {
                exists(replica)?;
                if self.is_paused(replica) { Ok(()) } else { Err(CommandError::IsNotPaused(replica)) }
            }
            Command::SetClock { replica, .. } => exists(replica),
            Command::SpaceTimers { .. } => {
                if self.campaigning().len() < 2 {
                    Err(CommandError::NothingToSpace)
                } else {
                    Ok(())
                }
            }
            Command::Partition { groups } => groups.apart().try_for_each(|(id, _)| is_end(id)),
            Command::Heal => {
                if self.is_whole() {
                    Err(CommandError::NothingToHeal)
                } else {
                    Ok(())
                }
            }
            Command::AddClient { .. } => {
                let is_room = self.clients.len() < usize::from(CLIENTS_MAX);
                if is_room { Ok(()) } else { Err(CommandError::TooManyClients) }
            }
            Command::ClientRequest { client, .. } => {
                self.client_exists(client)?;
                let is_full = self.clients[usize::from(client)].is_full();
                if is_full { Err(CommandError::ClientIsFull(client + 1)) } else { Ok(()) }
            }
            Command::SetRate { client, .. } => self.client_exists(client),
            Command::RunNow { event: EventName::Client { client, alarm, number } }
            | Command::PushBack { event: EventName::Client { client, alarm, number }, .. } => {
                self.client_exists(client)?;
                let is_set = self.clients[usize::from(client)].has_alarm(alarm, number);
                if is_set { Ok(()) } else { Err(CommandError::NoSuchEvent) }
            }
            Command::Restart { replica, .. } => {
                exists(replica)?;
                if self.client(replica).is_some() { Err(CommandError::IsUp(replica)) } else { Ok(()) }
            }
            Command::PushBack { event: EventName::Delivery { .. } | EventName::Task { .. }, .. } => {
                Err(CommandError::NoSuchEvent)
            }
            Command::RunNow { event: EventName::Timer { replica, timer, number } }
            | Command::PushBack { event: EventName::Timer { replica, timer, number }, .. } => {
                let client = works(replica)?;
                if timer.peer.is_some_and(|peer| peer.0 >= self.replicas()) {
                    return Err(CommandError::NoSuchEvent);
                }
                let mut waking = client.waking();
                let found = waking.any(|(awake, line)| awake == timer && line.number == number);
                if found { Ok(()) } else { Err(CommandError::NoSuchEvent) }
            }
            Command::RunNow { event: EventName::Task { replica, number } } | Command::Cancel { replica, number } => {
                let client = works(replica)?;
                client.executor().find(number.into()).map(|_| ()).ok_or(CommandError::NoSuchEvent)
            }
            Command::RunNow { event: EventName::Delivery { from, to, number, is_copy } } => {
                is_link(from, to)?;
                if self.is_paused(to) {
                    return Err(CommandError::IsPaused(to));
                }
                self.in_flight(from, to, number, is_copy)
            }
            Command::Drop { from, to, number, is_copy } | Command::Delay { from, to, number, is_copy, .. } => {
                is_link(from, to)?;
                self.in_flight(from, to, number, is_copy)
            }
            Command::Swap { one, other } => {
                is_link(one.0, one.1)?;
                is_link(other.0, other.1)?;
                self.in_flight(one.0, one.1, one.2, one.3)?;
                self.in_flight(other.0, other.1, other.2, other.3)?;
                let flies = |name| self.network.arrives_us(name).is_some();
                if one != other && flies(one) && flies(other) { Ok(()) } else { Err(CommandError::CannotSwap) }
            }
            Command::Duplicate { from, to, number, .. } => {
                is_link(from, to)?;
                self.in_flight(from, to, number, false)?;
                if !self.network.can_hold((from, to, number, false), true) {
                    return Err(CommandError::IsHeld);
                }
                match self.in_flight(from, to, number, true) {
                    Ok(()) => Err(CommandError::HasCopy),
                    Err(_) => Ok(()),
                }
            }
            Command::SetHeld { from, to, number, is_copy, is_held } => {
                is_link(from, to)?;
                self.in_flight(from, to, number, is_copy)?;
                let can = self.network.can_hold((from, to, number, is_copy), is_held);
                match (can, is_held) {
                    (true, _) => Ok(()),
                    (false, true) => Err(CommandError::IsHeld),
                    (false, false) => Err(CommandError::IsNotHeld),
                }
            }
            Command::SetCut { from, to, .. } | Command::SetLink { link: Some((from, to)), .. } => is_link(from, to),
            Command::SetLink { link: None, .. } => Ok(()),
        }
    }

    pub(super) fn client_exists(&self, client: u8) -> Result<(), CommandError> {
        if usize::from(client) < self.clients.len() { Ok(()) } else { Err(CommandError::NoSuchClient(client + 1)) }
    }

    /// The timers on which running voters would next seek votes, with their global due times, the first first.
    pub(super) fn campaigning(&self) -> Vec<(u64, ReplicaId, Timer)> {
        let timer = |id: ReplicaId| {
            let client = self.client(id).filter(|_| !self.is_paused(id))?;
            let timer = client.replica().campaigns_on()?;
            Some((client.clock().global_us(client.replica().timers().deadline_us(timer)), id, timer))
        };
        in_order(self.ids().filter_map(timer).collect(), |&(at_us, id, _)| [at_us, id.0.into(), 0])
    }

    pub(super) fn in_flight(
        &self,
        from: ReplicaId,
        to: ReplicaId,
        number: u32,
        is_copy: bool,
    ) -> Result<(), CommandError> {
        let wanted = (from, to, number, is_copy);
        let found = self.network.flights().any(|(key, _)| (key.from, key.to, key.number, key.is_copy) == wanted);
        if found { Ok(()) } else { Err(CommandError::NoSuchEvent) }
    }

    /// Carries out a command that was checked; gives the replica whose due tasks belong to it, if any do.
    pub(super) fn carry_out(&mut self, command: Command) -> Option<ReplicaId> {
        let touched = match command {
            Command::RunNow { event: EventName::Task { replica, number } } => {
                // A timer's task is the timer itself: its deadline is now.
                let kind = self.client(replica).and_then(|client| {
                    client.queue().into_iter().find(|&(_, n, _)| n == u64::from(number)).map(|(.., kind)| kind)
                });
                if let Some(TaskKind::Timer(timer)) = kind {
                    self.hurry(replica, timer);
                    return Some(replica);
                }
                self.run_task(replica, Some(number.into()));
                return None;
            }
            Command::Cancel { replica, number } => {
                self.drive(replica, |client, _| {
                    if let Some(id) = client.executor().find(number.into()) {
                        client.lose(id);
                    }
                });
                return None;
            }
            Command::Append { replica, key, value, count } => {
                let epoch = self.standing(replica).map_or(0, |standing| standing.epoch);
                self.ask(replica, Request::Append { epoch, key, value, count });
                replica
            }
            Command::Resign { replica } => {
                let epoch = self.standing(replica).map_or(0, |standing| standing.epoch);
                self.ask(replica, Request::Resign { epoch });
                replica
            }
            Command::Shutdown { replica, timeout_ms } => {
                self.ask(replica, Request::Shutdown { timeout_us: u64::from(timeout_ms) * MICROS_PER_MILLI });
                replica
            }
            Command::Crash { replica, keep_unflushed } => {
                self.stop_member(replica, keep_unflushed, None);
                replica
            }
            Command::Restart { replica, is_wiped } => {
                if is_wiped && let Member::Down { disk, .. } = &mut self.members[replica.index()] {
                    *disk = P::wiped_disk(disk);
                }
                self.start_member(replica);
                replica
            }
            Command::RunNow { event: EventName::Timer { replica, timer, .. } } => {
                self.hurry(replica, timer);
                replica
            }
            Command::RunNow { event: EventName::Delivery { from, to, number, is_copy } } => {
                // A look at the state comes before a message of the same instant, whatever was due then.
                while self.open.is_none() && self.run_task(to, None) {}
                if let Some((key, flight)) = self.network.take(from, to, number, is_copy) {
                    self.deliver(key, flight);
                }
                to
            }
            Command::RunNow { event: EventName::Client { client, alarm, .. } } => {
                self.ring(client, alarm);
                return None;
            }
            Command::PushBack { event, by_us } => {
                let by_us = u64::from(by_us);
                match event {
                    EventName::Client { client, alarm, .. } => {
                        self.clients[usize::from(client)].push_back(alarm, by_us);
                    }
                    EventName::Timer { replica, timer, .. } => {
                        self.move_timers(replica, |timers| timers.push_back(timer, by_us));
                    }
                    EventName::Delivery { .. } | EventName::Task { .. } => {}
                }
                return None;
            }
            Command::SpaceTimers { apart_us } => {
                let all = self.campaigning();
                let first_us = all.first().map_or(0, |&(at_us, ..)| at_us);
                for (place, (_, id, timer)) in (0..).zip(all) {
                    let at_us = self.clock(id).local_us(first_us + place * u64::from(apart_us));
                    self.move_timers(id, |timers| timers.set_deadline(timer, at_us));
                }
                return None;
            }
            Command::Pause { replica } => {
                self.network.set_paused(replica, true);
                self.note_due(replica);
                return None;
            }
            Command::Resume { replica } => {
                // What is over by now comes first; messages that waited are steps of their own.
                self.network.set_paused(replica, false);
                self.drive(replica, |_, _| {});
                replica
            }
            Command::SetClock { replica, rate_ppm } => {
                self.set_clock(replica, rate_ppm);
                return None;
            }
            Command::Partition { groups } => {
                self.network.set_groups(groups);
                return None;
            }
            Command::Heal => {
                self.network.heal();
                return None;
            }
            Command::AddClient { options } => {
                let client = u8::try_from(self.clients.len()).unwrap_or(u8::MAX);
                self.network.add_client(client_id(client), self.settings.links);
                self.clients.push(ClientState::new(options));
                return None;
            }
            Command::ClientRequest { client, key, value } => {
                let now_us = self.now_us();
                self.with_client(client, |state, acts| state.request(key, value, now_us, acts));
                return None;
            }
            Command::SetRate { client, every_us } => {
                let now_us = self.now_us();
                self.with_client(client, |state, _| state.set_rate(every_us.into(), now_us));
                return None;
            }
            Command::Drop { from, to, number, is_copy } => {
                self.network.take(from, to, number, is_copy);
                to
            }
            Command::Delay { from, to, number, is_copy, by_us } => {
                self.network.delay((from, to, number, is_copy), by_us.into());
                to
            }
            Command::Swap { one, other } => {
                self.network.swap(one, other);
                return None;
            }
            Command::SetHeld { from, to, number, is_copy, is_held } => {
                self.network.set_held((from, to, number, is_copy), is_held, self.time.now_us());
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
                self.network.set_all_conditions(conditions);
                return None;
            }
        };
        Some(touched)
    }

    fn hurry(&mut self, replica: ReplicaId, timer: Timer) {
        self.drive(replica, |client, around| client.hurry(timer, around));
    }

    fn move_timers(&mut self, replica: ReplicaId, change: impl FnOnce(&mut TimerTable)) {
        self.drive(replica, |client, around| client.move_timers(around, change));
    }

    fn set_clock(&mut self, replica: ReplicaId, rate_ppm: u32) {
        let clock = self.clocks[replica.index()].at_rate(rate_ppm, self.now_us());
        self.clocks[replica.index()] = clock;
        self.drive(replica, |client, around| client.set_clock(clock, around));
    }
}
