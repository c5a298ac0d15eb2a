//! The replicated log.
//!
//! Entries live in segments of [`SEGMENT_ENTRIES`] that are shared by `Arc`: a clone of a log copies a list of
//! pointers, and the first append to a clone copies at most the last segment. Offsets start at 0; the *end offset* is
//! one past the last entry.
//!
//! Holds always: epochs never fall along the log; the epoch list has one item per run of equal epochs plus at most
//! one at the end for an epoch that has no entry yet.
//!
//! Leaves out, for now: batches of more than one record, snapshots (the log starts at 0).

use super::digest::Encoder;
use super::ids::{ReplicaId, ReplicaSet};
use std::sync::Arc;

/// Entries in a full segment.
pub const SEGMENT_ENTRIES: usize = 64;

/// What an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The first record of a leader's epoch (KIP-595).
    LeaderChange {
        /// Who leads.
        leader: ReplicaId,
        /// Who voted for it.
        granting: ReplicaSet,
    },
    /// A client's command: set `key` to `value`.
    Set {
        /// What to set.
        key: u16,
        /// Its new value.
        value: u64,
    },
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The epoch of the leader that appended it.
    pub epoch: u32,
    /// What it says.
    pub payload: Payload,
}

type Segment = Vec<Entry>;

/// Consecutive entries of one segment, as carried by a message.
#[derive(Clone, Debug)]
pub struct Records {
    segment: Arc<Segment>,
    base: u64,
    first: u8,
    count: u8,
}

impl Records {
    /// The offset of the first entry.
    #[must_use]
    #[inline]
    pub const fn base(&self) -> u64 {
        self.base
    }

    /// The entries.
    #[must_use]
    #[inline]
    pub fn entries(&self) -> &[Entry] {
        &self.segment[usize::from(self.first)..usize::from(self.first) + usize::from(self.count)]
    }
}

/// An end offset together with the epoch it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochEnd {
    /// The epoch.
    pub epoch: u32,
    /// Where its entries end (exclusive).
    pub end_offset: u64,
}

/// The log of one replica.
#[derive(Clone, Debug, Default)]
pub struct Log {
    segments: Vec<Arc<Segment>>,
    end: u64,
    /// (epoch, offset of its first entry), both rising.
    epochs: Vec<(u32, u64)>,
}

fn split(offset: u64) -> (usize, usize) {
    let at = usize::try_from(offset).expect("a log fits in memory");
    (at / SEGMENT_ENTRIES, at % SEGMENT_ENTRIES)
}

impl Log {
    /// One past the last entry.
    #[must_use]
    #[inline]
    pub const fn end_offset(&self) -> u64 {
        self.end
    }

    /// The epoch of the last item of the epoch list, 0 for an empty one (`lastFetchedEpoch`).
    #[must_use]
    #[inline]
    pub fn last_epoch(&self) -> u32 {
        self.epochs.last().map_or(0, |&(epoch, _)| epoch)
    }

    /// The entry at `offset`.
    #[must_use]
    #[inline]
    pub fn get(&self, offset: u64) -> Option<Entry> {
        if offset >= self.end {
            return None;
        }
        let (segment, at) = split(offset);
        self.segments[segment].get(at).copied()
    }

    /// Adds an entry at the end.
    ///
    /// # Panics
    /// If its epoch is below the last one.
    #[inline]
    pub fn append(&mut self, entry: Entry) {
        assert!(entry.epoch >= self.last_epoch(), "epoch {} after {}", entry.epoch, self.last_epoch());
        if entry.epoch > self.last_epoch() || self.epochs.is_empty() {
            self.epochs.push((entry.epoch, self.end));
        }
        let (segment, at) = split(self.end);
        if segment == self.segments.len() {
            self.segments.push(Arc::new(Vec::with_capacity(SEGMENT_ENTRIES)));
        }
        let last = Arc::make_mut(&mut self.segments[segment]);
        last.truncate(at);
        last.push(entry);
        self.end += 1;
    }

    /// Notes that `epoch` starts at the end of the log, before it has an entry.
    #[inline]
    pub fn start_epoch(&mut self, epoch: u32) {
        while self.epochs.last().is_some_and(|&(e, start)| start >= self.end || e >= epoch) {
            self.epochs.pop();
        }
        self.epochs.push((epoch, self.end));
    }

    /// Drops all entries from `end` on.
    #[inline]
    pub fn truncate(&mut self, end: u64) {
        if end >= self.end {
            return;
        }
        self.end = end;
        let (segment, at) = split(end);
        self.segments.truncate(if at == 0 { segment } else { segment + 1 });
        while self.epochs.last().is_some_and(|&(_, start)| start >= end) {
            self.epochs.pop();
        }
    }

    /// Up to a segment's worth of entries from `offset` on; `None` at the end.
    #[must_use]
    #[inline]
    pub fn read(&self, offset: u64) -> Option<Records> {
        if offset >= self.end {
            return None;
        }
        let (segment, at) = split(offset);
        let count = usize::try_from(self.end - offset).map_or(SEGMENT_ENTRIES, |left| left.min(SEGMENT_ENTRIES - at));
        Some(Records {
            segment: Arc::clone(&self.segments[segment]),
            base: offset,
            first: u8::try_from(at).expect("a segment has 64 entries"),
            count: u8::try_from(count).expect("a segment has 64 entries"),
        })
    }

