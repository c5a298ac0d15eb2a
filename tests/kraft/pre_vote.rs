//! V01 to V15 and F01 to F03: PreVote, and what a follower appends.

use super::lone::{ET, FORMS, Given, Lone, answer, begin_quorum, fetched, fine, granted, pre_vote, records};
use raftwerk::raft::kraft::{Answer, Body, ErrorCode, KRaftMessage};
use raftwerk::raft::{Form, ReplicaId, RoleShape, TimerKind};

const FT: u64 = 50_000;

fn at(lone: &Lone) -> (RoleShape, u32) {
    (lone.role(), lone.standing().epoch)
}

fn follower_of_2(form: Form) -> Lone {
    let mut lone = Given::voter(3, form).stored(2, Some(2), None).start();
    lone.run();
    lone
}

fn having_fetched(form: Form) -> Lone {
    let mut lone = follower_of_2(form);
    let sent = lone.take_sent();
    lone.answer(2, &sent[0].1, fetched(fine(2, Some(2)), 0, None));
    lone
}

#[test]
fn v01_a_follower_that_has_not_fetched_grants() {
    for form in FORMS {
        let mut lone = follower_of_2(form);
        let before = lone.replica().stored();
        let body = lone.request(1, pre_vote(2, (1, 2)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 2, Some(2)), true));
        assert_eq!((lone.replica().stored(), at(&lone)), (before, (RoleShape::Follower, 2)));
    }
}

#[test]
fn v02_a_follower_that_has_fetched_refuses() {
    for form in FORMS {
        for asker in [1, 3] {
            let mut lone = having_fetched(form);
            assert!(!granted(&lone.request(asker, pre_vote(2, (1, 2)))));
        }
    }
}

#[test]
fn v03_a_pre_vote_of_a_higher_epoch_moves_the_epoch() {
    for form in FORMS {
        let mut lone = having_fetched(form);
        let body = lone.request(1, pre_vote(3, (1, 3)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 3, None), true));
        assert_eq!((at(&lone), lone.standing().voted), ((RoleShape::Unattached, 3), None));
    }
}

#[test]
fn v04_a_candidate_grants_pre_votes() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(2, None, Some(0)).start();
        lone.run();
        assert!(granted(&lone.request(1, pre_vote(2, (1, 2)))));
        assert_eq!((at(&lone), lone.standing().voted), ((RoleShape::Candidate, 2), Some(ReplicaId(0))));
        assert!(granted(&lone.request(1, pre_vote(3, (1, 2)))));
        assert_eq!(at(&lone), (RoleShape::Unattached, 3));
    }
}

#[test]
fn v05_one_that_has_voted_grants_pre_votes_to_all() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(2, None, Some(2)).start();
        lone.run();
        for asker in [1, 1, 2, 3] {
            assert!(granted(&lone.request(asker, pre_vote(2, (1, 2)))));
        }
        assert_eq!(lone.replica().stored().voted, Some(ReplicaId(2)));
    }
}

#[test]
fn v06_a_leader_refuses() {
    for form in FORMS {
        let mut lone = Lone::leader(2, form, 1);
        let body = lone.request(1, pre_vote(1, (9, 1)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 1, Some(0)), false));
    }
}

#[test]
fn v07_a_resigned_leader_grants() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(2, Some(0), None).start();
        lone.run();
        let body = lone.request(1, pre_vote(2, (0, 0)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 2, Some(0)), true));
        assert!(granted(&lone.request(1, pre_vote(3, (0, 0)))));
        assert_eq!(at(&lone), (RoleShape::Unattached, 3));
    }
}

#[test]
fn v08_an_old_epoch_is_fenced_and_a_log_behind_is_refused() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).log(&[(2, 3)]).stored(2, None, None).start();
        lone.run();
        assert_eq!(answer(&lone.request(1, pre_vote(1, (3, 1)))).0, ErrorCode::FencedLeaderEpoch);
        let body = lone.request(1, pre_vote(2, (2, 1)));
        assert_eq!((answer(&body).0, granted(&body)), (ErrorCode::None, false));
    }
}

