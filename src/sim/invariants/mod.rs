//! Safety properties, checked from outside after every event.
//!
//! One file each, with its source. A check looks only at what the event touched; a broken property is a value with the
//! step it happened at, never a panic.

mod committed;
mod election_safety;
mod high_watermark;
mod leader_append_only;
mod leader_completeness;
mod log_matching;
mod monotonic;
mod state_machine_safety;

use crate::raft::{Log, ReplicaId, ReplicaSet, Standing};
use committed::Committed;
use election_safety::ElectionSafety;
use high_watermark::HighWatermark;
use leader_append_only::LeaderAppendOnly;
use leader_completeness::LeaderCompleteness;
use log_matching::LogMatching;
use monotonic::Monotonic;
use state_machine_safety::StateMachineSafety;

/// A property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// At most one leader in an epoch.
    ElectionSafety,
    /// A leader never deletes or overwrites entries of its own log.
    LeaderAppendOnly,
    /// Logs that have the same epoch at one offset are the same up to there.
    LogMatching,
    /// A new leader's log holds every committed entry.
    LeaderCompleteness,
    /// No two replicas commit different entries at one offset.
    StateMachineSafety,
    /// A replica's epoch never falls.
    MonotonicEpoch,
    /// A running replica's high watermark never falls while it is known.
    MonotonicCommit,
    /// A majority of the voters has come as far as the leader's high watermark.
    HighWatermarkOnMajority,
    /// No leader moves its high watermark to below what one before had.
    LeaderHighWatermark,
}

impl Property {
    /// All of them, those of the paper's figure 3 first.
    pub const ALL: [Self; 9] = [
        Self::ElectionSafety,
        Self::LeaderAppendOnly,
        Self::LogMatching,
        Self::LeaderCompleteness,
        Self::StateMachineSafety,
        Self::MonotonicEpoch,
        Self::MonotonicCommit,
        Self::HighWatermarkOnMajority,
        Self::LeaderHighWatermark,
    ];
}

/// A property that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub property: Property,
    /// After how many steps.
    pub step: u64,
    /// Where.
    pub replica: ReplicaId,
    /// With whom, where two are concerned.
    pub other: Option<ReplicaId>,
    /// In which epoch.
    pub epoch: u32,
    /// At which offset, where an entry is concerned.
    pub offset: Option<u64>,
}

/// A replica that an event changed.
#[derive(Clone, Copy)]
pub struct Touched<'a> {
    /// Which.
    pub replica: ReplicaId,
    /// What it was.
    pub before: Standing,
    /// What it is.
    pub standing: Standing,
    /// Its log.
    pub log: &'a Log,
    /// The voters it knows.
    pub voters: ReplicaSet,
    /// What the others are, by index; its own place is not up to date.
    pub standings: &'a [Standing],
    /// The logs, also those on the disks of replicas that do not run.
    pub logs: &'a dyn Fn(ReplicaId) -> Option<&'a Log>,
    /// After how many steps.
    pub step: u64,
}

impl Touched<'_> {
    fn breaks(&self, property: Property, offset: Option<u64>) -> Violation {
        let Self { replica, standing, step, .. } = *self;
        Violation { property, step, replica, other: None, epoch: standing.epoch, offset }
    }
}

/// All watchers of one run.
#[derive(Clone, Debug)]
pub struct Watch {
    election_safety: ElectionSafety,
    monotonic: Monotonic,
    leader_append_only: LeaderAppendOnly,
    log_matching: LogMatching,
    committed: Committed,
    leader_completeness: LeaderCompleteness,
    state_machine_safety: StateMachineSafety,
    high_watermark: HighWatermark,
    violations: Vec<Violation>,
    is_off: bool,
}

impl Watch {
    /// Watchers of a run with `replicas` members.
    #[must_use]
    pub fn new(replicas: u8) -> Self {
        Self {
            election_safety: ElectionSafety::default(),
            monotonic: Monotonic::new(replicas),
            leader_append_only: LeaderAppendOnly::new(replicas),
            log_matching: LogMatching::new(replicas),
            committed: Committed::default(),
            leader_completeness: LeaderCompleteness::default(),
            state_machine_safety: StateMachineSafety::new(replicas),
            high_watermark: HighWatermark::default(),
            violations: Vec::new(),
            is_off: false,
        }
    }

    /// Looks no more, for whoever measures what looking costs.
    pub const fn stop(&mut self) {
        self.is_off = true;
    }

    /// Looks at a replica that an event touched.
    pub fn look(&mut self, it: &Touched<'_>) {
        if self.is_off {
            return;
        }
        let Touched { replica, standing, step, .. } = *it;
        let found = &mut self.violations;
        found.extend(self.election_safety.look(step, replica, standing));
        self.monotonic.look(step, replica, standing, found);
        self.leader_append_only.look(it, found);
        self.log_matching.look(it, found);
        self.state_machine_safety.look(it, &mut self.committed, found);
        self.leader_completeness.look(it, &self.committed, found);
        self.high_watermark.look(it, found);
    }

    /// A replica stopped: what it held in memory is gone.
    pub fn stopped(&mut self, replica: ReplicaId) {
        self.monotonic.stopped(replica);
    }

    /// What was broken so far, in order.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raft::{Payload, RoleShape};

    fn log(values: &[(u32, u64)]) -> Log {
        let mut log = Log::default();
        for &(epoch, value) in values {
            log.append_batch(epoch, &[Payload::Set { key: 0, value }]);
        }
        log
    }

    fn standing(role: RoleShape, epoch: u32, committed: Option<u64>) -> Standing {
        Standing { role, epoch, leader: None, voted: None, committed, end_offset: 0 }
    }

