//! The simulation scenarios of Kafka's `RaftEventSimulationTest`, on links that also lose, double and reorder messages and
//! fail in one direction, which Kafka's do not.
//!
//! Each scenario has two phases: faults, with all safety properties checked after every event; then none, and progress
//! within a stated time. A failure prints the seed, the position and a link that shows it. Every scenario runs over 200
//! seeds; `RAFTWERK_SEEDS` sets another number.
#![cfg(not(target_arch = "wasm32"))]

use raftwerk::raft::kraft::{KRaftSettings, Note};
use raftwerk::raft::{Any, Either, Protocol, ProtocolSettings, Replica, ReplicaId, ReplicaSet, RoleShape};
use raftwerk::scenario::{Record, link};
use raftwerk::session::Session;
use raftwerk::sim::{Command, LinkConditions, Placed, Property, Sim, Stream, What, scale};
use std::sync::Mutex;

/// How long a phase may take, in virtual microseconds, and in events.
const PHASE_US: u64 = 120_000_000;
const PHASE_EVENTS: u64 = 500_000;
/// The time from one append to the next, in microseconds.
const APPEND_EVERY_US: u32 = 60_000;

/// What must have happened at least once over all runs.
#[derive(Clone, Copy, Debug, Default)]
struct Coverage {
    truncations: u64,
    split_votes: u64,
    resignations: u64,
    diverging: u64,
    lost: u64,
}

struct Run {
    name: &'static str,
    record: Record,
    sim: Sim<Any>,
    commands: Vec<Placed>,
    luck: Stream,
    append_at_us: u64,
    value: u64,
    /// Which properties must hold.
    holds: Vec<Property>,
    /// Whether links fail at random in one direction.
    flaps: bool,
    /// Leaders and epochs, once leadership must not change.
    stable: Option<Vec<(ReplicaId, u32)>>,
    coverage: Coverage,
    /// Below the property check: where each log was fully compared last.
    full_check_at: u64,
}

const CALM: LinkConditions =
    LinkConditions { latency_min_us: 1_000, latency_max_us: 8_000, loss_ppm: 0, duplicate_ppm: 0, reorder_ppm: 0 };
const ROUGH: LinkConditions = LinkConditions { loss_ppm: 30_000, duplicate_ppm: 50_000, reorder_ppm: 50_000, ..CALM };

impl Run {
    fn new(name: &'static str, seed: u64, voters: (u32, u32), observers: (u32, u32), links: LinkConditions) -> Self {
        let mut luck = Stream::of_link(seed ^ 0x51_51, ReplicaId(20), ReplicaId(21));
        let mut between = |(low, high): (u32, u32)| low + scale(luck.draw(), high - low + 1);
        let voters = u8::try_from(between(voters)).expect("small");
        let replicas = voters + u8::try_from(between(observers)).expect("small");
        let kraft = KRaftSettings {
            election_timeout_ms: 1_000,
            election_backoff_max_ms: 100,
            fetch_timeout_ms: 3_000,
            request_timeout_ms: 3_000,
            retry_backoff_ms: 50,
            fetch_max_wait_ms: 100,
            linger_ms: 0,
            observers: ReplicaSet::first(replicas).without(ReplicaSet::first(voters)),
            ..KRaftSettings::default()
        };
        let protocol = ProtocolSettings::KRaft(kraft);
        let record = Record { title: name.into(), replicas, seed, links, protocol, ..Record::default() };
        let sim = Session::open(record.clone()).expect("a good record").sim().clone();
        Self {
            name,
            record,
            sim,
            commands: Vec::new(),
            luck,
            append_at_us: 0,
            value: 0,
            holds: Property::ALL.to_vec(),
            flaps: links != CALM,
            stable: None,
            coverage: Coverage::default(),
            full_check_at: 0,
        }
    }

    fn ids(&self) -> Vec<ReplicaId> {
        self.sim.ids().collect()
    }

    fn voters(&self) -> Vec<ReplicaId> {
        Any::voters(&self.record.protocol, self.record.replicas).iter().collect()
    }

    fn running(&self) -> Vec<ReplicaId> {
        self.sim.ids().filter(|&id| self.sim.replica(id).is_some()).collect()
    }

    fn high_watermark(&self, id: ReplicaId) -> u64 {
        self.sim.replica(id).and_then(|replica| replica.standing().committed).unwrap_or(0)
    }

    fn max_high_watermark(&self) -> u64 {
        self.running().into_iter().map(|id| self.high_watermark(id)).max().unwrap_or(0)
    }

