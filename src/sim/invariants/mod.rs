//! Safety properties, checked from outside after every event.
//!
//! One file each, with its source. A check looks only at what the event touched; a broken property is a value with the
//! step it happened at, never a panic.

mod election_safety;
mod monotonic;

use crate::raft::{ReplicaId, Standing};
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
}

impl Property {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::ElectionSafety, Self::MonotonicEpoch, Self::MonotonicCommit];
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
}

/// All watchers of one run.
#[derive(Clone, Debug)]
pub struct Watch {
    election_safety: ElectionSafety,
    monotonic: Monotonic,
    violations: Vec<Violation>,
}

impl Watch {
    /// Watchers of a run with `replicas` members.
    #[must_use]
    pub fn new(replicas: u8) -> Self {
        Self { election_safety: ElectionSafety::default(), monotonic: Monotonic::new(replicas), violations: Vec::new() }
    }

    /// Looks at a replica that an event touched.
    pub fn look(&mut self, step: u64, replica: ReplicaId, standing: Standing) {
        let found = self.election_safety.look(step, replica, standing);
        self.violations.extend(found);
        self.monotonic.look(step, replica, standing, &mut self.violations);
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
