//! The cases P13, P15, P17 and P18 for the paper's Raft, and with PreVote and its lease rule.

use super::{LINKS, SECOND_US, at, check_scenario, cut, leaders, only, pass};
use raftwerk::explain::{Because, Question, ask};
use raftwerk::raft::classic::{ClassicSettings, Refused, Rules};
use raftwerk::raft::{ProtocolSettings, ReplicaId, ReplicaSet, RoleShape, Timer, TimerKind};
use raftwerk::scenario::{Record, Start};
use raftwerk::session::Session;
use raftwerk::sim::{Command, EventName, LinkConditions};

const PLAIN: Rules = Rules { pre_vote: false, check_quorum: false, no_op: true };
const PRE_VOTE: Rules = Rules { pre_vote: true, ..PLAIN };

fn settings(rules: Rules) -> ClassicSettings {
    ClassicSettings { refused: Refused::StepsDown, rules, ..ClassicSettings::default() }
}

/// A server's election timeout runs out now.
fn campaign(session: &mut Session, shown: u8) {
    let replica = ReplicaId(shown - 1);
    let timer = Timer::new(TimerKind::Election);
    let (table, _) = session.sim().timers(replica).expect("it runs");
    let event = EventName::Timer { replica, timer, number: table.get(timer).number };
    session.act(Command::RunNow { event }).expect("it is armed");
}

/// Servers with equal logs of so many entries of term 1, of which `leader` has just won the next term.
fn led_by(leader: u8, settings: ClassicSettings, links: LinkConditions, count: u8, entries: usize) -> Session {
    let start = Start { log: vec![1; entries], epoch: u32::from(entries > 0), ..Start::default() };
    let record = Record {
        replicas: count,
        links,
        protocol: ProtocolSettings::Classic(settings),
        starts: vec![start; count.into()],
        ..Record::default()
    };
    let mut session = Session::open(record).expect("a good record");
    campaign(&mut session, leader);
    pass(&mut session, SECOND_US / 10);
    assert_eq!(session.leader().map(|(id, _)| id), Some(ReplicaId(leader - 1)));
    session
}

fn append(session: &mut Session, shown: u8) {
    session.act(Command::Append { replica: ReplicaId(shown - 1), key: 1, value: 1, count: 1 }).expect("it leads");
}

#[test]
fn p13_two_tails_on_a_triangle() {
    for rules in [PLAIN, PRE_VOTE] {
        let mut session = led_by(3, settings(rules), LINKS, 5, 0);
        let term = at(&session, 3).epoch;
        only(&mut session, &[(1, 2), (1, 3), (2, 3), (4, 2), (5, 3)]);
        if rules.pre_vote {
            let before = at(&session, 3).committed;
            append(&mut session, 3);
            assert_eq!(leaders(&mut session, 60 * SECOND_US), [(3, term)], "no term change at all");
            assert!(at(&session, 3).committed > before);
            assert!([1, 2, 5].iter().all(|&shown| at(&session, shown).end_offset == at(&session, 3).end_offset));
            assert_eq!(at(&session, 4).epoch, term);
            assert!(at(&session, 4).end_offset < at(&session, 3).end_offset, "its log is behind");
            continue;
        }
        // Two longest election timeouts, a heartbeat and three hops, whoever leads.
        let settings = settings(rules);
        let longest_us = u64::from(2 * settings.election_max_ms + settings.heartbeat_ms) * 1_000
            + 3 * u64::from(LINKS.latency_max_us);
        let until_us = session.sim().now_us() + 60 * SECOND_US;
        let mut led = (session.leader(), session.sim().now_us());
        let mut count = 0;
        while session.next_due_us() <= until_us && session.step() {
            let now_us = session.sim().now_us();
            if session.leader() != led.0 {
                assert!(now_us - led.1 <= longest_us || led.0.is_none(), "{:?} led {} µs", led.0, now_us - led.1);
                led = (session.leader(), now_us);
                count += 1;
            }
            let is_tail = |(id, _): (ReplicaId, u32)| id.0 >= 3;
            assert!(!led.0.is_some_and(is_tail), "4 and 5 can never win");
        }
        let now_us = session.sim().now_us();
        assert!(led.0.is_none() || now_us - led.1 <= longest_us, "the last one too");
        assert!(count > 10, "{count} changes");
        assert!(at(&session, 3).epoch > term + 5, "the term grows for the whole run");
    }
}

