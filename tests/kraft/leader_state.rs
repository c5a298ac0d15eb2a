//! L01 to L14: what a leader knows of its followers, with a fetch timeout of 2,000 ms; so check-quorum is 3,000 ms and the
//! BeginQuorumEpoch period 1,000 ms.

use super::lone::{FORMS, Given, Lone, answer, fetch, granted, pre_vote, vote};
use raftwerk::raft::kraft::{Body, ErrorCode};
use raftwerk::raft::{Form, Request, RoleShape, TimerKind};

fn leader(voters: u8, epoch_start: u8, form: Form) -> Lone {
    leader_of(Given::voter(voters, form), epoch_start)
}

fn leader_of(given: Given, epoch_start: u8) -> Lone {
    let given = given.set(|settings| settings.fetch_timeout_ms = 2_000).log(&[(4, epoch_start)]);
    let lone = given.stored(4, None, None).lead();
    assert_eq!(lone.standing().epoch, 5);
    lone
}

/// Lets the leader's end offset be `end`.
fn local(lone: &mut Lone, end: u64) -> Option<u64> {
    let count = u8::try_from(end - lone.standing().end_offset).expect("it grows a little");
    if count > 0 {
        lone.ask_now(Request::Append { epoch: 5, key: 1, value: 1, count }).expect("it leads");
    }
    assert_eq!(lone.standing().end_offset, end);
    lone.standing().committed
}

/// A fetch of `from` at `offset`; the epoch before it is that of the record there.
fn fetches(lone: &mut Lone, from: u8, offset: u64) -> Option<u64> {
    use raftwerk::raft::Replica;
    let before = offset.checked_sub(1).and_then(|last| lone.replica().log().get(last));
    let last_epoch = before.map_or(0, |entry| entry.epoch);
    let signed = |value: u64| i64::try_from(value).expect("small");
    let body = lone.request(from, fetch(5, signed(offset), i32::try_from(last_epoch).expect("small")));
    assert_eq!(answer(&body).0, ErrorCode::None);
    lone.standing().committed
}

#[test]
fn l01_an_only_voter_commits_its_own_first_record() {
    for form in FORMS {
        // Before its first poll: nothing of its epoch is in the log, and so nothing is committed.
        let given = Given::voter(1, form).log(&[(4, 15)]).stored(4, None, None);
        let mut lone = given.start();
        assert_eq!((lone.standing().end_offset, lone.standing().committed), (15, None));
        lone.run();
        assert_eq!((lone.standing().end_offset, lone.standing().committed), (16, Some(16)));
        assert_eq!(local(&mut lone, 20), Some(20));
    }
}

#[test]
fn l02_two_voters() {
    for form in FORMS {
        let mut lone = leader(2, 10, form);
        assert_eq!(local(&mut lone, 13), None);
        assert_eq!(fetches(&mut lone, 1, 10), None);
        assert_eq!(fetches(&mut lone, 1, 11), Some(11));
        assert_eq!(fetches(&mut lone, 1, 13), Some(13));
    }
}

#[test]
fn l03_three_voters() {
    for form in FORMS {
        let mut lone = leader(3, 10, form);
        assert_eq!(local(&mut lone, 15), None);
        assert_eq!(fetches(&mut lone, 1, 10), None);
        assert_eq!(fetches(&mut lone, 2, 10), None);
        assert_eq!(fetches(&mut lone, 2, 15), Some(15));
        assert_eq!(local(&mut lone, 20), Some(15));
        assert_eq!(fetches(&mut lone, 1, 20), Some(20));
        assert_eq!(fetches(&mut lone, 2, 20), Some(20));
    }
}

#[test]
fn l08_a_fetch_at_a_lower_offset_takes_nothing_back() {
    for form in FORMS {
        let mut lone = leader(2, 0, form);
        local(&mut lone, 10);
        assert_eq!(fetches(&mut lone, 1, 10), Some(10));
        // Every record here is a batch of nine; the row's 5 is its beginning.
        assert_eq!(fetches(&mut lone, 1, 5), Some(10));
    }
}

#[test]
fn l09_successors_by_how_far_they_are() {
    for form in FORMS {
        let mut lone = leader(3, 10, form);
        local(&mut lone, 15);
        fetches(&mut lone, 1, 10);
        fetches(&mut lone, 2, 15);
        lone.take_sent();
        lone.ask_now(Request::Resign { epoch: 5 }).expect("it leads");
        let told = lone.take_sent();
        assert_eq!(told.len(), 2);
        for (_, message) in told {
            let Body::EndQuorumEpochRequest { successors, .. } = message.body else { panic!("{message:?}") };
            assert_eq!(successors.iter().map(|id| id.0).collect::<Vec<_>>(), [2, 1]);
        }
    }
}

#[test]
fn l10_check_quorum_starts_again_when_a_majority_has_fetched() {
    for form in FORMS {
        let mut lone = leader_of(Given::voter(5, form).beside_an_observer(), 0);
        lone.sleep(1_500);
        fetches(&mut lone, 1, 0);
        fetches(&mut lone, 2, 0);
        assert_eq!(lone.left_ms(TimerKind::CheckQuorum), Some(3_000));
        lone.sleep(1_500);
        fetches(&mut lone, 3, 0);
        fetches(&mut lone, 5, 0);
        assert_eq!(lone.left_ms(TimerKind::CheckQuorum), Some(1_500), "an observer does not count");
        lone.sleep(1_500);
        assert_eq!(lone.role(), RoleShape::Resigned);
    }
}

#[test]
fn l11_each_voter_counts_once() {
    for form in FORMS {
        let mut lone = leader(5, 0, form);
        lone.sleep(1_500);
        fetches(&mut lone, 1, 0);
        fetches(&mut lone, 1, 0);
        assert_eq!(lone.left_ms(TimerKind::CheckQuorum), Some(1_500));
        fetches(&mut lone, 2, 0);
        assert_eq!(lone.left_ms(TimerKind::CheckQuorum), Some(3_000));
    }
}

#[test]
fn l12_an_only_voter_has_no_check_quorum() {
    for form in FORMS {
        assert_eq!(leader(1, 0, form).left_ms(TimerKind::CheckQuorum), None);
    }
}

#[test]
fn l13_begin_quorum_epoch_comes_at_once_and_then_by_its_period() {
    for form in FORMS {
        let mut lone = leader(2, 0, form);
        assert_eq!(lone.left_ms(TimerKind::BeginQuorumEpoch), Some(1_000));
        lone.sleep(5);
        assert_eq!(lone.left_ms(TimerKind::BeginQuorumEpoch), Some(995));
        lone.sleep(995);
        assert_eq!(lone.asked(|body| matches!(body, Body::BeginQuorumEpochRequest { .. })), [1]);
        assert_eq!(lone.left_ms(TimerKind::BeginQuorumEpoch), Some(1_000));
    }
}

#[test]
fn l14_a_leader_votes_for_nobody() {
    for form in FORMS {
        let mut lone = leader(3, 0, form);
        for last in [(0, 0), (99, 4)] {
            for asker in [1, 2] {
                assert!(!granted(&lone.request(asker, vote(5, last))));
                assert!(!granted(&lone.request(asker, pre_vote(5, last))));
            }
        }
        assert_eq!(lone.role(), RoleShape::Leader);
    }
}
