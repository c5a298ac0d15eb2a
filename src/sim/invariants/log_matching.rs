//! Log Matching: two logs that have an entry with the same epoch at one offset are the same up to there (Raft §5.3,
//! figure 3).
//!
//! Looked at when a log has changed, from where it may have: there each entry that another log has with the same epoch must
//! say the same, and come after the same epoch. With what held before, that is the whole property.

use super::committed::is_same;
use super::{Property, Touched, Violation};
use crate::raft::{Log, ReplicaId};

/// Up to where each replica's log is the one that was looked at last: its end and last epoch then.
#[derive(Clone, Debug)]
pub(super) struct LogMatching {
    seen: Vec<(u64, u32)>,
}

fn before(log: &Log, offset: u64) -> Option<u32> {
    offset.checked_sub(1).and_then(|offset| log.get(offset)).map(|entry| entry.epoch)
}

impl LogMatching {
    pub(super) fn new(replicas: u8) -> Self {
        Self { seen: vec![(0, 0); usize::from(replicas)] }
    }

    pub(super) fn look(&mut self, it: &Touched<'_>, found: &mut Vec<Violation>) {
        let Touched { replica, log, .. } = *it;
        let now = (log.end_offset(), log.last_epoch());
        let (end, epoch) = std::mem::replace(&mut self.seen[replica.index()], now);
        // Most events leave a log as it is.
        if now == (end, epoch) {
            return;
        }
        let is_grown = log.end_offset() >= end && (epoch == now.1 || before(log, end).unwrap_or(0) == epoch);
        // One that was cut may differ from what is not committed on.
        let first = if is_grown { end } else { it.standing.committed.unwrap_or(0).min(end) };
        for offset in first..log.end_offset() {
            let Some(own) = log.get(offset) else { break };
            let own_before = before(log, offset);
            // Only those that come so far have something to compare.
            let others = (0..).map(ReplicaId).zip(it.standings);
            for (other, _) in others.filter(|&(other, standing)| other != replica && standing.end_offset > offset) {
                let Some(theirs) = (it.logs)(other) else { continue };
                let Some(entry) = theirs.get(offset).filter(|entry| entry.epoch == own.epoch) else { continue };
                if !is_same(Some(own), Some(entry)) || own_before != before(theirs, offset) {
                    found.push(Violation { other: Some(other), ..it.breaks(Property::LogMatching, Some(offset)) });
                    return;
                }
            }
        }
    }
}