#[test]
fn p15_a_chain_of_three() {
    let mut session = led_by(3, settings(PLAIN), LINKS, 3, 0);
    let term = at(&session, 3).epoch;
    only(&mut session, &[(1, 2), (2, 3)]);
    // It is stable only once 2 happens to win.
    let mut seen: Vec<(u8, u32)> = Vec::new();
    while seen.last().is_none_or(|&(leader, _)| leader != 2) && session.sim().now_us() < 300 * SECOND_US {
        assert!(session.step());
        let now = session.leader().map(|(id, term)| (id.0 + 1, term));
        seen.extend(now.filter(|now| seen.last() != Some(now)));
    }
    assert!(
        seen.iter().any(|&(leader, _)| leader == 1) && seen.last().is_some_and(|&(leader, _)| leader == 2),
        "{seen:?}"
    );
    let stable = at(&session, 2).epoch;
    assert!(stable > term + 1, "the term grows meanwhile");
    assert_eq!(leaders(&mut session, 30 * SECOND_US), [(2, stable)]);

    let mut session = led_by(3, settings(PRE_VOTE), LINKS, 3, 0);
    let term = at(&session, 3).epoch;
    only(&mut session, &[(1, 2), (2, 3)]);
    append(&mut session, 3);
    assert_eq!(leaders(&mut session, 30 * SECOND_US), [(3, term)], "no leader change");
    assert_eq!(at(&session, 3).committed, Some(at(&session, 3).end_offset));
    assert_eq!((at(&session, 1).role, at(&session, 1).epoch), (RoleShape::Prospective, term));
    for (from, to) in [(1, 3), (3, 1)] {
        cut(&mut session, from, to, false);
    }
    assert_eq!(leaders(&mut session, 10 * SECOND_US), [(3, term)], "it catches up without an election");
    assert_eq!((at(&session, 1).role, at(&session, 1).end_offset), (RoleShape::Follower, at(&session, 3).end_offset));
}

/// A to E are 1 to 5; C leads, entry 6 is on all but A, and committed. C leads term 2 here, because logs of term 1 are there
/// before anybody leads; everything else is a term later too.
fn constrained(rules: Rules) -> Session {
    let mut session = led_by(3, settings(Rules { no_op: false, ..rules }), LINKS, 5, 5);
    for (from, to) in [(1, 3), (3, 1)] {
        cut(&mut session, from, to, true);
    }
    append(&mut session, 3);
    pass(&mut session, SECOND_US / 2);
    assert_eq!(at(&session, 3).committed, Some(6));
    only(&mut session, &[(1, 2), (1, 4), (1, 5)]);
    session
}

#[test]
fn p17_a_constrained_election() {
    for rules in [PLAIN, PRE_VOTE, Rules { check_quorum: true, ..PRE_VOTE }] {
        let mut session = constrained(rules);
        let term = at(&session, 3).epoch;
        let seen = leaders(&mut session, 60 * SECOND_US);
        assert!(seen.iter().all(|&(leader, _)| leader == 3), "nobody new is elected: {seen:?}");
        // The other way round: C goes on calling itself leader until CheckQuorum ends that.
        assert_eq!(at(&session, 3).role == RoleShape::Leader, !rules.check_quorum);
        assert_eq!((1..=5).map(|shown| at(&session, shown).committed).max(), Some(Some(6)), "commit stays 6");
        let face = |shown: u8| session.sim().face(ReplicaId(shown - 1)).expect("it runs").granted.len();
        assert!(face(1) <= 1, "A has its own vote alone");
        assert!([2, 4, 5].iter().all(|&shown| face(shown) <= 2), "B, D and E have two of three");
        for shown in [1, 2, 4, 5] {
            let now = at(&session, shown).epoch;
            assert!(if rules.pre_vote { now == term } else { now > term + 5 }, "server {shown}: term {now}");
        }
        let ids = |all: &[u8]| {
            let mut set = ReplicaSet::default();
            all.iter().for_each(|shown| set.insert(ReplicaId(shown - 1)));
            set
        };
        let why = |shown: u8| ask(session.sim(), [], Question::WhyNotElected { replica: ReplicaId(shown - 1) });
        assert_eq!(why(1), Because::LogBehind { ahead: ids(&[2, 4, 5]), rest: ids(&[1]), need: 3 });
        assert_eq!(why(2), Because::TooFewInReach { reach: ids(&[1, 2]), need: 3 });
        for (from, to) in [(2, 4), (4, 2)] {
            cut(&mut session, from, to, false);
        }
        let seen = leaders(&mut session, 60 * SECOND_US);
        let new: Vec<u8> = seen.iter().map(|&(leader, _)| leader).filter(|&leader| leader != 3).collect();
        assert!(new.first().is_some_and(|&leader| leader == 2 || leader == 4), "B or D wins: {seen:?}");
        assert_eq!(at(&session, 1).end_offset, 6, "A is repaired to 6");
    }
}

