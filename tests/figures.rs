//! Figures 7 and 8 of the paper as scenarios: made here, kept in `scenarios/`, and stepped through.
#![cfg(not(target_arch = "wasm32"))]

use raftwerk::explain::{Because, Question, ask};
use raftwerk::raft::classic::{ClassicSettings, Rules};
use raftwerk::raft::{Family, Log, Payload, ProtocolSettings, ReplicaId, RoleShape, Timer, TimerKind};
use raftwerk::scenario::{Record, Start, from_json, to_json};
use raftwerk::session::Session;
use raftwerk::sim::{Command, EventName, Groups};
use raftwerk::view::say;

/// So slow that nobody campaigns by himself while somebody looks.
fn slow(heartbeat_ms: u32, no_op: bool) -> ProtocolSettings {
    ProtocolSettings::Classic(ClassicSettings {
        election_min_ms: 20_000,
        election_max_ms: 40_000,
        heartbeat_ms,
        rules: Rules { no_op, ..Rules::default() },
        ..ClassicSettings::default()
    })
}

fn record(title: &str, names: &[&str], protocol: ProtocolSettings, starts: Vec<Start>) -> Record {
    Record {
        title: title.into(),
        replicas: u8::try_from(names.len()).expect("few"),
        names: names.iter().map(|&name| name.to_owned()).collect(),
        protocol,
        starts,
        ..Record::of(Family::Classic)
    }
}

fn start(log: &[u32], term: u32, committed: Option<u64>) -> Start {
    Start { log: log.to_vec(), epoch: term, high_watermark: committed, ..Start::default() }
}

fn act(session: &mut Session, command: Command) {
    session.act(command).unwrap_or_else(|error| panic!("{command:?}: {error}"));
}

fn campaign(session: &mut Session, id: u8) {
    let replica = ReplicaId(id);
    let timer = Timer::new(TimerKind::Election);
    let (table, _) = session.sim().timers(replica).expect("it runs");
    let event = EventName::Timer { replica, timer, number: table.get(timer).number };
    act(session, Command::RunNow { event });
}

/// Those in `group` hear each other; each of the others is alone.
fn only(session: &mut Session, group: &[u8]) {
    let mut groups = Groups::default();
    let alone = session.sim().ids().filter(|id| !group.contains(&id.0));
    for (number, id) in (1..).zip(alone.collect::<Vec<_>>()) {
        groups.put(id, number);
    }
    act(session, Command::Partition { groups });
}

/// Steps until it is so, but never to the next heartbeat once nothing flies.
fn until(session: &mut Session, what: &str, is_so: impl Fn(&Session) -> bool) {
    for _ in 0..500 {
        if is_so(session) {
            return;
        }
        assert!(session.step(), "{what}: nothing is left to do");
    }
    panic!("{what}: it does not come about");
}

/// Steps until nothing flies.
fn land(session: &mut Session) {
    until(session, "nothing flies", |session| session.sim().flights().next().is_none());
}

fn log(session: &Session, id: u8) -> &Log {
    let sim = session.sim();
    sim.log(ReplicaId(id)).or_else(|| sim.disk_log(ReplicaId(id))).expect("it has a log")
}

fn terms(session: &Session, id: u8) -> Vec<u32> {
    let log = log(session, id);
    (0..log.end_offset()).filter_map(|offset| log.get(offset)).map(|entry| entry.epoch).collect()
}

fn leads(session: &Session, id: u8, term: u32) -> bool {
    session.sim().replica(ReplicaId(id)).is_some()
        && session.sim().standing(ReplicaId(id)).is_some_and(|it| (it.role, it.epoch) == (RoleShape::Leader, term))
}

fn commit(session: &Session, id: u8) -> u64 {
    session.sim().standing(ReplicaId(id)).and_then(|it| it.committed).unwrap_or(0)
}

fn append(session: &mut Session, id: u8, value: u64) {
    act(session, Command::Append { replica: ReplicaId(id), key: 1, value, count: 1 });
}

