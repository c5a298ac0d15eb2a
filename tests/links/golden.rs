//! Links that must open, and give the same run, for ever: `tests/golden/links.txt`, a line each: name, link, and the digests of
//! state, protocol and run at its moment. `cargo xtask fix` adds lines for what has none; it never changes one.

use crate::{common, schema};
use raftwerk::executor::NEVER;
use raftwerk::raft::{Family, ReplicaId};
use raftwerk::scenario::{Chapter, Panel, Record, Selection, Shown, from_json, link, to_json};
use raftwerk::session::Session;
use raftwerk::sim::{Command, Plan};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/links.txt");

fn lines() -> Vec<(String, String, String)> {
    let list = std::fs::read_to_string(LIST).expect("the list is there");
    let line = |line: &str| {
        let mut parts = line.splitn(3, ' ').map(str::to_owned);
        let mut next = || parts.next().expect("a name, a link and digests");
        (next(), next(), next())
    };
    list.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

fn digests(session: &Session) -> String {
    let digests = session.digests();
    format!("{:016x} {:016x} {:016x}", digests.state, digests.protocol, digests.run)
}

/// A run of a few hundred steps with a crash, a restart and an append.
fn played(record: Record) -> Session {
    let mut session = Session::open(record).expect("it opens");
    for turn in 0..4_u8 {
        session.seek(session.position() + 60);
        let leader = session.leader().map_or(ReplicaId(0), |(leader, _)| leader);
        let _ = session.act(match turn {
            0 => Command::Append { replica: leader, key: 1, value: 7, count: 3 },
            1 => Command::Crash { replica: leader, keep_unflushed: false },
            2 => Command::Restart { replica: ReplicaId(1), is_wiped: false },
            _ => Command::Append { replica: leader, key: 2, value: u64::MAX, count: 1 },
        });
    }
    session.seek(session.position() + 60);
    session
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name.clone()).or_insert_with(|| json!({})), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

/// Records that together say all there is to say.
fn wanted() -> Vec<(String, Record)> {
    let mut all = Vec::new();
    let of = |fields: Value| from_json(&fields.to_string()).unwrap_or_else(|error| panic!("{error}: {fields}"));
    for protocol in ["kraft", "classic"] {
        // The least that a file can say: its defaults are frozen too.
        let least = json!({ "format": 1, "protocol": { protocol: {} } });
        all.push((format!("least-{protocol}"), played(of(least)).record()));
    }
    for protocol in ["kraft", "classic"] {
        let mut every = json!({ "format": 1, "seed": "12", "protocol": { protocol: {} } });
        for (_, fields) in schema::options() {
            if fields["protocol"].is_null() || !fields["protocol"][protocol].is_null() {
                merge(&mut every, &fields);
            }
        }
        all.push((format!("every-option-{protocol}"), played(of(every)).record()));
    }
    for (name, fields) in schema::options() {
        let mut base = json!({ "format": 1, "seed": "11" });
        if fields["protocol"].is_null() {
            base["protocol"] = json!({ "classic": {} });
        }
        merge(&mut base, &fields);
        all.push((name, played(of(base)).record()));
    }
    let start = json!({ "log": [[1, 2], [2, 1]], "epoch": 3, "voted": 2, "leader": 2, "high_watermark": "2" });
    let mut starts = vec![start; 5];
    starts[1]["high_watermark"] = Value::Null;
    let started = json!({ "format": 1, "protocol": { "kraft": {} }, "starts": starts, "names": ["S1", "", "c", "d", "节点 ①"],
        "title": "<b>what happens</b>", "replicas": 5, "seed": u64::MAX.to_string() });
    all.push(("starts-and-names".into(), played(of(started)).record()));
    all.push(("one-node".into(), played(Record { replicas: 1, ..Record::default() }).record()));
    all.push(("twenty-five-nodes".into(), played(Record { replicas: 25, ..Record::default() }).record()));
    let panels = [
        Panel::Next,
        Panel::Logs,
        Panel::Time,
        Panel::Events,
        Panel::Node,
        Panel::Faults,
        Panel::Clients,
        Panel::Branches,
        Panel::Go,
        Panel::Safety,
    ];
    let selections = [
        Selection::Node(ReplicaId(2)),
        Selection::Message((ReplicaId(1), ReplicaId(0), 3, true)),
        Selection::Link(ReplicaId(3), ReplicaId(4)),
    ];
    let mut shown = played(Record::default()).record();
    shown.shown = Shown { selection: Some(selections[0]), panel: Some(Panel::Logs) };
    let chapter = |(place, panel): (usize, &Panel)| Chapter {
        position: 10 * place as u64,
        text: format!("Chapter {place}"),
        shown: Shown { selection: Some(selections[place % 3]), panel: Some(*panel) },
    };
    shown.chapters = panels.iter().enumerate().map(chapter).collect();
    all.push(("chapters".into(), shown));
    let mut planned = Session::open(Record::default()).expect("it opens");
    for (at_us, replica) in [(500_000, 1), (1_500_000, 2), (90_000_000, 3)] {
        planned
            .plan(Plan { at_us, command: Command::Crash { replica: ReplicaId(replica), keep_unflushed: true } })
            .expect("it waits");
    }
    planned.seek(120);
    planned.set_playhead(planned.next_due_us().min(NEVER - 1));
    all.push(("plans".into(), planned.record()));
    let mut within = Session::open(Record::default()).expect("it opens");
    within.seek(50);
    assert!(within.step_task() && within.is_open());
    all.push(("within-a-step".into(), within.record()));
    let mut wiped = played(Record::of(Family::Classic));
    let _ = wiped.act(Command::Crash { replica: ReplicaId(4), keep_unflushed: false });
    wiped.act(Command::Restart { replica: ReplicaId(4), is_wiped: true }).expect("it is down");
    wiped.seek(wiped.position() + 30);
    all.push(("wiped".into(), wiped.record()));
    // Long runs with faults of every kind.
    all.extend((1_000..1_030).map(|seed| (format!("run-{seed}"), common::faulty_run(seed, 500).record())));
    all
}

/// What no run does: the timer is armed only by an answer that no replica of a simulation gives to one that takes it.
const NEVER_SAID: &str = "TimerKind:retry_backoff";

/// Runs whose commands say what no record of those says yet.
fn commands(said: &mut BTreeSet<String>, add: &mut dyn FnMut(String, Record)) {
    let lacks = |said: &BTreeSet<String>| schema::all().iter().any(|name| !said.contains(name) && name != NEVER_SAID);
    for seed in 0..3_000_u64 {
        if !lacks(said) {
            break;
        }
        let session = if seed % 3 == 0 { common::run_with_tasks(seed, 400) } else { common::faulty_run(seed, 400) };
        let mut record = session.record();
        let value: Value = serde_json::from_str(&to_json(&record)).expect("JSON");
        let new =
            |command: &Value| schema::said(&json!({ "commands": [command] })).iter().any(|name| !said.contains(name));
        let Some(last) = value["commands"].as_array().expect("a list").iter().rposition(new) else { continue };
        record.commands.truncate(last + 1);
        record.plans.clear();
        let end = record.commands[last].step + 1;
        (record.position, record.tasks, record.playhead_us, record.digest) = (end, 0, 0, None);
        let mut session = Session::open(record).expect("the beginning of a run is a run");
        for _ in 0..10 {
            session.step();
        }
        let record = session.record();
        said.extend(schema::said(&serde_json::from_str(&to_json(&record)).expect("JSON")));
        add(format!("commands-{seed}"), record);
    }
}

#[test]
fn b06_every_option_and_command_has_a_link_for_ever() {
    let known: BTreeMap<String, String> = lines().into_iter().map(|(name, link, _)| (name, link)).collect();
    let mut said = BTreeSet::new();
    for link in known.values() {
        let record = link::decode(link).expect("a good link").expect("a link");
        said.extend(schema::said(&serde_json::from_str(&to_json(&record)).expect("JSON")));
    }
    if std::env::var_os("RAFTWERK_WRITE").is_some() {
        let mut list = std::fs::read_to_string(LIST).expect("the list is there");
        let mut add = |name: String, record: Record| {
            let session = Session::open(record.clone()).expect("it opens");
            list += &format!("{name} {} {}\n", link::encode(&record), digests(&session));
        };
        for (name, record) in wanted() {
            if !known.contains_key(&name) {
                said.extend(schema::said(&serde_json::from_str(&to_json(&record)).expect("JSON")));
                add(name, record);
            }
        }
        commands(&mut said, &mut add);
        std::fs::write(LIST, list).expect("the list can be written");
    }
    let missing: Vec<String> = schema::all().difference(&said).filter(|name| *name != NEVER_SAID).cloned().collect();
    assert!(missing.is_empty(), "no link of the list says {missing:?}");
    for (name, _) in wanted() {
        assert!(
            std::env::var_os("RAFTWERK_WRITE").is_some() || known.contains_key(&name),
            "the list has no {name}: cargo xtask fix adds it"
        );
    }
}

#[test]
fn b06_links_of_the_list_give_the_same_runs_and_share_as_they_are() {
    let lines = lines();
    assert!(lines.len() >= 75, "{} links", lines.len());
    for (name, link, expected) in lines {
        let record = link::decode(&link).expect("a good link").expect("a link");
        let session = Session::open(record).expect("it opens");
        assert_eq!(digests(&session), expected, "{name}");
        assert_eq!(session.difference(), None, "{name}");
        assert_eq!(link::encode(&session.record()), link, "{name}: shared again");
    }
}

/// B01: no character can be lost or changed without notice.
#[test]
fn b01_cutting_or_changing_any_character_of_any_link_is_noticed() {
    for (name, link, _) in lines() {
        for place in 0..link.len() {
            assert!(link::decode(&link[..place]).is_err() || place == 0, "{name}, cut at {place}");
            let without = [&link[..place], &link[place + 1..]].concat();
            assert!(link::decode(&without).is_err(), "{name}, without {place}");
            let other = if link.as_bytes()[place] == b'A' { "B" } else { "A" };
            let changed = [&link[..place], other, &link[place + 1..]].concat();
            assert!(link::decode(&changed).is_err(), "{name}, {place} changed");
        }
    }
}
