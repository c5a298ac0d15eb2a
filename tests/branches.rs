//! Both futures are kept: acting in the past, undo and redo, plans, going on until something is so.
#![cfg(not(target_arch = "wasm32"))]

mod common;

use raftwerk::executor::NEVER;
use raftwerk::raft::{ReplicaId, RoleShape};
use raftwerk::scenario::Record;
use raftwerk::session::{ActError, BRANCHES_MAX, Edit, Jump, Search, Session, Until};
use raftwerk::sim::{Command, CommandError, Marked, Plan, Stream, scale};

fn crash(id: u8) -> Command {
    Command::Crash { replica: ReplicaId(id), keep_unflushed: false }
}

fn open(seed: u64) -> Session {
    Session::open(Record { seed, ..Record::default() }).expect("it opens")
}

#[test]
fn fork_equals_replay_for_10_000_commands_at_random_places() {
    let mut done = 0;
    let mut kinds = std::collections::BTreeSet::new();
    let mut seed = 0;
    while done < 10_000 {
        let mut session = common::faulty_run(seed, 250);
        let end = session.position();
        let mut luck = Stream::of_link(seed ^ 0x33, ReplicaId(1), ReplicaId(2));
        for _ in 0..40 {
            let home = session.branch();
            let place = u64::from(scale(luck.draw(), u32::try_from(end).expect("short")));
            session.seek(place);
            if session.position() != place {
                continue;
            }
            let before = session.digests().state;
            let gap_us = session.next_due_us().min(NEVER - 1) - session.sim().now_us();
            session.set_playhead(session.sim().now_us() + gap_us / 3);
            let count = u32::from(session.sim().replicas());
            let any = |luck: &mut Stream| ReplicaId(u8::try_from(scale(luck.draw(), count)).expect("small"));
            let who = (any(&mut luck), any(&mut luck), any(&mut luck));
            let command = common::any_command(&session, &mut luck, who, false);
            if session.act(command).is_err() {
                assert_eq!(session.digests().state, before, "seed {seed}: a refused command changes nothing");
                assert_eq!(session.branch(), home);
                continue;
            }
            let after = session.digests().state;
            for _ in 0..5 {
                session.step();
            }
            let (last, later) = (session.position(), session.digests().state);
            // Replayed from its start.
            let record = Record { position: place + 1, tasks: 0, playhead_us: 0, ..session.record() };
            let mut replayed = Session::open(record).expect("it opens");
            assert_eq!(replayed.digests().state, after, "seed {seed}, {command:?} at {place}");
            replayed.seek(last);
            assert_eq!(replayed.digests().state, later, "seed {seed}, {command:?} at {place}, on to {last}");
            // Sought.
            session.seek(0);
            session.seek(place + 1);
            assert_eq!(session.digests().state, after, "seed {seed}, {command:?} at {place}");
            // To the old future and back.
            let new = session.branch();
            if new != home {
                assert!(session.switch(home));
                session.seek(place);
                assert_eq!(session.digests().state, before, "seed {seed}, the old branch at {place}");
                assert!(session.switch(new));
                assert_eq!(session.digests().state, after, "seed {seed}, {command:?} after coming back");
                assert!(session.switch(home));
                session.remove(new);
            }
            done += 1;
            kinds.insert(format!("{command:?}").split([' ', '{']).next().unwrap_or_default().to_owned());
        }
        seed += 1;
        assert!(seed < 2_000, "only {done} commands could be carried out");
    }
    assert!(kinds.len() >= 20, "{kinds:?}");
}

#[test]
fn acting_in_the_past_keeps_the_old_future_and_says_where_it_was_left() {
    let mut session = open(3);
    while session.position() < 60 {
        assert!(session.step());
    }
    let old = session.digests();
    session.seek(20);
    session.act(crash(2)).expect("it runs");
    let all = session.branches();
    assert_eq!(all.len(), 2);
    assert_eq!((all[0].length, all[0].is_current, all[0].fork), (60, false, None));
    let fork = all[1].fork.expect("it began somewhere");
    assert_eq!((fork.from, fork.step, fork.command), (0, 20, crash(2)));
    assert_eq!(all[1].length, 21);
    session.name(1, " without node 3 ");
    assert_eq!(session.branches()[1].name, "without node 3");
    assert!(session.switch(0));
    session.seek(60);
    assert_eq!(session.digests(), old);
    assert_eq!(session.first_difference(&session.beside(1).expect("it is there")), Some(20));
    assert!(!session.switch(7));
    // At its end a run goes on as it is: nothing is left behind.
    session.act(crash(1)).expect("it runs");
    assert_eq!(session.branches().len(), 2);
}

#[test]
fn what_is_done_can_be_undone_and_done_again() {
    let mut session = open(3);
    while session.position() < 40 {
        assert!(session.step());
    }
    let moment = (session.digests(), session.branches());
    assert!(!session.undo() && !session.redo());
    session.seek(10);
    let before = (session.digests(), session.branches());
    session.act(crash(0)).expect("it runs");
    let after = (session.digests(), session.branches());
    session.step();
    assert_eq!(session.to_undo(), Some(&Edit::Act(crash(0))));
    assert!(session.undo());
    assert_eq!((session.digests(), session.branches()), before);
    session.seek(40);
    assert_eq!((session.digests(), session.branches()), moment, "the old future is known again");
    assert!(session.redo());
    session.seek(11);
    assert_eq!(session.digests(), after.0);
    assert_eq!(session.branches().len(), after.1.len());
    // A removed branch comes back too.
    session.remove(0);
    assert_eq!(session.branches().len(), 1);
    assert!(session.undo());
    assert_eq!(session.branches().len(), 2);
    // Something new ends what could be done again.
    session.act(crash(1)).expect("it runs");
    assert!(!session.redo());
}

