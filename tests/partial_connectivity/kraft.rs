//! The cases P13, P15, P17 and P18 for KRaft.

use super::{LINKS, SECOND_US, at, check_scenario, cut, leaders, only, pass};
use raftwerk::explain::{Because, Question, ask};
use raftwerk::raft::kraft::{KRaftSettings, Rules};
use raftwerk::raft::{ProtocolSettings, ReplicaId, ReplicaSet, RoleShape};
use raftwerk::scenario::{Record, Start};
use raftwerk::session::Session;
use raftwerk::sim::Command;

/// A cluster in epoch `epoch` that follows `leader` (shown ids), with logs of so many records of epoch 1.
fn cluster(rules: Rules, leader: u8, epoch: u32, logs: &[usize], committed: u64) -> Session {
    let kraft = KRaftSettings { rules, ..KRaftSettings::default() };
    let starts = (1..).zip(logs).map(|(shown, &len)| Start {
        log: vec![1; len],
        epoch,
        voted: None,
        leader: Some(ReplicaId(leader - 1)),
        high_watermark: (shown != leader).then(|| committed.min(len as u64)),
    });
    let record = Record {
        replicas: u8::try_from(logs.len()).expect("few"),
        links: LINKS,
        protocol: ProtocolSettings::KRaft(kraft),
        starts: starts.collect(),
        ..Record::default()
    };
    Session::open(record).expect("a good record")
}

/// A cluster of `count` empty nodes in which node 3 has just won an election.
fn led_by_3(rules: Rules, count: usize) -> Session {
    let kraft = KRaftSettings { rules, ..KRaftSettings::default() };
    // It stopped as candidate, and asks again at once.
    let starts =
        (1..=count).map(|shown| Start { epoch: 1, voted: (shown == 3).then_some(ReplicaId(2)), ..Start::default() });
    let record = Record {
        replicas: u8::try_from(count).expect("few"),
        links: LINKS,
        protocol: ProtocolSettings::KRaft(kraft),
        starts: starts.collect(),
        ..Record::default()
    };
    let mut session = Session::open(record).expect("a good record");
    pass(&mut session, 3 * SECOND_US);
    assert_eq!(session.leader(), Some((ReplicaId(2), 1)));
    session
}

const NO_PRE_VOTE: Rules = Rules { pre_vote: false, check_quorum: false, fetched_refuses_pre_vote: false };

#[test]
fn p13_two_tails_on_a_triangle() {
    for rules in [NO_PRE_VOTE, Rules::default()] {
        let mut session = led_by_3(rules, 5);
        let epoch = at(&session, 3).epoch;
        only(&mut session, &[(1, 2), (1, 3), (2, 3), (4, 2), (5, 3)]);
        let before = at(&session, 3).committed;
        let seen = leaders(&mut session, 60 * SECOND_US);
        if rules.pre_vote {
            assert_eq!(seen, [(3, epoch)], "nobody else, and no other epoch");
            session.act(Command::Append { replica: ReplicaId(2), key: 1, value: 1, count: 1 }).expect("it leads");
            pass(&mut session, SECOND_US);
            assert!(at(&session, 3).committed > before);
            assert_eq!(at(&session, 4).epoch, epoch);
            assert!(at(&session, 4).end_offset < at(&session, 3).end_offset, "node 4 is left behind");
        } else {
            assert!(seen.len() > 3, "every leader is deposed: {seen:?}");
            assert!(seen.iter().all(|&(leader, _)| leader != 4 && leader != 5), "{seen:?}");
            assert!(at(&session, 3).epoch > epoch + 3);
        }
    }
}

#[test]
fn p15_a_chain_of_three() {
    let still_bounces = Rules { fetched_refuses_pre_vote: false, ..Rules::default() };
    for (rules, is_stable) in [(NO_PRE_VOTE, false), (still_bounces, false), (Rules::default(), true)] {
        let mut session = led_by_3(rules, 3);
        let epoch = at(&session, 3).epoch;
        only(&mut session, &[(1, 2), (2, 3)]);
        // Nothing to ask for the leader: otherwise node 1 could find it through node 2.
        let before = session.position();
        let seen = leaders(&mut session, 30 * SECOND_US);
        assert!(session.position() > before);
        if !is_stable {
            assert!(seen.len() > 1, "{rules:?}: {seen:?}");
            continue;
        }
        assert_eq!(seen, [(3, epoch)]);
        // Node 1 goes back and forth between prospective and follower, in the same epoch.
        let mut roles = Vec::new();
        for _ in 0..2_000 {
            session.step();
            let role = at(&session, 1).role;
            if roles.last() != Some(&role) {
                roles.push(role);
            }
        }
        assert!(roles.contains(&RoleShape::Prospective) && roles.contains(&RoleShape::Follower), "{roles:?}");
        assert_eq!(at(&session, 1).epoch, epoch);
        // Healed, it catches up without an election.
        session.act(Command::Append { replica: ReplicaId(2), key: 1, value: 1, count: 3 }).expect("it leads");
        cut(&mut session, 1, 3, false);
        cut(&mut session, 3, 1, false);
        assert_eq!(leaders(&mut session, 10 * SECOND_US), [(3, epoch)]);
        assert_eq!(at(&session, 1).end_offset, at(&session, 3).end_offset);
    }
}

