//! What never falls: a replica's epoch over all its lives, and the high watermark a running replica knows (KIP-595).
//!
//! Becoming leader or resigning drops the high watermark on purpose; it may come back lower than it was, so the check
//! starts anew there.

use super::{Property, Violation};
use crate::raft::{ReplicaId, Standing};

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    epoch: u32,
    committed: Option<u64>,
}

/// The last standing of each replica.
#[derive(Clone, Debug)]
pub(super) struct Monotonic {
    seen: Vec<Seen>,
}

impl Monotonic {
    pub(super) fn new(replicas: u8) -> Self {
        Self { seen: vec![Seen::default(); usize::from(replicas)] }
    }

    pub(super) fn look(&mut self, step: u64, replica: ReplicaId, now: Standing, found: &mut Vec<Violation>) {
        let seen = &mut self.seen[replica.index()];
        let broken =
            |property| Violation { property, step, replica, other: None, epoch: now.epoch, offset: now.committed };
        if now.epoch < seen.epoch {
            found.push(broken(Property::MonotonicEpoch));
        }
        if let (Some(before), Some(after)) = (seen.committed, now.committed)
            && after < before
        {
            found.push(broken(Property::MonotonicCommit));
        }
        *seen = Seen { epoch: now.epoch, committed: now.committed };
    }

    pub(super) fn stopped(&mut self, replica: ReplicaId) {
        self.seen[replica.index()].committed = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raft::RoleShape;

    #[test]
    fn a_falling_epoch_and_a_falling_high_watermark_are_seen() {
        let standing = |epoch, committed| Standing {
            role: RoleShape::Follower,
            epoch,
            leader: None,
            voted: None,
            committed,
            end_offset: 9,
        };
        let mut watch = Monotonic::new(1);
        let mut found = Vec::new();
        for (epoch, committed) in [(1, None), (2, Some(5)), (2, None), (2, Some(3))] {
            watch.look(0, ReplicaId(0), standing(epoch, committed), &mut found);
        }
        assert!(found.is_empty(), "{found:?}");
        watch.look(7, ReplicaId(0), standing(1, Some(2)), &mut found);
        let properties: Vec<_> = found.iter().map(|v| v.property).collect();
        assert_eq!(properties, [Property::MonotonicEpoch, Property::MonotonicCommit]);
    }
}
