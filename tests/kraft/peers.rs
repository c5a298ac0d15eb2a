//! KRaft cases of other test suites and of Kafka's bug reports: P36, P37, P38, P41 and P43.

use super::lone::{ET, FORMS, Given, Lone, answer, end_quorum, fetch, fetched, fine, granted, pre_vote, vote};
use raftwerk::raft::kraft::{Address, Body, ErrorCode, FetchOutcome};
use raftwerk::raft::{
    AppendError, EpochEnd, Form, Replica, ReplicaId, Request, RequestError, RoleShape, TaskError, TimerKind,
};

fn at(lone: &Lone) -> (RoleShape, u32) {
    (lone.role(), lone.standing().epoch)
}

fn started(given: Given) -> Lone {
    let mut lone = given.start();
    lone.run();
    lone
}

#[test]
fn p36_a_restarted_leader_starts_resigned() {
    for form in FORMS {
        let start = || started(Given::voter(2, form).stored(2, Some(0), None));
        let mut lone = start();
        assert_eq!(at(&lone), (RoleShape::Resigned, 2));
        let refused = lone.ask_now(Request::Append { epoch: 2, key: 0, value: 0, count: 1 });
        let why = RequestError::Append(AppendError::NotLeader { epoch: 2 });
        assert_eq!(refused, Err(TaskError::Refused(why)));
        let told = lone.take_sent();
        assert!(matches!(told[0].1.body, Body::EndQuorumEpochRequest { epoch: 2, .. }));
        lone.reply(1, told[0].1.clone(), |answer| Body::EndQuorumEpochResponse { answer });
        lone.sleep(6_000);
        assert_eq!(lone.take_sent().len(), 0, "not again once it is acknowledged");
        let body = lone.request(1, vote(2, (0, 0)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 2, Some(0)), false));
        let body = lone.request(1, vote(3, (0, 0)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 3, None), true));
        assert_eq!((at(&lone), lone.standing().voted), ((RoleShape::Unattached, 3), Some(ReplicaId(1))));

        let mut lone = start();
        let body = lone.request(1, pre_vote(2, (0, 0)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 2, Some(0)), true));
        lone.sleep_only(ET);
        assert!(lone.poll());
        assert_eq!((at(&lone), lone.left_ms(TimerKind::Election)), ((RoleShape::Unattached, 3), Some(0)));
        assert!(lone.poll());
        assert_eq!(at(&lone), (RoleShape::Prospective, 3));
    }
}

#[test]
fn p37_successors_wait_by_their_place() {
    for form in FORMS {
        let follower = || started(Given::voter(4, form).stored(2, Some(1), None));
        // (a)
        let mut lone = follower();
        assert_eq!(answer(&lone.request(1, end_quorum(2, 1, &[0]))), (ErrorCode::None, 2, Some(1)));
        assert_eq!((at(&lone), lone.replica().stored().leader), ((RoleShape::Prospective, 2), Some(ReplicaId(1))));
        // (b): 50 ms for the second of two, 25 and 50 ms for the second and third of three.
        for (successors, wait_ms) in [(&[2, 0][..], 50), (&[2, 0, 3][..], 25), (&[2, 3, 0][..], 50), (&[2, 3][..], 100)]
        {
            let mut lone = follower();
            lone.request(1, end_quorum(2, 1, successors));
            lone.sleep(wait_ms - 1);
            assert_eq!(at(&lone), (RoleShape::Follower, 2), "{successors:?}");
            lone.take_sent();
            lone.sleep(1);
            assert_eq!(at(&lone), (RoleShape::Prospective, 2), "{successors:?}");
            let asked = lone.take_sent();
            assert_eq!(asked.len(), 3);
            assert!(asked.iter().all(|(_, message)| matches!(
                message.body,
                Body::VoteRequest { epoch: 2, last_epoch: 0, last_offset: 0, pre_vote: true }
            )));
        }
        // (d): only the one that did not answer is told again, after the request timeout.
        let mut lone = started(Given::voter(3, form).stored(2, Some(0), None));
        let told = lone.take_sent();
        lone.reply(1, told[0].1.clone(), |answer| Body::EndQuorumEpochResponse { answer });
        lone.sleep(5_000);
        assert_eq!(lone.asked(|body| matches!(body, Body::EndQuorumEpochRequest { .. })), [2]);
        // (e)
        let mut leader = Lone::leader(3, form, 7);
        assert_eq!(answer(&leader.request(1, end_quorum(5, 1, &[0]))), (ErrorCode::FencedLeaderEpoch, 7, Some(0)));
        assert_eq!(at(&leader), (RoleShape::Leader, 7));
        let mut candidate = started(Given::voter(3, form).stored(7, None, Some(0)));
        assert_eq!(answer(&candidate.request(1, end_quorum(5, 1, &[0]))), (ErrorCode::FencedLeaderEpoch, 7, None));
        assert_eq!(at(&candidate), (RoleShape::Candidate, 7));
    }
}