    fn max_end(&self) -> u64 {
        self.ids().iter().filter_map(|&id| self.sim.standing(id)).map(|it| it.end_offset).max().unwrap_or(0)
    }

    fn leader(&self) -> Option<ReplicaId> {
        self.sim.leader().map(|(leader, _)| leader)
    }

    /// The leader that a majority of the voters, all of them running, agrees on.
    fn consistent_leader(&self) -> Option<ReplicaId> {
        let leader = self.leader()?;
        let epoch = self.sim.standing(leader)?.epoch;
        let voters = self.voters();
        let agrees = |id: &&ReplicaId| {
            self.sim
                .replica(**id)
                .map(Replica::standing)
                .is_some_and(|it| it.epoch == epoch && it.leader == Some(leader))
        };
        (voters.iter().filter(agrees).count() > voters.len() / 2).then_some(leader)
    }

    fn act(&mut self, command: Command) {
        let placed = Placed::by_hand(self.sim.steps(), self.sim.now_us(), command);
        if self.sim.apply(placed).is_ok() {
            self.commands.push(placed);
            self.check();
        }
    }

    fn fail(&self, what: &str) -> ! {
        let position = self.sim.steps();
        let record = Record { commands: self.commands.clone(), position, ..self.record.clone() };
        panic!(
            "{}: {what}\nseed {}, after {position} events, at {} µs\n#{}",
            self.name,
            self.record.seed,
            self.sim.now_us(),
            link::encode(&record)
        );
    }

    fn check(&mut self) {
        if let Some(broken) = self.sim.violations().iter().find(|it| self.holds.contains(&it.property)) {
            self.fail(&format!("{broken:?}"));
        }
        for event in self.sim.last_step() {
            match event.what {
                What::Note(Either::KRaft(Note::Truncated { .. })) => self.coverage.truncations += 1,
                What::Note(Either::KRaft(Note::ToldDiverging { .. })) => self.coverage.diverging += 1,
                What::Note(Either::KRaft(Note::Lost { .. })) => self.coverage.split_votes += 1,
                What::Note(Either::KRaft(Note::Became { to: RoleShape::Resigned, .. })) => {
                    self.coverage.resignations += 1;
                }
                What::Sent { fate: raftwerk::sim::Fate::Lost, .. } => self.coverage.lost += 1,
                What::Failed(fault, task) if self.holds.contains(&Property::MonotonicEpoch) => {
                    self.fail(&format!("{fault:?} in {task:?}"));
                }
                _ => {}
            }
        }
        if let (Some(stable), Some(leader)) = (
            &mut self.stable,
            self.sim
                .ids()
                .find(|&id| self.sim.replica(id).map(Replica::standing).is_some_and(|it| it.role == RoleShape::Leader)),
        ) {
            let epoch = self.sim.standing(leader).map_or(0, |it| it.epoch);
            if !stable.contains(&(leader, epoch)) {
                stable.push((leader, epoch));
            }
            if stable.len() > 1 {
                let stable = format!("leadership changed: {stable:?}");
                self.fail(&stable);
            }
        }
        if self.sim.steps() >= self.full_check_at {
            self.full_check_at = self.sim.steps() + 1_000;
            self.compare_all();
        }
    }

    /// The slow check: every pair of running replicas agrees on what both know to be committed.
    fn compare_all(&self) {
        let running = self.running();
        for (place, &one) in running.iter().enumerate() {
            for &other in &running[..place] {
                let committed = self.high_watermark(one).min(self.high_watermark(other));
                for offset in 0..committed {
                    let entry = |id| self.sim.log(id).and_then(|log| log.get(offset));
                    if entry(one) != entry(other) {
                        self.fail(&format!("nodes {one} and {other} differ at committed offset {offset}"));
                    }
                }
            }
        }
    }

    /// One event, or what a client or the weather does before it.
    fn step(&mut self) {
        let due_us = self.sim.next_due_us();
        if due_us >= self.append_at_us {
            self.append_at_us = due_us + u64::from(APPEND_EVERY_US / 2 + scale(self.luck.draw(), APPEND_EVERY_US));
            if let Some(replica) = self.leader() {
                self.value += 1;
                self.act(Command::Append { replica, key: 1, value: self.value, count: 1 });
            }
            if self.flaps && scale(self.luck.draw(), 12) == 0 {
                let count = u32::from(self.sim.replicas());
                let mut any = || ReplicaId(u8::try_from(scale(self.luck.draw(), count)).expect("small"));
                let (from, to) = (any(), any());
                let is_cut = scale(self.luck.draw(), 3) == 0;
                self.act(Command::SetCut { from, to, is_cut });
            }
            return;
        }
        if !self.sim.step() {
            self.fail("nothing is left to do");
        }
        self.check();
    }

    fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let (until_us, until_step) = (self.sim.now_us() + PHASE_US, self.sim.steps() + PHASE_EVENTS);
        while !is_so(self) {
            if self.sim.now_us() > until_us || self.sim.steps() > until_step {
                self.fail(&format!("not reached: {what}"));
            }
            self.step();
        }
    }

    fn link(&mut self, one: ReplicaId, other: ReplicaId, is_cut: bool) {
        for (from, to) in [(one, other), (other, one)] {
            self.act(Command::SetCut { from, to, is_cut });
        }
    }

    fn isolate(&mut self, one: ReplicaId, is_cut: bool) {
        for other in self.ids() {
            if other != one {
                self.link(one, other, is_cut);
            }
        }
    }

    /// No more links that fail by themselves; they still lose, double and reorder.
    fn settle(&mut self) {
        self.flaps = false;
        for one in self.ids() {
            self.isolate(one, false);
        }
    }

    /// No more faults: every link works and loses nothing.
    fn calm(&mut self) {
        self.act(Command::SetLink { link: None, conditions: CALM });
        self.settle();
    }

    fn all_reach(&mut self, offset: u64) {
        self.until(&format!("all running nodes commit {offset}"), |run| {
            run.consistent_leader().is_some() && run.running().into_iter().all(|id| run.high_watermark(id) >= offset)
        });
    }

    fn some_reaches(&mut self, offset: u64) {
        self.until(&format!("some node commits more than {offset}"), |run| run.max_high_watermark() > offset);
    }

    /// Lets so much virtual time pass.
    fn pass(&mut self, us: u64) {
        let until_us = self.sim.now_us() + us;
        while self.sim.now_us() < until_us {
            self.step();
        }
    }

    /// Ten seconds of failing links, in which nothing need come of it; then, on links that work and still lose, double
    /// and reorder, until something is committed.
    fn warm_up(&mut self) {
        self.pass(10_000_000);
        let flaps = self.flaps;
        self.settle();
        self.until("a leader", |run| run.consistent_leader().is_some());
        self.some_reaches(10);
        self.flaps = flaps;
    }

    fn crash(&mut self, replica: ReplicaId) {
        self.act(Command::Crash { replica, keep_unflushed: false });
    }

    fn restart(&mut self, replica: ReplicaId) {
        self.act(Command::Restart { replica, is_wiped: false });
    }

    fn chance(&mut self, of: u32) -> bool {
        scale(self.luck.draw(), of) == 0
    }
}

fn can_elect_initial_leader(seed: u64) -> Coverage {
    let mut run = Run::new("canElectInitialLeader", seed, (1, 5), (0, 5), ROUGH);
    run.pass(10_000_000);
    run.calm();
    run.all_reach(10);
    run.coverage
}

fn can_elect_new_leader_after_old_leader_failure(seed: u64) -> Coverage {
    let mut run = Run::new("canElectNewLeaderAfterOldLeaderFailure", seed, (3, 5), (0, 5), ROUGH);
    run.warm_up();
    let old = run.leader().expect("it was consistent");
    if run.chance(2) {
        run.act(Command::Shutdown { replica: old, timeout_ms: 500 });
        run.until("it is down", |run| run.sim.replica(old).is_none());
    } else {
        run.crash(old);
    }
    // The others may be just a majority: a link that failed would leave them none.
    run.settle();
    run.some_reaches(20);
    run.calm();
    run.all_reach(20);
    let committed = run.max_high_watermark();
    run.restart(old);
    run.all_reach(committed + 10);
    run.coverage
}

fn can_recover_after_all_nodes_killed(seed: u64) -> Coverage {
    let mut run = Run::new("canRecoverAfterAllNodesKilled", seed, (1, 5), (0, 5), ROUGH);
    run.warm_up();
    let committed = run.max_high_watermark();
    for id in run.ids() {
        run.crash(id);
    }
    let voters = run.voters();
    for &id in &voters[..=voters.len() / 2] {
        run.restart(id);
    }
    run.calm();
    run.all_reach(committed + 10);
    run.coverage
}

