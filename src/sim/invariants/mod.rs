//! Safety properties, checked from outside after every event.
//!
//! One file each, with its source. A check looks only at what the event touched; a broken property is a value with the
//! step it happened at, never a panic.

mod committed;
mod election_safety;
mod monotonic;

use crate::raft::{Log, ReplicaId, ReplicaSet, Standing};
use committed::Committed;
use election_safety::ElectionSafety;
use monotonic::Monotonic;

/// A property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// At most one leader in an epoch.
    ElectionSafety,
    /// A replica's epoch never falls.
    MonotonicEpoch,
    /// A running replica's high watermark never falls while it is known.
    MonotonicCommit,
    /// No two replicas commit different records at one offset.
    StateMachineSafety,
    /// A new leader's log holds every committed record.
    LeaderCompleteness,
    /// A majority of the voters has come as far as the leader's high watermark.
    HighWatermarkOnMajority,
    /// No leader's high watermark is below one before.
    LeaderHighWatermark,
}

impl Property {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::ElectionSafety,
        Self::MonotonicEpoch,
        Self::MonotonicCommit,
        Self::StateMachineSafety,
        Self::LeaderCompleteness,
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
#[derive(Clone, Copy, Debug)]
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
}

/// All watchers of one run.
#[derive(Clone, Debug)]
pub struct Watch {
    election_safety: ElectionSafety,
    monotonic: Monotonic,
    committed: Committed,
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
            committed: Committed::new(replicas),
            violations: Vec::new(),
            is_off: false,
        }
    }

    /// Looks no more, for whoever measures what looking costs.
    pub const fn stop(&mut self) {
        self.is_off = true;
    }

    /// Looks at a replica that an event touched.
    pub fn look(&mut self, step: u64, it: &Touched<'_>) {
        if self.is_off {
            return;
        }
        let Touched { replica, standing, .. } = *it;
        let found = self.election_safety.look(step, replica, standing);
        self.violations.extend(found);
        self.monotonic.look(step, replica, standing, &mut self.violations);
        self.committed.look(step, it, &mut self.violations);
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
