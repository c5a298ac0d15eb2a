//! Directed links and the messages in flight on them.
//!
//! Each message gets a number on its link, counted from 1, and draws its luck once, when it is sent: how long it flies,
//! whether it is lost, delivered twice, or allowed to overtake. A message that may not overtake is delivered in order,
//! like bytes of one connection. A cut link loses what is sent while it is cut, and so does one between two groups of a
//! partition; what was sent before arrives. A message that is held arrives only once it is released; those behind it
//! overtake it. What arrives at a paused replica waits at its door, and comes in in its order once it goes on.
//!
//! Clients of the cluster have links to and from each replica, made when they join.

use super::clients::{FIRST_CLIENT, client_number};
use super::command::Groups;
use super::luck::{PPM, Stream, scale};
use super::settings::LinkConditions;
use crate::executor::{Handle, NEVER, OrderedQueue, in_order};
use crate::raft::{Encoder, ReplicaId, ReplicaSet};

/// The most messages in flight: more than any cluster has whose links are not absurd. What comes on top is lost.
pub const FLIGHTS_MAX: usize = 5_000;

/// Orders deliveries: time, receiver, sender, number, copies last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeliveryKey {
    /// When it arrives, in global microseconds.
    pub at_us: u64,
    /// Where.
    pub to: ReplicaId,
    /// From where.
    pub from: ReplicaId,
    /// Its number on the link.
    pub number: u32,
    /// Whether it is the second delivery of a duplicated message.
    pub is_copy: bool,
}

impl DeliveryKey {
    /// Numbers that rise as keys do.
    fn rank(&self) -> [u64; 3] {
        let link = u64::from(self.to.0) << 8 | u64::from(self.from.0);
        [self.at_us, link, u64::from(self.number) << 1 | u64::from(self.is_copy)]
    }
}

/// A message in flight.
#[derive(Clone, Debug)]
pub struct Flight<M> {
    /// What flies.
    pub message: M,
    /// When it was sent, in global microseconds.
    pub sent_us: u64,
    /// While it is held: since when, in global microseconds, and how much of its flight was left then. It does not arrive.
    pub held: Option<(u64, u64)>,
    /// While its receiver is paused: when it is, or will be, at the door, in global microseconds.
    pub door_us: Option<u64>,
}

/// A message in flight, by its link, its number there, and whether its second delivery is meant.
pub type FlightName = (ReplicaId, ReplicaId, u32, bool);

/// What became of a message when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It flies.
    Flies,
    /// It flies, and so does a copy.
    FliesTwice,
    /// It is lost on the way.
    Lost,
    /// The link is cut, or leads to another group of a partition.
    Cut,
}

#[derive(Clone, Debug)]
struct Link {
    sent: u32,
    /// When the last message in order arrives.
    in_order_us: u64,
    luck: Stream,
    is_cut: bool,
    conditions: LinkConditions,
}

impl Link {
    fn new(seed: u64, from: ReplicaId, to: ReplicaId, conditions: LinkConditions) -> Self {
        Self { sent: 0, in_order_us: 0, luck: Stream::of_link(seed, from, to), is_cut: false, conditions }
    }
}

/// All links of a cluster.
#[derive(Clone, Debug)]
pub struct Network<M> {
    replicas: u8,
    seed: u64,
    /// Between replicas; then, for each client, those to and those from each replica.
    links: Vec<Link>,
    flights: OrderedQueue<DeliveryKey, Flight<M>>,
    groups: Groups,
    paused: ReplicaSet,
}

/// What [`Network::send`] did.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The message's number on its link.
    pub number: u32,
    /// When it arrives or would have arrived, in global microseconds.
    pub at_us: u64,
    /// What became of it.
    pub fate: Fate,
}

impl<M: Clone> Network<M> {
    /// Links between all of `replicas`, each to itself included, all alike.
    #[must_use]
    #[inline]
    pub fn new(replicas: u8, seed: u64, conditions: LinkConditions) -> Self {
        let ids = 0..replicas;
        let links = ids
            .clone()
            .flat_map(|from| ids.clone().map(move |to| (ReplicaId(from), ReplicaId(to))))
            .map(|(from, to)| Link::new(seed, from, to, conditions))
            .collect();
        let (flights, groups, paused) = (OrderedQueue::default(), Groups::default(), ReplicaSet::default());
        Self { replicas, seed, links, flights, groups, paused }
    }

