//! Whatever arrives, a replica answers with the protocol's error code, or takes it; it never panics, and a request that it
//! refuses as invalid, old or foreign changes nothing.

use super::lone::{FORMS, Given, Lone, answer};
use proptest::prelude::*;
use raftwerk::raft::kraft::{Address, Answer, Body, ClusterId, ErrorCode, FetchOutcome, Successors};
use raftwerk::raft::{EpochEnd, Form, ReplicaId, Request, RoleShape};

fn number() -> impl Strategy<Value = i32> {
    prop_oneof![-2..12_i32, Just(i32::MIN), Just(i32::MAX)]
}

fn offset() -> impl Strategy<Value = i64> {
    prop_oneof![-2..20_i64, Just(i64::MIN), Just(i64::MAX)]
}

fn any_id() -> impl Strategy<Value = ReplicaId> {
    (0..5_u8).prop_map(ReplicaId)
}

fn error() -> impl Strategy<Value = ErrorCode> {
    prop_oneof![
        4 => Just(ErrorCode::None),
        1 => Just(ErrorCode::FencedLeaderEpoch),
        1 => Just(ErrorCode::UnknownLeaderEpoch),
        1 => Just(ErrorCode::NotLeaderOrFollower),
        1 => Just(ErrorCode::BrokerNotAvailable),
        1 => Just(ErrorCode::InvalidVoterKey),
        1 => Just(ErrorCode::InconsistentClusterId),
        1 => Just(ErrorCode::UnsupportedVersion),
    ]
}

fn request() -> impl Strategy<Value = Body> {
    prop_oneof![
        (number(), number(), offset(), any::<bool>()).prop_map(|(epoch, last_epoch, last_offset, pre_vote)| {
            Body::VoteRequest { epoch, last_epoch, last_offset, pre_vote }
        }),
        (any_id(), number()).prop_map(|(leader, epoch)| Body::BeginQuorumEpochRequest { leader, epoch }),
        (any_id(), number(), prop::collection::vec(any_id(), 0..4)).prop_map(|(leader, epoch, ids)| {
            Body::EndQuorumEpochRequest { leader, epoch, successors: Successors::new(ids) }
        }),
        (number(), offset(), number(), offset(), -2..600_i32).prop_map(
            |(epoch, offset, last_epoch, high_watermark, max_wait_ms)| {
                Body::FetchRequest { epoch, offset, last_epoch, high_watermark, max_wait_ms }
            }
        ),
    ]
}

fn response() -> impl Strategy<Value = Body> {
    let common = (error(), prop::option::of(any_id()), number());
    let common = common.prop_map(|(error, leader, epoch)| Answer { error, leader, epoch });
    (common, 0..4_u8, any::<bool>(), offset(), 0..12_u32, 0..12_u64).prop_map(
        |(answer, kind, granted, high_watermark, epoch, end_offset)| match kind {
            0 => Body::VoteResponse { answer, granted },
            1 => Body::BeginQuorumEpochResponse { answer },
            2 => Body::EndQuorumEpochResponse { answer },
            _ if granted => Body::FetchResponse {
                answer,
                high_watermark,
                outcome: FetchOutcome::Diverging(EpochEnd { epoch, end_offset }),
            },
            _ => Body::FetchResponse { answer, high_watermark, outcome: FetchOutcome::Records(None) },
        },
    )
}

#[derive(Clone, Debug)]
enum Event {
    Asked(u8, ClusterId, Body),
    Answered(Body),
    Slept(u64),
    Did(Request),
}

fn event() -> impl Strategy<Value = Event> {
    let cluster = prop_oneof![8 => Just(ClusterId::Ours), 1 => Just(ClusterId::Unnamed), 1 => Just(ClusterId::Other)];
    let did = prop_oneof![
        (0..12_u32).prop_map(|epoch| Request::Resign { epoch }),
        (0..12_u32, 0..20_u8).prop_map(|(epoch, count)| Request::Append { epoch, key: 1, value: 1, count }),
        Just(Request::Shutdown { timeout_us: 5_000_000 }),
    ];
    prop_oneof![
        6 => (0..5_u8, cluster, request()).prop_map(|(from, cluster, body)| Event::Asked(from, cluster, body)),
        4 => response().prop_map(Event::Answered),
        3 => (0..30_000_u64).prop_map(Event::Slept),
        1 => did.prop_map(Event::Did),
    ]
}

fn start(state: u8, form: Form) -> Lone {
    let given = || Given::voter(3, form).log(&[(2, 2), (4, 3)]);
    match state {
        0 => given().stored(5, None, None).start(),
        1 => given().stored(5, Some(1), None).start(),
        2 => given().stored(5, None, Some(0)).start(),
        3 => given().stored(5, Some(0), None).start(),
        4 => given().stored(5, None, None).lead(),
        _ => Given::observer(3, form).stored(5, Some(1), None).start(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_arrives(state in 0..6_u8, events in prop::collection::vec(event(), 1..40)) {
        for form in FORMS {
            let mut lone = start(state, form);
            lone.run();
            let mut in_flight = Vec::new();
            for event in &events {
                let before = lone.standing();
                in_flight.extend(lone.take_sent());
                match event {
                    Event::Asked(from, cluster, body) => {
                        let address = Address { cluster: *cluster, ..Address::default() };
                        let correlation = lone.request_later_for(address, *from, body.clone());
                        lone.run();
                        let Some(body) = lone.answer_to(*from, correlation) else { continue };
                        let (error, ..) = answer(&body);
                        if matches!(
                            error,
                            ErrorCode::InvalidRequest | ErrorCode::FencedLeaderEpoch | ErrorCode::InconsistentClusterId
                        ) {
                            prop_assert_eq!(lone.standing(), before);
                        }
                    }
                    Event::Answered(body) => {
                        // To whatever was asked last, if anything was.
                        let Some((to, message)) = in_flight.pop() else { continue };
                        lone.answer(to.0, &message, body.clone());
                    }
                    Event::Slept(ms) => lone.sleep(*ms),
                    Event::Did(request) => {
                        if lone.driver().is_running() {
                            let refused = lone.ask_now(*request).is_err();
                            prop_assert!(!refused || lone.standing().epoch == before.epoch);
                        }
                    }
                }
                prop_assert!(lone.standing().epoch >= before.epoch, "an epoch never falls");
                if !lone.driver().is_running() {
                    break;
                }
                let now = lone.standing();
                let is_same_epoch = now.epoch == before.epoch;
                // Within an epoch a vote stays, but for the leader's own, which is not stored.
                if is_same_epoch && before.voted.is_some() && now.role != RoleShape::Leader {
                    prop_assert_eq!(now.voted, before.voted);
                }
            }
        }
    }
}