    struct Run {
        watch: Watch,
        standings: Vec<Standing>,
        logs: Vec<Log>,
    }

    impl Run {
        fn new() -> Self {
            let empty = standing(RoleShape::Follower, 0, None);
            Self { watch: Watch::new(3), standings: vec![empty; 3], logs: vec![Log::default(); 3] }
        }

        /// What is broken when a replica becomes that, with that log.
        fn look(&mut self, id: u8, now: Standing, log: &Log) -> Vec<Property> {
            let now = Standing { end_offset: log.end_offset(), ..now };
            self.logs[usize::from(id)] = log.clone();
            let seen = self.watch.violations().len();
            let logs = &self.logs;
            let touched = Touched {
                replica: ReplicaId(id),
                before: self.standings[usize::from(id)],
                standing: now,
                log,
                voters: ReplicaSet::first(3),
                standings: &self.standings,
                logs: &|id| logs.get(id.index()),
                step: 1,
            };
            self.watch.look(&touched);
            self.standings[usize::from(id)] = now;
            self.watch.violations()[seen..].iter().map(|violation| violation.property).collect()
        }
    }

    #[test]
    fn a_leader_that_cuts_or_overwrites_its_log_is_seen() {
        let leads = |epoch| standing(RoleShape::Leader, epoch, None);
        let mut run = Run::new();
        assert!(run.look(0, leads(2), &log(&[(1, 1), (2, 2)])).is_empty());
        assert!(run.look(0, leads(2), &log(&[(1, 1), (2, 2), (2, 3)])).is_empty());
        assert_eq!(run.look(0, leads(2), &log(&[(1, 1), (2, 2)])), [Property::LeaderAppendOnly]);
        assert_eq!(run.look(0, leads(2), &log(&[(1, 1), (2, 9)])), [Property::LeaderAppendOnly]);
        // A follower may, and then lead again.
        assert!(run.look(0, standing(RoleShape::Follower, 3, None), &log(&[(1, 1)])).is_empty());
        assert!(run.look(0, leads(4), &log(&[(1, 1), (4, 4)])).is_empty());
    }

    #[test]
    fn logs_that_agree_at_one_offset_and_differ_before_it_are_seen() {
        let follows = standing(RoleShape::Follower, 3, None);
        let mut run = Run::new();
        assert!(run.look(0, follows, &log(&[(1, 1), (2, 2), (3, 3)])).is_empty());
        assert!(run.look(1, follows, &log(&[(1, 1), (1, 7)])).is_empty(), "different epochs may differ");
        assert_eq!(run.look(1, follows, &log(&[(1, 1), (1, 7), (3, 3)])), [Property::LogMatching]);
        assert_eq!(run.look(2, follows, &log(&[(1, 5)])), [Property::LogMatching], "another value");
        let found = *run.watch.violations().last().expect("it was found");
        assert_eq!((found.replica, found.other, found.offset), (ReplicaId(2), Some(ReplicaId(0)), Some(0)));
    }

    #[test]
    fn two_replicas_that_commit_different_entries_are_seen() {
        let (one, other) = (log(&[(1, 1), (1, 2)]), log(&[(1, 1), (2, 3)]));
        let mut run = Run::new();
        assert!(run.look(1, standing(RoleShape::Follower, 1, Some(1)), &one).is_empty());
        assert!(run.look(0, standing(RoleShape::Follower, 1, Some(2)), &one).is_empty());
        let seen = run.look(2, standing(RoleShape::Follower, 2, Some(2)), &other);
        assert_eq!(seen, [Property::StateMachineSafety]);
    }

    #[test]
    fn a_leader_without_a_committed_entry_is_seen() {
        let (full, short) = (log(&[(1, 1), (1, 2)]), log(&[(1, 1)]));
        let mut run = Run::new();
        run.look(1, standing(RoleShape::Follower, 1, Some(2)), &full);
        assert_eq!(run.look(0, standing(RoleShape::Leader, 2, None), &short), [Property::LeaderCompleteness]);
    }

    #[test]
    fn a_high_watermark_without_a_majority_and_one_that_falls_are_seen() {
        let full = log(&[(1, 1), (1, 2)]);
        let mut run = Run::new();
        let seen = run.look(0, standing(RoleShape::Leader, 1, Some(2)), &full);
        assert_eq!(seen, [Property::HighWatermarkOnMajority]);
        run.look(1, standing(RoleShape::Follower, 1, None), &full);
        assert!(run.look(1, standing(RoleShape::Leader, 2, Some(2)), &full).is_empty());
        let seen = run.look(1, standing(RoleShape::Leader, 2, Some(1)), &full);
        assert_eq!(seen, [Property::MonotonicCommit, Property::LeaderHighWatermark]);
        // A voter that was counted and loses its log.
        let empty = Log::default();
        assert_eq!(run.look(0, standing(RoleShape::Follower, 2, None), &empty), [Property::HighWatermarkOnMajority]);
    }

    #[test]
    fn a_new_leader_may_know_of_less_than_the_one_before() {
        let full = log(&[(1, 1), (1, 2)]);
        let mut run = Run::new();
        for id in 0..3 {
            run.look(id, standing(RoleShape::Follower, 1, None), &full);
        }
        assert!(run.look(0, standing(RoleShape::Leader, 1, Some(2)), &full).is_empty());
        run.look(1, standing(RoleShape::Follower, 1, Some(1)), &full);
        assert!(run.look(1, standing(RoleShape::Leader, 2, Some(1)), &full).is_empty());
    }
}
