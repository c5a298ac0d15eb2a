//! Q01 to Q26: what is stored and how roles follow each other, with an election timeout of 5,000 ms and a fetch timeout
//! of 10,000 ms. Transitions that must not happen have no message that asks for them; `raft/kraft/transition_tests.rs`
//! tries them one by one.
//!
//! Left out: Q17, which names a second leader for one epoch, and so cannot come about here.

use super::lone::{FORMS, Given, Lone, begin_quorum, fetch, fine, granted, pre_vote, vote};
use raftwerk::raft::kraft::{Answer, Body, ErrorCode, Role};
use raftwerk::raft::{Fault, Form, Replica, ReplicaId, RoleShape, TimerKind};

const ET: u64 = 5_000;
const FT: u64 = 10_000;

fn given(voters: u8, form: Form) -> Given {
    Given::voter(voters, form).set(|settings| {
        settings.election_timeout_ms = 5_000;
        settings.fetch_timeout_ms = 10_000;
    })
}

fn at(lone: &Lone) -> (RoleShape, u32) {
    (lone.role(), lone.standing().epoch)
}

/// (leader, vote, epoch) as stored.
fn stored(lone: &Lone) -> (Option<u8>, Option<u8>, u32) {
    let record = lone.replica().stored();
    (record.leader.map(|id| id.0), record.voted.map(|id| id.0), record.epoch)
}

fn started(given: Given) -> Lone {
    let mut lone = given.start();
    lone.run();
    lone
}

#[test]
fn q01_q05_unattached_from_the_store() {
    for form in FORMS {
        for voted in [None, Some(1)] {
            let lone = started(given(3, form).part(2_500).stored(5, None, voted));
            assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Unattached, 5), (None, voted, 5)));
            assert_eq!(lone.left_ms(TimerKind::Election), Some(7_500));
        }
    }
}

#[test]
fn q02_q03_follower_from_the_store() {
    for form in FORMS {
        for voted in [None, Some(2)] {
            let lone = started(given(3, form).stored(5, Some(1), voted));
            assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Follower, 5), (Some(1), voted, 5)));
            assert_eq!(lone.left_ms(TimerKind::Fetch), Some(10_000));
        }
    }
}

#[test]
fn q04_a_stored_leader_that_is_unknown_is_kept() {
    for form in FORMS {
        let lone = started(given(3, form).stored(5, Some(3), None));
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Unattached, 5), (Some(3), None, 5)));
    }
}

#[test]
fn q06_candidate_from_the_store() {
    for form in FORMS {
        let lone = started(given(3, form).part(2_500).stored(5, None, Some(0)));
        assert_eq!(at(&lone), (RoleShape::Candidate, 5));
        let face = lone.replica().face();
        assert_eq!((face.granted.iter().collect::<Vec<_>>(), face.refused.len()), (vec![ReplicaId(0)], 0));
        assert_eq!(lone.left_ms(TimerKind::Election), Some(7_500));
    }
}

#[test]
fn q07_resigned_from_the_store() {
    for form in FORMS {
        let lone = started(given(3, form).part(2_500).stored(5, Some(0), None));
        assert_eq!(at(&lone), (RoleShape::Resigned, 5));
        let Role::Resigned { unacked, .. } = lone.replica().role() else { panic!("it is resigned") };
        assert_eq!(unacked.iter().map(|id| id.0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(lone.left_ms(TimerKind::Election), Some(7_500));
    }
}

#[test]
fn q08_the_log_may_be_ahead_of_the_store() {
    for form in FORMS {
        let lone = started(given(3, form).log(&[(4, 1)]).stored(0, None, None));
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Unattached, 4), (None, None, 4)));
    }
}

