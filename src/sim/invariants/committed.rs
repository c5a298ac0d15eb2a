//! What is committed: the same everywhere, on a majority, in every later leader's log, and never less.
//!
//! - *State Machine Safety* (Raft figure 3; Kafka's ConsistentCommittedData): no two replicas commit different records
//!   at one offset.
//! - *Leader Completeness* (Raft figure 3): a new leader's log holds every committed record.
//! - *High watermark on a majority* (Kafka's MajorityReachedHighWatermark): a majority of the voters, running or not, has
//!   come as far as the leader's high watermark.
//! - *Leaders' high watermarks rise* (Kafka's MonotonicHighWatermark): over the whole run.
//!
//! A log of everything that was ever seen committed is kept beside the run. Records are compared as a replica's high
//! watermark passes them; a log that was cut is compared again from there.

use super::{Property, Touched, Violation};
use crate::raft::{Entry, Log, RoleShape, Standing};

/// What was seen committed.
#[derive(Clone, Debug)]
pub(super) struct Committed {
    log: Log,
    /// Up to where each replica has been compared.
    compared: Vec<u64>,
    /// The largest high watermark of a leader.
    high_watermark: u64,
    /// The epoch of the last leader that was looked at.
    led: u32,
}

fn is_same(one: Option<Entry>, other: Option<Entry>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.epoch == other.epoch && one.payload == other.payload,
        _ => false,
    }
}

impl Committed {
    pub(super) fn new(replicas: u8) -> Self {
        Self { log: Log::default(), compared: vec![0; usize::from(replicas)], high_watermark: 0, led: 0 }
    }

    pub(super) fn look(&mut self, step: u64, it: &Touched<'_>, found: &mut Vec<Violation>) {
        let Touched { replica, standing, log, .. } = *it;
        let broken = |property, offset| Violation {
            property,
            step,
            replica,
            other: None,
            epoch: standing.epoch,
            offset: Some(offset),
        };
        let compared = self.compared[replica.index()].min(standing.end_offset);
        let high_watermark = standing.committed.unwrap_or(0);
        for offset in compared..high_watermark {
            let entry = log.get(offset);
            let is_new = offset == self.log.end_offset();
            match entry {
                Some(entry) if is_new && entry.epoch >= self.log.last_epoch() => {
                    self.log.append_batch(entry.epoch, &[entry.payload]);
                }
                _ if !is_new && is_same(entry, self.log.get(offset)) => {}
                _ => {
                    found.push(broken(Property::StateMachineSafety, offset));
                    break;
                }
            }
        }
        self.compared[replica.index()] = compared.max(high_watermark);
        if standing.role == RoleShape::Leader {
            self.look_at_leader(it, &broken, found);
        }
        // A log that became shorter may have been counted.
        if standing.end_offset < self.high_watermark && it.before.end_offset >= self.high_watermark {
            self.count_majority(it, &broken, found);
        }
    }

    fn look_at_leader(
        &mut self,
        it: &Touched<'_>,
        broken: &impl Fn(Property, u64) -> Violation,
        found: &mut Vec<Violation>,
    ) {
        let Touched { standing, log, .. } = *it;
        if standing.epoch > self.led {
            self.led = standing.epoch;
            let last = self.log.end_offset().checked_sub(1);
            if let Some(last) = last.filter(|&last| !is_same(log.get(last), self.log.get(last))) {
                found.push(broken(Property::LeaderCompleteness, last));
            }
        }
        let Some(high_watermark) = standing.committed.filter(|_| standing.epoch == self.led) else {
            return;
        };
        if high_watermark < self.high_watermark {
            found.push(broken(Property::LeaderHighWatermark, high_watermark));
        } else if high_watermark > self.high_watermark {
            self.high_watermark = high_watermark;
            self.count_majority(it, broken, found);
        }
    }

