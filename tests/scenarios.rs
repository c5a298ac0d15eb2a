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
        // In KRaft's one nobody has led before.
        let is_stuck = path.ends_with("constrained-election.json");
        assert_eq!(led, !is_stuck, "{}: a leader", path.display());
        assert!(session.sim().violations().is_empty(), "{}: {:?}", path.display(), session.sim().violations());
    }
    assert!(count >= 14, "{count} scenarios");
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
        assert_eq!(bad("\"seed\": \"1\"", &format!("\"seed\": \"{seed}\"")).path, "seed", "{seed:?}");
    }
    assert!(bad("\"title\"", "\"__proto__\"").says.contains("unknown field"));
}

#[test]
fn starts_that_contradict_themselves_name_their_field() {
    use raftwerk::raft::ProtocolSettings;
    use raftwerk::raft::ReplicaId;
    use raftwerk::raft::kraft::KRaftSettings;
    use raftwerk::scenario::{Record, Start, validate};
    let good = || Record {
        replicas: 3,
        starts: vec![
            Start {
                log: vec![1, 1, 2],
                epoch: 3,
                leader: Some(ReplicaId(1)),
                high_watermark: Some(3),
                ..Start::default()
            },
            Start { log: vec![1, 1, 2], epoch: 3, leader: Some(ReplicaId(1)), ..Start::default() },
            Start { log: vec![1, 1], epoch: 2, voted: Some(ReplicaId(2)), high_watermark: Some(2), ..Start::default() },
        ],
        ..Record::default()
    };
    let session = Session::open(good()).expect("it opens");
    let ends = |id| session.sim().standing(ReplicaId(id)).map(|standing| standing.end_offset);
    assert_eq!([ends(0), ends(1), ends(2)], [Some(3), Some(3), Some(2)]);
    let again = raftwerk::scenario::link::decode(&raftwerk::scenario::link::encode(&session.record()));
    assert_eq!(again, Ok(Some(session.record())));

    let bad = |change: fn(&mut Record)| {
        let mut record = good();
        change(&mut record);
        validate(&record).expect_err("it contradicts itself").path
    };
    assert_eq!(
        bad(|it| {
            it.starts.pop();
        }),
        "starts"
    );
    assert_eq!(bad(|it| it.starts[0].log = vec![2, 1]), "starts[0].log");
    assert_eq!(bad(|it| it.starts[0].log = vec![0, 1]), "starts[0].log");
    assert_eq!(bad(|it| it.starts[0].epoch = 1), "starts[0].epoch");
    assert_eq!(bad(|it| it.starts[1].leader = Some(ReplicaId(3))), "starts[1].leader");
    assert_eq!(bad(|it| it.starts[1].leader = Some(ReplicaId(2))), "starts[1].leader");
    assert_eq!(bad(|it| it.starts[2].voted = Some(ReplicaId(9))), "starts[2].voted");
    assert_eq!(bad(|it| it.starts[0].voted = Some(ReplicaId(0))), "starts[0].voted");
    assert_eq!(bad(|it| it.starts[0].high_watermark = Some(4)), "starts[0].high_watermark");
    assert_eq!(bad(|it| it.starts[1].high_watermark = Some(1)), "starts[1].high_watermark");
    assert_eq!(bad(|it| it.starts[2].log = vec![1, 2]), "starts[2].high_watermark");
    assert_eq!(bad(|it| it.starts[1].log = vec![1, 1]), "starts[0].high_watermark");
    let observers = |all: &[u8]| {
        let mut record = good();
        let mut kraft = KRaftSettings::default();
        for &id in all {
            kraft.observers.insert(ReplicaId(id));
        }
        record.protocol = ProtocolSettings::KRaft(kraft);
        validate(&record).map_err(|error| error.path)
    };
    assert_eq!(observers(&[2]), Err("starts[2].voted".into()), "an observer did not vote for itself");
    assert_eq!(observers(&[0, 1, 2]), Err("protocol.kraft.observers".into()));
    assert_eq!(observers(&[7]), Err("protocol.kraft.observers".into()));
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