#[test]
fn q10_a_higher_epoch_gives_no_new_timer() {
    for form in FORMS {
        let mut lone = started(given(3, form).part(2_500).stored(5, None, None));
        lone.sleep(1_000);
        // Behind, so that it gets no vote, and with it no new timer.
        let mut lone_with_log = started(given(3, form).part(2_500).log(&[(5, 2)]).stored(5, None, None));
        lone_with_log.sleep(1_000);
        assert!(!granted(&lone_with_log.request(1, vote(6, (1, 5)))));
        assert_eq!(at(&lone_with_log), (RoleShape::Unattached, 6));
        assert_eq!(lone_with_log.left_ms(TimerKind::Election), Some(6_500));
        assert!(granted(&lone.request(1, pre_vote(6, (1, 5)))), "a PreVote takes no vote");
        assert_eq!((at(&lone), lone.left_ms(TimerKind::Election)), ((RoleShape::Unattached, 6), Some(6_500)));
    }
}

#[test]
fn q11_a_vote_gives_a_new_timer() {
    for form in FORMS {
        let mut lone = started(given(3, form).part(2_500).stored(5, None, None));
        lone.sleep(1_000);
        assert!(granted(&lone.request(1, vote(5, (1, 1)))));
        assert_eq!(stored(&lone), (None, Some(1), 5));
        assert_eq!(lone.left_ms(TimerKind::Election), Some(7_500));
    }
}

#[test]
fn q13_q14_from_unattached_to_candidate() {
    for form in FORMS {
        let mut lone = started(given(2, form).part(2_500));
        lone.sleep(7_500);
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Prospective, 0), (None, None, 0)));
        assert_eq!(lone.left_ms(TimerKind::Election), Some(7_500));
        lone.set_part(3_000);
        let asked = lone.take_sent();
        lone.grant(1, &asked);
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Candidate, 1), (None, Some(0), 1)));
        assert_eq!(lone.left_ms(TimerKind::Election), Some(8_000));
    }
}

#[test]
fn q15_q16_a_vote_is_kept_through_the_epoch() {
    for form in FORMS {
        let mut lone = started(given(3, form).stored(0, None, Some(1)));
        lone.sleep(ET);
        assert_eq!(at(&lone), (RoleShape::Prospective, 0));
        lone.request(2, begin_quorum(0, 2));
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Follower, 0), (Some(2), Some(1), 0)));
        lone.sleep(FT);
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Prospective, 0), (Some(2), Some(1), 0)));

        let mut lone = started(given(3, form).stored(0, None, Some(1)));
        lone.sleep(ET);
        lone.sleep_only(ET);
        assert!(lone.poll());
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Unattached, 0), (None, Some(1), 0)));
    }
}

#[test]
fn q18_q19_from_candidate() {
    for form in FORMS {
        let start = || started(given(3, form).part(3_000).stored(1, None, Some(0)));
        let mut lone = start();
        lone.request(1, pre_vote(5, (0, 0)));
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Unattached, 5), (None, None, 5)));
        let mut lone = start();
        lone.request(1, begin_quorum(1, 1));
        assert_eq!(stored(&lone), (Some(1), Some(0), 1));
        let mut lone = start();
        lone.request(1, begin_quorum(5, 1));
        assert_eq!(stored(&lone), (Some(1), None, 5));
        let mut lone = start();
        lone.sleep(8_000);
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Prospective, 1), (None, Some(0), 1)));
        assert_eq!(lone.left_ms(TimerKind::Election), Some(8_000));
    }
}

#[test]
fn q20_a_majority_makes_a_leader_without_a_high_watermark() {
    for form in FORMS {
        let mut lone = started(given(2, form).stored(1, None, Some(0)));
        assert_eq!(at(&lone), (RoleShape::Candidate, 1));
        let asked = lone.take_sent();
        lone.grant(1, &asked);
        assert_eq!((at(&lone), lone.standing().committed), ((RoleShape::Leader, 1), None));
    }
}

#[test]
fn q21_a_leader_takes_a_higher_epoch() {
    for form in FORMS {
        let mut lone = given(2, form).lead();
        lone.request(1, pre_vote(5, (9, 1)));
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Unattached, 5), (None, None, 5)));
        let mut lone = given(2, form).lead();
        lone.request(1, begin_quorum(5, 1));
        assert_eq!((at(&lone), stored(&lone)), ((RoleShape::Follower, 5), (Some(1), None, 5)));
    }
}