fn prospective(voters: u8, form: Form) -> Lone {
    let mut lone = Given::voter(voters, form).stored(5, None, None).start();
    lone.run();
    lone.sleep(ET);
    assert_eq!(at(&lone), (RoleShape::Prospective, 5));
    lone
}

#[test]
fn v09_a_voter_without_pre_vote_lets_the_election_go_on_without() {
    for form in FORMS {
        let mut lone = prospective(3, form);
        let asked = lone.take_sent();
        assert_eq!(asked.len(), 2);
        let unsupported = Answer { error: ErrorCode::UnsupportedVersion, ..fine(0, None) };
        lone.answer(1, &asked[0].1, Body::VoteResponse { answer: unsupported, granted: false });
        assert_eq!(at(&lone), (RoleShape::Candidate, 6));
        lone.answer(2, &asked[1].1, Body::VoteResponse { answer: fine(5, None), granted: true });
        assert_eq!(at(&lone), (RoleShape::Candidate, 6));
    }
}

#[test]
fn v10_a_pre_vote_that_is_lost_without_a_leader() {
    for form in FORMS {
        for is_refused in [false, true] {
            let mut lone = prospective(2, form);
            let asked = lone.take_sent();
            if is_refused {
                lone.answer_votes(&asked, false);
            } else {
                lone.sleep_only(ET);
                assert!(lone.poll());
            }
            assert_eq!(at(&lone), (RoleShape::Unattached, 5));
            lone.sleep(ET);
            assert_eq!(at(&lone), (RoleShape::Prospective, 5));
        }
    }
}

#[test]
fn v11_a_pre_vote_that_is_lost_with_a_leader() {
    for form in FORMS {
        let start = || {
            let mut lone = Given::voter(3, form).stored(5, Some(1), None).start();
            lone.run();
            lone.sleep(FT);
            assert_eq!(at(&lone), (RoleShape::Prospective, 5));
            let sent = lone.take_sent();
            let is_asked = |sent: &&(ReplicaId, KRaftMessage)| matches!(sent.1.body, Body::VoteRequest { .. });
            let asked: Vec<_> = sent.iter().filter(is_asked).cloned().collect();
            (lone, asked)
        };
        let (mut lone, _) = start();
        lone.sleep(ET);
        assert_eq!((at(&lone), lone.standing().leader), ((RoleShape::Follower, 5), Some(ReplicaId(1))));
        assert_eq!(lone.asked(|body| matches!(body, Body::FetchRequest { .. })), [1]);

        let (mut lone, asked) = start();
        lone.answer_votes(&asked, false);
        assert_eq!((at(&lone), lone.standing().leader), ((RoleShape::Follower, 5), Some(ReplicaId(1))));

        let (mut lone, asked) = start();
        let fenced = Answer { error: ErrorCode::FencedLeaderEpoch, ..fine(6, Some(2)) };
        lone.answer(2, &asked[1].1, Body::VoteResponse { answer: fenced, granted: false });
        assert_eq!((at(&lone), lone.standing().leader), ((RoleShape::Follower, 6), Some(ReplicaId(2))));
    }
}

#[test]
fn v12_a_stored_leader_that_is_no_voter_cannot_be_followed() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(2, Some(3), None).start();
        lone.run();
        let leader = Some(ReplicaId(3));
        assert_eq!((at(&lone), lone.standing().leader), ((RoleShape::Unattached, 2), leader));
        lone.sleep_only(ET);
        assert!(lone.poll());
        assert_eq!(at(&lone), (RoleShape::Prospective, 2));
        lone.run();
        lone.sleep_only(ET);
        assert!(lone.poll());
        assert_eq!((at(&lone), lone.standing().leader), ((RoleShape::Unattached, 2), leader));
        lone.run();
        lone.sleep(ET);
        assert_eq!(at(&lone), (RoleShape::Prospective, 2));
    }
}