    /// Makes the links of the next client.
    pub fn add_client(&mut self, client: ReplicaId, conditions: LinkConditions) {
        let ids = || (0..self.replicas).map(ReplicaId);
        let to = ids().map(|id| Link::new(self.seed, client, id, conditions));
        let from = ids().map(|id| Link::new(self.seed, id, client, conditions));
        let all: Vec<Link> = to.chain(from).collect();
        self.links.extend(all);
    }

    #[inline]
    fn index(&self, from: ReplicaId, to: ReplicaId) -> usize {
        let replicas = usize::from(self.replicas);
        if from.0 < FIRST_CLIENT && to.0 < FIRST_CLIENT {
            return from.index() * replicas + to.index();
        }
        let (client, of_client) = match client_number(from) {
            Some(client) => (client, to.index()),
            None => (client_number(to).unwrap_or_default(), replicas + from.index()),
        };
        replicas * replicas + usize::from(client) * 2 * replicas + of_client
    }

    /// Puts a message on its way; if its receiver is paused, to the door.
    #[inline]
    fn place(&mut self, key: DeliveryKey, flight: Flight<M>) {
        let is_stopped = self.paused.contains(key.to) && flight.held.is_none();
        if is_stopped {
            let door_us = Some(flight.door_us.unwrap_or(key.at_us));
            self.flights.push(DeliveryKey { at_us: NEVER, ..key }, Flight { door_us, ..flight });
        } else {
            self.flights.push(key, flight);
        }
    }

    /// Sends a message at `now_us`.
    #[inline]
    pub fn send(&mut self, from: ReplicaId, to: ReplicaId, message: M, now_us: u64) -> Sent {
        let index = self.index(from, to);
        let is_apart = self.groups.are_apart(from, to);
        let link = &mut self.links[index];
        link.sent += 1;
        let number = link.sent;
        // A fixed set of draws, in this order, whatever is set: see `luck`.
        let [latency, loss, duplicate, reorder, copy_latency, extra] = std::array::from_fn(|_| link.luck.draw());
        let c = link.conditions;
        let spread = (c.latency_max_us - c.latency_min_us).saturating_add(1);
        let flight_us = |draw| u64::from(c.latency_min_us) + u64::from(scale(draw, spread));
        let mut at_us = now_us + flight_us(latency);
        if scale(reorder, PPM) < c.reorder_ppm {
            // Out of order: nothing waits for it, and it may take up to one more longest flight.
            at_us += u64::from(scale(extra, c.latency_max_us.saturating_add(1)));
        } else {
            at_us = at_us.max(link.in_order_us);
            link.in_order_us = at_us;
        }
        let is_full = self.flights.len() >= FLIGHTS_MAX;
        let fate = if link.is_cut || is_apart {
            Fate::Cut
        } else if is_full || scale(loss, PPM) < c.loss_ppm {
            Fate::Lost
        } else if scale(duplicate, PPM) < c.duplicate_ppm {
            Fate::FliesTwice
        } else {
            Fate::Flies
        };
        if fate == Fate::FliesTwice {
            let key = DeliveryKey { at_us: at_us + flight_us(copy_latency), to, from, number, is_copy: true };
            self.place(key, Flight { message: message.clone(), sent_us: now_us, held: None, door_us: None });
        }
        if matches!(fate, Fate::Flies | Fate::FliesTwice) {
            let key = DeliveryKey { at_us, to, from, number, is_copy: false };
            self.place(key, Flight { message, sent_us: now_us, held: None, door_us: None });
        }
        Sent { number, at_us, fate }
    }