#[test]
fn a_plan_comes_at_its_time_before_everything_else_and_is_in_the_link() {
    let mut session = open(3);
    let at_us = 2_000_000;
    session.plan(Plan { at_us, command: crash(1) }).expect("it can be planned");
    session.plan(Plan { at_us, command: Command::Heal }).expect("nothing is wrong with it but its time");
    let plain = Session::open(session.record()).expect("it opens");
    assert_eq!(plain.plans(), session.plans());
    while session.sim().now_us() < at_us {
        assert!(session.step());
    }
    assert_eq!(session.sim().now_us(), at_us);
    assert!(session.sim().replica(ReplicaId(1)).is_none());
    // The second one finds nothing to heal.
    session.step();
    assert_eq!(session.missed().map(|(_, why)| why).collect::<Vec<_>>(), [CommandError::NothingToHeal]);
    let record = session.record();
    assert_eq!(record.plans.len(), 1, "the one that was missed: a replay misses it too");
    assert!(record.commands.iter().all(|placed| placed.is_planned));
    assert_eq!(Session::open(record).expect("it opens").digests(), session.digests());
    // Whoever acts before it still has it.
    session.seek(2);
    session.act(crash(4)).expect("it runs");
    assert_eq!(session.plans().first().map(|plan| (plan.at_us, plan.command)), Some((at_us, crash(1))));
    // What could not be done the last time waits again too, and now there is something to heal.
    assert_eq!((session.plans().len(), session.missed().count()), (2, 0));
    session.act(Command::SetCut { from: ReplicaId(0), to: ReplicaId(1), is_cut: true }).expect("a link");
    while session.sim().now_us() < at_us {
        assert!(session.step());
    }
    assert!(session.sim().replica(ReplicaId(1)).is_none());
    session.step();
    assert!(session.sim().is_whole() && session.missed().count() == 0);
    let at_us = session.sim().now_us();
    assert!(
        matches!(session.plan(Plan { at_us, command: crash(0) }), Err(ActError::Input(_))),
        "at this very time too"
    );
    assert!(matches!(session.plan(Plan { at_us: 5, command: crash(0) }), Err(ActError::Input(_))));
}

#[test]
fn a_run_goes_on_until_something_is_so() {
    let mut session = open(3);
    let leads = Until::Role { replica: None, role: RoleShape::Leader };
    assert!(!session.holds(leads));
    assert_eq!(session.search(leads, 3), Search::Going);
    assert_eq!(session.search(leads, 1_000), Search::Found);
    let (leader, _) = session.leader().expect("just found");
    let elected = session.position();
    session.seek(elected - 1);
    assert!(!session.holds(leads), "it stopped right after the step that made it so");
    session.seek(elected);
    session.act(Command::Append { replica: leader, key: 1, value: 1, count: 1 }).expect("it leads");
    assert_eq!(session.search(Until::Committed { offset: 1 }, 1_000), Search::Found);
    let committed = session.position();
    // Cut off from the others it leads on, until they have another.
    for id in session.sim().ids().filter(|&id| id != leader).collect::<Vec<_>>() {
        for (from, to) in [(leader, id), (id, leader)] {
            session.act(Command::SetCut { from, to, is_cut: true }).expect("a link");
        }
    }
    assert_eq!(session.search(Until::TwoLeaders, 5_000), Search::Found);
    assert_eq!(session.last_before(Jump::Election), Some(elected));
    assert_eq!(
        session.last_before(Jump::Commit),
        session.marks().iter().filter(|mark| matches!(mark.what, Marked::Committed { .. })).map(|mark| mark.step).max()
    );
    assert!(session.last_before(Jump::Fault).is_some_and(|step| step > committed));
    for jump in [Jump::RoleChange, Jump::Message, Jump::Timer] {
        assert_eq!(session.search(Until::Next(jump), 10_000), Search::Found, "{jump:?}");
    }
    for id in session.sim().ids().collect::<Vec<_>>() {
        session.act(Command::Crash { replica: id, keep_unflushed: true }).expect("it runs");
    }
    assert_eq!(session.search(Until::NothingLeft, 10_000), Search::Found);
    assert_eq!(session.search(Until::TwoLeaders, 10), Search::Ended);
}

#[test]
fn there_is_a_last_branch() {
    let mut session = open(3);
    while session.position() < 5 {
        assert!(session.step());
    }
    for _ in 1..BRANCHES_MAX {
        session.seek(2);
        session.act(Command::SetClock { replica: ReplicaId(0), rate_ppm: 900_000 }).expect("there is room");
        session.step();
    }
    session.seek(2);
    assert_eq!(session.act(crash(0)), Err(ActError::TooManyBranches));
    session.remove(0);
    session.act(crash(0)).expect("there is room again");
}
