//! Clusters in which some cannot hear some others: the cases P13, P15, P17 and P18, for both protocols.
#![cfg(not(target_arch = "wasm32"))]

mod classic;
mod kraft;

use raftwerk::raft::{ReplicaId, Standing};
use raftwerk::scenario::{Record, to_json};
use raftwerk::session::Session;
use raftwerk::sim::{Command, LinkConditions};

const SECOND_US: u64 = 1_000_000;
const LINKS: LinkConditions =
    LinkConditions { latency_min_us: 5_000, latency_max_us: 20_000, loss_ppm: 0, duplicate_ppm: 0, reorder_ppm: 0 };

fn cut(session: &mut Session, from: u8, to: u8, is_cut: bool) {
    let command = Command::SetCut { from: ReplicaId(from - 1), to: ReplicaId(to - 1), is_cut };
    session.act(command).expect("a link can be cut at any time");
}

/// Cuts every link but these.
fn only(session: &mut Session, kept: &[(u8, u8)]) {
    let count = session.sim().replicas();
    for from in 1..=count {
        for to in 1..=count {
            if from != to && !kept.contains(&(from, to)) && !kept.contains(&(to, from)) {
                cut(session, from, to, true);
            }
        }
    }
}

fn pass(session: &mut Session, us: u64) {
    let until_us = session.sim().now_us() + us;
    while session.next_due_us() <= until_us && session.step() {}
    assert!(session.sim().violations().is_empty(), "{:?}", session.sim().violations());
}

fn at(session: &Session, shown: u8) -> Standing {
    session.sim().standing(ReplicaId(shown - 1)).expect("it is there")
}

/// Who has become leader over a while, in order.
fn leaders(session: &mut Session, us: u64) -> Vec<(u8, u32)> {
    let until_us = session.sim().now_us() + us;
    let mut leaders = Vec::new();
    while session.next_due_us() <= until_us && session.step() {
        if let Some((leader, epoch)) = session.leader()
            && leaders.last() != Some(&(leader.0 + 1, epoch))
        {
            leaders.push((leader.0 + 1, epoch));
        }
    }
    assert!(session.sim().violations().is_empty(), "{:?}", session.sim().violations());
    leaders
}

/// The set-up of a case as a scenario, from its start.
fn check_scenario(name: &str, title: &str, session: &Session) {
    let record = Record { title: title.into(), position: 0, tasks: 0, playhead_us: 0, ..session.record() };
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name);
    let wanted = to_json(&record) + "\n";
    if std::env::var_os("RAFTWERK_WRITE").is_some() {
        std::fs::write(&path, &wanted).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&path).expect("the file is there");
    assert!(found == wanted, "{name} is old; run `cargo xtask fix`");
}
