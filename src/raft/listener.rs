//! The state machine behind a replica, and what it is told (spec 5.6; the paper's lastApplied).
//!
//! A listener is fed every committed record once, in order, and keeps a small map of keys to values; a wrong commit so
//! shows as a different map. It is told who leads at most twice an epoch: that nobody is known, then who. The leader
//! itself hears that it leads only when its own first record of the epoch has been fed to it, and nothing is told while
//! it is resigned (KAFKA-17333).

use super::digest::Encoder;
use super::ids::ReplicaId;
use super::log::{Log, Payload};

/// A replica's state machine.
#[derive(Clone, Debug, Default)]
pub struct Listener {
    next: u64,
    /// Rising by key.
    map: Vec<(u16, u64)>,
    heard: Option<(u32, Option<ReplicaId>)>,
}

impl Listener {
    /// The offset of the next record it will be fed.
    #[must_use]
    pub const fn next_offset(&self) -> u64 {
        self.next
    }

    /// What it holds, rising by key.
    #[must_use]
    pub fn map(&self) -> &[(u16, u64)] {
        &self.map
    }

    /// The last it heard of the leader: the epoch, and who leads it.
    #[must_use]
    pub const fn heard(&self) -> Option<(u32, Option<ReplicaId>)> {
        self.heard
    }

    /// Feeds it what is committed; how many records that were.
    pub(in crate::raft) fn feed(&mut self, log: &Log, committed: u64) -> u64 {
        let before = self.next;
        while self.next < committed {
            let Some(entry) = log.get(self.next) else { break };
            if let Payload::Set { key, value } = entry.payload {
                match self.map.binary_search_by_key(&key, |&(known, _)| known) {
                    Ok(place) => self.map[place].1 = value,
                    Err(place) => self.map.insert(place, (key, value)),
                }
            }
            self.next += 1;
        }
        self.next - before
    }

    /// Tells it who leads; whether that is news.
    pub(in crate::raft) fn tell(&mut self, epoch: u32, leader: Option<ReplicaId>) -> bool {
        let is_news = self.heard.is_none_or(|heard| heard.0 < epoch || (heard.0 == epoch && heard.1.is_none()))
            && self.heard != Some((epoch, leader));
        if is_news {
            self.heard = Some((epoch, leader));
        }
        is_news
    }

    pub(in crate::raft) fn encode(&self, out: &mut Encoder) {
        out.u64(self.next);
        for &(key, value) in &self.map {
            out.u32(key.into());
            out.u64(value);
        }
        out.u8(u8::from(self.heard.is_some()));
        if let Some((epoch, leader)) = self.heard {
            out.u32(epoch);
            out.u8(leader.map_or(u8::MAX, |id| id.0));
        }
    }
}
