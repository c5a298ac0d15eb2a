//! Resignation, heartbeats, check-quorum and graceful shutdown: rows C33 to C50 of the scenario tables of Kafka's
//! `KafkaRaftClientTest`, through the executor, in both forms of the client's work.
//!
//! Left to the client's listeners: the callbacks of C39 and C40. Left out: the anonymous observer of C38, a node without
//! an id, which has no place in a cluster of numbered replicas.

use super::lone::{ET, FORMS, Given, Lone, answer, begin_quorum, disk, end_quorum, fetch};
use raftwerk::raft::kraft::{Body, Disk, ErrorCode, Role};
use raftwerk::raft::{
    DriverState, Ended, Fault, Payload, Replica, ReplicaId, Request, RequestError, RoleShape, TASKS_AT_ONCE_MAX,
    TaskError, TaskKind, TimerKind,
};

const BEGIN: fn(&Body) -> bool = |body| matches!(body, Body::BeginQuorumEpochRequest { .. });
const END: fn(&Body) -> bool = |body| matches!(body, Body::EndQuorumEpochRequest { .. });
const PRE_VOTE: fn(&Body) -> bool = |body| matches!(body, Body::VoteRequest { pre_vote: true, .. });
const FETCH: fn(&Body) -> bool = |body| matches!(body, Body::FetchRequest { .. });

#[test]
fn c33_heartbeats_go_to_voters_that_do_not_fetch_twice_a_fetch_timeout() {
    for form in FORMS {
        let mut leader = Lone::leader(3, form, 1);
        leader.sleep(25_000);
        assert_eq!(leader.asked(BEGIN), [1, 2]);
        leader.sleep(12_500);
        assert_eq!(leader.asked(BEGIN), [0; 0]);
        leader.sleep(12_500);
        assert_eq!(leader.asked(BEGIN), [1, 2]);
    }
}

#[test]
fn c34_a_voter_that_fetched_gets_no_heartbeat() {
    for form in FORMS {
        let mut leader = Lone::leader(3, form, 1);
        leader.sleep(25_000);
        assert_eq!(leader.asked(BEGIN), [1, 2]);
        leader.sleep(8_333);
        leader.request(1, fetch(1, 0, 0));
        leader.sleep(16_667);
        assert_eq!(leader.asked(BEGIN), [2]);
        leader.request(1, fetch(1, 0, 0));
        leader.sleep(25_000);
        assert_eq!(leader.asked(BEGIN), [1, 2]);
    }
}

#[test]
fn c35_a_leader_stays_as_long_as_a_majority_fetches_and_observers_do_not_count() {
    for form in FORMS {
        let mut leader = Lone::leader(3, form, 1);
        for fetcher in [1, 2, 3] {
            leader.sleep(37_500);
            leader.request(fetcher, fetch(1, 0, 0));
            assert_eq!(leader.role(), RoleShape::Leader, "before the fetch of {fetcher} is forgotten");
        }
        leader.sleep(37_499);
        assert_eq!(leader.role(), RoleShape::Leader);
        leader.sleep(1);
        assert_eq!(leader.role(), RoleShape::Resigned);
    }
}

#[test]
fn c36_an_only_voter_needs_no_quorum_of_others() {
    for form in FORMS {
        let mut leader = Lone::leader(1, form, 1);
        leader.sleep(75_000);
        assert_eq!(leader.role(), RoleShape::Leader);
    }
}

#[test]
fn c37_resigning_from_an_epoch_that_is_over_is_ignored() {
    for form in FORMS {
        let mut leader = Lone::leader(3, form, 2);
        assert_eq!(leader.ask_now(Request::Resign { epoch: 1 }), Ok(()));
        leader.sleep(2 * ET);
        assert_eq!((leader.role(), leader.standing().epoch), (RoleShape::Leader, 2));
    }
}

#[test]
fn c38_only_the_leader_of_an_epoch_can_resign_from_it() {
    for form in FORMS {
        let mut leader = Lone::leader(3, form, 2);
        let ahead = RequestError::ResignAhead { epoch: 3, current: 2 };
        assert_eq!(leader.ask_now(Request::Resign { epoch: 3 }), Err(TaskError::Refused(ahead)));
        assert_eq!(leader.role(), RoleShape::Leader);

        let mut follower = Lone::new(3, form, 0, disk(2, Some(1), None));
        follower.run();
        let not_leader = RequestError::NotLeader { epoch: 2 };
        assert_eq!(follower.ask_now(Request::Resign { epoch: 2 }), Err(TaskError::Refused(not_leader)));
        assert_eq!(follower.role(), RoleShape::Follower);
        assert!(follower.driver().is_running(), "a refusal is no fault");
    }
}

