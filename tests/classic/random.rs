//! Random runs with every fault at once: the five safety properties hold after each event, what a client was told to be
//! committed is never lost, and once the faults stop the cluster goes on.
//!
//! Each seed has settings of its own: rules, backtracking, batches, the form of the clients' work. A failure prints the seed,
//! the position and a link that shows it. 500 seeds; `RAFTWERK_SEEDS` sets another number.

use raftwerk::raft::classic::{Backtracking, Cause, ClassicSettings, MessageKind, Note, Refused, Rules};
use raftwerk::raft::{
    Any, ClientSettings, Either, Entry, Family, Form, Log, Payload, ProtocolSettings, ReplicaId, RoleShape,
};
use raftwerk::scenario::{Record, link};
use raftwerk::session::Session;
use raftwerk::sim::{
    CallNote, ClientOptions, Command, Fate, LinkConditions, Placed, Property, Sim, Stream, What, scale,
};
use std::collections::BTreeMap;
use std::sync::Mutex;

const ROUGH: LinkConditions = LinkConditions {
    latency_min_us: 1_000,
    latency_max_us: 30_000,
    loss_ppm: 60_000,
    duplicate_ppm: 60_000,
    reorder_ppm: 150_000,
};
const CALM: LinkConditions = LinkConditions { loss_ppm: 0, duplicate_ppm: 0, reorder_ppm: 0, ..ROUGH };
/// How long there are faults, and within which time all must be well after.
const FAULTS_US: u64 = 25_000_000;
const CALM_US: u64 = 40_000_000;

/// What must have happened at least once over all runs.
type Coverage = BTreeMap<&'static str, u64>;

struct Run {
    record: Record,
    sim: Sim<Any>,
    commands: Vec<Placed>,
    luck: Stream,
    /// The highest number delivered on each link.
    delivered: BTreeMap<(ReplicaId, ReplicaId), u32>,
    /// Whether the last message delivered came after one that was sent later.
    has_overtaken: bool,
    /// What clients were told to be committed: the offset, and what stands there.
    acknowledged: BTreeMap<u64, Payload>,
    coverage: Coverage,
}

