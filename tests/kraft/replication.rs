//! C51 to C75: replication and listeners.

use super::lone::{FORMS, Given, Lone, answer, begin_quorum, fetch, fetched, fine, granted, records, vote};
use raftwerk::raft::kraft::{Address, Answer, Body, Bootstrap, ClusterId, ErrorCode, FetchOutcome, KRaftMessage};
use raftwerk::raft::{EpochEnd, Fault, Form, Replica, ReplicaId, Request, RoleShape, TimerKind};

const FT: u64 = 50_000;
const RT: u64 = 5_000;

fn append(lone: &mut Lone, count: u8) {
    let epoch = lone.standing().epoch;
    lone.ask_now(Request::Append { epoch, key: 1, value: 1, count }).expect("it leads");
}

/// Fetch with a wait, and the high watermark the sender knows.
fn parkable(epoch: i32, offset: i64, last_epoch: i32, high_watermark: i64, max_wait_ms: i32) -> Body {
    Body::FetchRequest { epoch, offset, last_epoch, high_watermark, max_wait_ms }
}

/// How many records an answer brings.
fn brought(body: &Body) -> usize {
    match body {
        Body::FetchResponse { outcome: FetchOutcome::Records(records), .. } => {
            records.as_ref().map_or(0, |records| records.entries().len())
        }
        other => panic!("{other:?}"),
    }
}

fn high_watermark(lone: &Lone) -> Option<u64> {
    lone.standing().committed
}

fn follower_of_1(form: Form, epoch: u32) -> Lone {
    let mut lone = Given::voter(2, form).stored(epoch, Some(1), None).start();
    lone.run();
    lone
}

/// The fetch that is in flight.
fn fetch_in_flight(lone: &mut Lone) -> (u8, KRaftMessage) {
    let sent = lone.take_sent();
    let found = sent.iter().rfind(|(_, message)| matches!(message.body, Body::FetchRequest { .. }));
    let (to, message) = found.unwrap_or_else(|| panic!("no fetch in {sent:?}"));
    (to.0, message.clone())
}

#[test]
fn c51_records_are_committed_when_a_majority_has_fetched_them() {
    for form in FORMS {
        let mut leader = Lone::leader(2, form, 5);
        assert_eq!(high_watermark(&leader), None);
        leader.request(1, fetch(5, 1, 5));
        assert_eq!(high_watermark(&leader), Some(1));
        assert_eq!(leader.replica().listener().next_offset(), 1);
        append(&mut leader, 3);
        let body = leader.request(1, fetch(5, 1, 5));
        assert_eq!((brought(&body), high_watermark(&leader)), (3, Some(1)));
        leader.request(1, fetch(5, 4, 5));
        assert_eq!(high_watermark(&leader), Some(4));
        assert_eq!(leader.replica().listener().next_offset(), 4);
        assert_eq!(leader.replica().listener().map(), [(1, 3)]);
    }
}

#[test]
fn c52_a_diverging_fetch_does_not_wait() {
    for form in FORMS {
        let mut leader = Given::voter(2, form).log(&[(1, 3), (3, 3), (5, 3)]).stored(5, None, None).lead();
        let body = leader.request(1, parkable(6, 6, 2, -1, 500));
        assert_eq!(answer(&body), (ErrorCode::None, 6, Some(0)));
        let known = EpochEnd { epoch: 1, end_offset: 3 };
        assert!(matches!(body, Body::FetchResponse { outcome: FetchOutcome::Diverging(it), .. } if it == known));
    }
}

#[test]
fn c53_fetches_that_cannot_be() {
    for form in FORMS {
        let mut leader = Lone::leader(2, form, 5);
        for (body, error) in [
            (fetch(5, -5, 0), ErrorCode::InvalidRequest),
            (fetch(5, 0, -1), ErrorCode::InvalidRequest),
            (fetch(5, 0, 6), ErrorCode::InvalidRequest),
            (fetch(6, 0, 0), ErrorCode::UnknownLeaderEpoch),
            (parkable(5, 0, 0, -1, -1), ErrorCode::InvalidRequest),
        ] {
            assert_eq!(answer(&leader.request(1, body)), (error, 5, Some(0)));
        }
    }
}

fn parked_at_a_leader(form: Form) -> (Lone, u32) {
    let mut leader = Lone::leader(2, form, 5);
    let parked = leader.request_later(1, parkable(5, 1, 5, i64::MAX, 500));
    leader.run();
    assert!(leader.answer_to(1, parked).is_none());
    (leader, parked)
}