#[test]
fn p18_one_way_links() {
    // Nodes 0, 1 and 2 of the case are 1, 2 and 3 here; an election timeout of 150 to 151 ms.
    let links = LinkConditions { latency_min_us: 1_000, latency_max_us: 3_000, ..LINKS };
    let case =
        |rules| ClassicSettings { election_min_ms: 150, election_max_ms: 151, heartbeat_ms: 40, ..settings(rules) };
    let all = |session: &mut Session, is_from: bool| {
        for other in [1, 3] {
            let (from, to) = if is_from { (2, other) } else { (other, 2) };
            cut(session, from, to, true);
        }
    };
    // a: all that it sends is lost.
    let mut session = led_by(1, case(PLAIN), links, 3, 0);
    all(&mut session, true);
    let before = at(&session, 2);
    append(&mut session, 1);
    pass(&mut session, 302_000);
    let after = at(&session, 2);
    assert_eq!(
        (after.role, after.epoch, after.voted, after.leader),
        (RoleShape::Follower, before.epoch, before.voted, Some(ReplicaId(0)))
    );
    assert_eq!(after.end_offset, at(&session, 1).end_offset, "the command reaches its log");
    let known = session.sim().replica(ReplicaId(0)).and_then(raftwerk::raft::Replica::peers).expect("it leads");
    assert!(known[1].matched < Some(after.end_offset), "and the leader never sees its answer");
    // b: all that is sent to it is lost.
    for (rules, rises) in [(PLAIN, true), (PRE_VOTE, false)] {
        let mut session = led_by(1, case(rules), links, 3, 0);
        let term = at(&session, 2).epoch;
        all(&mut session, false);
        pass(&mut session, 3_000 + 151_000);
        let after = at(&session, 2);
        assert_eq!(after.epoch > term, rises, "{rules:?}");
        assert_eq!(after.voted == Some(ReplicaId(1)), rises);
        pass(&mut session, SECOND_US);
        if rises {
            assert_eq!(after.role, RoleShape::Candidate);
            assert!(at(&session, 2).epoch > term + 3, "its term keeps rising");
            assert_ne!(session.leader(), Some((ReplicaId(0), term)), "the leader was deposed");
        } else {
            assert_eq!((at(&session, 2).epoch, session.leader()), (term, Some((ReplicaId(0), term))));
        }
    }
}

#[test]
fn the_cases_stand_in_scenarios() {
    let mut session = led_by(3, settings(PLAIN), LINKS, 5, 0);
    only(&mut session, &[(1, 2), (1, 3), (2, 3), (4, 2), (5, 3)]);
    check_scenario("raft-tails-on-a-triangle.json", "Two tails on a triangle, as in the paper", &session);
    let mut session = led_by(3, settings(PLAIN), LINKS, 3, 0);
    only(&mut session, &[(1, 2), (2, 3)]);
    check_scenario("raft-chain-of-three.json", "A chain of three, as in the paper", &session);
    check_scenario("raft-constrained-election.json", "Nobody can be elected, as in the paper", &constrained(PLAIN));
}
