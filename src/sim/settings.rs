//! What a simulation is made from.

use crate::raft::{ClientSettings, Protocol};

/// How a directed link treats messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkConditions {
    /// The shortest flight, in microseconds.
    pub latency_min_us: u32,
    /// The longest flight, in microseconds; not below the shortest.
    pub latency_max_us: u32,
    /// Messages lost, in parts per million.
    pub loss_ppm: u32,
    /// Messages delivered twice, in parts per million.
    pub duplicate_ppm: u32,
    /// Messages that may overtake and be overtaken, in parts per million.
    pub reorder_ppm: u32,
}

impl Default for LinkConditions {
    fn default() -> Self {
        Self { latency_min_us: 60_000, latency_max_us: 120_000, loss_ppm: 0, duplicate_ppm: 0, reorder_ppm: 0 }
    }
}

/// What a simulation is made from.
#[derive(Clone, Debug)]
pub struct SimSettings<P: Protocol> {
    /// How many replicas, 1 to 25.
    pub replicas: u8,
    /// The seed of all luck.
    pub seed: u64,
    /// How every link starts out.
    pub links: LinkConditions,
    /// How every client works on its executor.
    pub client: ClientSettings,
    /// The protocol's settings.
    pub protocol: P::Settings,
    /// What each replica's disk holds at the start; without one for a replica it is empty.
    pub disks: Vec<P::Disk>,
}
