//! Directed links and the messages in flight on them.
//!
//! Each message gets a number on its link, counted from 1, and draws its luck once, when it is sent: how long it flies,
//! whether it is lost, delivered twice, or allowed to overtake. A message that may not overtake is delivered in order,
//! like bytes of one connection. A cut link loses what is sent while it is cut; what was sent before arrives. A message
//! that is held arrives only once it is released; those behind it overtake it.

use super::luck::{PPM, Stream, scale};
use super::settings::LinkConditions;
use crate::executor::{Handle, NEVER, OrderedQueue, in_order};
use crate::raft::{Encoder, ReplicaId};

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
}

/// What became of a message when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It flies.
    Flies,
    /// It flies, and so does a copy.
    FliesTwice,
    /// It is lost on the way.
    Lost,
    /// The link is cut.
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

/// All links of a cluster.
#[derive(Clone, Debug)]
pub struct Network<M> {
    replicas: u8,
    links: Vec<Link>,
    flights: OrderedQueue<DeliveryKey, Flight<M>>,
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
            .map(|(from, to)| Link {
                sent: 0,
                in_order_us: 0,
                luck: Stream::of_link(seed, from, to),
                is_cut: false,
                conditions,
            })
            .collect();
        Self { replicas, links, flights: OrderedQueue::default() }
    }

    #[inline]
    fn index(&self, from: ReplicaId, to: ReplicaId) -> usize {
        from.index() * usize::from(self.replicas) + to.index()
    }

    /// Sends a message at `now_us`.
    #[inline]
    pub fn send(&mut self, from: ReplicaId, to: ReplicaId, message: M, now_us: u64) -> Sent {
        let index = self.index(from, to);
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
        let fate = if link.is_cut {
            Fate::Cut
        } else if scale(loss, PPM) < c.loss_ppm {
            Fate::Lost
        } else if scale(duplicate, PPM) < c.duplicate_ppm {
            Fate::FliesTwice
        } else {
            Fate::Flies
        };
        if fate == Fate::FliesTwice {
            let key = DeliveryKey { at_us: at_us + flight_us(copy_latency), to, from, number, is_copy: true };
            self.flights.push(key, Flight { message: message.clone(), sent_us: now_us, held: None });
        }
        if matches!(fate, Fate::Flies | Fate::FliesTwice) {
            let key = DeliveryKey { at_us, to, from, number, is_copy: false };
            self.flights.push(key, Flight { message, sent_us: now_us, held: None });
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
        self.flights.push(DeliveryKey { at_us: key.at_us + after_us, is_copy: true, ..key }, flight);
        true
    }

    /// Holds a message in flight at `now_us`, or lets one that is held fly on, with the rest of its flight. False if it does
    /// not fly, or is so already.
    #[inline]
    pub fn set_held(&mut self, key: (ReplicaId, ReplicaId, u32, bool), is_held: bool, now_us: u64) -> bool {
        let (from, to, number, is_copy) = key;
        if !self.can_hold(key, is_held) {
            return false;
        }
        let Some((key, flight)) = self.take(from, to, number, is_copy) else {
            return false;
        };
        let (at_us, held) = match flight.held {
            None => (NEVER, Some((now_us, key.at_us.saturating_sub(now_us)))),
            Some((_, left_us)) => (now_us + left_us, None),
        };
        self.flights.push(DeliveryKey { at_us, ..key }, Flight { held, ..flight });
        true
    }

    /// Whether a message is in flight and not yet held, or not held any more, as is wanted.
    #[must_use]
    #[inline]
    pub fn can_hold(&self, (from, to, number, is_copy): (ReplicaId, ReplicaId, u32, bool), is_held: bool) -> bool {
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

    /// Whether a link is cut.
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
            message(&flight.message, out);
        }
    }
}
