//! Election Safety: at most one leader in an epoch (Raft §5.2, figure 3; KIP-595).

use super::{Property, Violation};
use crate::raft::{ReplicaId, RoleShape, Standing};

/// Who has led, by epoch.
#[derive(Clone, Debug, Default)]
pub(super) struct ElectionSafety {
    /// (epoch, leader), epochs rising.
    leaders: Vec<(u32, ReplicaId)>,
}

impl ElectionSafety {
    pub(super) fn look(&mut self, step: u64, replica: ReplicaId, standing: Standing) -> Option<Violation> {
        if !matches!(standing.role, RoleShape::Leader | RoleShape::Resigned) {
            return None;
        }
        let epoch = standing.epoch;
        if self.leaders.last() == Some(&(epoch, replica)) {
            return None;
        }
        match self.leaders.binary_search_by_key(&epoch, |&(epoch, _)| epoch) {
            Ok(place) => {
                let (_, other) = self.leaders[place];
                (other != replica).then_some(Violation {
                    property: Property::ElectionSafety,
                    step,
                    replica,
                    other: Some(other),
                    epoch,
                    offset: None,
                })
            }
            Err(place) => {
                self.leaders.insert(place, (epoch, replica));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(epoch: u32) -> Standing {
        Standing { role: RoleShape::Leader, epoch, leader: None, voted: None, committed: None, end_offset: 0 }
    }

    #[test]
    fn two_leaders_in_one_epoch_are_seen_and_two_epochs_are_fine() {
        let mut watch = ElectionSafety::default();
        assert_eq!(watch.look(1, ReplicaId(0), leads(1)), None);
        assert_eq!(watch.look(2, ReplicaId(1), leads(2)), None);
        assert_eq!(watch.look(3, ReplicaId(0), leads(1)), None);
        let seen = watch.look(4, ReplicaId(2), leads(1)).expect("a second leader of epoch 1");
        assert_eq!((seen.step, seen.replica, seen.other), (4, ReplicaId(2), Some(ReplicaId(0))));
    }
}
