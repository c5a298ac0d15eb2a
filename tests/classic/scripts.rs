//! Golden scripts: what was done, and what was said of it.
//!
//! A line that begins with `>` is done; the lines under it are what the page says of each step, and after `state` what
//! the servers are. `cargo xtask fix` writes the answers anew; a reviewer reads what changed.
//!
//! | line | does |
//! | --- | --- |
//! | `cluster 1,1 \| 1 \| -, option ..` | so many servers with logs of these terms; options: `no-op`, `pre-vote`, `check-quorum`, `steps-down`, `term-hint`, `two-sided-hint`, `batch n` |
//! | `campaign n`, `beat n` | its election timeout, or its next heartbeat, is due now |
//! | `append n` | a client appends one command there |
//! | `deliver a>b`, `deliver` | the first message from one to another; everything, and what comes of it |
//! | `drop a>b` | the first message from one to another is lost |
//! | `crash n`, `restart n`, `cut a>b`, `heal` | faults |
//! | `state`, `why i` | shows the servers; why the entry at an index is not committed |

use raftwerk::explain::{Question, ask};
use raftwerk::raft::classic::{Backtracking, ClassicSettings, Refused};
use raftwerk::raft::{Family, ProtocolSettings, Replica, ReplicaId, Timer, TimerKind};
use raftwerk::scenario::{Record, Start};
use raftwerk::session::Session;
use raftwerk::sim::{Command, EventName};
use raftwerk::text::en as text;
use raftwerk::view::say;
use std::fmt::Write;
use std::path::Path;

fn id(shown: &str) -> ReplicaId {
    ReplicaId(shown.parse::<u8>().expect("a server's number") - 1)
}

fn link(shown: &str) -> (ReplicaId, ReplicaId) {
    let (from, to) = shown.split_once('>').expect("two servers, like 1>2");
    (id(from), id(to))
}

fn cluster(line: &str) -> Session {
    let mut parts = line.split(", ");
    let start = |log: &str| {
        let log: Vec<u32> =
            log.trim().split(',').filter(|term| *term != "-").map(|term| term.parse().expect("a term")).collect();
        Start { epoch: log.last().copied().unwrap_or(0), log, ..Start::default() }
    };
    let starts: Vec<Start> = parts.next().expect("logs").split('|').map(start).collect();
    // So slow that nothing happens by itself.
    let mut classic = ClassicSettings {
        election_min_ms: 1_000_000,
        election_max_ms: 2_000_000,
        heartbeat_ms: 500_000,
        ..ClassicSettings::default()
    };
    for option in parts {
        match option {
            "no-op" => classic.rules.no_op = true,
            "pre-vote" => classic.rules.pre_vote = true,
            "check-quorum" => classic.rules.check_quorum = true,
            "steps-down" => classic.refused = Refused::StepsDown,
            "term-hint" => classic.backtracking = Backtracking::TermHint,
            "two-sided-hint" => classic.backtracking = Backtracking::TwoSidedHint,
            other => classic.batch = other.strip_prefix("batch ").and_then(|n| n.parse().ok()).expect("an option"),
        }
    }
    let replicas = u8::try_from(starts.len()).expect("few");
    let protocol = ProtocolSettings::Classic(classic);
    Session::open(Record { replicas, protocol, starts, ..Record::of(Family::Classic) }).expect("a good cluster")
}

fn fire(session: &mut Session, replica: ReplicaId, kind: TimerKind) {
    let timer = Timer::new(kind);
    let number = session.sim().timers(replica).expect("it runs").0.get(timer).number;
    act(session, Command::RunNow { event: EventName::Timer { replica, timer, number } });
}

fn act(session: &mut Session, command: Command) {
    session.act(command).unwrap_or_else(|error| panic!("{command:?}: {error}"));
}

/// The first message on a link: its number, and whether it is a copy.
fn first(session: &Session, (from, to): (ReplicaId, ReplicaId)) -> (u32, bool) {
    let on_link = session.sim().flights().map(|(key, _)| key).filter(|key| (key.from, key.to) == (from, to));
    let first =
        on_link.min_by_key(|key| (key.at_us, key.number)).unwrap_or_else(|| panic!("nothing from {from} to {to}"));
    (first.number, first.is_copy)
}

