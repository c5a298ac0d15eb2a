//! State Machine Safety: no two replicas commit different entries at one offset (Raft §5.4.3, figure 3; Kafka's
//! ConsistentCommittedData).
//!
//! Entries are compared as a replica's commit passes them; a log that was cut is compared again from there.

use super::committed::{Committed, is_same};
use super::{Property, Touched, Violation};

/// Up to where each replica has been compared.
#[derive(Clone, Debug)]
pub(super) struct StateMachineSafety {
    compared: Vec<u64>,
}

impl StateMachineSafety {
    pub(super) fn new(replicas: u8) -> Self {
        Self { compared: vec![0; usize::from(replicas)] }
    }

    pub(super) fn look(&mut self, it: &Touched<'_>, known: &mut Committed, found: &mut Vec<Violation>) {
        let Touched { replica, standing, log, .. } = *it;
        let compared = self.compared[replica.index()].min(standing.end_offset);
        let committed = standing.committed.unwrap_or(0);
        for offset in compared..committed {
            let entry = log.get(offset);
            let is_new = offset == known.log.end_offset();
            match entry {
                Some(entry) if is_new && entry.epoch >= known.log.last_epoch() => {
                    known.log.append_batch(entry.epoch, &[entry.payload]);
                }
                _ if !is_new && is_same(entry, known.log.get(offset)) => {}
                _ => {
                    found.push(it.breaks(Property::StateMachineSafety, Some(offset)));
                    break;
                }
            }
        }
        self.compared[replica.index()] = compared.max(committed);
    }
}