#[test]
fn c39_a_resigned_leader_tells_once_and_moves_to_the_next_epoch() {
    for form in FORMS {
        let mut leader = Lone::leader(2, form, 1);
        assert_eq!(leader.ask_now(Request::Resign { epoch: 1 }), Ok(()));
        assert_eq!(leader.role(), RoleShape::Resigned);
        let told = leader.take_sent();
        assert!(told.len() == 1 && END(&told[0].1.body), "{told:?}");
        leader.reply(1, told[0].1.clone(), |answer| Body::EndQuorumEpochResponse { answer });
        leader.sleep(50);
        assert_eq!(leader.asked(END), [0; 0]);
        let refused = leader.request(1, fetch(1, 0, 0));
        assert_eq!(answer(&refused), (ErrorCode::NotLeaderOrFollower, 1, Some(0)));
        // Unattached in epoch 2 with no time left; Prospective at the next look.
        leader.sleep_only(2 * ET);
        assert!(leader.poll());
        assert_eq!((leader.role(), leader.standing().epoch), (RoleShape::Unattached, 2));
        assert!(leader.poll());
        assert_eq!((leader.role(), leader.standing().epoch), (RoleShape::Prospective, 2));
    }
}

#[test]
fn c40_a_resigned_leader_follows_the_next_one() {
    for form in FORMS {
        let mut leader = Lone::leader(3, form, 1);
        leader.ask_now(Request::Resign { epoch: 1 }).expect("it leads");
        assert_eq!(leader.role(), RoleShape::Resigned);
        let told = leader.request(1, begin_quorum(2, 1));
        assert_eq!(answer(&told), (ErrorCode::None, 2, Some(1)));
        assert_eq!((leader.role(), leader.standing().leader), (RoleShape::Follower, Some(ReplicaId(1))));
    }
}

#[test]
fn c41_a_leader_that_shuts_down_fails_what_it_parked() {
    for form in FORMS {
        let mut leader = Lone::leader(2, form, 1);
        let parked = leader.request_later(
            1,
            Body::FetchRequest { epoch: 1, offset: 1, last_epoch: 1, high_watermark: i64::MAX, max_wait_ms: 1_000 },
        );
        leader.run();
        assert!(leader.answer_to(1, parked).is_none(), "it is parked");
        leader.ask_now(Request::Shutdown { timeout_us: 1_000_000 }).expect("anyone may ask");
        let failed = leader.answer_to(1, parked).expect("it is answered");
        assert_eq!(answer(&failed), (ErrorCode::NotLeaderOrFollower, 1, Some(0)));
        assert_eq!(leader.role(), RoleShape::Resigned);
        leader.sleep(999);
        assert!(leader.driver().is_running());
        leader.sleep(1);
        assert!(!leader.driver().is_running());
    }
}

#[test]
fn c42_a_leader_shuts_down_once_another_leads() {
    for form in FORMS {
        let mut leader = Lone::leader(2, form, 1);
        leader.ask(Request::Shutdown { timeout_us: 5_000_000 });
        while leader.role() == RoleShape::Leader {
            assert!(leader.poll());
        }
        assert_eq!(leader.role(), RoleShape::Resigned);
        leader.run();
        let told = leader.take_sent();
        assert!(
            matches!(told[..], [(ReplicaId(1), ref message)]
                if matches!(message.body, Body::EndQuorumEpochRequest { epoch: 1, .. })),
            "{told:?}"
        );
        let vote = Body::VoteRequest { epoch: 2, last_epoch: 1, last_offset: 1, pre_vote: false };
        let voted = leader.request(1, vote);
        assert!(matches!(voted, Body::VoteResponse { granted: true, .. }), "it votes while shutting down");
        assert!(leader.driver().is_running());
        leader.request(1, begin_quorum(2, 1));
        assert_eq!(leader.driver().state(), DriverState::Ended(Ended::Completed));
        assert_eq!(leader.failure(), None);
    }
}

#[test]
fn c43_a_shutdown_ends_when_its_time_is_over() {
    for form in FORMS {
        let mut leader = Lone::leader(2, form, 1);
        leader.ask_now(Request::Shutdown { timeout_us: 5_000_000 }).expect("anyone may ask");
        leader.sleep(4_999);
        assert!(leader.driver().is_running());
        leader.sleep(1);
        assert_eq!(leader.driver().state(), DriverState::Ended(Ended::TimedOut));
    }
}

#[test]
fn c44_a_follower_an_observer_and_an_only_voter_shut_down_at_once() {
    for form in FORMS {
        let follower = Lone::new(3, form, 0, disk(2, Some(1), None));
        let observer = Given::observer(3, form).stored(2, None, None).start();
        for mut lone in [follower, observer, Lone::leader(1, form, 1)] {
            lone.run();
            lone.ask_now(Request::Shutdown { timeout_us: 5_000_000 }).expect("anyone may ask");
            assert_eq!(lone.driver().state(), DriverState::Ended(Ended::Completed));
        }
    }
}

