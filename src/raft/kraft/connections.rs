//! Which peer may be asked now (spec 3.5, `RequestManager`).
//!
//! One request at a time is in flight to a peer. A good answer makes the connection ready, a bad one makes it back
//! off, and one that does not come within the request timeout makes it ready again. An answer is taken only if its
//! correlation id is the one in flight.

use crate::raft::digest::Encoder;
use crate::raft::ids::{ReplicaId, ReplicaSet};

/// The connections of one replica.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    /// The correlation id in flight, where one is.
    in_flight: Vec<u32>,
    pub(super) waiting: ReplicaSet,
    pub(super) backing_off: ReplicaSet,
    next_correlation: u32,
}

impl Connections {
    /// Connections that are all ready. `next_correlation` goes on where the last life of this replica stopped: an
    /// answer to a request of before a crash must not look like an answer to one of after it.
    #[inline]
    pub(super) fn new(replicas: u8, next_correlation: u32) -> Self {
        Self {
            in_flight: vec![0; usize::from(replicas)],
            waiting: ReplicaSet::default(),
            backing_off: ReplicaSet::default(),
            next_correlation,
        }
    }

    /// How many peers there can be.
    #[inline]
    pub(super) fn len(&self) -> u8 {
        u8::try_from(self.in_flight.len()).unwrap_or(u8::MAX)
    }

    #[inline]
    pub(super) const fn is_ready(&self, peer: ReplicaId) -> bool {
        !self.waiting.contains(peer) && !self.backing_off.contains(peer)
    }

    /// Takes the next correlation id for a request to `peer`.
    #[inline]
    pub(super) fn ask(&mut self, peer: ReplicaId) -> u32 {
        let correlation = self.next_correlation;
        self.next_correlation = self.next_correlation.wrapping_add(1);
        self.in_flight[peer.index()] = correlation;
        self.waiting.insert(peer);
        correlation
    }

    #[inline]
    pub(super) const fn next_correlation(&self) -> u32 {
        self.next_correlation
    }

    #[inline]
    pub(super) fn expects(&self, peer: ReplicaId, correlation: u32) -> bool {
        self.waiting.contains(peer) && self.in_flight[peer.index()] == correlation
    }

    #[inline]
    pub(super) fn encode(&self, out: &mut Encoder) {
        out.u32(self.waiting.0);
        out.u32(self.backing_off.0);
        out.u32(self.next_correlation);
        for peer in self.waiting.iter() {
            out.u32(self.in_flight[peer.index()]);
        }
    }
}