/// Keeps a scenario, from its start, and opens it again from the file.
fn kept(name: &str, session: &Session) -> Session {
    let record = Record { position: 0, tasks: 0, playhead_us: 0, ..session.record() };
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name);
    let wanted = to_json(&record) + "\n";
    if std::env::var_os("RAFTWERK_WRITE").is_some() {
        std::fs::write(&path, &wanted).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&path).expect("the file is there");
    assert!(found == wanted, "{name} is old; run `cargo xtask fix`");
    Session::open(from_json(&found).expect("a good scenario")).expect("it opens")
}

/// Steps to the end of what is on record and on until it is so; every sentence speaks of the paper's servers.
fn step_through(session: &mut Session, names: &[&str], is_so: impl Fn(&Session) -> bool) -> Vec<String> {
    let mut said = Vec::new();
    while !is_so(session) {
        assert!(session.step() && said.len() < 2_000, "it comes about");
        let sentence = say::step(session, session.last_step(), false);
        let is_number = |text: &str| text.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
        assert!(!sentence.split("ode ").skip(1).any(is_number), "{sentence}");
        said.push(sentence);
    }
    assert!(names.iter().all(|name| said.iter().any(|sentence| sentence.contains(name))), "all are spoken of");
    assert_eq!(session.sim().violations(), []);
    said
}

const SEVEN: [&str; 7] = ["L", "a", "b", "c", "d", "e", "f"];

