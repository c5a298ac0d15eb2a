//! Every file in `scenarios/` is a good scenario, written the way this code writes it, and runs.

use raftwerk::raft::RoleShape;
use raftwerk::scenario::{from_json, to_json};
use raftwerk::session::Session;
use std::fs;
use std::path::Path;

#[test]
fn every_scenario_opens_runs_and_elects_a_leader_without_a_violation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        count += 1;
        let text = fs::read_to_string(&path).expect("a file");
        let record = from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(to_json(&record), text.trim_end(), "{}: written another way", path.display());
        let mut session = Session::open(record).expect("it opens");
        let mut led = false;
        for _ in 0..2_000 {
            if !session.step() {
                break;
            }
            let sim = session.sim();
            led |= sim.ids().any(|id| sim.standing(id).is_some_and(|s| s.role == RoleShape::Leader));
        }
        assert!(led, "{}: no leader", path.display());
        assert!(session.sim().violations().is_empty(), "{}: {:?}", path.display(), session.sim().violations());
    }
    assert!(count >= 2, "{count} scenarios");
}

#[test]
fn bad_input_names_its_field() {
    let good = to_json(&raftwerk::scenario::Record::default());
    let bad = |from: &str, to: &str| {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from} is there");
        from_json(&text).expect_err("it is bad")
    };
    assert_eq!(bad("\"replicas\": 5", "\"replicas\": 26").path, "replicas");
    assert_eq!(bad("\"latency_min_us\": 60000", "\"latency_min_us\": 120001").path, "links.latency_min_us");
    assert_eq!(bad("\"loss_ppm\": 0", "\"loss_ppm\": 1000001").path, "links.loss_ppm");
    assert_eq!(
        bad("\"election_timeout_ms\": 1000", "\"election_timeout_ms\": 0").path,
        "protocol.kraft.election_timeout_ms"
    );
    for seed in ["18446744073709551616", "-1", "1e3", "0x10", "1 000", "", "007"] {
        assert_eq!(bad("\"seed\": \"1\"", &format!("\"seed\": \"{seed}\"")).path, "file", "{seed:?}");
    }
    assert!(bad("\"title\"", "\"__proto__\"").says.contains("unknown field"));
}

#[test]
fn b19_64_bit_seeds_are_told_apart() {
    let run = |seed| {
        let mut session = Session::open(raftwerk::scenario::Record { seed, ..Default::default() }).expect("it opens");
        for _ in 0..50 {
            session.step();
        }
        session.digests()
    };
    assert_ne!(run(9_007_199_254_740_992), run(9_007_199_254_740_993));
    assert_ne!(run(0), run(u64::MAX));
}
