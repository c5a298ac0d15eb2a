//! C01 to C32: start-up and elections.

use super::lone::{ET, FORMS, Given, Lone, answer, begin_quorum, fetch, fetched, fine, granted, records, vote};
use raftwerk::executor::EventExecutor;
use raftwerk::raft::kraft::{Address, Answer, Body, Bootstrap, ErrorCode, KRaftMessage};
use raftwerk::raft::{
    AppendError, Entry, Payload, Replica, ReplicaId, Request, RequestError, RoleShape, TaskError, TimerKind,
};

const FT: u64 = 50_000;
const RT: u64 = 5_000;

fn at(lone: &Lone) -> (RoleShape, u32) {
    (lone.role(), lone.standing().epoch)
}

/// (leader, vote, epoch) as stored.
fn stored(lone: &Lone) -> (Option<u8>, Option<u8>, u32) {
    let record = lone.replica().stored();
    (record.leader.map(|id| id.0), record.voted.map(|id| id.0), record.epoch)
}

fn is_vote(body: &Body) -> bool {
    matches!(body, Body::VoteRequest { pre_vote: false, .. })
}

fn is_pre_vote(body: &Body) -> bool {
    matches!(body, Body::VoteRequest { pre_vote: true, .. })
}

#[test]
fn c01_an_only_voter_leads_at_once() {
    for form in FORMS {
        let lone = Given::voter(1, form).start();
        assert_eq!(at(&lone), (RoleShape::Leader, 1));
        assert_eq!(lone.standing().end_offset, 0, "its first record is not written yet");
    }
}

#[test]
fn c02_an_only_voter_that_led_takes_a_new_epoch() {
    for form in FORMS {
        let mut lone = Given::voter(1, form).stored(2, Some(0), None).start();
        lone.run();
        assert_eq!(at(&lone), (RoleShape::Leader, 3));
        assert_eq!((lone.standing().end_offset, lone.replica().log().last_epoch()), (1, 3));
    }
}

#[test]
fn c03_an_only_voter_that_followed_takes_a_new_epoch() {
    for form in FORMS {
        assert_eq!(at(&Given::voter(1, form).stored(2, Some(1), None).start()), (RoleShape::Leader, 3));
    }
}

#[test]
fn c04_an_only_voter_that_was_candidate_wins_the_same_epoch() {
    for form in FORMS {
        assert_eq!(at(&Given::voter(1, form).stored(2, None, Some(0)).start()), (RoleShape::Leader, 2));
    }
}

fn former_leader(form: raftwerk::raft::Form) -> Lone {
    let mut lone = Given::voter(2, form).stored(2, Some(0), None).start();
    lone.run();
    lone
}

#[test]
fn c05_a_former_leader_starts_resigned_and_votes_for_nobody_in_its_epoch() {
    for form in FORMS {
        let mut lone = former_leader(form);
        assert_eq!(at(&lone), (RoleShape::Resigned, 2));
        let body = lone.request(1, vote(2, (0, 0)));
        assert_eq!(answer(&body), (ErrorCode::None, 2, Some(0)));
        assert!(!granted(&body));
    }
}

#[test]
fn c06_a_former_leader_votes_in_the_next_epoch() {
    for form in FORMS {
        let mut lone = former_leader(form);
        let body = lone.request(1, vote(3, (0, 0)));
        assert_eq!(answer(&body), (ErrorCode::None, 3, None));
        assert!(granted(&body));
        assert_eq!(at(&lone), (RoleShape::Unattached, 3));
        assert_eq!(stored(&lone), (None, Some(1), 3));
    }
}

#[test]
fn c07_a_former_candidate_is_candidate_again() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(2, None, Some(0)).start();
        lone.run();
        let body = lone.request(1, vote(2, (0, 0)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 2, None), false));
        assert_eq!(at(&lone), (RoleShape::Candidate, 2));
        assert!(granted(&lone.request(1, vote(3, (0, 0)))));
        assert_eq!(stored(&lone), (None, Some(1), 3));
    }
}

#[test]
fn c08_a_former_leader_that_nobody_answers_goes_through_the_next_epoch() {
    for form in FORMS {
        let mut lone = former_leader(form);
        lone.sleep_only(ET);
        assert!(lone.poll());
        assert_eq!(at(&lone), (RoleShape::Unattached, 3));
        assert!(lone.poll());
        assert_eq!(at(&lone), (RoleShape::Prospective, 3));
        lone.run();
        lone.sleep_only(2 * ET);
        assert!(lone.poll());
        assert_eq!(at(&lone), (RoleShape::Unattached, 3));
    }
}