    fn count_majority(
        &self,
        it: &Touched<'_>,
        broken: &impl Fn(Property, u64) -> Violation,
        found: &mut Vec<Violation>,
    ) {
        let has_it = |standing: &Standing| standing.end_offset >= self.high_watermark;
        let count = it.voters.iter().filter(|id| {
            let standing = if *id == it.replica { &it.standing } else { &it.standings[id.index()] };
            has_it(standing)
        });
        if count.count() < it.voters.majority() as usize {
            found.push(broken(Property::HighWatermarkOnMajority, self.high_watermark));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raft::{Payload, ReplicaId, ReplicaSet};

    fn log(values: &[(u32, u64)]) -> Log {
        let mut log = Log::default();
        for &(epoch, value) in values {
            log.append_batch(epoch, &[Payload::Set { key: 0, value }]);
        }
        log
    }

    fn standing(role: RoleShape, epoch: u32, committed: Option<u64>, log: &Log) -> Standing {
        Standing { role, epoch, leader: None, voted: None, committed, end_offset: log.end_offset() }
    }

    struct Run {
        committed: Committed,
        standings: Vec<Standing>,
        found: Vec<Violation>,
    }

    impl Run {
        fn new() -> Self {
            let empty = standing(RoleShape::Follower, 0, None, &Log::default());
            Self { committed: Committed::new(3), standings: vec![empty; 3], found: Vec::new() }
        }

        fn look(&mut self, id: u8, now: Standing, log: &Log) -> Vec<Property> {
            let touched = Touched {
                replica: ReplicaId(id),
                before: self.standings[usize::from(id)],
                standing: now,
                log,
                voters: ReplicaSet::first(3),
                standings: &self.standings,
            };
            self.committed.look(1, &touched, &mut self.found);
            self.standings[usize::from(id)] = now;
            self.found.drain(..).map(|violation| violation.property).collect()
        }
    }

    #[test]
    fn two_replicas_that_commit_different_records_are_seen() {
        let (one, other) = (log(&[(1, 1), (1, 2)]), log(&[(1, 1), (1, 3)]));
        let mut run = Run::new();
        assert!(run.look(1, standing(RoleShape::Follower, 1, Some(1), &one), &one).is_empty());
        assert!(run.look(0, standing(RoleShape::Follower, 1, Some(2), &one), &one).is_empty());
        let seen = run.look(2, standing(RoleShape::Follower, 1, Some(2), &other), &other);
        assert_eq!(seen, [Property::StateMachineSafety]);
    }

    #[test]
    fn a_leader_without_a_committed_record_is_seen() {
        let (full, short) = (log(&[(1, 1), (1, 2)]), log(&[(1, 1)]));
        let mut run = Run::new();
        run.look(1, standing(RoleShape::Follower, 1, Some(2), &full), &full);
        let seen = run.look(0, standing(RoleShape::Leader, 2, None, &short), &short);
        assert_eq!(seen, [Property::LeaderCompleteness]);
    }

    #[test]
    fn a_high_watermark_without_a_majority_and_one_that_falls_are_seen() {
        let full = log(&[(1, 1), (1, 2)]);
        let mut run = Run::new();
        let seen = run.look(0, standing(RoleShape::Leader, 1, Some(2), &full), &full);
        assert_eq!(seen, [Property::HighWatermarkOnMajority]);
        run.look(1, standing(RoleShape::Follower, 1, None, &full), &full);
        assert!(run.look(1, standing(RoleShape::Leader, 2, Some(2), &full), &full).is_empty());
        let seen = run.look(1, standing(RoleShape::Leader, 2, Some(1), &full), &full);
        assert_eq!(seen, [Property::LeaderHighWatermark]);
        // A voter that was counted and loses its log.
        let empty = Log::default();
        let seen = run.look(0, standing(RoleShape::Follower, 2, None, &empty), &empty);
        assert_eq!(seen, [Property::HighWatermarkOnMajority]);
    }
}