#[test]
fn p17_a_constrained_election() {
    // A, B, C, D, E are 1 to 5; C led epoch 1 and is cut off. Record 6 never reached A.
    for pre_vote in [true, false] {
        let rules = Rules { pre_vote, ..Rules::default() };
        let mut session = cluster(rules, 3, 1, &[5, 6, 6, 6, 6], 6);
        only(&mut session, &[(1, 2), (1, 4), (1, 5)]);
        let seen = leaders(&mut session, 60 * SECOND_US);
        assert_eq!(seen, [], "nobody can be elected");
        // And the page says why: A is behind, the others reach too few.
        let why = |session: &Session, shown: u8| {
            ask(session.sim(), [], Question::WhyNotElected { replica: ReplicaId(shown - 1) })
        };
        let ids = |all: &[u8]| {
            let mut set = ReplicaSet::default();
            all.iter().for_each(|shown| set.insert(ReplicaId(shown - 1)));
            set
        };
        assert_eq!(why(&session, 1), Because::LogBehind { ahead: ids(&[2, 4, 5]), rest: ids(&[1]), need: 3 });
        assert_eq!(why(&session, 2), Because::TooFewInReach { reach: ids(&[1, 2]), need: 3 });
        assert_eq!(why(&session, 3), Because::TooFewInReach { reach: ids(&[3]), need: 3 });
        assert_eq!(
            ask(session.sim(), [], Question::WhyNobodyElected),
            Because::Standings {
                leading: ids(&[]),
                free: ids(&[]),
                stopped: ids(&[]),
                apart: ids(&[2, 3, 4, 5]),
                behind: ids(&[1]),
                refused: ids(&[]),
                need: 3
            }
        );
        for shown in [1, 2, 4, 5] {
            assert_eq!(at(&session, shown).epoch > 1, !pre_vote, "node {shown}");
        }
        cut(&mut session, 2, 4, false);
        cut(&mut session, 4, 2, false);
        let seen = leaders(&mut session, 60 * SECOND_US);
        // Without PreVote nobody refuses because a leader is alive, and A may win later.
        if pre_vote {
            assert_eq!(
                why(&session, 1),
                Because::OthersFollow { refusing: ids(&[2, 4]), leader: session.leader().expect("one leads").0 }
            );
        }
        let &(leader, _) = seen.first().expect("B or D");
        assert!(leader == 2 || leader == 4, "{seen:?}");
        assert!(at(&session, 1).end_offset > 6, "A is repaired");
        assert_eq!(session.sim().log(ReplicaId(0)).and_then(|log| log.get(5)).map(|entry| entry.epoch), Some(1));
    }
}

#[test]
fn p18_one_way_links() {
    // What a follower sends is lost: it neither fetches nor votes, and moves no epoch.
    let mut session = led_by_3(Rules::default(), 3);
    let epoch = at(&session, 3).epoch;
    for to in [2, 3] {
        cut(&mut session, 1, to, true);
    }
    assert_eq!(leaders(&mut session, 30 * SECOND_US), [(3, epoch)]);
    assert_eq!(at(&session, 1).epoch, epoch);
    for to in [2, 3] {
        cut(&mut session, 1, to, false);
    }
    pass(&mut session, 10 * SECOND_US);
    // What is sent to it is lost: with PreVote its epoch stays; without, it rises and deposes the leader.
    for pre_vote in [true, false] {
        let rules = Rules { pre_vote, ..Rules::default() };
        let mut session = led_by_3(rules, 3);
        let epoch = at(&session, 3).epoch;
        for from in [2, 3] {
            cut(&mut session, from, 1, true);
        }
        let seen = leaders(&mut session, 30 * SECOND_US);
        assert_eq!(seen == [(3, epoch)], pre_vote, "{seen:?}");
        assert_eq!(at(&session, 1).epoch == epoch, pre_vote);
        assert!(at(&session, 1).role != RoleShape::Leader);
    }
}

#[test]
fn the_cases_stand_in_scenarios() {
    let mut session = led_by_3(Rules::default(), 5);
    only(&mut session, &[(1, 2), (1, 3), (2, 3), (4, 2), (5, 3)]);
    check_scenario("tails-on-a-triangle.json", "Two tails on a triangle", &session);
    let mut session = led_by_3(Rules::default(), 3);
    only(&mut session, &[(1, 2), (2, 3)]);
    check_scenario("chain-of-three.json", "A chain of three", &session);
    let mut session = cluster(Rules::default(), 3, 1, &[5, 6, 6, 6, 6], 6);
    only(&mut session, &[(1, 2), (1, 4), (1, 5)]);
    check_scenario("constrained-election.json", "Nobody can be elected", &session);
    for (name, title, is_out) in [
        ("one-way-out.json", "What node 1 sends is lost", true),
        ("one-way-in.json", "What is sent to node 1 is lost", false),
    ] {
        let mut session = led_by_3(Rules::default(), 3);
        for other in [2, 3] {
            let (from, to) = if is_out { (1, other) } else { (other, 1) };
            cut(&mut session, from, to, true);
        }
        check_scenario(name, title, &session);
    }
}