#[test]
fn c54_a_parked_fetch_ends_with_nothing_when_its_wait_is_over() {
    for form in FORMS {
        let (mut leader, parked) = parked_at_a_leader(form);
        leader.sleep(499);
        assert!(leader.answer_to(1, parked).is_none());
        leader.sleep(1);
        let body = leader.answer_to(1, parked).expect("its wait is over");
        assert_eq!((answer(&body).0, brought(&body)), (ErrorCode::None, 0));
    }
}

#[test]
fn c55_a_parked_fetch_ends_with_what_is_appended() {
    for form in FORMS {
        let (mut leader, parked) = parked_at_a_leader(form);
        append(&mut leader, 3);
        assert_eq!(brought(&leader.answer_to(1, parked).expect("at once")), 3);
    }
}

#[test]
fn c56_a_parked_fetch_fails_when_another_leads() {
    for form in FORMS {
        let mut leader = Lone::leader(3, form, 5);
        let parked = leader.request_later(1, parkable(5, 1, 5, i64::MAX, 500));
        leader.run();
        leader.request(2, begin_quorum(6, 2));
        let body = leader.answer_to(1, parked).expect("it failed");
        assert_eq!((answer(&body), brought(&body)), ((ErrorCode::NotLeaderOrFollower, 6, Some(2)), 0));
    }
}

#[test]
fn c57_an_answer_to_a_follower_that_gave_up_is_ignored() {
    for form in FORMS {
        let mut lone = follower_of_1(form, 5);
        lone.sleep(FT - 1);
        let (_, fetch) = fetch_in_flight(&mut lone);
        lone.sleep(1);
        assert_eq!(lone.role(), RoleShape::Prospective);
        lone.answer(1, &fetch, fetched(fine(5, Some(1)), 0, records((5, 0), &[(5, 3)])));
        assert_eq!((lone.role(), lone.standing().end_offset), (RoleShape::Prospective, 0));
    }
}

#[test]
fn c58_an_answer_of_the_last_leader_is_ignored() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(5, Some(1), None).start();
        lone.run();
        let (_, fetch) = fetch_in_flight(&mut lone);
        lone.request(2, begin_quorum(6, 2));
        lone.answer(1, &fetch, fetched(fine(5, Some(1)), 0, records((5, 0), &[(5, 3)])));
        assert_eq!(lone.standing().leader, Some(ReplicaId(2)));
        assert_eq!(lone.standing().end_offset, 0);
    }
}

#[test]
fn c59_a_follower_whose_leader_is_out_of_reach_asks_a_bootstrap_server() {
    for form in FORMS {
        for times_out in [false, true] {
            let mut lone = Given::voter(3, form)
                .stored(5, Some(1), None)
                .set(|settings| settings.bootstrap = Bootstrap::Voters)
                .start();
            lone.run();
            let (to, fetch) = fetch_in_flight(&mut lone);
            assert_eq!(to, 1);
            if times_out {
                lone.sleep(RT);
            } else {
                let error = Answer { error: ErrorCode::BrokerNotAvailable, ..fine(5, Some(1)) };
                lone.answer(1, &fetch, fetched(error, -1, None));
            }
            // Bootstrap servers are the voters under their own ids; the draw of 0 asks the local node.
            let (to, fetch) = fetch_in_flight(&mut lone);
            assert_eq!(to, 0, "times out: {times_out}");
            assert!(matches!(fetch.body, Body::FetchRequest { epoch: 5, .. }));
        }
    }
}

#[test]
fn c60_one_fetch_at_a_time() {
    for form in FORMS {
        let mut lone = Given::observer(2, form)
            .stored(5, Some(1), None)
            .set(|settings| settings.bootstrap = Bootstrap::Voters)
            .start();
        lone.run();
        assert_eq!(lone.take_sent().len(), 1);
        lone.sleep(RT);
        assert_eq!(lone.take_sent().len(), 1, "to a bootstrap server");
        lone.sleep(RT - 1);
        assert_eq!(lone.take_sent().len(), 0);
        lone.sleep(1);
        assert_eq!(lone.take_sent().len(), 1);
    }
}

#[test]
fn c61_a_voter_flushes_what_it_fetched_and_an_observer_that_stays_one_does_not() {
    for form in FORMS {
        let observer = Given::observer(2, form).stored(5, Some(1), None).start();
        for (mut lone, flushed) in [(follower_of_1(form, 5), 2), (observer, 0)] {
            lone.run();
            let (_, fetch) = fetch_in_flight(&mut lone);
            lone.answer(1, &fetch, fetched(fine(5, Some(1)), 0, records((5, 0), &[(5, 2)])));
            assert_eq!((lone.standing().end_offset, lone.replica().flushed()), (2, flushed));
        }
    }
}

