//! Leader Completeness: a new leader's log holds every committed entry (Raft §5.4, figure 3).

use super::committed::{Committed, is_same};
use super::{Property, Touched, Violation};
use crate::raft::RoleShape;

/// The epoch of the last leader that was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeaderCompleteness {
    led: u32,
}

impl LeaderCompleteness {
    pub(super) fn look(&mut self, it: &Touched<'_>, known: &Committed, found: &mut Vec<Violation>) {
        let Touched { standing, log, .. } = *it;
        if standing.role != RoleShape::Leader || standing.epoch <= self.led {
            return;
        }
        self.led = standing.epoch;
        let last = known.log.end_offset().checked_sub(1);
        if let Some(last) = last.filter(|&last| !is_same(log.get(last), known.log.get(last))) {
            found.push(it.breaks(Property::LeaderCompleteness, Some(last)));
        }
    }
}