fn settings(luck: &mut Stream) -> ClassicSettings {
    let mut one_of = |count: u32| scale(luck.draw(), count);
    let backtracking = [Backtracking::OneByOne, Backtracking::TermHint, Backtracking::TwoSidedHint][one_of(3) as usize];
    ClassicSettings {
        election_min_ms: 300,
        election_max_ms: 600,
        heartbeat_ms: 80,
        batch: [1, 3, 16][one_of(3) as usize],
        backtracking,
        refused: [Refused::Waits, Refused::StepsDown][one_of(2) as usize],
        rules: Rules { pre_vote: one_of(2) == 0, check_quorum: one_of(2) == 0, no_op: one_of(2) == 0 },
    }
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut luck = Stream::of_link(seed ^ 0xC1A5_51C0, ReplicaId(20), ReplicaId(21));
        let classic = settings(&mut luck);
        let form = if scale(luck.draw(), 2) == 0 { Form::SeparateEvents } else { Form::OnePoll };
        let record = Record {
            title: format!("random {seed}"),
            replicas: 3 + 2 * u8::try_from(scale(luck.draw(), 2)).expect("small"),
            seed,
            links: ROUGH,
            client: ClientSettings { form, ..ClientSettings::default() },
            protocol: ProtocolSettings::Classic(classic),
            ..Record::of(Family::Classic)
        };
        let sim = Session::open(record.clone()).expect("a good record").sim().clone();
        let mut run = Self {
            record,
            sim,
            commands: Vec::new(),
            luck,
            delivered: BTreeMap::new(),
            has_overtaken: false,
            acknowledged: BTreeMap::new(),
            coverage: Coverage::new(),
        };
        for client in 0..2 {
            run.act(Command::AddClient { options: ClientOptions { timeout_ms: 400, ..ClientOptions::default() } });
            run.act(Command::SetRate { client, every_us: 90_000 });
        }
        run
    }

    fn one_of(&mut self, count: u32) -> u32 {
        scale(self.luck.draw(), count)
    }

    fn any(&mut self) -> ReplicaId {
        let count = u32::from(self.sim.replicas());
        ReplicaId(u8::try_from(self.one_of(count)).expect("small"))
    }

    fn count(&mut self, what: &'static str) {
        *self.coverage.entry(what).or_default() += 1;
    }

    fn fail(&self, what: &str) -> ! {
        let position = self.sim.steps();
        let record = Record { commands: self.commands.clone(), position, ..self.record.clone() };
        let at_us = self.sim.now_us();
        panic!("{what}\nseed {}, after {position} events, at {at_us} µs\n#{}", record.seed, link::encode(&record));
    }

    fn act(&mut self, command: Command) -> bool {
        let placed = Placed::by_hand(self.sim.steps(), self.sim.now_us(), command);
        if self.sim.apply(placed).is_err() {
            return false;
        }
        self.commands.push(placed);
        self.check();
        true
    }

    fn step(&mut self) {
        if !self.sim.step() {
            self.fail("nothing is left to do");
        }
        self.check();
        if self.sim.steps().is_multiple_of(1_000) {
            self.check_all();
        }
    }

    fn check(&mut self) {
        if let Some(broken) = self.sim.violations().first() {
            self.fail(&format!("{broken:?}"));
        }
        for event in self.sim.last_step() {
            if let What::Delivered { from, number, .. } = event.what {
                let highest = self.delivered.entry((from, event.replica)).or_default();
                self.has_overtaken = number < *highest;
                *highest = number.max(*highest);
            }
        }
        let mut seen: Vec<&'static str> = Vec::new();
        let mut told = Vec::new();
        for event in self.sim.last_step() {
            match event.what {
                What::Note(Either::Classic(note)) => seen.extend(match note {
                    Note::Became { to: RoleShape::Leader, .. } => Some("elections"),
                    Note::Became { to: RoleShape::Prospective, .. } => Some("pre-votes"),
                    Note::Became { from: Some(RoleShape::Candidate), to: RoleShape::Candidate, .. } => {
                        Some("campaigns without a winner")
                    }
                    Note::Became { cause: Cause::QuorumLost, .. } => Some("leaders without a majority"),
                    Note::Became { from: Some(RoleShape::Leader), cause: Cause::HigherTerm, .. } => {
                        Some("deposed leaders")
                    }
                    Note::Refused { .. } => Some("refused votes"),
                    Note::Ignored { .. } => Some("ignored votes"),
                    Note::Overwrote { .. } => Some("overwritten logs"),
                    Note::Mismatch { .. } => Some("refused appends"),
                    Note::OlderTerm { .. } => Some("majorities of older terms"),
                    Note::NoOp { .. } => Some("no-ops"),
                    Note::Stale { .. } => Some("old leaders heard"),
                    _ => None,
                }),
                What::Sent { fate: Fate::Lost, .. } => seen.push("lost messages"),
                What::Sent { fate: Fate::Cut, .. } => seen.push("cut messages"),
                What::Sent { fate: Fate::FliesTwice, .. } => seen.push("doubled messages"),
                What::Delivered { .. } if self.has_overtaken => {
                    seen.push("overtaken messages");
                }
                What::Delivered { face, .. } if face.kind == Either::Classic(MessageKind::Heartbeat) => {
                    seen.push("heartbeats");
                }
                What::Call(
                    CallNote::Acknowledged { number, offset } | CallNote::AcknowledgedLate { number, offset },
                ) => {
                    told.push((event.replica, number, offset));
                }
                What::Failed(fault, task) => self.fail(&format!("{fault:?} in {task:?}")),
                _ => {}
            }
        }
        for what in seen {
            self.count(what);
        }
        for (client, number, offset) in told {
            self.count("acknowledged writes");
            let client = usize::from(client.0 - 32);
            let mut requests = self.sim.clients()[client].requests();
            let request = requests.find(|request| request.number == number).expect("it has just heard of it");
            let payload = Payload::Set { key: request.key, value: request.value };
            self.acknowledged.insert(offset, payload);
        }
    }

    fn log(&self, id: ReplicaId) -> &Log {
        self.sim.log(id).or_else(|| self.sim.disk_log(id)).expect("each has a log")
    }

    /// The slow check: whole logs, every pair, whatever was touched.
    fn check_all(&self) {
        let ids: Vec<ReplicaId> = self.sim.ids().collect();
        let entries = |id: ReplicaId| -> Vec<Entry> {
            let log = self.log(id);
            (0..log.end_offset()).filter_map(|offset| log.get(offset)).collect()
        };
        let logs: Vec<Vec<Entry>> = ids.iter().map(|&id| entries(id)).collect();
        let committed = |id: ReplicaId| {
            let standing = self.sim.standing(id).filter(|_| self.sim.replica(id).is_some());
            usize::try_from(standing.and_then(|it| it.committed).unwrap_or(0)).expect("small")
        };
        for (place, &one) in ids.iter().enumerate() {
            for (&other, theirs) in ids[..place].iter().zip(&logs) {
                let ours = &logs[place];
                // Log Matching: the same up to the last place with the same term.
                let last = ours.iter().zip(theirs).rposition(|(a, b)| a.epoch == b.epoch);
                let shared = last.map_or(0, |last| last + 1);
                if ours[..shared] != theirs[..shared] {
                    self.fail(&format!("the logs of {one} and {other} agree at {shared} and differ before"));
                }
                // State Machine Safety.
                let both = committed(one).min(committed(other));
                if ours[..both] != theirs[..both] {
                    self.fail(&format!("{one} and {other} committed different entries"));
                }
            }
            // Leader Completeness: the newest leader has all that anybody knows to be committed.
            if self.sim.leader().map(|(leader, _)| leader) == Some(one) {
                for &other in &ids {
                    let end = committed(other);
                    let (_, term) = self.sim.leader().expect("just seen");
                    let is_older = self.sim.standing(other).is_some_and(|it| it.epoch <= term);
                    if is_older && logs[place].get(..end) != logs[other.index()].get(..end) {
                        self.fail(&format!("leader {one} lacks what {other} has committed"));
                    }
                }
            }
        }
    }

    fn trouble(&mut self) {
        let replica = self.any();
        let other = self.any();
        let done = match self.one_of(13) {
            0 => self.act(Command::Crash { replica, keep_unflushed: false }).then_some("crashes"),
            1 | 2 => {
                self.act(Command::Restart { replica, is_wiped: false });
                None
            }
            3 | 4 if replica != other => {
                self.act(Command::SetCut { from: replica, to: other, is_cut: true }).then_some("one-way cuts")
            }
            5 => self.act(Command::Heal).then_some("heals"),
            6 => {
                if let Some((leader, _)) = self.sim.leader() {
                    self.act(Command::Crash { replica: leader, keep_unflushed: false }).then_some("crashed leaders")
                } else {
                    None
                }
            }
            7 => self.act(Command::Pause { replica }).then_some("pauses"),
            8 => {
                self.act(Command::Resume { replica });
                None
            }
            9 => {
                // The leader is cut off in one direction.
                let Some((leader, _)) = self.sim.leader() else { return };
                let is_out = self.one_of(2) == 0;
                for other in self.sim.ids().collect::<Vec<_>>() {
                    if other != leader {
                        let (from, to) = if is_out { (leader, other) } else { (other, leader) };
                        self.act(Command::SetCut { from, to, is_cut: true });
                    }
                }
                Some("leaders cut off one way")
            }
            // Back at once: what it had promised must still hold.
            10 | 11 => {
                let is_crashed = self.act(Command::Crash { replica, keep_unflushed: false });
                self.act(Command::Restart { replica, is_wiped: false });
                is_crashed.then_some("restarts at once")
            }
            _ => None,
        };
        if let Some(what) = done {
            self.count(what);
        }
    }

    /// No more faults: everything must go on, and nothing that was acknowledged may be gone.
    fn calm(&mut self) {
        self.act(Command::Heal);
        self.act(Command::SetLink { link: None, conditions: CALM });
        for id in self.sim.ids().collect::<Vec<_>>() {
            self.act(Command::Resume { replica: id });
            self.act(Command::Restart { replica: id, is_wiped: false });
        }
        let end = self.sim.ids().map(|id| self.log(id).end_offset()).max().unwrap_or(0);
        let until_us = self.sim.now_us() + CALM_US;
        let reached = |sim: &Sim<Any>, wanted: u64| {
            sim.ids()
                .all(|id| sim.replica(id).is_some() && sim.standing(id).is_some_and(|it| it.committed >= Some(wanted)))
        };
        loop {
            // What has been acknowledged meanwhile is everywhere a little later.
            let told = self.acknowledged.keys().last().map_or(0, |&offset| offset + 1);
            let wanted = told.max(end + 5);
            if reached(&self.sim, wanted) {
                break;
            }
            if self.sim.now_us() > until_us {
                self.fail(&format!("all should have committed {wanted} by now"));
            }
            self.step();
        }
        self.check_all();
        for (&offset, &payload) in &self.acknowledged {
            for id in self.sim.ids() {
                if self.log(id).get(offset).map(|entry| entry.payload) != Some(payload) {
                    self.fail(&format!("what was acknowledged at offset {offset} is not in the log of {id}"));
                }
            }
        }
    }
}

