//! Bugs that Kafka's Raft had, each with what would show it. None is here; where Kafka's rule is the bug, a rule flag
//! shows both. Those that need snapshots, voter changes or unreachable listeners come with them.

use super::lone::{ET, FORMS, Given, Lone, answer, fetch, fetched, fine, granted, records, vote};
use raftwerk::raft::ProtocolSettings;
use raftwerk::raft::kraft::{Body, Bootstrap, ErrorCode, FetchOutcome, KRaftSettings, Rules};
use raftwerk::raft::{EpochEnd, Fault, Replica, ReplicaId, Request, RoleShape, TimerKind};
use raftwerk::scenario::Record;
use raftwerk::session::Session;
use raftwerk::sim::{Command, LinkConditions};

fn started(given: Given) -> Lone {
    let mut lone = given.start();
    lone.run();
    lone
}

/// A cluster with even links, so that a test knows what comes when.
fn cluster(replicas: u8, change: impl FnOnce(&mut KRaftSettings)) -> Session {
    let mut kraft = KRaftSettings::default();
    change(&mut kraft);
    let links = LinkConditions { latency_min_us: 10_000, latency_max_us: 11_000, ..LinkConditions::default() };
    let record = Record { replicas, links, protocol: ProtocolSettings::KRaft(kraft), ..Record::default() };
    Session::open(record).expect("a good record")
}

fn until(session: &mut Session, what: &str, is_so: impl Fn(&Session) -> bool) {
    for _ in 0..200_000 {
        if is_so(session) {
            return;
        }
        assert!(session.step(), "nothing is left to do before {what}");
    }
    panic!("not within 200,000 events: {what}");
}

fn pass(session: &mut Session, us: u64) {
    let until_us = session.sim().now_us() + us;
    until(session, "some time has passed", |session| session.next_due_us() > until_us);
}

#[test]
fn kafka_10527_a_restarted_leader_does_not_go_on_in_its_epoch() {
    let mut session = cluster(3, |_| {});
    until(&mut session, "a leader", |session| session.leader().is_some());
    pass(&mut session, 1_000_000);
    let (leader, epoch) = session.leader().expect("just seen");
    for other in session.sim().ids().filter(|&id| id != leader).collect::<Vec<_>>() {
        session.act(Command::SetCut { from: leader, to: other, is_cut: true }).expect("it can be cut");
    }
    session.act(Command::Append { replica: leader, key: 1, value: 1, count: 2 }).expect("it leads");
    pass(&mut session, 100_000);
    session.act(Command::Crash { replica: leader, keep_unflushed: false }).expect("it runs");
    session.act(Command::Restart { replica: leader, is_wiped: false }).expect("it is down");
    let standing = session.sim().standing(leader).expect("it is there");
    assert_eq!((standing.role, standing.epoch), (RoleShape::Resigned, epoch));
    // Whatever it writes later is of another epoch.
    pass(&mut session, 20_000_000);
    assert!(session.leader().is_some_and(|(_, now)| now > epoch));
    assert!(session.sim().violations().is_empty());
}

#[test]
fn kafka_12619_the_start_of_an_epoch_is_not_enough() {
    for form in FORMS {
        let mut leader = Given::voter(2, form).log(&[(3, 10)]).stored(3, None, None).lead();
        assert_eq!((leader.standing().epoch, leader.standing().end_offset), (4, 11));
        leader.request(1, fetch(4, 10, 3));
        assert_eq!(leader.standing().committed, None);
        leader.request(1, fetch(4, 11, 4));
        assert_eq!(leader.standing().committed, Some(11));
    }
}

#[test]
fn kafka_10842_a_late_answer_is_not_appended_a_second_time() {
    for form in FORMS {
        let mut lone = started(Given::voter(2, form).stored(5, Some(1), None));
        let first = lone.take_sent();
        lone.sleep(5_000);
        let second = lone.take_sent();
        assert_eq!((first.len(), second.len()), (1, 1));
        for sent in [&first[0], &second[0]] {
            lone.answer(1, &sent.1, fetched(fine(5, Some(1)), 0, records((5, 0), &[(5, 2)])));
        }
        assert_eq!(lone.standing().end_offset, 2);
    }
}

