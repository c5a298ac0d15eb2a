//! Elections over many seeds: a leader comes, and never two in one epoch.

use raftwerk::raft::kraft::{Bootstrap, KRaft, KRaftSettings};
use raftwerk::raft::{ReplicaId, RoleShape};
use raftwerk::sim::{LinkConditions, Sim, SimSettings};

fn settings(replicas: u8, seed: u64) -> SimSettings<KRaft> {
    SimSettings {
        replicas,
        seed,
        links: LinkConditions::default(),
        client: raftwerk::raft::ClientSettings::default(),
        protocol: KRaftSettings::default(),
        disks: Vec::new(),
    }
}

fn leader(sim: &Sim<KRaft>) -> Option<ReplicaId> {
    sim.ids().find(|&id| sim.standing(id).is_some_and(|s| s.role == RoleShape::Leader))
}

/// Steps until there is a leader; gives the number of steps.
fn steps_to_leader(sim: &mut Sim<KRaft>, limit_us: u64) -> u64 {
    while leader(sim).is_none() {
        assert!(sim.step(), "nothing left to do before a leader, seed {}", sim.settings().seed);
        assert!(sim.violations().is_empty(), "seed {}: {:?}", sim.settings().seed, sim.violations());
        assert!(sim.now_us() <= limit_us, "no leader in time, seed {}", sim.settings().seed);
    }
    sim.steps()
}

#[test]
fn a_thousand_seeds_of_each_size_elect_one_leader_within_30_s() {
    for replicas in 1..=9 {
        for seed in 0..1_000 {
            let mut sim = Sim::<KRaft>::new(settings(replicas, seed));
            steps_to_leader(&mut sim, 30_000_000);
            let calm_from_us = sim.now_us();
            while sim.now_us() < calm_from_us + 3_000_000 && sim.step() {
                assert!(sim.violations().is_empty(), "{replicas} replicas, seed {seed}: {:?}", sim.violations());
            }
        }
    }
}

#[test]
fn the_newcomers_run_needs_few_steps_to_a_leader() {
    let mut counts: Vec<u64> = (0..1_000)
        .map(|seed| {
            let mut settings = settings(5, seed);
            settings.protocol.bootstrap = Bootstrap::Nobody;
            settings.protocol.election_timeout_ms = 1_500;
            steps_to_leader(&mut Sim::new(settings), 30_000_000)
        })
        .collect();
    counts.sort_unstable();
    let (median, p95) = (counts[500], counts[950]);
    assert!(median <= 25, "median {median}");
    assert!(p95 <= 60, "95th percentile {p95}");
}

#[test]
fn a_healthy_cluster_stays_quiet() {
    for seed in 0..50 {
        let mut sim = Sim::<KRaft>::new(settings(5, seed));
        steps_to_leader(&mut sim, 30_000_000);
        let first = leader(&sim);
        let epoch = first.and_then(|id| sim.standing(id)).map(|s| s.epoch);
        let from_us = sim.now_us() + 3_000_000;
        while sim.now_us() < from_us {
            sim.step();
        }
        let settled = leader(&sim);
        let settled_epoch = settled.and_then(|id| sim.standing(id)).map(|s| s.epoch);
        while sim.now_us() < from_us + 120_000_000 {
            sim.step();
        }
        assert_eq!(
            (leader(&sim), leader(&sim).and_then(|id| sim.standing(id)).map(|s| s.epoch)),
            (settled, settled_epoch)
        );
        assert!(settled_epoch >= epoch);
        for id in sim.ids() {
            assert_eq!(
                sim.standing(id).and_then(|s| s.committed),
                Some(1),
                "everyone knows the first record, seed {seed}"
            );
        }
    }
}