#[test]
fn c62_the_high_watermark_comes_with_the_answers() {
    for form in FORMS {
        let mut lone = follower_of_1(form, 5);
        let mut carried = Vec::new();
        for (told, runs, known) in [(0, &[][..], 0), (0, &[(5, 2)][..], 0), (2, &[][..], 2)] {
            let (_, fetch) = fetch_in_flight(&mut lone);
            if let Body::FetchRequest { high_watermark, .. } = fetch.body {
                carried.push(high_watermark);
            }
            lone.answer(1, &fetch, fetched(fine(5, Some(1)), told, records((5, 0), runs)));
            assert_eq!(high_watermark(&lone), Some(known));
        }
        assert_eq!(carried, [-1, 0, 0]);
        assert_eq!(lone.standing().end_offset, 2);
    }
}

#[test]
fn c63_a_log_that_diverges_is_cut_and_fetched_anew() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(5, Some(1), None).batches(3, &[2, 1]).start();
        lone.run();
        let (_, fetch) = fetch_in_flight(&mut lone);
        assert!(matches!(fetch.body, Body::FetchRequest { epoch: 5, offset: 3, last_epoch: 3, .. }));
        let outcome = FetchOutcome::Diverging(EpochEnd { epoch: 3, end_offset: 2 });
        lone.answer(1, &fetch, Body::FetchResponse { answer: fine(5, Some(1)), high_watermark: 1, outcome });
        assert_eq!(lone.standing().end_offset, 2);
        let (_, fetch) = fetch_in_flight(&mut lone);
        assert!(matches!(fetch.body, Body::FetchRequest { epoch: 5, offset: 2, last_epoch: 3, .. }));
    }
}

#[test]
fn c64_an_only_voter_commits_as_it_writes() {
    for form in FORMS {
        let mut lone = Lone::leader(1, form, 1);
        assert_eq!(high_watermark(&lone), Some(1));
        append(&mut lone, 3);
        assert_eq!(high_watermark(&lone), Some(4));
    }
}

#[test]
fn c65_a_new_leader_hears_it_leads_once_its_first_record_is_committed() {
    for form in FORMS {
        let given = Given::voter(2, form).log(&[(1, 3), (1, 3), (2, 3)]).stored(4, None, None);
        let mut lone = given.lead();
        assert_eq!(lone.standing().end_offset, 10);
        lone.request(1, fetch(5, 3, 1));
        assert_eq!(lone.replica().listener().heard(), Some((5, None)));
        assert_eq!(lone.replica().listener().next_offset(), 0);
        lone.request(1, fetch(5, 10, 5));
        assert_eq!(high_watermark(&lone), Some(10));
        assert_eq!(lone.replica().listener().next_offset(), 10);
        assert_eq!(lone.replica().listener().heard(), Some((5, Some(ReplicaId(0)))));
    }
}

#[test]
fn c66_the_claim_comes_after_the_commit_of_offset_0() {
    for form in FORMS {
        let mut lone = Lone::leader(2, form, 1);
        lone.request(1, fetch(1, 0, 0));
        assert_eq!((lone.replica().listener().next_offset(), lone.replica().listener().heard()), (0, Some((1, None))));
        lone.request(1, fetch(1, 1, 1));
        assert_eq!(lone.replica().listener().next_offset(), 1);
        assert_eq!(lone.replica().listener().heard(), Some((1, Some(ReplicaId(0)))));
    }
}

#[test]
fn c67_a_former_leader_keeps_its_high_watermark_and_is_no_leader() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).log(&[(6, 9)]).stored(6, None, None).lead();
        lone.request(1, fetch(7, 10, 7));
        assert_eq!(high_watermark(&lone), Some(10));
        assert!(granted(&lone.request(1, vote(8, (10, 7)))));
        assert_eq!((lone.role(), high_watermark(&lone)), (RoleShape::Unattached, Some(10)));
        assert_eq!(lone.replica().listener().next_offset(), 10);
        assert_eq!(lone.replica().listener().heard(), Some((8, None)));
    }
}

#[test]
fn c68_a_resigned_node_tells_its_state_machine_nothing() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(7, Some(0), None).start();
        lone.run();
        assert_eq!((lone.role(), lone.replica().listener().heard()), (RoleShape::Resigned, None));
    }
}

#[test]
fn c69_appended_records_linger() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).set(|settings| settings.linger_ms = 50).lead();
        append(&mut lone, 1);
        assert_eq!(lone.left_ms(TimerKind::Linger), Some(50));
        lone.sleep(20);
        assert_eq!(lone.left_ms(TimerKind::Linger), Some(30));
        assert_eq!(lone.standing().end_offset, 1);
        lone.sleep(30);
        assert_eq!(lone.standing().end_offset, 2);
    }
}