#[test]
fn kafka_12181_a_voter_that_lost_its_disk_is_served() {
    for form in FORMS {
        let mut leader = Given::voter(2, form).log(&[(3, 9)]).stored(3, None, None).lead();
        leader.request(1, fetch(4, 10, 4));
        assert_eq!(leader.standing().committed, Some(10));
        let body = leader.request(1, fetch(4, 0, 0));
        assert!(matches!(&body, Body::FetchResponse { outcome: FetchOutcome::Records(Some(records)), .. }
            if records.base() == 0));
        assert_eq!((leader.standing().committed, leader.failure()), (Some(10), None));
    }
}

#[test]
fn kafka_10677_parked_fetches_do_not_delay_the_next_election() {
    for form in FORMS {
        let mut leader = Lone::leader(2, form, 1);
        let parked = leader.request_later(
            1,
            Body::FetchRequest { epoch: 1, offset: 1, last_epoch: 1, high_watermark: i64::MAX, max_wait_ms: 60_000 },
        );
        leader.run();
        leader.ask_now(Request::Shutdown { timeout_us: 5_000_000 }).expect("anyone may ask");
        let body = leader.answer_to(1, parked).expect("it fails at once");
        assert_eq!(answer(&body).0, ErrorCode::NotLeaderOrFollower);
    }
}

#[test]
fn kafka_15100_a_parked_fetch_that_expires_gets_the_answer_of_its_arrival() {
    for form in FORMS {
        let mut leader = Given::voter(3, form).set(|settings| settings.linger_ms = 500).lead();
        leader.request(1, fetch(1, 1, 1));
        let parked = leader.request_later(
            2,
            Body::FetchRequest { epoch: 1, offset: 1, last_epoch: 1, high_watermark: 1, max_wait_ms: 400 },
        );
        leader.run();
        // In the middle of an append that has not been written.
        leader.ask_now(Request::Append { epoch: 1, key: 1, value: 1, count: 3 }).expect("it leads");
        leader.sleep(400);
        let body = leader.answer_to(2, parked).expect("its wait is over");
        assert!(
            matches!(body, Body::FetchResponse { high_watermark: 1, outcome: FetchOutcome::Records(None), .. }),
            "{body:?}"
        );
        // A diverging answer does not wait at all.
        let body = leader.request(
            2,
            Body::FetchRequest { epoch: 1, offset: 9, last_epoch: 0, high_watermark: i64::MAX, max_wait_ms: 60_000 },
        );
        assert!(matches!(body, Body::FetchResponse { outcome: FetchOutcome::Diverging(EpochEnd { .. }), .. }));
    }
}

/// The leader of a cluster of five is cut from all others in both directions; how long it leads on, in microseconds.
fn cut_off_leader(check_quorum: bool) -> Option<u64> {
    let mut session = cluster(5, |kraft| kraft.rules = Rules { check_quorum, ..Rules::default() });
    until(&mut session, "a leader", |session| session.leader().is_some());
    pass(&mut session, 2_000_000);
    let (leader, _) = session.leader().expect("it stays");
    for other in session.sim().ids().filter(|&id| id != leader).collect::<Vec<_>>() {
        for (from, to) in [(leader, other), (other, leader)] {
            session.act(Command::SetCut { from, to, is_cut: true }).expect("it can be cut");
        }
    }
    let cut_us = session.sim().now_us();
    let leads = |session: &Session| session.sim().standing(leader).is_some_and(|it| it.role == RoleShape::Leader);
    while leads(&session) {
        if session.sim().now_us() > cut_us + 60_000_000 {
            return None;
        }
        session.step();
    }
    Some(session.sim().now_us() - cut_us)
}

