//! The two forms of a client's work: one poll event and separate events.
//!
//! They are two ways to run the same protocol on an executor, so they must do the same at the same times: each replica
//! goes through the same (time, role, persisted record, commit), and each directed link carries the same messages at
//! the same times. The *protocol* digest rolls over exactly that, in the order of events.
#![cfg(not(target_arch = "wasm32"))]

mod common;

use raftwerk::raft::Any;
use raftwerk::raft::kraft::KRaftReplica;
use raftwerk::raft::{ClientSettings, Form, ReplicaId, TaskKind};
use raftwerk::scenario::Record;
use raftwerk::session::Session;
use raftwerk::sim::{Command, Sim, TraceEvent, What};
use std::collections::BTreeMap;

const ONE_POLL: ClientSettings = ClientSettings { form: Form::OnePoll, poll_state_max_age_ms: 0 };

/// Per replica and per directed link what happened, in words that differ when anything differs.
#[derive(Debug, Default, PartialEq)]
struct Story {
    replicas: Vec<Vec<String>>,
    /// By the link's ends; clients have some too.
    links: BTreeMap<(ReplicaId, ReplicaId), Vec<String>>,
}

impl Story {
    fn new(replicas: u8) -> Self {
        let n = usize::from(replicas);
        Self { replicas: vec![Vec::new(); n], links: BTreeMap::new() }
    }

    fn add(&mut self, sim: &Sim<Any>, trace: &[TraceEvent<Any>]) {
        for event in trace {
            if let What::Sent { to, number, at_us, fate, face } = event.what {
                let line = format!("{} #{number} {face:?} {at_us} {fate:?}", event.at_us);
                self.links.entry((event.replica, to)).or_default().push(line);
            }
        }
        for id in sim.ids() {
            // What KRaft has written; the paper's servers write what their standing says.
            let stored = sim.replica(id).and_then(|replica| replica.kraft().map(KRaftReplica::stored));
            let line = format!("{:?} {stored:?}", sim.standing(id));
            let story = &mut self.replicas[id.index()];
            if story.last().is_none_or(|last| !last.ends_with(&line)) {
                story.push(format!("{} {line}", sim.now_us()));
            }
        }
    }
}

fn replay(record: Record) -> (Session, Story) {
    let end = record.position;
    let start = Record { position: 0, tasks: 0, playhead_us: 0, ..record };
    let mut session = Session::open(start).expect("the commands fit");
    let mut story = Story::new(session.sim().replicas());
    while session.position() < end && session.step() {
        story.add(session.sim(), session.last_step());
    }
    (session, story)
}

#[test]
fn both_forms_do_the_same_over_2000_seeds_with_faults() {
    for seed in 0..2_000 {
        let separate = common::faulty_run(seed, 300).record();
        let one_poll = Record { client: ONE_POLL, ..separate.clone() };
        let (a, b) = (Session::open(separate.clone()).expect("it opens"), Session::open(one_poll.clone()));
        let b = b.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if a.digests().protocol == b.digests().protocol && a.position() == b.position() {
            continue;
        }
        // Say where, before saying that.
        let ((_, a), (_, b)) = (replay(separate), replay(one_poll));
        assert_eq!(a, b, "seed {seed}");
        panic!("seed {seed}: the digests differ and the stories do not");
    }
}

#[test]
fn the_protocol_digest_sees_what_the_stories_tell() {
    // The stories agree where the digests do, and a lost message makes both differ.
    for seed in 0..20 {
        let separate = common::faulty_run(seed, 300).record();
        let one_poll = Record { client: ONE_POLL, ..separate.clone() };
        let ((a, told_a), (b, told_b)) = (replay(separate.clone()), replay(one_poll));
        assert_eq!(told_a, told_b, "seed {seed}");
        assert_eq!(a.digests().protocol, b.digests().protocol, "seed {seed}");
        let other = Record { seed: separate.seed + 1, commands: Vec::new(), position: 100, ..separate.clone() };
        let (c, told_c) = replay(other);
        assert!(told_c != told_a && c.digests().protocol != a.digests().protocol, "seed {seed}");
    }
}

/// Tasks of an idle cluster of five, by kind, and messages, over `steps` events once it has a leader.
fn count(client: ClientSettings, steps: u64) -> (u64, u64, u64, u64) {
    let mut session = Session::open(Record { client, ..Record::default() }).expect("a good record");
    while session.leader().is_none() {
        assert!(session.step());
    }
    for _ in 0..500 {
        session.step();
    }
    let totals = |session: &Session| {
        let clients = session.sim().ids().filter_map(|id| session.sim().client(id));
        clients.fold((0, 0, 0), |(accepted, ran, empty), client| {
            let (a, r) = client.executor().counters();
            (accepted + a, ran + r, empty + client.empty_polls())
        })
    };
    let before = totals(&session);
    let mut messages = 0;
    for _ in 0..steps {
        session.step();
        let delivered = |event: &&TraceEvent<Any>| matches!(event.what, What::Delivered { .. });
        messages += session.last_step().iter().filter(delivered).count() as u64;
    }
    let after = totals(&session);
    (after.0 - before.0, after.1 - before.1, after.2 - before.2, messages)
}

