//! The replicated log.
//!
//! The unit of appending, reading and truncating is the *batch*: consecutive entries of one epoch that were appended
//! together (spec 5.1). Batches live in segments of at most [`SEGMENT_ENTRIES`] entries that are shared by `Arc`: a
//! clone of a log copies a list of pointers, and the first append to a clone copies at most the last segment. Offsets
//! start at 0; the *end offset* is one past the last entry.
//!
//! Holds always: epochs never fall along the log; a batch lies in one segment; the epoch list has one item per run of
//! equal epochs plus at most one at the end for an epoch that has no entry yet.
//!
//! Leaves out, for now: snapshots (the log starts at 0).

use super::digest::Encoder;
use super::ids::{ReplicaId, ReplicaSet};
use std::sync::Arc;

/// Entries in a full segment.
pub const SEGMENT_ENTRIES: usize = 64;
/// Entries in the largest batch.
pub const BATCH_ENTRIES: usize = 16;

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
    /// The first entry of a leader's term in the paper's Raft (§8).
    NoOp,
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
    /// Whether it is the first of its batch.
    pub starts_batch: bool,
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

impl Payload {
    /// Whether it is a record of the protocol's own and not a client's.
    #[must_use]
    #[inline]
    pub const fn is_control(self) -> bool {
        matches!(self, Self::LeaderChange { .. } | Self::NoOp)
    }
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
    /// Each segment with the offset of its first entry.
    segments: Vec<(u64, Arc<Segment>)>,
    end: u64,
    /// (epoch, offset of its first entry), both rising.
    epochs: Vec<(u32, u64)>,
}

impl Log {
    /// The segment that holds `offset`, and the place there. `offset` is below the end.
    #[inline]
    fn find(&self, offset: u64) -> (usize, usize) {
        let last = self.segments.len() - 1;
        // Nearly always the last one.
        let segment = if self.segments[last].0 <= offset {
            last
        } else {
            self.segments.partition_point(|&(base, _)| base <= offset) - 1
        };
        let at = usize::try_from(offset - self.segments[segment].0).expect("a segment fits in memory");
        (segment, at)
    }

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
        let (segment, at) = self.find(offset);
        self.segments[segment].1.get(at).copied()
    }

    /// Adds a batch at the end: `payloads`, at least one and at most [`BATCH_ENTRIES`], in `epoch`.
    ///
    /// # Panics
    /// If its epoch is below the last one, or the size is wrong.
    pub fn append_batch(&mut self, epoch: u32, payloads: &[Payload]) {
        assert!((1..=BATCH_ENTRIES).contains(&payloads.len()), "a batch of {}", payloads.len());
        self.make_room(payloads.len());
        for (index, &payload) in payloads.iter().enumerate() {
            self.push(Entry { epoch, starts_batch: index == 0, payload });
        }
    }

    /// Adds whole batches as they were read from another log; `entries` begins with the start of one.
    ///
    /// # Panics
    /// If an epoch is below the one before, or the first entry starts no batch.
    #[inline]
    pub fn append_entries(&mut self, entries: &[Entry]) {
        let mut rest = entries;
        while let Some(first) = rest.first() {
            assert!(first.starts_batch, "entry {} starts no batch", self.end);
            let len = 1 + rest[1..].iter().take_while(|entry| !entry.starts_batch).count();
            self.make_room(len);
            for &entry in &rest[..len] {
                self.push(entry);
            }
            rest = &rest[len..];
        }
    }

    /// Sees to it that a batch of `len` fits into the last segment.
    #[inline]
    fn make_room(&mut self, len: usize) {
        let is_full = self.segments.last().is_none_or(|(_, last)| last.len() + len > SEGMENT_ENTRIES);
        if is_full {
            self.segments.push((self.end, Arc::new(Vec::with_capacity(SEGMENT_ENTRIES))));
        }
    }

    #[inline]
    fn push(&mut self, entry: Entry) {
        assert!(entry.epoch >= self.last_epoch(), "epoch {} after {}", entry.epoch, self.last_epoch());
        if entry.epoch > self.last_epoch() || self.epochs.is_empty() {
            self.epochs.push((entry.epoch, self.end));
        }
        if let Some((_, last)) = self.segments.last_mut() {
            Arc::make_mut(last).push(entry);
        }
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

    /// Drops the batch that holds `end`, and all after it.
    #[inline]
    pub fn truncate(&mut self, end: u64) {
        if end >= self.end {
            return;
        }
        let end = self.batch_start(end);
        self.end = end;
        let (segment, at) = self.find(end);
        self.segments.truncate(if at == 0 { segment } else { segment + 1 });
        if at > 0 {
            Arc::make_mut(&mut self.segments[segment].1).truncate(at);
        }
        while self.epochs.last().is_some_and(|&(_, start)| start >= end) {
            self.epochs.pop();
        }
    }

    /// Where the batch that holds `offset` begins; the end offset for itself.
    #[must_use]
    #[inline]
    pub fn batch_start(&self, offset: u64) -> u64 {
        if offset >= self.end {
            return self.end;
        }
        let (segment, at) = self.find(offset);
        let (base, entries) = &self.segments[segment];
        let back = entries[..=at].iter().rev().take_while(|entry| !entry.starts_batch).count();
        base + (at - back) as u64
    }

    /// Whole batches from the one that holds `offset` on, up to a segment's worth; `None` at the end.
    #[must_use]
    #[inline]
    pub fn read(&self, offset: u64) -> Option<Records> {
        if offset >= self.end {
            return None;
        }
        let offset = self.batch_start(offset);
        let (segment, at) = self.find(offset);
        let (_, entries) = &self.segments[segment];
        Some(Records {
            segment: Arc::clone(entries),
            base: offset,
            first: u8::try_from(at).expect("a segment has 64 entries"),
            count: u8::try_from(entries.len() - at).expect("a segment has 64 entries"),
        })
    }

    /// At most `most` entries from `offset` on, up to a segment's worth, wherever batches begin; `None` at the end or for none.
    #[must_use]
    #[inline]
    pub fn read_at_most(&self, offset: u64, most: u8) -> Option<Records> {
        if offset >= self.end || most == 0 {
            return None;
        }
        let (segment, at) = self.find(offset);
        let (_, entries) = &self.segments[segment];
        Some(Records {
            segment: Arc::clone(entries),
            base: offset,
            first: u8::try_from(at).expect("a segment has 64 entries"),
            count: u8::try_from(entries.len() - at).expect("a segment has 64 entries").min(most),
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
    out.bool(entry.starts_batch);
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
        Payload::NoOp => out.u8(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(epochs: &[(u32, u64)]) -> Log {
        let mut log = Log::default();
        for &(epoch, count) in epochs {
            for value in 0..count {
                log.append_batch(epoch, &[Payload::Set { key: 0, value }]);
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
        a.append_batch(2, &[Payload::Set { key: 9, value: 9 }]);
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
