//! The record of a run.

use crate::raft::kraft::KRaftSettings;
use crate::raft::{ClientSettings, ReplicaId};
use crate::sim::{LinkConditions, Placed, Plan};

/// Which protocol runs, with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtocolSettings {
    /// KRaft.
    KRaft(KRaftSettings),
}

/// How a replica starts, where it does not start empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The epoch of each record of its log, by offset.
    pub log: Vec<u32>,
    /// Its epoch.
    pub epoch: u32,
    /// Whom it voted for in that epoch.
    pub voted: Option<ReplicaId>,
    /// Who leads that epoch.
    pub leader: Option<ReplicaId>,
    /// The high watermark it knows.
    pub high_watermark: Option<u64>,
}

/// All that is needed to have the same run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What the run is called; may be empty.
    pub title: String,
    /// How many replicas.
    pub replicas: u8,
    /// The seed of all luck.
    pub seed: u64,
    /// How every link starts out.
    pub links: LinkConditions,
    /// How the clients work on their executors.
    pub client: ClientSettings,
    /// The protocol.
    pub protocol: ProtocolSettings,
    /// How each replica starts; empty when all start empty.
    pub starts: Vec<Start>,
    /// What was done, in order.
    pub commands: Vec<Placed>,
    /// What is still to be done at a time, rising by it.
    pub plans: Vec<Plan>,
    /// The position to look at, in steps.
    pub position: u64,
    /// How many executor tasks of the next step have run at that position.
    pub tasks: u32,
    /// The playhead at that position, in microseconds; not before the last step nor after the next.
    pub playhead_us: u64,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            title: String::new(),
            replicas: 5,
            seed: 1,
            links: LinkConditions::default(),
            client: ClientSettings::default(),
            protocol: ProtocolSettings::KRaft(KRaftSettings::default()),
            starts: Vec::new(),
            commands: Vec::new(),
            plans: Vec::new(),
            position: 0,
            tasks: 0,
            playhead_us: 0,
        }
    }
}