    /// The largest epoch of the log that is not above `epoch`, and where it ends (spec 5.2).
    #[must_use]
    #[inline]
    pub fn end_offset_for_epoch(&self, epoch: u32) -> EpochEnd {
        let Some(&(_, first)) = self.epochs.first() else {
            return EpochEnd { epoch: self.last_epoch(), end_offset: self.end };
        };
        let above = self.epochs.partition_point(|&(e, _)| e <= epoch);
        if above == 0 {
            return EpochEnd { epoch: 0, end_offset: first };
        }
        let end_offset = self.epochs.get(above).map_or(self.end, |&(_, start)| start);
        EpochEnd { epoch: self.epochs[above - 1].0, end_offset }
    }

    /// `None` if a log that ends at (`offset`, `epoch`) is a prefix of this one, else where to look next (spec 5.2).
    #[must_use]
    #[inline]
    pub fn diverges(&self, offset: u64, epoch: u32) -> Option<EpochEnd> {
        if offset == 0 {
            return None;
        }
        let known = self.end_offset_for_epoch(epoch);
        (known.epoch != epoch || known.end_offset < offset).then_some(known)
    }

    /// Where to truncate to after an answer that said `known` (spec 5.3).
    #[must_use]
    #[inline]
    pub fn truncation_point(&self, known: EpochEnd) -> u64 {
        if known.epoch == 0 {
            return known.end_offset.min(self.end);
        }
        let ours = self.end_offset_for_epoch(known.epoch);
        if ours.epoch == known.epoch { ours.end_offset.min(known.end_offset) } else { ours.end_offset }
    }

    /// Writes all entries for a state digest.
    #[inline]
    pub fn encode(&self, out: &mut Encoder) {
        out.u64(self.end);
        for offset in 0..self.end {
            if let Some(entry) = self.get(offset) {
                encode_entry(entry, out);
            }
        }
        out.u64(self.epochs.len() as u64);
        for &(epoch, start) in &self.epochs {
            out.u32(epoch);
            out.u64(start);
        }
    }
}

/// Writes one entry for a digest.
pub fn encode_entry(entry: Entry, out: &mut Encoder) {
    out.u32(entry.epoch);
    match entry.payload {
        Payload::LeaderChange { leader, granting } => {
            out.u8(0);
            out.u8(leader.0);
            out.u32(granting.0);
        }
        Payload::Set { key, value } => {
            out.u8(1);
            out.u32(u32::from(key));
            out.u64(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(epochs: &[(u32, u64)]) -> Log {
        let mut log = Log::default();
        for &(epoch, count) in epochs {
            for value in 0..count {
                log.append(Entry { epoch, payload: Payload::Set { key: 0, value } });
            }
        }
        log
    }

    #[test]
    fn end_offset_for_epoch_gives_the_table_of_5_2() {
        let log = log(&[(1, 15), (3, 5), (4, 10)]);
        let got: Vec<_> = (0..6).map(|e| log.end_offset_for_epoch(e)).map(|e| (e.end_offset, e.epoch)).collect();
        assert_eq!(got, [(0, 0), (15, 1), (15, 1), (20, 3), (30, 4), (30, 4)]);
    }

    #[test]
    fn diverges_gives_the_examples_of_5_2() {
        let one = log(&[(1, 1)]);
        assert_eq!(one.diverges(1, 2), Some(EpochEnd { epoch: 1, end_offset: 1 }));
        assert_eq!(one.diverges(2, 1), Some(EpochEnd { epoch: 1, end_offset: 1 }));
        assert_eq!(one.diverges(1, 1), None);
        let two = log(&[(1, 10), (2, 10)]);
        assert_eq!(two.diverges(11, 1), Some(EpochEnd { epoch: 1, end_offset: 10 }));
    }

    #[test]
    fn a_clone_is_not_touched_by_appends_and_truncation() {
        let mut a = log(&[(1, 70)]);
        let b = a.clone();
        a.truncate(65);
        a.append(Entry { epoch: 2, payload: Payload::Set { key: 9, value: 9 } });
        assert_eq!((a.end_offset(), a.last_epoch()), (66, 2));
        assert_eq!((b.end_offset(), b.last_epoch()), (70, 1));
        assert_eq!(b.get(65).map(|e| e.epoch), Some(1));
        assert_eq!(a.get(65).map(|e| e.epoch), Some(2));
    }

    #[test]
    fn reading_stops_at_the_end_of_a_segment() {
        let log = log(&[(1, 70)]);
        assert_eq!(log.read(60).map(|r| (r.base(), r.entries().len())), Some((60, 4)));
        assert_eq!(log.read(64).map(|r| r.entries().len()), Some(6));
        assert!(log.read(70).is_none());
    }
}