fn state(session: &Session) -> String {
    let mut out = String::new();
    let words = say::words(session);
    for id in session.sim().ids() {
        let Some(server) = session.sim().replica(id) else {
            writeln!(out, "{id}: down").expect("text");
            continue;
        };
        let standing = server.standing();
        let log = server.log();
        let terms: Vec<String> =
            (0..log.end_offset()).filter_map(|offset| log.get(offset)).map(|entry| entry.epoch.to_string()).collect();
        let voted = standing.voted.map_or_else(|| "nobody".to_owned(), |id| id.to_string());
        let role = words.role(standing.role);
        write!(out, "{id}: {role}, term {}, voted for {voted}, log [{}]", standing.epoch, terms.join(" "))
            .expect("text");
        writeln!(out, ", commitIndex {}", standing.committed.unwrap_or(0)).expect("text");
        for peer in server.peers().into_iter().flatten().filter(|peer| peer.id != id) {
            let (next, matched) = (peer.next.unwrap_or(0) + 1, peer.matched.unwrap_or(0));
            writeln!(out, "   {}: matchIndex {matched}, nextIndex {next}", peer.id).expect("text");
        }
    }
    out
}

/// Does a line; gives what is said of it.
fn run(session: &mut Session, line: &str) -> String {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let said = |session: &Session| say::step(session, session.last_step(), false) + "\n";
    match verb {
        "cluster" => {
            *session = cluster(rest);
            return String::new();
        }
        "state" => return state(session),
        "why" => {
            let offset = rest.parse::<u64>().expect("an index") - 1;
            let question = Question::WhyNotCommitted { offset };
            let answer = text::because(say::words(session), question, &ask(session.sim(), [], question));
            return format!("{} ({})\n", answer.text, answer.reference);
        }
        "deliver" if rest.is_empty() => {
            let mut out = String::new();
            while session.sim().flights().next().is_some() {
                assert!(session.step(), "something flies");
                out += &said(session);
            }
            return out;
        }
        "campaign" => fire(session, id(rest), TimerKind::Election),
        "beat" => fire(session, id(rest), TimerKind::Heartbeat),
        "append" => {
            let value = session.position();
            act(session, Command::Append { replica: id(rest), key: 1, value, count: 1 });
        }
        "deliver" => {
            let (from, to) = link(rest);
            let (number, is_copy) = first(session, (from, to));
            act(session, Command::RunNow { event: EventName::Delivery { from, to, number, is_copy } });
        }
        "drop" => {
            let (from, to) = link(rest);
            let (number, is_copy) = first(session, (from, to));
            act(session, Command::Drop { from, to, number, is_copy });
        }
        "crash" => act(session, Command::Crash { replica: id(rest), keep_unflushed: false }),
        "restart" => act(session, Command::Restart { replica: id(rest), is_wiped: false }),
        "cut" => {
            let (from, to) = link(rest);
            act(session, Command::SetCut { from, to, is_cut: true });
        }
        "heal" => act(session, Command::Heal),
        other => panic!("{other} is not a line of a script"),
    }
    said(session)
}

fn play(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classic/scripts").join(name);
    let found = std::fs::read_to_string(&path).expect("the script is there");
    let mut session = cluster("-");
    let mut wanted = String::new();
    for line in found.lines() {
        if let Some(done) = line.strip_prefix("> ") {
            writeln!(wanted, "{line}").expect("text");
            wanted += &run(&mut session, done);
            assert_eq!(session.sim().violations(), [], "{name}: {line}");
        } else if line.starts_with('#') || line.is_empty() {
            writeln!(wanted, "{line}").expect("text");
        }
    }
    if std::env::var_os("RAFTWERK_WRITE").is_some() {
        std::fs::write(&path, &wanted).expect("the script can be written");
    }
    let found = std::fs::read_to_string(&path).expect("the script is there");
    for (index, (is, should)) in wanted.lines().zip(found.lines()).enumerate() {
        assert_eq!(is, should, "{name}, line {}", index + 1);
    }
    assert_eq!(wanted.lines().count(), found.lines().count(), "{name}");
}

#[test]
fn elections() {
    play("elections.txt");
}

#[test]
fn replication() {
    play("replication.txt");
}

#[test]
fn repair() {
    play("repair.txt");
}