#[test]
fn kafka_15489_a_leader_that_is_cut_off_resigns() {
    let led_us = cut_off_leader(true).expect("it resigns");
    assert!(led_us <= 3_000_000, "1.5 fetch timeouts: {led_us}");
    assert_eq!(cut_off_leader(false), None, "without the rule it leads for ever");
}

#[test]
fn kafka_16144_an_only_voter_never_loses_its_quorum() {
    for form in FORMS {
        let mut leader = Lone::leader(1, form, 1);
        leader.sleep(1_000_000);
        assert_eq!(leader.role(), RoleShape::Leader);
    }
}

#[test]
fn kafka_17067_an_observer_that_voted_does_not_campaign() {
    for form in FORMS {
        let mut lone = started(Given::observer(2, form).stored(2, None, None));
        assert!(granted(&lone.request(1, vote(3, (0, 0)))));
        lone.sleep(3 * ET);
        assert_eq!((lone.role(), lone.standing().epoch), (RoleShape::Unattached, 3));
    }
}

#[test]
fn kafka_17333_a_resigned_node_does_not_tell_its_state_machine_that_it_leads() {
    for form in FORMS {
        let mut lone = started(Given::voter(2, form).stored(7, Some(0), None));
        lone.sleep(ET / 2);
        assert_eq!((lone.role(), lone.replica().listener().heard()), (RoleShape::Resigned, None));
    }
}

#[test]
fn kafka_17751_and_19605_nothing_that_is_over_keeps_a_node_awake() {
    for form in FORMS {
        // An observer without a leader, after its timer and after its vote.
        let mut lone = started(Given::observer(2, form).stored(2, None, None));
        lone.sleep(3 * ET);
        lone.request(1, vote(3, (0, 0)));
        lone.sleep(3 * ET);
        assert_eq!(lone.left_ms(TimerKind::Election), None);
        // An observer whose fetch timeout is over.
        let mut lone = started(Given::observer(2, form).stored(2, Some(1), None));
        lone.sleep(60_000);
        assert_eq!(lone.left_ms(TimerKind::Fetch), None);
        assert_eq!(lone.failure(), None);
    }
}

#[test]
fn kafka_18345_elections_on_slow_links_end() {
    // Five voters with equal logs and links as slow as half an election timeout.
    for seed in 0..50 {
        let links = LinkConditions { latency_min_us: 200_000, latency_max_us: 500_000, ..LinkConditions::default() };
        let record = Record { seed, links, ..Record::default() };
        let mut session = Session::open(record).expect("a good record");
        until(&mut session, "a leader", |session| session.leader().is_some());
        assert!(session.sim().now_us() < 60_000_000, "seed {seed}: {} µs", session.sim().now_us());
    }
}

#[test]
fn kafka_18723_records_of_a_later_epoch_are_not_stored_under_an_old_leader() {
    for form in FORMS {
        let mut lone = started(Given::voter(2, form).stored(2, Some(1), None));
        let sent = lone.take_sent();
        lone.answer(1, &sent[0].1, fetched(fine(2, Some(1)), 0, records((2, 0), &[(2, 1), (3, 1)])));
        assert_eq!((lone.standing().end_offset, lone.replica().log().last_epoch()), (1, 2));
    }
}

#[test]
fn kafka_14145_followers_learn_a_commit_within_a_round_trip() {
    let mut session = cluster(3, |kraft| kraft.linger_ms = 0);
    until(&mut session, "a leader", |session| session.leader().is_some());
    pass(&mut session, 5_000_000);
    let (leader, _) = session.leader().expect("it stays");
    let before = session.sim().standing(leader).and_then(|it| it.committed).expect("it is known");
    let start_us = session.sim().now_us();
    session.act(Command::Append { replica: leader, key: 1, value: 1, count: 1 }).expect("it leads");
    until(&mut session, "all know it", |session| {
        session.sim().ids().all(|id| session.sim().standing(id).and_then(|it| it.committed) > Some(before))
    });
    // Answer, fetch, answer: three flights, not half a second more.
    let took_us = session.sim().now_us() - start_us;
    assert!(took_us < 40_000, "{took_us} µs");
}