#[test]
fn c09_a_former_leader_appends_nothing_and_says_so() {
    for form in FORMS {
        let mut lone = former_leader(form);
        let refused = lone.ask_now(Request::Append { epoch: 2, key: 1, value: 1, count: 1 });
        let why = RequestError::Append(AppendError::NotLeader { epoch: 2 });
        assert_eq!(refused, Err(TaskError::Refused(why)));
        let told = lone.take_sent();
        assert!(
            matches!(
                told[..],
                [(ReplicaId(1), KRaftMessage { body: Body::EndQuorumEpochRequest { epoch: 2, .. }, .. })]
            ),
            "{told:?}"
        );
        lone.reply(1, told[0].1.clone(), |answer| Body::EndQuorumEpochResponse { answer });
        lone.sleep_only(ET);
        assert!(lone.poll());
        assert_eq!(at(&lone), (RoleShape::Unattached, 3));
        assert_eq!(lone.left_ms(TimerKind::Election), Some(0));
    }
}

#[test]
fn c10_only_the_voter_that_did_not_answer_is_told_again() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(19, Some(0), None).start();
        lone.run();
        let told = lone.take_sent();
        assert_eq!(told.len(), 2);
        lone.reply(1, told[0].1.clone(), |answer| Body::EndQuorumEpochResponse { answer });
        lone.sleep(6_000);
        let again = lone.take_sent();
        assert!(
            matches!(
                again[..],
                [(ReplicaId(2), KRaftMessage { body: Body::EndQuorumEpochRequest { epoch: 19, .. }, .. })]
            ),
            "{again:?}"
        );
    }
}

#[test]
fn c11_a_former_candidate_asks_again() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(2, None, Some(0)).start();
        lone.run();
        let asked = lone.take_sent();
        assert_eq!(asked.len(), 2);
        for (_, message) in asked {
            assert!(matches!(
                message.body,
                Body::VoteRequest { epoch: 2, last_epoch: 0, last_offset: 0, pre_vote: false }
            ));
        }
    }
}

#[test]
fn c12_from_an_empty_store_to_leader() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).set(|settings| settings.bootstrap = Bootstrap::Voters).start();
        lone.run();
        // The local node is on the list of bootstrap servers too; the draw of 0 asks it first.
        let sent = lone.take_sent();
        assert!(
            matches!(
                sent[0].1.body,
                Body::FetchRequest { epoch: 0, offset: 0, last_epoch: 0, high_watermark: -1, max_wait_ms: 0 }
            ),
            "{sent:?}"
        );
        let error = Answer { error: ErrorCode::NotLeaderOrFollower, leader: None, epoch: 0 };
        lone.answer(sent[0].0.0, &sent[0].1, fetched(error, -1, None));
        assert_eq!(at(&lone), (RoleShape::Unattached, 0));
        lone.take_sent();
        lone.sleep(ET);
        assert_eq!(at(&lone), (RoleShape::Prospective, 0));
        let asked = lone.take_sent();
        lone.grant(1, &asked);
        assert_eq!(at(&lone), (RoleShape::Candidate, 1));
        assert_eq!(stored(&lone), (None, Some(0), 1));
        let asked = lone.take_sent();
        lone.grant(1, &asked);
        assert_eq!(at(&lone), (RoleShape::Leader, 1));
        assert_eq!((lone.standing().end_offset, lone.replica().flushed()), (1, 1));
        assert_eq!(lone.asked(|body| matches!(body, Body::BeginQuorumEpochRequest { epoch: 1, .. })), [1]);
        let granting = raftwerk::raft::ReplicaSet::first(2);
        let payload = Payload::LeaderChange { leader: ReplicaId(0), granting };
        assert_eq!(lone.replica().log().get(0), Some(Entry { epoch: 1, starts_batch: true, payload }));
        assert_eq!(lone.replica().voters(), granting);
    }
}

#[test]
fn c13_a_first_vote_is_granted_and_stored() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(2, None, None).start();
        lone.run();
        assert!(granted(&lone.request(1, vote(2, (1, 1)))));
        assert_eq!(stored(&lone), (None, Some(1), 2));
    }
}

#[test]
fn c14_a_follower_does_not_vote_in_its_leaders_epoch() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(2, Some(2), None).start();
        lone.run();
        let body = lone.request(1, vote(2, (1, 1)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 2, Some(2)), false));
    }
}

#[test]
fn c15_one_vote_an_epoch() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(2, None, Some(2)).start();
        lone.run();
        let body = lone.request(1, vote(2, (1, 1)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 2, None), false));
    }
}

#[test]
fn c16_a_prospective_votes_in_the_next_epoch() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(2, Some(2), None).start();
        lone.run();
        lone.sleep(FT);
        assert_eq!(at(&lone), (RoleShape::Prospective, 2));
        let body = lone.request(1, vote(3, (1, 2)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 3, None), true));
        assert_eq!(at(&lone), (RoleShape::Unattached, 3));
        assert_eq!(lone.standing().voted, Some(ReplicaId(1)));
    }
}