/// The states of P38 in epoch 2, with what a PreVote of epoch 2 is answered: granted, and the leader named.
fn states(form: Form) -> Vec<(&'static str, Lone, bool, Option<u8>)> {
    let voter = || Given::voter(3, form);
    let mut fetched_once = started(voter().stored(2, Some(2), None));
    let sent = fetched_once.take_sent();
    fetched_once.answer(2, &sent[0].1, fetched(fine(2, Some(2)), 0, None));
    let mut prospective = started(voter().stored(2, None, None));
    prospective.sleep(ET);
    let mut resigned = Lone::leader(3, form, 2);
    resigned.ask_now(Request::Resign { epoch: 2 }).expect("it leads");
    vec![
        ("follower that has not fetched", started(voter().stored(2, Some(2), None)), true, Some(2)),
        ("follower that has fetched", fetched_once, false, Some(2)),
        ("candidate", started(voter().stored(2, None, Some(0))), true, None),
        ("prospective", prospective, true, None),
        ("unattached", started(voter().stored(2, None, None)), true, None),
        ("unattached that has voted", started(voter().stored(2, None, Some(2))), true, None),
        ("leader", Lone::leader(3, form, 2), false, Some(0)),
        ("resigned", resigned, true, Some(0)),
    ]
}

#[test]
fn p38_a_pre_vote_depends_on_whether_one_fetched() {
    for form in FORMS {
        for (name, mut lone, is_granted, leader) in states(form) {
            let before = lone.standing();
            let body = lone.request(1, pre_vote(1, (9, 1)));
            assert_eq!((answer(&body).0, granted(&body)), (ErrorCode::FencedLeaderEpoch, false), "{name}");
            for last in [(-1, 0), (0, -1), (0, 3)] {
                let body = lone.request(1, pre_vote(2, last));
                assert_eq!(answer(&body), (ErrorCode::InvalidRequest, 2, leader), "{name} {last:?}");
            }
            let body = lone.request(1, pre_vote(2, (9, 2)));
            assert_eq!((granted(&body), answer(&body).2), (is_granted, leader), "{name}");
            if is_granted {
                for asker in [1, 2] {
                    assert!(granted(&lone.request(asker, pre_vote(2, (9, 2)))), "{name}, again");
                }
            }
            assert_eq!(lone.standing(), before, "{name}");
            let body = lone.request(1, pre_vote(3, (9, 2)));
            assert_eq!((granted(&body), answer(&body)), (true, (ErrorCode::None, 3, None)), "{name}");
            assert_eq!((at(&lone), lone.standing().voted), ((RoleShape::Unattached, 3), None), "{name}");
        }
        let mut lone = started(Given::voter(3, form).log(&[(2, 3)]).stored(2, None, None));
        assert!(!granted(&lone.request(1, pre_vote(2, (1, 2)))), "its log is behind");
        // A voter key that is not ours: the epoch is taken over first.
        let body = lone.request_for(Address::of(ReplicaId(9)), 1, pre_vote(3, (9, 2)));
        assert_eq!(answer(&body), (ErrorCode::InvalidVoterKey, 3, None));
    }
}

#[test]
fn p41_the_high_watermark_needs_the_leaders_first_record() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).log(&[(4, 10)]).stored(4, None, None).lead();
        lone.ask_now(Request::Append { epoch: 5, key: 0, value: 0, count: 2 }).expect("it leads");
        assert_eq!(lone.standing().end_offset, 13);
        for (offset, last_epoch, known) in [(10, 4, None), (11, 5, Some(11)), (13, 5, Some(13)), (11, 5, Some(13))] {
            lone.request(1, fetch(5, offset, last_epoch));
            assert_eq!(lone.standing().committed, known, "fetched at {offset}");
        }
    }
}

#[test]
fn p43_diverging_logs_are_cut_by_epochs() {
    for form in FORMS {
        // a: the leader names its largest epoch that is not above the follower's.
        let mut leader = Given::voter(2, form).log(&[(1, 3), (3, 3), (5, 3)]).stored(5, None, None).lead();
        let asked =
            Body::FetchRequest { epoch: 6, offset: 6, last_epoch: 2, high_watermark: i64::MAX, max_wait_ms: 500 };
        let body = leader.request(1, asked);
        let known = EpochEnd { epoch: 1, end_offset: 3 };
        assert!(matches!(body, Body::FetchResponse { outcome: FetchOutcome::Diverging(it), .. } if it == known));
        // b: the follower cuts, and asks again from there.
        let mut lone = started(Given::voter(2, form).batches(3, &[2, 1]).stored(5, Some(1), None));
        let sent = lone.take_sent();
        let outcome = FetchOutcome::Diverging(EpochEnd { epoch: 3, end_offset: 2 });
        lone.answer(1, &sent[0].1, Body::FetchResponse { answer: fine(5, Some(1)), high_watermark: -1, outcome });
        assert_eq!(lone.replica().log().end_offset(), 2);
        let sent = lone.take_sent();
        assert!(matches!(sent[0].1.body, Body::FetchRequest { offset: 2, last_epoch: 3, .. }), "{sent:?}");
    }
}