#[test]
fn c45_successors_are_named_by_how_far_they_have_come() {
    for form in FORMS {
        // Two records of epoch 1, then the leader's own: end offset 3.
        let mut on_disk: Disk = disk(1, None, None);
        for key in 0..2 {
            on_disk.log.append_batch(1, &[Payload::Set { key, value: 7 }]);
        }
        let mut leader = Given::voter(3, form).disk(on_disk).lead();
        assert_eq!(leader.standing().end_offset, 3);
        leader.request(1, fetch(2, 1, 1));
        leader.request(2, fetch(2, 3, 2));
        leader.take_sent();
        leader.ask_now(Request::Shutdown { timeout_us: 5_000_000 }).expect("anyone may ask");
        let told = leader.take_sent();
        assert_eq!(told.len(), 2);
        for (_, message) in told {
            let Body::EndQuorumEpochRequest { successors, .. } = message.body else {
                panic!("{message:?}");
            };
            assert_eq!(successors.iter().collect::<Vec<_>>(), [ReplicaId(2), ReplicaId(1)]);
        }
    }
}

#[test]
fn c46_the_first_successor_does_not_wait() {
    for form in FORMS {
        let mut follower = Lone::new(2, form, 0, disk(2, Some(1), None));
        follower.run();
        let ended = follower.request(1, end_quorum(2, 1, &[0]));
        assert_eq!(answer(&ended), (ErrorCode::None, 2, Some(1)));
        assert_eq!(follower.role(), RoleShape::Prospective);
        assert_eq!(follower.replica().stored().leader, Some(ReplicaId(1)), "in memory only");
    }
}

#[test]
fn c47_the_second_successor_waits_its_turn() {
    for form in FORMS {
        let mut follower = Lone::new(3, form, 0, disk(2, Some(1), None));
        follower.run();
        let ended = follower.request(1, end_quorum(2, 1, &[2, 0]));
        assert_eq!(answer(&ended), (ErrorCode::None, 2, Some(1)));
        let fetch_timer = raftwerk::raft::Timer::new(TimerKind::Fetch);
        // 50 ms, counted from the start.
        assert_eq!(follower.replica().timers().deadline_us(fetch_timer), 50_000);
        follower.sleep(1);
        assert_eq!(follower.role(), RoleShape::Follower);
        let sent = follower.take_sent();
        assert_eq!(sent.iter().filter(|(_, message)| FETCH(&message.body)).count(), 1);
        follower.sleep(100);
        assert_eq!((follower.role(), follower.standing().epoch), (RoleShape::Prospective, 2));
        assert_eq!(follower.asked(PRE_VOTE), [1, 2]);
    }
}

#[test]
fn c48_a_node_without_a_leader_follows_the_resigning_one_first() {
    for form in FORMS {
        let mut lone = Lone::new(3, form, 0, disk(2, None, None));
        lone.run();
        let ended = lone.request(1, end_quorum(2, 1, &[0, 2]));
        assert_eq!(answer(&ended), (ErrorCode::None, 2, Some(1)));
        assert_eq!(lone.role(), RoleShape::Prospective);
        assert!(matches!(lone.replica().role(), Role::Prospective { leader: Some(ReplicaId(1)), .. }));
    }
}

#[test]
fn c49_a_candidate_fences_a_leader_of_the_past() {
    for form in FORMS {
        let mut candidate = Lone::new(3, form, 85, disk(5, None, Some(0)));
        candidate.run();
        let fenced = candidate.request(1, end_quorum(3, 1, &[0]));
        assert_eq!(answer(&fenced), (ErrorCode::FencedLeaderEpoch, 5, None));
        candidate.sleep(10_084);
        assert_eq!(candidate.role(), RoleShape::Candidate);
        candidate.sleep(1);
        assert_eq!(candidate.role(), RoleShape::Prospective);
    }
}

#[test]
fn c50_a_leader_fences_a_leader_of_the_past() {
    for form in FORMS {
        let mut leader = Lone::leader(3, form, 7);
        let fenced = leader.request(1, end_quorum(5, 1, &[0]));
        assert_eq!(answer(&fenced), (ErrorCode::FencedLeaderEpoch, 7, Some(0)));
        leader.sleep(49_999);
        assert_eq!(leader.role(), RoleShape::Leader);
    }
}

/// Rows of `KafkaRaftClientDriverTest`, and what they leave open.
mod raft_client_driver_test {
    use super::*;
    use raftwerk::executor::{EventExecutor, MockEventExecutor, Phase};
    use raftwerk::raft::Form;