fn can_elect_new_leader_after_old_leader_partitioned_away(seed: u64) -> Coverage {
    let mut run = Run::new("canElectNewLeaderAfterOldLeaderPartitionedAway", seed, (3, 5), (0, 5), ROUGH);
    run.warm_up();
    let old = run.leader().expect("it was consistent");
    run.settle();
    run.isolate(old, true);
    run.until("the others commit 20", |run| {
        run.ids().into_iter().filter(|&id| id != old).all(|id| run.high_watermark(id) >= 20)
    });
    run.calm();
    let committed = run.max_high_watermark();
    run.all_reach(committed + 10);
    run.coverage
}

fn can_make_progress_if_majority_is_reachable(seed: u64) -> Coverage {
    let mut run = Run::new("canMakeProgressIfMajorityIsReachable", seed, (5, 5), (0, 3), ROUGH);
    run.warm_up();
    run.settle();
    for one in [0, 1].map(ReplicaId) {
        for other in [2, 3, 4].map(ReplicaId) {
            run.link(one, other, true);
        }
    }
    let end = run.max_end();
    run.some_reaches(2 * end);
    let most = |run: &Run, ids: &[u8]| ids.iter().map(|&id| run.high_watermark(ReplicaId(id))).max().unwrap_or(0);
    if most(&run, &[2, 3, 4]) <= most(&run, &[0, 1]) {
        run.fail("the smaller side committed as much");
    }
    run.calm();
    let end = run.max_end();
    run.all_reach(2 * end);
    run.coverage
}

/// The graph on which leadership would bounce without PreVote: links A–C, B–D, C–D, C–E, D–E.
fn bounce(run: &mut Run, places: [ReplicaId; 5]) {
    let [a, b, c, d, e] = places;
    let kept = [(a, c), (b, d), (c, d), (c, e), (d, e)];
    for one in places {
        for other in places {
            if one < other && !kept.contains(&(one, other)) && !kept.contains(&(other, one)) {
                run.link(one, other, true);
            }
        }
    }
}

fn leadership_assigned_only_once(seed: u64) -> Coverage {
    let name = "leadershipAssignedOnlyOnceWithNetworkPartitionIfThereExistsMajority";
    let doubled = LinkConditions { duplicate_ppm: 50_000, ..CALM };
    let mut run = Run::new(name, seed, (5, 5), (0, 3), doubled);
    run.flaps = false;
    run.stable = Some(Vec::new());
    bounce(&mut run, [0, 1, 2, 3, 4].map(ReplicaId));
    run.until("a leader", |run| run.leader().is_some());
    let leader = run.leader().expect("just seen").0;
    let reached: &[u8] = match leader {
        2 => &[0, 2, 3, 4],
        3 => &[1, 2, 3, 4],
        4 => &[2, 3, 4],
        _ => run.fail("it cannot reach a majority"),
    };
    run.until("the reachable majority commits 20", |run| {
        reached.iter().all(|&id| run.high_watermark(ReplicaId(id)) >= 20)
    });
    run.coverage
}

fn leadership_will_not_change(seed: u64) -> Coverage {
    let name = "leadershipWillNotChangeDuringNetworkPartitionIfMajorityStillReachable";
    let doubled = LinkConditions { duplicate_ppm: 50_000, ..CALM };
    let mut run = Run::new(name, seed, (5, 5), (0, 3), doubled);
    run.flaps = false;
    run.all_reach(5);
    let leader = run.leader().expect("all agree");
    run.stable = Some(Vec::new());
    let others: Vec<ReplicaId> = run.voters().into_iter().filter(|&id| id != leader).collect();
    let places = [others[0], others[1], leader, others[2], others[3]];
    bounce(&mut run, places);
    run.until("all but one commit 20", |run| {
        [places[0], places[2], places[3], places[4]].into_iter().all(|id| run.high_watermark(id) >= 20)
    });
    assert_eq!(run.leader(), Some(leader));
    run.coverage
}

fn can_make_progress_after_back_to_back_leader_failures(seed: u64) -> Coverage {
    let mut run = Run::new("canMakeProgressAfterBackToBackLeaderFailures", seed, (3, 5), (0, 5), ROUGH);
    run.warm_up();
    run.settle();
    let first = run.leader().expect("it was consistent");
    run.isolate(first, true);
    run.until("another leader", |run| run.leader().is_some_and(|leader| leader != first));
    let second = run.leader().expect("just seen");
    run.isolate(first, false);
    run.isolate(second, true);
    let committed = run.max_high_watermark();
    run.some_reaches(committed + 10);
    run.calm();
    run.all_reach(committed + 20);
    run.coverage
}

