//! Same record, same run; back and forward, the same state; an intervention changes only what it causes.

mod common;

use proptest::prelude::*;
use raftwerk::executor::NEVER;
use raftwerk::raft::Any;
use raftwerk::raft::ReplicaId;
use raftwerk::scenario::{Record, from_json, link, to_json, validate};
use raftwerk::session::Session;
use raftwerk::sim::{Command, CommandError, DRAWS_PER_MESSAGE, EventName, Sim, Stream, What};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn the_link_and_the_json_of_a_run_with_faults_give_the_same_run() {
    for seed in 0..200 {
        let session = common::faulty_run(seed, 300);
        let record = session.record();
        assert_eq!(validate(&record), Ok(()), "seed {seed}");
        let text = link::encode(&record);
        let again = link::decode(&text).expect("a good link").expect("a link");
        assert_eq!(again, record, "seed {seed}");
        assert_eq!(link::encode(&again), text, "seed {seed}");
        assert_eq!(from_json(&to_json(&record)).as_ref(), Ok(&record), "seed {seed}");
        let replayed = Session::open(again).expect("it opens");
        assert_eq!(replayed.digests(), session.digests(), "seed {seed}: {text}");
        assert_eq!(replayed.playhead_us(), session.playhead_us(), "seed {seed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn stepping_back_to_the_start_and_forward_gives_the_same_states(seed in any::<u64>()) {
        let mut session = common::faulty_run(seed, 150);
        let end = session.position();
        let mut states = BTreeMap::new();
        states.insert(end, session.digests());
        while session.position() > 0 {
            session.step_back();
            states.insert(session.position(), session.digests());
        }
        prop_assert_eq!(states.len() as u64, end + 1);
        while session.position() < end {
            prop_assert_eq!(session.digests(), states[&session.position()]);
            session.step();
        }
        prop_assert_eq!(session.digests(), states[&end]);
    }

    #[test]
    fn seeking_anywhere_gives_the_same_states(seed in any::<u64>(), places in prop::collection::vec(0_u64..1_500, 20)) {
        let mut session = common::faulty_run(seed, 1_500);
        let end = session.position();
        let mut straight = Session::open(Record { position: 0, playhead_us: 0, ..session.record() })
            .expect("it opens");
        let mut states = vec![straight.digests()];
        while straight.position() < end && straight.step() {
            states.push(straight.digests());
        }
        for place in places {
            let place = place.min(end);
            session.seek(place);
            prop_assert_eq!(session.digests(), states[usize::try_from(place).expect("small")], "position {}", place);
        }
    }

    #[test]
    fn stepping_task_by_task_and_back_gives_the_same_states(seed in any::<u64>()) {
        let mut session = common::run_with_tasks(seed, 300);
        let end = session.position();
        // A link is the same run, at this very task.
        let copy = Session::open(session.record()).expect("it opens");
        prop_assert_eq!(copy.digests(), session.digests());
        prop_assert_eq!(copy.record(), session.record());
        session.seek(end / 2);
        let half = session.digests();
        // Task by task, remembering each moment, then each of them again from anywhere.
        let mut moments = Vec::new();
        while session.position() < end && session.step_task() {
            moments.push((session.position(), session.sim().tasks_into(), session.digests()));
        }
        for &(position, tasks, digests) in moments.iter().rev().step_by(7) {
            session.seek_task(position, tasks);
            prop_assert_eq!(session.digests(), digests, "at {} + {} tasks", position, tasks);
        }
        session.seek(end / 2);
        prop_assert_eq!(session.digests(), half);
    }

    #[test]
    fn a_clone_has_the_same_future(seed in any::<u64>()) {
        let session = common::faulty_run(seed, 100);
        let (mut a, mut b) = (session.sim().clone(), session.sim().clone());
        for _ in 0..200 {
            a.step();
        }
        for _ in 0..200 {
            b.step();
        }
        prop_assert_eq!(a.digests(), b.digests());
    }
}

/// All messages of a run: (from, to, number) -> (sent, arrives).
fn messages(sim: &mut Sim<Any>, until_us: u64) -> BTreeMap<(ReplicaId, ReplicaId, u32), (u64, u64)> {
    let mut all = BTreeMap::new();
    while sim.next_due_us() <= until_us && sim.step() {
        for event in sim.last_step() {
            if let What::Sent { to, number, at_us, .. } = event.what {
                all.insert((event.replica, to, number), (event.at_us, at_us));
            }
        }
    }
    all
}

#[test]
fn dropping_one_message_changes_nothing_that_it_does_not_cause() {
    for seed in 0..100 {
        let mut record = common::record(seed);
        record.replicas = 5;
        let mut session = Session::open(record).expect("it opens");
        // Up to the first message in flight.
        let dropped = loop {
            let found = session.sim().pending().into_iter().find_map(|event| match event.name {
                EventName::Delivery { from, to, number, is_copy } => Some((from, to, number, is_copy)),
                EventName::Timer { .. } | EventName::Task { .. } | EventName::Client { .. } => None,
            });
            if let Some(found) = found {
                break found;
            }
            assert!(session.step());
        };
        let mut plain = session.sim().clone();
        let (from, to, number, is_copy) = dropped;
        session.act(Command::Drop { from, to, number, is_copy }).expect("it is in flight");
        let mut cut = session.sim().clone();
        // Until the lost message could have caused anything, at its receiver, everything is the same.
        let arrives_us = plain
            .flights()
            .find(|(key, _)| (key.from, key.to, key.number) == (from, to, number))
            .map(|(key, _)| key.at_us)
            .expect("it is in flight");
        let (a, b) = (messages(&mut plain, arrives_us - 1), messages(&mut cut, arrives_us - 1));
        assert_eq!(a, b, "seed {seed}");
        for id in plain.ids() {
            assert_eq!(plain.standing(id), cut.standing(id), "seed {seed}");
        }
        // And for ever, the n-th message of a link takes the same time if it and those before it on the link (which it
        // may have to wait for) were sent at the same times.
        let until_us = arrives_us + 3_000_000;
        let (a, b) = (messages(&mut plain, until_us), messages(&mut cut, until_us));
        let mut changed = BTreeSet::new();
        let same_start = a.iter().filter_map(|(name, &(sent, arrives))| {
            let (from, to, _) = *name;
            match b.get(name).filter(|other| other.0 == sent) {
                Some(other) if !changed.contains(&(from, to)) => Some((name, arrives, other.1)),
                _ => {
                    changed.insert((from, to));
                    None
                }
            }
        });
        let mut compared = 0;
        for (name, one, other) in same_start {
            compared += 1;
            assert_eq!(one, other, "seed {seed}, message {name:?}");
        }
        assert!(compared > 0 || a.is_empty(), "seed {seed}");
    }
}

#[test]
fn every_message_takes_the_same_number_of_draws_whatever_is_set() {
    for seed in 0..20 {
        let mut record = common::record(seed);
        record.links.loss_ppm = 500_000;
        record.links.duplicate_ppm = 300_000;
        record.links.reorder_ppm = 300_000;
        let mut session = Session::open(record).expect("it opens");
        let link = (ReplicaId(0), ReplicaId(session.sim().replicas() - 1));
        let on_link = |event: &&raftwerk::sim::TraceEvent<Any>| {
            event.replica == link.0 && matches!(event.what, What::Sent { to, .. } if to == link.1)
        };
        let mut sent = session.sim().last_step().iter().filter(on_link).count();
        for _ in 0..400 {
            if !session.step() {
                break;
            }
            sent += session.last_step().iter().filter(on_link).count();
        }
        let mut stream = Stream::of_link(seed, link.0, link.1);
        for _ in 0..sent * DRAWS_PER_MESSAGE {
            stream.draw();
        }
        assert_eq!(session.sim().link_luck(link.0, link.1), &stream, "seed {seed}");
    }
}

#[test]
fn a_held_message_arrives_only_once_it_is_released_and_then_after_the_rest_of_its_flight() {
    let mut session = Session::open(Record { seed: 3, ..Record::default() }).expect("it opens");
    let (from, to, number, at_us) = loop {
        assert!(session.step());
        let flight = session.sim().flights().map(|(key, _)| (key.from, key.to, key.number, key.at_us)).max();
        if let Some(found) = flight {
            break found;
        }
    };
    let held = |is_held| Command::SetHeld { from, to, number, is_copy: false, is_held };
    let flies = |session: &Session| {
        session
            .sim()
            .flights()
            .find(|(key, _)| (key.from, key.to, key.number) == (from, to, number))
            .map(|(key, _)| key.at_us)
    };
    let held_us = session.sim().now_us();
    assert_eq!(session.act(held(false)), Err(CommandError::IsNotHeld.into()));
    session.act(held(true)).expect("it flies");
    assert_eq!(session.act(held(true)), Err(CommandError::IsHeld.into()));
    assert_eq!(session.act(Command::Duplicate { from, to, number, after_us: 1 }), Err(CommandError::IsHeld.into()));
    for _ in 0..200 {
        assert!(session.step(), "the others go on");
    }
    assert_eq!(flies(&session), Some(NEVER));
    session.act(held(false)).expect("it is held");
    let released_us = session.sim().now_us();
    assert_eq!(flies(&session), Some(released_us + (at_us - held_us)));
    // And all of it replays.
    let (seen, record) = (session.digests(), session.record());
    let again = Session::open(record).expect("it opens");
    assert_eq!(again.digests(), seen);
    // A run in which nothing but held messages is left ends, and does not run for ever.
    while session.sim().now_us() <= released_us + (at_us - held_us) {
        assert!(session.step());
    }
    assert_eq!(flies(&session), None);
}
