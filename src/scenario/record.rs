//! The record of a run.

use crate::executor::in_order;
use crate::raft::classic::ClassicSettings;
use crate::raft::{ClientSettings, Family, ProtocolSettings, ReplicaId};
use crate::sim::{FlightName, LinkConditions, Placed, Plan};

/// How a replica starts, where it does not start empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The epoch of each record of its log, by offset.
    pub log: Vec<u32>,
    /// Its epoch.
    pub epoch: u32,
    /// Whom it voted for in that epoch.
    pub voted: Option<ReplicaId>,
    /// Who leads that epoch, where the protocol keeps that on disk.
    pub leader: Option<ReplicaId>,
    /// The high watermark it knows.
    pub high_watermark: Option<u64>,
}

/// What is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// A node, or a client of the cluster.
    Node(ReplicaId),
    /// A message in flight.
    Message(FlightName),
    /// A link: its sender and its receiver.
    Link(ReplicaId, ReplicaId),
}

/// A part of the page beside the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// What can happen next.
    Next,
    /// The log table.
    Logs,
    /// The space-time diagram.
    Time,
    /// The event list.
    Events,
    /// The inspector of a node.
    Node,
    /// Faults and plans.
    Faults,
    /// The clients of the cluster.
    Clients,
    /// Branches.
    Branches,
    /// Going to a moment.
    Go,
    /// The safety properties.
    Safety,
}

/// How a moment is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// What is selected.
    pub selection: Option<Selection>,
    /// The panel to look at.
    pub panel: Option<Panel>,
}

/// A place in the run with something to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// After how many steps.
    pub position: u64,
    /// What is said.
    pub text: String,
    /// What it points at.
    pub shown: Shown,
}

/// All that is needed to have the same run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What the run is called; may be empty.
    pub title: String,
    /// How many replicas.
    pub replicas: u8,
    /// What the replicas are called: one name a replica, empty where that is its number; or no names at all.
    pub names: Vec<String>,
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
    /// Places with something to say about them, rising by position.
    pub chapters: Vec<Chapter>,
    /// The position to look at, in steps.
    pub position: u64,
    /// How many executor tasks of the next step have run at that position.
    pub tasks: u32,
    /// The playhead at that position, in microseconds; not before the last step nor after the next.
    pub playhead_us: u64,
    /// How that moment is looked at.
    pub shown: Shown,
    /// The upper half of the state's digest there; without it nothing is compared.
    pub digest: Option<u32>,
}

impl Record {
    /// What somebody sees who brings no link: a first election of the paper's Raft, slow enough to be watched.
    /// `scenarios/newcomer.json` is the same.
    #[must_use]
    pub fn newcomer() -> Self {
        Self {
            title: "A first election".into(),
            seed: 7,
            protocol: ProtocolSettings::Classic(ClassicSettings {
                election_min_ms: 1_500,
                election_max_ms: 3_000,
                heartbeat_ms: 500,
                ..ClassicSettings::default()
            }),
            ..Self::of(Family::Classic)
        }
    }

    /// Five replicas of a protocol at their beginning, with nothing special about them.
    #[must_use]
    pub fn of(family: Family) -> Self {
        Self {
            title: String::new(),
            replicas: 5,
            names: Vec::new(),
            seed: 1,
            links: LinkConditions::default(),
            client: ClientSettings::default(),
            protocol: ProtocolSettings::of(family),
            starts: Vec::new(),
            commands: Vec::new(),
            plans: Vec::new(),
            chapters: Vec::new(),
            position: 0,
            tasks: 0,
            playhead_us: 0,
            shown: Shown::default(),
            digest: None,
        }
    }
}

impl Record {
    /// The same cluster, seed, links and clients at the start of a run under a protocol, with the same faults at the same
    /// times: what was done, as far as it can be said of any run, waits for its time.
    #[must_use]
    pub fn under(&self, family: Family) -> Self {
        let done = self.commands.iter().map(|placed| Plan { at_us: placed.at_us, command: placed.command });
        let all = done.chain(self.plans.iter().copied()).filter(|plan| plan.command.suits_any_run());
        let is_other = self.protocol.family() != family;
        let start = |start: &Start| Start { leader: start.leader.filter(|_| !is_other), ..start.clone() };
        Self {
            protocol: self.protocol.under(family),
            starts: self.starts.iter().map(start).collect(),
            commands: Vec::new(),
            plans: in_order(all.collect(), |plan| [plan.at_us, 0, 0]),
            // They speak of positions of the other run.
            chapters: Vec::new(),
            ..self.clone()
        }
        .rewound()
    }

    /// The record with the moment at its start, and nothing chosen there.
    #[must_use]
    pub fn rewound(self) -> Self {
        Self { position: 0, tasks: 0, playhead_us: 0, shown: Shown::default(), digest: None, ..self }
    }
}

impl Default for Record {
    /// One of KRaft.
    fn default() -> Self {
        Self::of(Family::KRaft)
    }
}