    /// What arrives first.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<DeliveryKey> {
        self.flights.first().map(|(key, _)| key).filter(|key| key.at_us != NEVER)
    }

    /// Takes what arrives first.
    #[inline]
    pub fn pop(&mut self) -> Option<(DeliveryKey, Flight<M>)> {
        self.flights.pop()
    }

    /// Everything in flight, in no particular order.
    #[inline]
    pub fn flights(&self) -> impl Iterator<Item = (DeliveryKey, &Flight<M>)> {
        self.flights.iter().map(|(_, key, flight)| (key, flight))
    }

    #[inline]
    fn find(&self, from: ReplicaId, to: ReplicaId, number: u32, is_copy: bool) -> Option<Handle> {
        self.flights
            .iter()
            .find(|(_, key, _)| (key.from, key.to, key.number, key.is_copy) == (from, to, number, is_copy))
            .map(|(handle, ..)| handle)
    }

    /// Takes a message out of its flight.
    #[inline]
    pub fn take(
        &mut self,
        from: ReplicaId,
        to: ReplicaId,
        number: u32,
        is_copy: bool,
    ) -> Option<(DeliveryKey, Flight<M>)> {
        let handle = self.find(from, to, number, is_copy)?;
        self.flights.remove(handle)
    }

    /// Lets a copy of a message in flight arrive after it, `after_us` later. False if there is none or it has a copy.
    #[inline]
    pub fn duplicate(&mut self, from: ReplicaId, to: ReplicaId, number: u32, after_us: u64) -> bool {
        let Some((key, flight)) =
            self.find(from, to, number, false).and_then(|h| self.flights.get(h)).map(|(k, f)| (k, f.clone()))
        else {
            return false;
        };
        if self.find(from, to, number, true).is_some() {
            return false;
        }
        let flight = Flight { door_us: flight.door_us.map(|at_us| at_us + after_us), ..flight };
        self.place(DeliveryKey { at_us: key.at_us.saturating_add(after_us), is_copy: true, ..key }, flight);
        true
    }

    /// Holds a message in flight at `now_us`, or lets one that is held fly on, with the rest of its flight. False if it does
    /// not fly, or is so already.
    #[inline]
    pub fn set_held(&mut self, key: FlightName, is_held: bool, now_us: u64) -> bool {
        let (from, to, number, is_copy) = key;
        if !self.can_hold(key, is_held) {
            return false;
        }
        let Some((key, flight)) = self.take(from, to, number, is_copy) else {
            return false;
        };
        let (at_us, held) = match flight.held {
            None => (NEVER, Some((now_us, flight.door_us.unwrap_or(key.at_us).saturating_sub(now_us)))),
            Some((_, left_us)) => (now_us + left_us, None),
        };
        self.place(DeliveryKey { at_us, ..key }, Flight { held, door_us: None, ..flight });
        true
    }

    /// Lets a message arrive so much later. False if it is not in flight.
    pub fn delay(&mut self, (from, to, number, is_copy): FlightName, by_us: u64) -> bool {
        let Some((key, mut flight)) = self.take(from, to, number, is_copy) else {
            return false;
        };
        let mut at_us = key.at_us;
        match (&mut flight.held, &mut flight.door_us) {
            (Some((_, left_us)), _) => *left_us += by_us,
            (None, Some(door_us)) => *door_us += by_us,
            (None, None) => at_us += by_us,
        }
        self.flights.push(DeliveryKey { at_us, ..key }, flight);
        true
    }

    /// Lets two messages that fly arrive each when the other would have. False if one of them does not fly.
    pub fn swap(&mut self, one: FlightName, other: FlightName) -> bool {
        let flies = |name: FlightName| self.arrives_us(name).is_some();
        if !flies(one) || !flies(other) || one == other {
            return false;
        }
        let mut take = |name: FlightName| self.take(name.0, name.1, name.2, name.3);
        let (Some((one_key, one)), Some((other_key, other))) = (take(one), take(other)) else {
            return false;
        };
        self.place(DeliveryKey { at_us: other_key.at_us, ..one_key }, one);
        self.place(DeliveryKey { at_us: one_key.at_us, ..other_key }, other);
        true
    }

    /// When a message arrives, if it flies: not held, and not on its way to a paused replica.
    #[must_use]
    pub fn arrives_us(&self, (from, to, number, is_copy): FlightName) -> Option<u64> {
        let (key, flight) = self.find(from, to, number, is_copy).and_then(|handle| self.flights.get(handle))?;
        (flight.held.is_none() && flight.door_us.is_none()).then_some(key.at_us)
    }

    /// Stops or opens the door of a replica: what is on its way there waits at the door, or comes in.
    pub fn set_paused(&mut self, id: ReplicaId, is_paused: bool) {
        if is_paused {
            self.paused.insert(id);
        } else {
            self.paused.remove(id);
        }
        let concerned: Vec<FlightName> = self
            .flights()
            .filter(|(key, flight)| key.to == id && flight.held.is_none())
            .map(|(key, _)| (key.from, key.to, key.number, key.is_copy))
            .collect();
        for (from, to, number, is_copy) in concerned {
            if let Some((key, flight)) = self.take(from, to, number, is_copy) {
                let at_us = flight.door_us.unwrap_or(key.at_us);
                self.place(DeliveryKey { at_us, ..key }, Flight { door_us: None, ..flight });
            }
        }
    }

    /// The paused replicas.
    #[must_use]
    #[inline]
    pub const fn paused(&self) -> ReplicaSet {
        self.paused
    }

    /// Parts the cluster into groups that do not hear each other.
    pub const fn set_groups(&mut self, groups: Groups) {
        self.groups = groups;
    }

    /// The groups.
    #[must_use]
    pub const fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Heals every cut and puts all into one group.
    pub fn heal(&mut self) {
        self.groups = Groups::default();
        for link in &mut self.links {
            link.is_cut = false;
        }
    }

    /// Whether anything is cut or parted.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.groups == Groups::default() && self.links.iter().all(|link| !link.is_cut)
    }

    /// Whether a message is in flight and not yet held, or not held any more, as is wanted.
    #[must_use]
    #[inline]
    pub fn can_hold(&self, (from, to, number, is_copy): FlightName, is_held: bool) -> bool {
        let flight = self.find(from, to, number, is_copy).and_then(|handle| self.flights.get(handle));
        flight.is_some_and(|(_, flight)| flight.held.is_some() != is_held)
    }

    /// Cuts or heals a link.
    #[inline]
    pub fn set_cut(&mut self, from: ReplicaId, to: ReplicaId, is_cut: bool) {
        let index = self.index(from, to);
        self.links[index].is_cut = is_cut;
    }

    /// The luck of a link, as far as it has been used.
    #[must_use]
    #[inline]
    pub fn luck(&self, from: ReplicaId, to: ReplicaId) -> &Stream {
        &self.links[self.index(from, to)].luck
    }

    /// Whether what is sent there is lost: the link is cut, or the two are in different groups.
    #[must_use]
    #[inline]
    pub fn is_blocked(&self, from: ReplicaId, to: ReplicaId) -> bool {
        self.is_cut(from, to) || self.groups.are_apart(from, to)
    }

    /// Whether a link itself is cut.
    #[must_use]
    #[inline]
    pub fn is_cut(&self, from: ReplicaId, to: ReplicaId) -> bool {
        self.links[self.index(from, to)].is_cut
    }

    /// Sets how a link treats messages sent from now on.
    #[inline]
    pub fn set_conditions(&mut self, from: ReplicaId, to: ReplicaId, conditions: LinkConditions) {
        let index = self.index(from, to);
        self.links[index].conditions = conditions;
    }

    /// Sets how every link treats messages sent from now on.
    pub fn set_all_conditions(&mut self, conditions: LinkConditions) {
        for link in &mut self.links {
            link.conditions = conditions;
        }
    }

    /// Whether there is a link: between nodes that are there, or between one and a client that has joined.
    #[must_use]
    pub fn has_link(&self, from: ReplicaId, to: ReplicaId) -> bool {
        let is_node = |id: ReplicaId| id.0 < self.replicas;
        let is_end = |id: ReplicaId| is_node(id) || client_number(id).is_some();
        is_end(from) && is_end(to) && (is_node(from) || is_node(to)) && self.index(from, to) < self.links.len()
    }

    /// How a link treats messages.
    #[must_use]
    #[inline]
    pub fn conditions(&self, from: ReplicaId, to: ReplicaId) -> LinkConditions {
        self.links[self.index(from, to)].conditions
    }

    /// Writes everything that decides the future, for a state digest.
    #[inline]
    pub fn encode(&self, out: &mut Encoder, message: impl Fn(&M, &mut Encoder)) {
        for link in &self.links {
            out.u32(link.sent);
            out.u64(link.in_order_us);
            out.u64(link.luck.drawn());
            out.bool(link.is_cut);
            let c = link.conditions;
            for part in [c.latency_min_us, c.latency_max_us, c.loss_ppm, c.duplicate_ppm, c.reorder_ppm] {
                out.u32(part);
            }
        }
        self.groups.encode(out);
        out.u32(self.paused.0);
        for (key, flight) in in_order(self.flights().collect(), |(key, _)| key.rank()) {
            out.u64(key.at_us);
            out.u8(key.to.0);
            out.u8(key.from.0);
            out.u32(key.number);
            out.bool(key.is_copy);
            out.u64(flight.sent_us);
            if let Some((at_us, left_us)) = flight.held {
                out.u64(at_us);
                out.u64(left_us);
            }
            out.option(flight.door_us);
            message(&flight.message, out);
        }
    }
}