fn can_recover_from_single_node_committed_data_loss(seed: u64) -> Coverage {
    let mut run = Run::new("canRecoverFromSingleNodeCommittedDataLoss", seed, (3, 5), (0, 2), ROUGH);
    // Outside what Raft promises: only these are asked for.
    run.holds = vec![Property::LeaderHighWatermark, Property::ElectionSafety, Property::StateMachineSafety];
    run.warm_up();
    // No election under way, in which the wiped node would vote as if it had never held anything.
    run.calm();
    run.pass(8_000_000);
    let committed = run.max_high_watermark();
    let count = u32::try_from(run.voters().len()).expect("few");
    let lost = run.voters()[scale(run.luck.draw(), count) as usize];
    run.crash(lost);
    run.until("the rest agrees on a leader", |run| run.consistent_leader().is_some_and(|leader| leader != lost));
    run.act(Command::Restart { replica: lost, is_wiped: true });
    run.all_reach(committed + 10);
    run.coverage
}

/// Faults of all kinds at once, then none.
fn anything(seed: u64) -> Coverage {
    let mut run = Run::new("anything", seed, (3, 5), (0, 2), LinkConditions { loss_ppm: 80_000, ..ROUGH });
    let until_us = 25_000_000;
    while run.sim.now_us() < until_us {
        run.step();
        if run.chance(400) {
            let ids = run.ids();
            let count = u32::try_from(ids.len()).expect("few");
            let replica = ids[scale(run.luck.draw(), count) as usize];
            match scale(run.luck.draw(), 8) {
                0 => run.crash(replica),
                1..=3 => run.restart(replica),
                4 => run.isolate(replica, true),
                5 | 6 => run.isolate(replica, false),
                _ => {
                    let leader = run.leader().unwrap_or(replica);
                    run.act(Command::Resign { replica: leader });
                }
            }
        }
    }
    run.calm();
    for id in run.ids() {
        run.restart(id);
    }
    let committed = run.max_high_watermark().max(run.max_end());
    run.all_reach(committed + 10);
    run.coverage
}

type Scenario = (&'static str, fn(u64) -> Coverage);

const SCENARIOS: [Scenario; 10] = [
    ("canElectInitialLeader", can_elect_initial_leader),
    ("canElectNewLeaderAfterOldLeaderFailure", can_elect_new_leader_after_old_leader_failure),
    ("canRecoverAfterAllNodesKilled", can_recover_after_all_nodes_killed),
    ("canElectNewLeaderAfterOldLeaderPartitionedAway", can_elect_new_leader_after_old_leader_partitioned_away),
    ("canMakeProgressIfMajorityIsReachable", can_make_progress_if_majority_is_reachable),
    ("leadershipAssignedOnlyOnce", leadership_assigned_only_once),
    ("leadershipWillNotChange", leadership_will_not_change),
    ("canMakeProgressAfterBackToBackLeaderFailures", can_make_progress_after_back_to_back_leader_failures),
    ("canRecoverFromSingleNodeCommittedDataLoss", can_recover_from_single_node_committed_data_loss),
    ("anything", anything),
];

#[test]
fn all_scenarios_over_200_seeds() {
    let seeds: u64 = std::env::var("RAFTWERK_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let work: Vec<(Scenario, u64)> =
        (0..seeds).flat_map(|seed| SCENARIOS.into_iter().map(move |scenario| (scenario, seed))).collect();
    let next = Mutex::new(0);
    let total = Mutex::new([Coverage::default(); SCENARIOS.len()]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let place = {
                        let mut next = next.lock().expect("no other thread has panicked");
                        *next += 1;
                        *next - 1
                    };
                    let Some(&((_, scenario), seed)) = work.get(place) else { break };
                    let seen = scenario(seed);
                    let mut total = total.lock().expect("no other thread has panicked");
                    let sum = &mut total[place % SCENARIOS.len()];
                    sum.truncations += seen.truncations;
                    sum.split_votes += seen.split_votes;
                    sum.resignations += seen.resignations;
                    sum.diverging += seen.diverging;
                    sum.lost += seen.lost;
                }
            });
        }
    });
    let total = total.into_inner().expect("no thread has panicked");
    for ((name, _), coverage) in SCENARIOS.iter().zip(&total) {
        println!("{name}: {coverage:?}");
    }
    let sum = |part: fn(&Coverage) -> u64| total.iter().map(part).sum::<u64>();
    for (what, count) in [
        ("truncations", sum(|it| it.truncations)),
        ("split votes", sum(|it| it.split_votes)),
        ("resignations", sum(|it| it.resignations)),
        ("diverging fetches", sum(|it| it.diverging)),
        ("lost messages", sum(|it| it.lost)),
    ] {
        assert!(count > 0, "no {what} over all runs");
    }
}