#[test]
fn v13_a_granted_pre_vote_that_names_a_leader_is_followed() {
    for form in FORMS {
        let mut lone = prospective(2, form);
        let asked = lone.take_sent();
        lone.answer(1, &asked[0].1, Body::VoteResponse { answer: fine(5, Some(1)), granted: true });
        assert_eq!((at(&lone), lone.standing().leader), ((RoleShape::Follower, 5), Some(ReplicaId(1))));
    }
}

#[test]
fn v14_a_prospective_follows_a_leader_it_did_not_know() {
    for form in FORMS {
        let mut lone = prospective(2, form);
        lone.request(1, begin_quorum(5, 1));
        assert_eq!(at(&lone), (RoleShape::Follower, 5));

        let mut lone = Given::voter(2, form).stored(5, Some(1), None).start();
        lone.run();
        lone.sleep(FT);
        let body = lone.request(1, begin_quorum(5, 1));
        assert_eq!(answer(&body), (ErrorCode::None, 5, Some(1)));
        assert_eq!(at(&lone), (RoleShape::Prospective, 5), "it knows that leader and stays");
    }
}

#[test]
fn v15_pre_votes_that_contradict_themselves() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(5, Some(1), None).start();
        lone.run();
        for last in [(-5, 0), (0, -1), (0, 6)] {
            assert_eq!(answer(&lone.request(1, pre_vote(5, last))), (ErrorCode::InvalidRequest, 5, Some(1)));
        }
        assert!(granted(&lone.request(1, pre_vote(5, (0, 5)))), "the last epoch may be the request's");
        assert_eq!((at(&lone), lone.standing().leader), ((RoleShape::Follower, 5), Some(ReplicaId(1))));
    }
}

#[test]
fn f01_records_of_a_later_epoch_are_not_appended() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(2, Some(1), None).start();
        lone.run();
        let sent = lone.take_sent();
        lone.answer(1, &sent[0].1, fetched(fine(2, Some(1)), 0, records((2, 0), &[(2, 10), (3, 10)])));
        assert_eq!(lone.standing().end_offset, 10);
        assert_eq!(lone.failure(), None);
    }
}

/// A fetch of observer 2 at a leader of {0, 1}; whether it was parked.
fn is_parked(leader: &mut Lone, high_watermark: i64) -> Option<u32> {
    let offset = i64::try_from(leader.standing().end_offset).expect("small");
    let body = Body::FetchRequest { epoch: 1, offset, last_epoch: 1, high_watermark, max_wait_ms: 500 };
    let correlation = leader.request_later(2, body);
    leader.run();
    leader.answer_to(2, correlation).is_none().then_some(correlation)
}

#[test]
fn f02_a_fetch_that_can_learn_a_high_watermark_is_answered_at_once() {
    for form in FORMS {
        let mut leader = Given::voter(2, form).beside_an_observer().lead();
        leader.request(1, super::lone::fetch(1, 1, 1));
        assert_eq!(leader.standing().committed, Some(1));
        for (known, parks) in [(i64::MAX, true), (-1, false), (0, false), (1, true)] {
            assert_eq!(is_parked(&mut leader, known).is_some(), parks, "high watermark {known}");
        }
    }
}

#[test]
fn f03_a_fetch_waits_for_the_first_high_watermark() {
    for form in FORMS {
        let mut leader = Given::voter(2, form).beside_an_observer().lead();
        assert_eq!(leader.standing().committed, None);
        let parked = is_parked(&mut leader, -1).expect("nothing to learn yet");
        leader.request(1, super::lone::fetch(1, 1, 1));
        let body = leader.answer_to(2, parked).expect("now there is");
        assert!(matches!(body, Body::FetchResponse { high_watermark: 1, .. }), "{body:?}");
        assert_eq!(leader.left_ms(TimerKind::LongPoll), None);
    }
}