#[test]
fn c17_a_vote_is_kept_while_prospective() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(2, None, Some(2)).start();
        lone.run();
        lone.sleep(ET);
        assert_eq!(at(&lone), (RoleShape::Prospective, 2));
        assert_eq!(stored(&lone), (None, Some(2), 2));
        assert!(granted(&lone.request(1, vote(3, (1, 2)))));
        assert_eq!(stored(&lone), (None, Some(1), 3));
    }
}

#[test]
fn c18_a_request_of_an_old_epoch_is_fenced() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(2, None, None).start();
        lone.run();
        let body = lone.request(1, vote(1, (0, 0)));
        assert_eq!(answer(&body), (ErrorCode::FencedLeaderEpoch, 2, None));
        assert_eq!(stored(&lone), (None, None, 2));
    }
}

#[test]
fn c19_an_observer_votes() {
    for form in FORMS {
        let mut lone = Given::observer(2, form).stored(2, None, None).start();
        lone.run();
        assert!(granted(&lone.request(1, vote(3, (1, 2)))));
        assert_eq!(stored(&lone), (None, Some(1), 3));
    }
}

#[test]
fn c20_a_leader_does_not_vote_in_its_epoch() {
    for form in FORMS {
        let mut lone = Lone::leader(2, form, 1);
        let body = lone.request(1, vote(1, (5, 0)));
        assert_eq!((answer(&body), granted(&body)), ((ErrorCode::None, 1, Some(0)), false));
    }
}

#[test]
fn c21_a_request_that_contradicts_itself_moves_nothing() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(5, Some(1), None).start();
        lone.run();
        for last in [(-5, 0), (0, -1), (0, 6)] {
            let body = lone.request(1, vote(6, last));
            assert_eq!(answer(&body), (ErrorCode::InvalidRequest, 5, Some(1)), "{last:?}");
        }
    }
}

#[test]
fn c22_a_vote_meant_for_another_is_refused_after_its_epoch_is_taken() {
    for form in FORMS {
        let mut lone = Lone::leader(2, form, 1);
        let other = Address::of(ReplicaId(10));
        assert_eq!(answer(&lone.request_for(other, 1, vote(2, (1, 1)))), (ErrorCode::InvalidVoterKey, 2, None));
        let elsewhere = Address { directory: 77, ..Address::of(ReplicaId(0)) };
        assert_eq!(answer(&lone.request_for(elsewhere, 1, vote(3, (1, 1)))), (ErrorCode::InvalidVoterKey, 3, None));
    }
}

#[test]
fn c23_a_begin_quorum_epoch_meant_for_another_is_refused_after_following() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(4, None, None).start();
        lone.run();
        let other = Address::of(ReplicaId(10));
        let body = lone.request_for(other, 2, begin_quorum(5, 2));
        assert_eq!(answer(&body), (ErrorCode::InvalidVoterKey, 5, Some(2)));
        assert_eq!(at(&lone), (RoleShape::Follower, 5));
        let body = lone.request_for(Address::of(ReplicaId(0)), 2, begin_quorum(5, 2));
        assert_eq!(answer(&body), (ErrorCode::None, 5, Some(2)));
    }
}

#[test]
fn c24_a_vote_is_kept_when_a_leader_is_found() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).stored(2, None, Some(1)).start();
        lone.run();
        let body = lone.request(1, begin_quorum(2, 1));
        assert_eq!(answer(&body), (ErrorCode::None, 2, Some(1)));
        assert_eq!(stored(&lone), (Some(1), Some(1), 2));
    }
}

fn candidate(form: raftwerk::raft::Form, part: u32) -> Lone {
    let mut lone = Given::voter(2, form).part(part).stored(1, None, Some(0)).start();
    lone.run();
    assert_eq!(at(&lone), (RoleShape::Candidate, 1));
    lone
}

#[test]
fn c25_a_candidate_that_lost_waits_for_its_timeout() {
    for form in FORMS {
        let mut lone = candidate(form, 85);
        let asked = lone.take_sent();
        lone.answer_votes(&asked, false);
        lone.sleep(10_084);
        assert_eq!(at(&lone), (RoleShape::Candidate, 1));
        assert_eq!(stored(&lone), (None, Some(0), 1));
        assert_eq!(lone.take_sent().len(), 0, "it does not ask again");
        lone.sleep(1);
        assert_eq!(at(&lone), (RoleShape::Prospective, 1));
        assert_eq!(lone.left_ms(TimerKind::Election), Some(10_085));
        let asked = lone.take_sent();
        assert!(
            matches!(asked[0].1.body, Body::VoteRequest { epoch: 1, last_epoch: 0, last_offset: 0, pre_vote: true }),
            "{asked:?}"
        );
    }
}