#[test]
fn the_tasks_queued_and_run_for_a_message_are_pinned() {
    // Per message of an idle cluster: what is queued (timers that are armed and then overtaken included), what is run,
    // and how many looks at the state find nothing.
    let per_message =
        |(queued, ran, empty, messages): (u64, u64, u64, u64)| [queued, ran, empty].map(|count| count * 100 / messages);
    let separate = per_message(count(ClientSettings::default(), 4_000));
    let one_poll = per_message(count(ONE_POLL, 4_000));
    assert_eq!(separate, SEPARATE, "separate events: tasks queued, run and empty per 100 messages");
    assert_eq!(one_poll, ONE_POLL_TASKS, "one poll event: tasks queued, run and empty per 100 messages");
}

const SEPARATE: [u64; 3] = [532, 358, 150];
const ONE_POLL_TASKS: [u64; 3] = [358, 258, 50];

#[test]
fn a_look_at_the_state_precedes_a_message_of_the_same_instant() {
    for client in [ClientSettings::default(), ONE_POLL] {
        let mut session = Session::open(Record { client, ..Record::default() }).expect("a good record");
        let mut seen = 0;
        // When each replica last looked.
        let mut looked_us = [None; 5];
        for _ in 0..2_000 {
            session.step();
            for event in session.last_step() {
                let looked_us = &mut looked_us[event.replica.index()];
                match event.what {
                    What::Task { kind: TaskKind::PollState | TaskKind::Timer(_) | TaskKind::Poll, .. } => {
                        *looked_us = Some(event.at_us);
                    }
                    What::Task { kind: TaskKind::Message(_), .. } => {
                        seen += 1;
                        assert_eq!(*looked_us, Some(event.at_us));
                    }
                    _ => {}
                }
            }
        }
        assert!(seen > 500 || client.form == Form::OnePoll);
    }
}

#[test]
fn an_older_look_at_the_state_may_do_before_a_message() {
    let aged = ClientSettings { poll_state_max_age_ms: 10_000, ..ClientSettings::default() };
    let (fresh, aged) = (count(ClientSettings::default(), 2_000), count(aged, 2_000));
    assert!(aged.1 < fresh.1, "fewer tasks run: {aged:?} {fresh:?}");
    assert!(aged.2 < fresh.2, "fewer looks find nothing: {aged:?} {fresh:?}");
}

#[test]
fn no_form_works_without_a_reason() {
    // Nothing is due between two events of an idle cluster, and no instant has more than a handful of tasks.
    for client in [ClientSettings::default(), ONE_POLL] {
        let mut session = Session::open(Record { client, ..Record::default() }).expect("a good record");
        for _ in 0..5_000 {
            session.step();
            let tasks = session.last_step().iter().filter(|event| matches!(event.what, What::Task { .. })).count();
            assert!((1..=12).contains(&tasks), "{tasks} tasks at event {}", session.position());
            let now_us = session.sim().now_us();
            // The cluster's own idea of what is next agrees with its executors'.
            let first =
                session.sim().ids().filter_map(|id| session.sim().client(id)).map(|client| client.next_due_us());
            let flying = session.sim().flights().map(|(key, _)| key.at_us);
            assert_eq!(Some(session.sim().next_due_us()), first.chain(flying).min());
            for id in session.sim().ids() {
                let due_us = session.sim().client(id).map(|client| client.next_due_us());
                let is_late = due_us.is_some_and(|due_us| due_us < now_us);
                assert!(!is_late, "node {id} at event {}", session.position());
            }
        }
    }
}

#[test]
fn a_lost_look_at_the_state_does_not_stop_the_next_one() {
    for client in [ClientSettings::default(), ONE_POLL] {
        let mut session = Session::open(Record { client, ..Record::default() }).expect("a good record");
        let (mut chances, mut lost) = (0, 0);
        for _ in 0..6_000 {
            // Now and then what would look at the state is taken away in the middle of a step.
            session.step_task();
            let looks = session.sim().open_on().and_then(|id| {
                let mut queue = session.sim().client(id)?.queue().into_iter();
                let (_, number, _) = queue.find(|(_, _, kind)| matches!(kind, TaskKind::PollState | TaskKind::Poll))?;
                Some((id, u32::try_from(number).expect("few")))
            });
            let Some((replica, number)) = looks else { continue };
            chances += 1;
            if chances % 40 == 0 {
                session.act(Command::Cancel { replica, number }).expect("it waits");
                lost += 1;
            }
        }
        assert!(lost > 20, "{client:?}: {lost} were lost");
        // Every node goes on: it runs tasks over the next events, and one leads.
        let ran = |session: &Session| {
            let clients = session.sim().ids().filter_map(|id| session.sim().client(id));
            clients.map(|client| client.executor().counters().1).collect::<Vec<_>>()
        };
        let before = ran(&session);
        for _ in 0..2_000 {
            session.step();
        }
        assert!(ran(&session).iter().zip(&before).all(|(now, before)| *now > before + 20), "{client:?}");
        assert!(session.leader().is_some());
    }
}