#[test]
fn figure_7_one_leader_and_six_different_logs() {
    let logs: [&[u32]; 7] = [
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6],
        &[1, 1, 1, 4],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
        &[1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
        &[1, 1, 1, 4, 4, 4, 4],
        &[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
    ];
    let starts = logs.map(|log| start(log, 7, None)).to_vec();
    let mut session =
        Session::open(record("Figure 7: six different logs", &SEVEN, slow(5_000, true), starts)).expect("good");
    campaign(&mut session, 0);
    let mut session = kept("figure-7.json", &session);
    let is_repaired = |session: &Session| (0..7).all(|id| terms(session, id) == [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 8]);
    let said = step_through(&mut session, &SEVEN, |session| is_repaired(session) && commit(session, 0) == 11);
    assert!(leads(&session, 0, 8));
    let votes = |word: &str| said.iter().filter(|sentence| sentence.contains(word)).count();
    assert_eq!((votes("grants its vote to L"), votes("refuses L its vote")), (4, 2));
    // One refusal for each step back: no heartbeat comes in between.
    let refusals = |name: &str| {
        let refuses = format!("{name} refuses: ");
        said.iter().filter(|said| said.starts_with(&refuses) || said.contains(&format!(" {refuses}"))).count()
    };
    assert_eq!(["a", "b", "c", "d", "e", "f"].map(refusals), [1, 6, 0, 0, 5, 7]);
}

const FIVE: [&str; 5] = ["S1", "S2", "S3", "S4", "S5"];

/// Figure 8 up to (c), before S1 appends again: S1 leads term 4 and has copied 2@2 to S3.
fn figure_8(title: &str) -> Session {
    let starts = vec![start(&[1], 1, Some(1)); 5];
    let mut session = Session::open(record(title, &FIVE, slow(1_000, false), starts)).expect("good");
    // (a)
    campaign(&mut session, 0);
    until(&mut session, "S1 leads term 2", |session| leads(session, 0, 2));
    land(&mut session);
    only(&mut session, &[0, 1]);
    append(&mut session, 0, 2);
    until(&mut session, "2@2 is on S2", |session| terms(session, 1) == [1, 2]);
    // (b)
    act(&mut session, Command::Crash { replica: ReplicaId(0), keep_unflushed: true });
    land(&mut session);
    only(&mut session, &[2, 3, 4]);
    campaign(&mut session, 4);
    until(&mut session, "S5 leads term 3", |session| leads(session, 4, 3));
    land(&mut session);
    only(&mut session, &[]);
    append(&mut session, 4, 3);
    act(&mut session, Command::Crash { replica: ReplicaId(4), keep_unflushed: true });
    assert_eq!((terms(&session, 4), terms(&session, 3)), (vec![1, 3], vec![1]));
    // (c)
    act(&mut session, Command::Restart { replica: ReplicaId(0), is_wiped: false });
    act(&mut session, Command::Heal);
    campaign(&mut session, 0);
    land(&mut session);
    assert!(!leads(&session, 0, 3), "S3 and S4 have voted in term 3");
    campaign(&mut session, 0);
    until(&mut session, "S1 leads term 4", |session| leads(session, 0, 4));
    only(&mut session, &[0, 1, 2]);
    until(&mut session, "2@2 is on S3", |session| terms(session, 2) == [1, 2]);
    land(&mut session);
    session
}

#[test]
fn figure_8_d_an_entry_on_a_majority_is_overwritten() {
    let mut session = figure_8("Figure 8 (d): an entry on a majority is overwritten");
    only(&mut session, &[]);
    append(&mut session, 0, 4);
    // Commit stays 1 although 2@2 is on three of five, and the page says why.
    assert_eq!((0..5).map(|id| commit(&session, id)).max(), Some(1));
    let question = Question::WhyNotCommitted { offset: 1 };
    let because = ask(session.sim(), [], question);
    assert_eq!(because, Because::OfAnOlderEpoch { leader: ReplicaId(0), epoch_start: 2 });
    let says = say::answer(&session, question);
    assert!(says.text.contains("S1 leads since index 3") && says.reference.contains("§5.4.2"), "{says:?}");
    act(&mut session, Command::Crash { replica: ReplicaId(0), keep_unflushed: true });
    act(&mut session, Command::Restart { replica: ReplicaId(4), is_wiped: false });
    act(&mut session, Command::Heal);
    for _ in 0..2 {
        campaign(&mut session, 4);
        land(&mut session);
    }
    assert!(leads(&session, 4, 5));
    until(&mut session, "2@3 is everywhere", |session| (1..5).all(|id| terms(session, id) == [1, 3]));
    assert_eq!((1..5).map(|id| commit(&session, id)).max(), Some(1), "2@3 is not committed before an entry of term 5");
    append(&mut session, 4, 5);
    act(&mut session, Command::Restart { replica: ReplicaId(0), is_wiped: false });
    let mut session = kept("figure-8d.json", &session);
    let is_done = |session: &Session| (0..5).all(|id| terms(session, id) == [1, 3, 5] && commit(session, id) == 3);
    let said = step_through(&mut session, &FIVE, is_done);
    assert!(
        said.iter().any(|sentence| sentence.contains("by counting, a leader commits only entries of its own term"))
    );
    assert!(said.iter().any(|sentence| sentence.contains("contradicts the leader’s")));
}

#[test]
fn figure_8_e_an_entry_of_its_own_term_commits_both() {
    let mut session = figure_8("Figure 8 (e): an entry of its own term commits both");
    append(&mut session, 0, 4);
    until(&mut session, "both are committed at once", |session| commit(session, 0) > 0);
    assert_eq!(commit(&session, 0), 3);
    land(&mut session);
    act(&mut session, Command::Crash { replica: ReplicaId(0), keep_unflushed: true });
    act(&mut session, Command::Restart { replica: ReplicaId(4), is_wiped: false });
    act(&mut session, Command::Heal);
    for _ in 0..2 {
        campaign(&mut session, 4);
        land(&mut session);
    }
    let mut session = kept("figure-8e.json", &session);
    let last = session.record().commands.last().map_or(0, |placed| placed.step);
    let said = step_through(&mut session, &FIVE, |session| {
        session.position() > last && session.sim().flights().next().is_none()
    });
    assert_ne!(session.sim().standing(ReplicaId(4)).map(|it| it.role), Some(RoleShape::Leader));
    for name in ["S2", "S3"] {
        assert!(said.iter().any(|sentence| sentence.contains(&format!("{name} refuses S5 its vote"))), "{name}");
    }
    assert_eq!((terms(&session, 1), terms(&session, 2)), (vec![1, 2, 4], vec![1, 2, 4]));
    let value = log(&session, 1).get(2).map(|entry| entry.payload);
    assert_eq!(value, Some(Payload::Set { key: 1, value: 4 }));
}
