//! How far leaders commit.
//!
//! - *On a majority* (Raft §5.3; Kafka's MajorityReachedHighWatermark): a majority of the voters, running or not, has come
//!   as far as the leader's high watermark.
//! - *Leaders go on* (Raft §5.4; Kafka's MonotonicHighWatermark): a leader that moves its high watermark moves it to no less
//!   than what any leader had.

use super::{Property, Touched, Violation};
use crate::raft::{RoleShape, Standing};

/// How far leaders have come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HighWatermark {
    highest: u64,
    /// The epoch of the last leader that was looked at.
    led: u32,
}

impl HighWatermark {
    pub(super) fn look(&mut self, it: &Touched<'_>, found: &mut Vec<Violation>) {
        let Touched { standing, before, .. } = *it;
        if standing.role == RoleShape::Leader && standing.epoch >= self.led {
            self.led = standing.epoch;
            self.look_at_leader(it, found);
        }
        // A log that became shorter may have been counted.
        if standing.end_offset < self.highest && before.end_offset >= self.highest {
            self.count_majority(it, found);
        }
    }

    fn look_at_leader(&mut self, it: &Touched<'_>, found: &mut Vec<Violation>) {
        // A new leader need not know how far the one before had come.
        let moved = it.standing.committed.filter(|_| it.standing.committed != it.before.committed);
        let Some(committed) = moved else { return };
        if committed < self.highest {
            found.push(it.breaks(Property::LeaderHighWatermark, Some(committed)));
        } else if committed > self.highest {
            self.highest = committed;
            self.count_majority(it, found);
        }
    }

    fn count_majority(&self, it: &Touched<'_>, found: &mut Vec<Violation>) {
        let has_it = |standing: &Standing| standing.end_offset >= self.highest;
        let count = it.voters.iter().filter(|id| {
            let standing = if *id == it.replica { &it.standing } else { &it.standings[id.index()] };
            has_it(standing)
        });
        if count.count() < it.voters.majority() as usize {
            found.push(it.breaks(Property::HighWatermarkOnMajority, Some(self.highest)));
        }
    }
}