#[test]
fn c70_what_lingers_is_given_up_with_leadership() {
    for form in FORMS {
        let up_to_date = (vote(2, (1, 1)), RoleShape::Unattached, Some(ReplicaId(1)));
        let behind = (vote(2, (0, 0)), RoleShape::Unattached, None);
        for (body, role, voted) in [(begin_quorum(2, 1), RoleShape::Follower, None), up_to_date, behind] {
            let mut lone = Given::voter(2, form).set(|settings| settings.linger_ms = 50).lead();
            append(&mut lone, 1);
            assert_eq!(lone.replica().waiting_records(), 1);
            lone.request(1, body);
            assert_eq!((lone.role(), lone.standing().voted), (role, voted));
            assert_eq!(lone.replica().waiting_records(), 0);
            lone.sleep(100);
            assert_eq!(lone.standing().end_offset, 1, "never written");
        }
    }
}

#[test]
fn c71_a_voter_that_fetched_is_not_told_again() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).start();
        lone.run();
        lone.win();
        let told = lone.take_sent();
        assert!(matches!(told[..], [(ReplicaId(1), KRaftMessage { body: Body::BeginQuorumEpochRequest { .. }, .. })]));
        lone.request(1, fetch(1, 0, 0));
        lone.sleep(RT);
        assert_eq!(lone.asked(|body| matches!(body, Body::BeginQuorumEpochRequest { .. })), [0; 0]);
    }
}

#[test]
fn c72_a_follower_that_comes_back_with_less_is_reported_by_its_batch() {
    for form in FORMS {
        let mut lone = Lone::leader(2, form, 1);
        append(&mut lone, 2);
        lone.request(1, fetch(1, 3, 1));
        assert_eq!(high_watermark(&lone), Some(3));
        lone.request(1, fetch(1, 2, 1));
        assert_eq!(high_watermark(&lone), Some(3));
        let described = lone.describe_quorum().expect("it leads");
        assert_eq!(described.voters[1].log_end_offset, Some(1), "the batch [1, 2] begins there");
        assert_eq!((described.high_watermark, described.epoch, described.leader), (Some(3), 1, ReplicaId(0)));
    }
}

#[test]
fn c73_an_observer_that_does_not_fetch_is_forgotten() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).beside_an_observer().lead();
        lone.request(2, fetch(1, 0, 0));
        for _ in 0..11 {
            lone.sleep(25_000);
            lone.request(1, fetch(1, 1, 1));
        }
        lone.sleep(24_999);
        assert_eq!(lone.describe_quorum().expect("it leads").observers.len(), 1);
        lone.sleep(1);
        let described = lone.describe_quorum().expect("it leads");
        assert!(described.observers.is_empty());
        assert_eq!(described.voters.len(), 2);
        // An id that is no replica's is served and kept nowhere.
        lone.request(9, fetch(1, 0, 0));
        assert!(lone.describe_quorum().expect("it leads").observers.is_empty());
    }
}

#[test]
fn c74_only_a_leader_describes_the_quorum() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(2, None, None).start();
        lone.run();
        assert_eq!(lone.describe_quorum(), Err(ErrorCode::NotLeaderOrFollower));
    }
}

#[test]
fn c75_requests_of_another_cluster_are_refused() {
    for form in FORMS {
        for (cluster, error) in [
            (ClusterId::Other, ErrorCode::InconsistentClusterId),
            (ClusterId::Unnamed, ErrorCode::None),
            (ClusterId::Ours, ErrorCode::None),
        ] {
            let address = Address { cluster, ..Address::default() };
            let mut leader = Lone::leader(2, form, 1);
            for body in [fetch(1, 0, 0), vote(1, (0, 0)), begin_quorum(2, 1)] {
                assert_eq!(answer(&leader.request_for(address, 1, body)).0, error, "{cluster:?}");
            }
            let moved = leader.standing().epoch == 2;
            assert_eq!(moved, cluster != ClusterId::Other, "a request of another cluster moves nothing");
        }
    }
}

#[test]
fn a_high_watermark_that_falls_is_a_fault() {
    for form in FORMS {
        let mut lone = follower_of_1(form, 5);
        let (_, fetch) = fetch_in_flight(&mut lone);
        lone.answer(1, &fetch, fetched(fine(5, Some(1)), 2, records((5, 0), &[(5, 2)])));
        let (_, fetch) = fetch_in_flight(&mut lone);
        lone.answer(1, &fetch, fetched(fine(5, Some(1)), 1, None));
        let fault = lone.failure().map(|failure| failure.fault);
        assert_eq!(fault, Some(Fault::HighWatermarkBack { from: 2, to: 1 }));
    }
}