#[test]
fn c26_a_candidate_that_nobody_answers_asks_first_again() {
    for form in FORMS {
        let mut lone = candidate(form, 100);
        lone.sleep(10_100);
        assert_eq!(at(&lone), (RoleShape::Prospective, 1));
        assert_eq!(lone.left_ms(TimerKind::Election), Some(10_100));
    }
}

#[test]
fn c27_an_answer_after_its_time_is_ignored() {
    for form in FORMS {
        let mut lone = candidate(form, 85);
        let first = lone.take_sent();
        lone.sleep(RT);
        let second = lone.take_sent();
        assert!(second.len() == 1 && is_vote(&second[0].1.body), "{second:?}");
        lone.grant(1, &first);
        assert_eq!(at(&lone), (RoleShape::Candidate, 1));
        lone.grant(1, &second);
        assert_eq!(at(&lone), (RoleShape::Leader, 1));
    }
}

#[test]
fn c28_a_candidate_that_finds_a_leader_ignores_the_votes() {
    for form in FORMS {
        let mut lone = Given::voter(3, form).stored(6, None, Some(0)).start();
        lone.run();
        let asked = lone.take_sent();
        assert_eq!(asked.len(), 2);
        lone.request(2, begin_quorum(6, 2));
        assert_eq!(stored(&lone), (Some(2), Some(0), 6));
        lone.answer_votes(&asked, true);
        assert_eq!(at(&lone), (RoleShape::Follower, 6));
    }
}

#[test]
fn c29_a_follower_that_hears_nothing_asks_with_its_own_log() {
    for form in FORMS {
        let mut lone = Given::voter(2, form).log(&[(3, 1)]).stored(5, Some(1), None).start();
        lone.run();
        let sent = lone.take_sent();
        assert!(matches!(sent[0].1.body, Body::FetchRequest { epoch: 5, offset: 1, last_epoch: 3, .. }), "{sent:?}");
        lone.sleep(FT);
        assert_eq!(at(&lone), (RoleShape::Prospective, 5));
        let asked = lone.take_sent();
        let last = asked.iter().rfind(|(_, message)| is_pre_vote(&message.body)).expect("it asks");
        assert!(
            matches!(last.1.body, Body::VoteRequest { epoch: 5, last_epoch: 3, last_offset: 1, pre_vote: true }),
            "{last:?}"
        );
    }
}

#[test]
fn c30_an_observer_has_no_fetch_timeout() {
    for form in FORMS {
        let mut lone = Given::observer(2, form).stored(5, Some(1), None).start();
        lone.run();
        lone.sleep(FT);
        assert_eq!(at(&lone), (RoleShape::Follower, 5));
        // And it does not wake without a reason from then on.
        lone.take_sent();
        lone.sleep(RT);
        assert!(lone.take_sent().len() <= 2);
        assert!(lone.driver().client().executor().pending() > 0);
    }
}

#[test]
fn c31_an_observer_never_asks_for_votes() {
    for form in FORMS {
        let mut lone = Given::observer(2, form)
            .stored(5, None, None)
            .set(|settings| settings.bootstrap = Bootstrap::Voters)
            .start();
        lone.run();
        lone.sleep(2 * ET);
        assert_eq!(at(&lone), (RoleShape::Unattached, 5));
        assert!(lone.take_sent().iter().all(|(_, message)| matches!(message.body, Body::FetchRequest { .. })));
        assert!(granted(&lone.request(1, vote(6, (0, 0)))));
        lone.sleep(2 * ET);
        assert_eq!(at(&lone), (RoleShape::Unattached, 6));
        let sent = lone.take_sent();
        assert!(!sent.is_empty());
        assert!(
            sent.iter().all(|(_, message)| matches!(message.body, Body::FetchRequest { epoch: 6, .. })),
            "{sent:?}"
        );
    }
}

#[test]
fn c32_a_fetch_answer_names_the_leader() {
    for form in FORMS {
        for error in [ErrorCode::None, ErrorCode::NotLeaderOrFollower] {
            let mut lone = Given::voter(3, form)
                .stored(5, None, None)
                .set(|settings| settings.bootstrap = Bootstrap::Voters)
                .start();
            lone.run();
            let sent = lone.take_sent();
            let body = fetched(Answer { error, ..fine(5, Some(2)) }, -1, records((5, 0), &[]));
            lone.answer(sent[0].0.0, &sent[0].1, body);
            assert_eq!((at(&lone), lone.standing().leader), ((RoleShape::Follower, 5), Some(ReplicaId(2))));
        }
    }
}

#[test]
fn a_fetch_before_an_epoch_is_reached_does_not_move_it() {
    for form in FORMS {
        let mut lone = Lone::leader(2, form, 5);
        assert_eq!(answer(&lone.request(1, fetch(6, 0, 0))), (ErrorCode::UnknownLeaderEpoch, 5, Some(0)));
    }
}