    #[test]
    fn test_shutdown() {
        for form in FORMS {
            let mut lone = Lone::new(3, form, 0, disk(2, Some(1), None));
            assert!(lone.poll(), "the driver asked for the first poll");
            lone.run();
            lone.ask_now(Request::Shutdown { timeout_us: 5_000_000 }).expect("anyone may ask");
            assert!(!lone.driver().is_running());
            assert_eq!(lone.driver().client().executor().phase(), Phase::Finished);
            lone.sleep(100_000);
            assert!(!lone.poll(), "nothing comes again");
            assert_eq!(lone.failure(), None);
        }
    }

    /// Node 2 calls itself leader of the epoch in which node 1 leads.
    fn contradict(lone: &mut Lone) {
        lone.request_later(2, begin_quorum(2, 2));
        lone.run();
    }

    #[test]
    fn test_uncaught_exception() {
        for form in FORMS {
            let mut lone = Lone::new(3, form, 0, disk(2, Some(1), None));
            lone.run();
            contradict(&mut lone);
            let failure = lone.failure().expect("the handler was told");
            assert_eq!((failure.replica, failure.fault), (ReplicaId(0), Fault::ContradictoryLeader { epoch: 2 }));
            assert!(matches!(failure.task, TaskKind::Message(ReplicaId(2)) | TaskKind::Poll));
            assert!(!lone.driver().is_running());
            assert!(!lone.poll(), "it is not submitted again");
            // Told once: what comes later ends with its own error.
            contradict(&mut lone);
            assert_eq!(lone.failure(), Some(failure));
        }
    }

    #[test]
    fn a_resubmission_that_is_rejected_stops_the_polling_and_is_no_fault() {
        for form in FORMS {
            let mut lone = Lone::new(3, form, 0, disk(2, Some(1), None));
            lone.shut_executor_down();
            lone.run();
            lone.sleep(100_000);
            assert_eq!(lone.failure(), None);
            assert_eq!(lone.role(), RoleShape::Follower, "its timers never ran");
        }
    }

    #[test]
    fn a_full_executor_is_a_fault() {
        for form in FORMS {
            let mut lone =
                Given::voter(3, form).stored(2, None, None).on(MockEventExecutor::with_capacity_limit(1)).start();
            lone.sleep(ET);
            assert_eq!(
                lone.failure().map(|failure| failure.fault),
                match form {
                    // The election timer has taken the only place, so the first look at the state finds none.
                    Form::SeparateEvents => Some(Fault::ExecutorFull),
                    // One poll is all it needs.
                    Form::OnePoll => None,
                }
            );
        }
    }

    #[test]
    fn too_many_tasks_at_one_instant_are_a_fault_with_replica_and_task() {
        for form in FORMS {
            let mut lone = Lone::new(3, form, 0, disk(2, Some(1), None));
            lone.run();
            for _ in 0..TASKS_AT_ONCE_MAX {
                lone.ask(Request::Resign { epoch: 1 });
            }
            lone.run();
            let failure = lone.failure().expect("that is a loop");
            assert_eq!((failure.replica, failure.fault), (ReplicaId(0), Fault::TaskLoop));
            assert!(matches!(failure.task, TaskKind::Request | TaskKind::PollState | TaskKind::Poll), "{failure:?}");

            // The same number, one after the other, is not.
            let mut lone = Lone::new(3, form, 0, disk(2, Some(1), None));
            lone.run();
            for _ in 0..TASKS_AT_ONCE_MAX {
                lone.ask_now(Request::Resign { epoch: 1 }).expect("that epoch is over");
                lone.sleep(1);
                if lone.role() != RoleShape::Follower {
                    break;
                }
            }
            assert_eq!(lone.failure(), None);
        }
    }

    #[test]
    fn the_executor_stays_open_until_the_leader_has_told_the_others() {
        // Shut down right after the request, as in Kafka's proposal, it could not even resign and tell.
        for form in FORMS {
            let mut leader = Lone::leader(3, form, 1);
            leader.ask(Request::Shutdown { timeout_us: 5_000_000 });
            leader.shut_executor_down();
            leader.run();
            assert_eq!(leader.asked(END), [0; 0], "as proposed");

            let mut leader = Lone::leader(3, form, 1);
            leader.ask_now(Request::Shutdown { timeout_us: 5_000_000 }).expect("anyone may ask");
            assert_eq!(leader.asked(END), [1, 2]);
            assert_eq!(leader.driver().client().executor().phase(), Phase::Open);
            leader.sleep(5_000);
            assert_eq!(leader.driver().client().executor().phase(), Phase::Finished);
        }
    }
}
