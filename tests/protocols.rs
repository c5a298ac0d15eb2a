//! The same scenario under both protocols: the same faults at the same times, and each protocol as if it were alone.
#![cfg(not(target_arch = "wasm32"))]

mod common;

use raftwerk::raft::classic::Classic;
use raftwerk::raft::kraft::KRaft;
use raftwerk::raft::{Family, ProtocolSettings, ReplicaId};
use raftwerk::scenario::{Record, link};
use raftwerk::session::Session;
use raftwerk::sim::{Command, Compiled, Digests, Sim, SimSettings, What};

/// What was done in a run, with its time, up to a time; only what can be said of any run.
fn done(record: Record, until_us: u64) -> Vec<(u64, Command)> {
    let mut session = Session::open(record).expect("it opens");
    let mut done = Vec::new();
    while session.next_due_us() <= until_us && session.step() {
        done.extend(session.last_step().iter().filter_map(|event| match event.what {
            What::Command(command) if command.suits_any_run() => Some((event.at_us, command)),
            _ => None,
        }));
    }
    // What could not be done there was not forgotten either: it was tried when its time came.
    done.extend(session.missed().map(|(plan, _)| (plan.at_us, plan.command)));
    done.sort_by_key(|&(at_us, command)| (at_us, format!("{command:?}")));
    done
}

#[test]
fn both_protocols_have_the_same_faults_at_the_same_times() {
    let mut compared = 0;
    for seed in 0..60 {
        let record = common::faulty_run(seed, 400).record();
        let until_us = record.commands.last().map_or(0, |placed| placed.at_us);
        let other = record.under(record.protocol.family().other());
        let again = link::decode(&link::encode(&other));
        assert_eq!(again.as_ref().map(Option::as_ref), Ok(Some(&other)), "it fits into a link");
        let (theirs, mut ours) =
            (done(other, until_us), done(Record { position: 0, tasks: 0, playhead_us: 0, ..record }, until_us));
        ours.sort_by_key(|&(at_us, command)| (at_us, format!("{command:?}")));
        assert_eq!(ours, theirs, "seed {seed}");
        compared += ours.len();
    }
    assert!(compared > 500, "{compared} faults");
}

#[test]
fn there_and_back_keeps_seed_links_and_timeouts() {
    let newcomer = Record::newcomer();
    let kraft = newcomer.under(Family::KRaft);
    assert_eq!((kraft.seed, kraft.links, kraft.replicas), (newcomer.seed, newcomer.links, newcomer.replicas));
    assert_eq!(kraft.under(Family::Classic), newcomer);
}

/// A protocol by itself: the same run as the page has of it among others.
fn alone<P: Compiled>(record: &Record, protocol: P::Settings, steps: u64) -> Digests {
    let Record { replicas, seed, links, client, .. } = *record;
    let mut sim: Sim<P> = Sim::new(SimSettings { replicas, seed, links, client, protocol, disks: Vec::new() });
    P::run_events(&mut sim, steps, ReplicaId(0), 0);
    sim.digests()
}

#[test]
fn a_run_is_the_same_whether_its_protocol_is_one_of_several_or_alone() {
    for seed in 0..40 {
        let record = common::record(seed);
        let mut session = Session::open(record.clone()).expect("it opens");
        while session.position() < 500 && session.step() {}
        let own = match record.protocol.clone() {
            ProtocolSettings::KRaft(settings) => alone::<KRaft>(&record, settings, session.position()),
            ProtocolSettings::Classic(settings) => alone::<Classic>(&record, settings, session.position()),
        };
        assert_eq!(session.digests(), own, "seed {seed}");
    }
}