#[test]
fn q22_a_follower_and_another_leader_of_its_epoch() {
    for form in FORMS {
        let mut lone = started(given(3, form).stored(8, Some(2), None));
        lone.request(2, begin_quorum(8, 2));
        assert_eq!((at(&lone), lone.failure()), ((RoleShape::Follower, 8), None));
        assert!(!granted(&lone.request(1, vote(8, (9, 1)))), "no vote in an epoch that has a leader");
        lone.request_later(1, begin_quorum(8, 1));
        lone.run();
        let fault = lone.failure().map(|failure| failure.fault);
        assert_eq!(fault, Some(Fault::ContradictoryLeader { epoch: 8 }));
    }
}

#[test]
fn q23_the_high_watermark_is_carried_up_to_leadership() {
    for form in FORMS {
        let mut disk = Given::voter(2, form).log(&[(5, 10)]).taken_disk();
        disk.high_watermark = Some(10);
        let mut lone = started(given(2, form).disk(disk).stored(5, Some(1), None));
        let known = |lone: &Lone| lone.standing().committed;
        assert_eq!((lone.role(), known(&lone)), (RoleShape::Follower, Some(10)));
        assert!(granted(&lone.request(1, vote(6, (10, 5)))));
        assert_eq!((lone.role(), known(&lone)), (RoleShape::Unattached, Some(10)));
        lone.sleep(ET);
        assert_eq!((lone.role(), known(&lone)), (RoleShape::Prospective, Some(10)));
        let asked = lone.take_sent();
        lone.grant(1, &asked);
        assert_eq!((lone.role(), known(&lone)), (RoleShape::Candidate, Some(10)));
        let asked = lone.take_sent();
        lone.grant(1, &asked);
        assert_eq!((lone.role(), known(&lone)), (RoleShape::Leader, None));
    }
}

#[test]
fn q24_nobody_follows_itself() {
    for form in FORMS {
        let mut lone = started(given(3, form).stored(5, None, None));
        lone.request_later(1, begin_quorum(6, 0));
        lone.run();
        let fault = lone.failure().map(|failure| failure.fault);
        assert_eq!(fault, Some(Fault::ContradictoryLeader { epoch: 6 }));
    }
}

#[test]
fn q25_an_observer_that_loses_its_leader_waits_for_ever() {
    for form in FORMS {
        let mut lone = started(Given::observer(3, form).stored(5, Some(1), None));
        lone.request(2, pre_vote(6, (0, 0)));
        assert_eq!((at(&lone), lone.left_ms(TimerKind::Election)), ((RoleShape::Unattached, 6), None));
        assert!(granted(&lone.request(2, vote(6, (0, 0)))));
        lone.request(1, begin_quorum(6, 1));
        assert_eq!(at(&lone), (RoleShape::Follower, 6));
    }
}

#[test]
fn q26_from_resigned() {
    for form in FORMS {
        let start = || started(given(3, form).stored(5, Some(0), None));
        let mut lone = start();
        lone.request(1, pre_vote(6, (0, 0)));
        assert_eq!(at(&lone), (RoleShape::Unattached, 6));
        // A fetch answer that calls it leader changes nothing; another leader of its epoch is a fault (KAFKA-18379).
        let mut lone = start();
        lone.request(1, fetch(5, 0, 0));
        assert_eq!(at(&lone), (RoleShape::Resigned, 5));
        let told = lone.take_sent();
        let other = Answer { error: ErrorCode::None, ..fine(5, Some(0)) };
        lone.answer(1, &told[0].1, Body::EndQuorumEpochResponse { answer: other });
        assert_eq!((at(&lone), lone.failure()), ((RoleShape::Resigned, 5), None));
        lone.request_later(1, begin_quorum(5, 1));
        lone.run();
        assert_eq!(lone.failure().map(|failure| failure.fault), Some(Fault::ContradictoryLeader { epoch: 5 }));
    }
}