fn run(seed: u64) -> Coverage {
    let mut run = Run::new(seed);
    while run.sim.now_us() < FAULTS_US {
        run.step();
        // Elections are where most can go wrong.
        let is_electing = run.sim.leader().is_none();
        if run.one_of(if is_electing { 15 } else { 120 }) == 0 {
            run.trouble();
        }
    }
    run.calm();
    run.coverage
}

#[test]
fn the_five_properties_hold_over_500_seeds_and_all_goes_on_after() {
    let seeds: u64 = std::env::var("RAFTWERK_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(500);
    let next = Mutex::new(0..seeds);
    let total = Mutex::new(Coverage::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(seed) = next.lock().expect("no other thread has panicked").next() else { break };
                    let seen = run(seed);
                    let mut total = total.lock().expect("no other thread has panicked");
                    for (what, count) in seen {
                        *total.entry(what).or_default() += count;
                    }
                }
            });
        }
    });
    let total = total.into_inner().expect("no thread has panicked");
    println!("{total:#?}");
    for what in [
        "acknowledged writes",
        "campaigns without a winner",
        "crashed leaders",
        "crashes",
        "cut messages",
        "deposed leaders",
        "doubled messages",
        "elections",
        "heals",
        "heartbeats",
        "ignored votes",
        "leaders cut off one way",
        "leaders without a majority",
        "lost messages",
        "majorities of older terms",
        "no-ops",
        "old leaders heard",
        "one-way cuts",
        "overtaken messages",
        "overwritten logs",
        "pauses",
        "pre-votes",
        "refused appends",
        "refused votes",
        "restarts at once",
    ] {
        assert!(total.get(what).is_some_and(|&count| count > 0), "no {what} over all runs");
    }
    // The five are among those that were looked at after each event.
    for property in [
        Property::ElectionSafety,
        Property::LeaderAppendOnly,
        Property::LogMatching,
        Property::LeaderCompleteness,
        Property::StateMachineSafety,
    ] {
        assert!(Property::ALL.contains(&property));
    }
}
