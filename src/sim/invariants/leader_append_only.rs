//! Leader Append-Only: a leader never deletes or overwrites entries of its own log (Raft §5.3, figure 3).
//!
//! Of the log that a leader had, its end and last entry are remembered: a log that was cut, or cut and grown again, has
//! another entry there, or none.

use super::committed::is_same;
use super::{Property, Touched, Violation};
use crate::raft::{Entry, RoleShape};

/// Where the log of each leader ended: its epoch, and its last entry with its offset.
#[derive(Clone, Debug)]
pub(super) struct LeaderAppendOnly {
    ends: Vec<Option<(u32, u64, Entry)>>,
}

impl LeaderAppendOnly {
    pub(super) fn new(replicas: u8) -> Self {
        Self { ends: vec![None; usize::from(replicas)] }
    }

    pub(super) fn look(&mut self, it: &Touched<'_>, found: &mut Vec<Violation>) {
        let Touched { replica, standing, log, .. } = *it;
        let end = &mut self.ends[replica.index()];
        if standing.role != RoleShape::Leader {
            *end = None;
            return;
        }
        if let Some((_, offset, last)) = end.filter(|&(epoch, ..)| epoch == standing.epoch)
            && !is_same(log.get(offset), Some(last))
        {
            found.push(it.breaks(Property::LeaderAppendOnly, Some(offset)));
        }
        let last = log.end_offset().checked_sub(1);
        *end = last.and_then(|offset| Some((standing.epoch, offset, log.get(offset)?)));
    }
}