/// Which successor wins after the leader of five shuts down; their places in its list.
fn successor_that_wins(fetched_refuses: bool) -> usize {
    let mut session = cluster(5, |kraft| {
        kraft.rules = Rules { fetched_refuses_pre_vote: fetched_refuses, ..Rules::default() };
    });
    until(&mut session, "a leader", |session| session.leader().is_some());
    pass(&mut session, 5_000_000);
    let (leader, epoch) = session.leader().expect("it stays");
    session.act(Command::Shutdown { replica: leader, timeout_ms: 5_000 }).expect("it runs");
    until(&mut session, "another leader", |session| session.leader().is_some_and(|(_, now)| now > epoch));
    let (next, _) = session.leader().expect("just seen");
    // With equal logs the successors stand in the order of their ids.
    session.sim().ids().filter(|&id| id != leader).position(|id| id == next).expect("it is one of them")
}

#[test]
fn kafka_20895_the_first_successor_of_five_loses_where_those_who_fetched_refuse() {
    assert_eq!(successor_that_wins(true), 1, "Kafka's rule: the second successor wins");
    assert_eq!(successor_that_wins(false), 0, "without it the first one does");
}

#[test]
fn kafka_18389_a_leader_does_not_keep_its_own_vote() {
    // Kafka's behaviour, harmless while the leader's id protects the epoch.
    for form in FORMS {
        let leader = Lone::leader(3, form, 1);
        let stored = leader.replica().stored();
        assert_eq!((stored.leader, stored.voted), (Some(ReplicaId(0)), None));
    }
}

#[test]
fn kafka_17030_a_node_that_nobody_tells_finds_the_leader_by_asking() {
    for form in FORMS {
        let mut lone =
            started(Given::voter(3, form).stored(5, None, None).set(|settings| settings.bootstrap = Bootstrap::Voters));
        let sent = lone.take_sent();
        assert!(matches!(sent[0].1.body, Body::FetchRequest { epoch: 5, .. }));
        lone.answer(sent[0].0.0, &sent[0].1, fetched(fine(6, Some(2)), -1, None));
        assert_eq!((lone.role(), lone.standing().leader), (RoleShape::Follower, Some(ReplicaId(2))));
    }
}

#[test]
fn kafka_19354_an_observer_goes_back_to_its_leader_once_that_answers() {
    for form in FORMS {
        let mut lone = started(
            Given::observer(2, form).stored(5, Some(1), None).set(|settings| settings.bootstrap = Bootstrap::Voters),
        );
        assert_eq!(lone.asked(|body| matches!(body, Body::FetchRequest { .. })), [1]);
        lone.sleep(60_000);
        let sent = lone.take_sent();
        let (to, last) = sent.last().expect("it goes on asking").clone();
        lone.answer(to.0, &last, fetched(fine(5, Some(1)), 0, None));
        assert_eq!(lone.asked(|body| matches!(body, Body::FetchRequest { .. })), [1], "back to the leader");
    }
}

#[test]
fn a_truncation_below_the_high_watermark_is_a_fault() {
    for form in FORMS {
        let mut lone = started(Given::voter(2, form).log(&[(3, 4)]).stored(5, Some(1), None));
        let sent = lone.take_sent();
        lone.answer(1, &sent[0].1, fetched(fine(5, Some(1)), 4, None));
        let sent = lone.take_sent();
        let outcome = FetchOutcome::Diverging(EpochEnd { epoch: 3, end_offset: 2 });
        lone.answer(1, &sent[0].1, Body::FetchResponse { answer: fine(5, Some(1)), high_watermark: 4, outcome });
        let fault = lone.failure().map(|failure| failure.fault);
        assert!(matches!(fault, Some(Fault::TruncationBelowHighWatermark { high_watermark: 4, .. })), "{fault:?}");
        assert!(!lone.driver().is_running());
    }
}
