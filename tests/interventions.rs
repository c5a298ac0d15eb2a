//! What people do to a run by hand: each command, one claim at a time.
#![cfg(not(target_arch = "wasm32"))]

use raftwerk::executor::NEVER;
use raftwerk::raft::ProtocolSettings;
use raftwerk::raft::kraft::KRaftSettings;
use raftwerk::raft::{ReplicaId, RoleShape, Timer, TimerKind};
use raftwerk::scenario::{Record, validate};
use raftwerk::session::{ActError, Search, Session, Until};
use raftwerk::sim::{
    Alarm, CallFate, ClientOptions, ClientRequest, Command, CommandError, EventName, FlightName, Groups,
    LinkConditions, Outcome, WAITING_MAX, client_id, fate,
};

const LINKS: LinkConditions =
    LinkConditions { latency_min_us: 10_000, latency_max_us: 20_000, loss_ppm: 0, duplicate_ppm: 0, reorder_ppm: 0 };

fn led(seed: u64, replicas: u8) -> (Session, ReplicaId) {
    let mut session = Session::open(Record { seed, replicas, links: LINKS, ..Record::default() }).expect("it opens");
    let leads = Until::Role { replica: None, role: RoleShape::Leader };
    assert_eq!(session.search(leads, 5_000), Search::Found);
    pass(&mut session, 1_000_000);
    let leader = session.leader().expect("it leads").0;
    (session, leader)
}

fn pass(session: &mut Session, us: u64) {
    let until_us = session.sim().now_us() + us;
    while session.next_due_us() <= until_us && session.step() {}
    assert!(session.sim().violations().is_empty(), "{:?}", session.sim().violations());
}

fn act(session: &mut Session, command: Command) {
    session.act(command).unwrap_or_else(|why| panic!("{command:?}: {why}"));
}

fn refused(session: &mut Session, command: Command) -> CommandError {
    match session.act(command) {
        Err(ActError::Command(why)) => why,
        other => panic!("{command:?}: {other:?}"),
    }
}

fn other_than(session: &Session, id: ReplicaId) -> ReplicaId {
    session.sim().ids().find(|&other| other != id).expect("more than one")
}

fn flights(session: &Session) -> Vec<(u64, FlightName)> {
    let mut all: Vec<_> =
        session.sim().flights().map(|(key, _)| (key.at_us, (key.from, key.to, key.number, key.is_copy))).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_paused_node_does_nothing_and_what_comes_waits_at_its_door() {
    let (mut session, leader) = led(2, 3);
    let paused = other_than(&session, leader);
    act(&mut session, Command::Pause { replica: paused });
    assert_eq!(refused(&mut session, Command::Pause { replica: paused }), CommandError::IsPaused(paused));
    let stands = session.sim().standing(paused);
    act(&mut session, Command::Append { replica: leader, key: 1, value: 1, count: 1 });
    pass(&mut session, 5_000_000);
    assert_eq!(session.sim().standing(paused), stands);
    assert!(session.sim().pending().iter().all(|event| event.replica != paused || event.at_us == NEVER));
    let waiting = session.sim().flights().filter(|(key, flight)| key.to == paused && flight.door_us.is_some()).count();
    assert!(waiting > 0);
    let (_, name) = flights(&session).into_iter().find(|(_, name)| name.1 == paused).expect("one waits");
    let event = EventName::Delivery { from: name.0, to: name.1, number: name.2, is_copy: name.3 };
    assert_eq!(refused(&mut session, Command::RunNow { event }), CommandError::IsPaused(paused));
    for command in
        [Command::Resign { replica: paused }, Command::Append { replica: paused, key: 1, value: 1, count: 1 }]
    {
        assert_eq!(refused(&mut session, command), CommandError::IsPaused(paused));
    }
    // What is over by now comes at once, then the messages, one step each, in the order in which they came.
    let now_us = session.sim().now_us();
    act(&mut session, Command::Resume { replica: paused });
    assert_eq!(refused(&mut session, Command::Resume { replica: paused }), CommandError::IsNotPaused(paused));
    assert_ne!(session.sim().standing(paused).map(|it| it.role), stands.map(|it| it.role), "its timeout was over");
    let mut before = 0;
    for _ in 0..waiting {
        let (at_us, _) = flights(&session)[0];
        assert!(at_us >= before && at_us <= now_us);
        before = at_us;
        assert!(session.step());
        assert_eq!(session.sim().now_us(), now_us);
    }
    // A crash opens the door: nobody is there any more.
    pass(&mut session, 3_000_000);
    act(&mut session, Command::Pause { replica: paused });
    pass(&mut session, 2_000_000);
    act(&mut session, Command::Crash { replica: paused, keep_unflushed: true });
    assert!(!session.sim().is_paused(paused));
    assert!(session.sim().flights().all(|(_, flight)| flight.door_us.is_none()));
}

#[test]
fn a_fast_clock_makes_a_node_impatient_and_survives_a_restart() {
    let (mut session, leader) = led(2, 3);
    let fast = other_than(&session, leader);
    let fetch_us = |session: &Session| {
        let (table, clock) = session.sim().timers(fast).expect("it runs");
        clock.global_us(table.deadline_us(Timer::new(TimerKind::Fetch)))
    };
    let (now_us, before_us) = (session.sim().now_us(), fetch_us(&session));
    act(&mut session, Command::SetClock { replica: fast, rate_ppm: 2_000_000 });
    assert_eq!(fetch_us(&session) - now_us, (before_us - now_us).div_ceil(2), "what was left takes half as long");
    let shown_us = session.sim().clock(fast).local_us(now_us);
    assert_eq!(shown_us, now_us, "and it does not jump");
    act(&mut session, Command::Crash { replica: fast, keep_unflushed: true });
    act(&mut session, Command::Restart { replica: fast, is_wiped: false });
    assert_eq!(session.sim().clock(fast).rate_ppm, 2_000_000);
    let slow = Command::SetClock { replica: fast, rate_ppm: 99_999 };
    assert!(matches!(session.act(slow), Err(ActError::Input(error)) if error.path == "command.rate_ppm"));
}

#[test]
fn groups_do_not_hear_each_other_and_cuts_stay() {
    let (mut session, leader) = led(4, 6);
    let mut groups = Groups::default();
    for id in session.sim().ids().collect::<Vec<_>>() {
        groups.put(id, id.0 / 2);
    }
    let (a, b) = (ReplicaId(0), ReplicaId(1));
    act(&mut session, Command::SetCut { from: a, to: b, is_cut: true });
    act(&mut session, Command::Partition { groups });
    let sim = session.sim();
    for from in sim.ids() {
        for to in sim.ids() {
            assert_eq!(sim.is_blocked(from, to), from.0 / 2 != to.0 / 2 || (from, to) == (a, b));
        }
    }
    pass(&mut session, 20_000_000);
    assert!(session.leader().is_none_or(|(id, _)| id != leader), "two of six are no majority");
    act(&mut session, Command::Partition { groups: Groups::default() });
    assert!(session.sim().is_blocked(a, b), "a cut is not healed by that");
    act(&mut session, Command::Heal);
    assert!(session.sim().is_whole());
    assert_eq!(refused(&mut session, Command::Heal), CommandError::NothingToHeal);
    pass(&mut session, 10_000_000);
    assert!(session.leader().is_some());
}

#[test]
fn a_message_is_delayed_and_two_are_swapped() {
    let (mut session, _) = led(5, 5);
    while flights(&session).len() < 2 {
        assert!(session.step());
    }
    let [(first_us, first), (second_us, second)] = flights(&session)[..2] else { unreachable!("there are two") };
    act(&mut session, Command::Swap { one: first, other: second });
    let at = |session: &Session, name: FlightName| flights(session).iter().find(|(_, n)| *n == name).map(|(at, _)| *at);
    assert_eq!((at(&session, first), at(&session, second)), (Some(second_us), Some(first_us)));
    assert_eq!(refused(&mut session, Command::Swap { one: first, other: first }), CommandError::CannotSwap);
    let (from, to, number, is_copy) = first;
    act(&mut session, Command::Delay { from, to, number, is_copy, by_us: 70_000 });
    assert_eq!(at(&session, first), Some(second_us + 70_000));
    act(&mut session, Command::SetHeld { from, to, number, is_copy, is_held: true });
    act(&mut session, Command::Delay { from, to, number, is_copy, by_us: 5_000 });
    let held_us = session.sim().now_us();
    act(&mut session, Command::SetHeld { from, to, number, is_copy, is_held: false });
    assert_eq!(at(&session, first), Some(second_us + 75_000 + (session.sim().now_us() - held_us)));
    assert_eq!(
        refused(&mut session, Command::Delay { from, to, number: 9_999, is_copy, by_us: 1 }),
        CommandError::NoSuchEvent
    );
}

#[test]
fn aligned_timeouts_split_the_vote_and_spread_ones_do_not() {
    for (apart_us, is_split) in [(0, true), (400_000, false)] {
        let mut session = Session::open(Record { seed: 9, links: LINKS, ..Record::default() }).expect("it opens");
        act(&mut session, Command::SpaceTimers { apart_us });
        let due = |session: &Session| {
            let mut due: Vec<u64> = session
                .sim()
                .pending()
                .iter()
                .filter(
                    |event| matches!(event.name, EventName::Timer { timer, .. } if timer.kind == TimerKind::Election),
                )
                .map(|event| event.at_us)
                .collect();
            due.sort_unstable();
            due
        };
        let all = due(&session);
        assert_eq!(all.len(), 5);
        assert!(all.windows(2).all(|pair| pair[1] - pair[0] == u64::from(apart_us)), "{all:?}");
        let two = Until::Role { replica: None, role: RoleShape::Candidate };
        assert_eq!(session.search(two, 2_000), Search::Found);
        pass(&mut session, 60_000);
        let seeking = session.sim().ids().filter(|&id| {
            session
                .sim()
                .standing(id)
                .is_some_and(|it| matches!(it.role, RoleShape::Prospective | RoleShape::Candidate))
        });
        assert_eq!(seeking.count() > 1, is_split, "{apart_us} µs apart");
    }
    let (mut session, leader) = led(2, 3);
    for id in session.sim().ids().filter(|&id| id != leader).collect::<Vec<_>>() {
        act(&mut session, Command::Crash { replica: id, keep_unflushed: true });
    }
    assert_eq!(refused(&mut session, Command::SpaceTimers { apart_us: 0 }), CommandError::NothingToSpace);
}

#[test]
fn a_timer_is_pushed_back_under_its_name() {
    let mut session = Session::open(Record { seed: 9, ..Record::default() }).expect("it opens");
    let timer = session.sim().pending().into_iter().find(|event| matches!(event.name, EventName::Timer { .. }));
    let first = timer.expect("they wait for an election timeout");
    act(&mut session, Command::PushBack { event: first.name, by_us: 700_000 });
    let now = session.sim().pending().into_iter().find(|event| event.name == first.name).expect("it is still armed");
    assert_eq!(now.at_us, first.at_us + 700_000);
    act(&mut session, Command::RunNow { event: first.name });
}

fn request(session: &Session, number: u32) -> ClientRequest {
    session.sim().clients()[0].requests().find(|request| request.number == number).expect("it is remembered").clone()
}

fn join(session: &mut Session, options: ClientOptions) {
    act(session, Command::AddClient { options });
}

fn set(value: u64) -> Command {
    Command::ClientRequest { client: 0, key: 1, value }
}

#[test]
fn a_client_follows_redirects_and_is_told_what_is_committed() {
    let (mut session, leader) = led(2, 5);
    join(&mut session, ClientOptions::default());
    act(&mut session, set(7));
    assert_eq!(request(&session, 1).outcome, Outcome::Asked);
    pass(&mut session, 2_000_000);
    let told = request(&session, 1);
    let Outcome::Acknowledged { offset } = told.outcome else { panic!("{told:?}") };
    assert_eq!(session.sim().clients()[0].believes(), leader);
    assert_eq!(told.taken.len(), 1);
    assert_eq!(fate(session.sim(), 0, 1, told.taken[0]), CallFate::Committed);
    assert!(session.sim().standing(leader).and_then(|it| it.committed).is_some_and(|committed| committed > offset));
    let sent: u8 = told.attempts;
    assert!(sent <= 2, "one redirect at most: the first it asks knows the leader");
}

#[test]
fn a_request_nobody_can_take_is_refused_and_one_without_an_answer_is_unknown() {
    let mut session = Session::open(Record { seed: 2, links: LINKS, ..Record::default() }).expect("it opens");
    join(&mut session, ClientOptions { timeout_ms: 200, backoff_ms: 50, attempts: 3 });
    act(&mut session, set(1));
    pass(&mut session, 900_000);
    assert_eq!(request(&session, 1).outcome, Outcome::Refused, "nobody leads yet");
    for id in session.sim().ids().collect::<Vec<_>>() {
        act(&mut session, Command::Crash { replica: id, keep_unflushed: true });
    }
    act(&mut session, set(2));
    assert_eq!(session.search(Until::NothingLeft, 1_000), Search::Found);
    assert_eq!(request(&session, 2).outcome, Outcome::Unknown);
    let tally = session.sim().clients()[0].tally();
    assert_eq!((tally.acknowledged, tally.refused, tally.unknown), (0, 1, 1));
}

#[test]
fn what_a_cut_off_leader_took_is_overwritten_and_the_client_never_knew() {
    let (mut session, leader) = led(2, 5);
    join(&mut session, ClientOptions { timeout_ms: 500, backoff_ms: 50, attempts: 1 });
    act(&mut session, set(1));
    pass(&mut session, 2_000_000);
    // It asks only once, so the first may have found no leader; now it knows one.
    act(&mut session, set(2));
    pass(&mut session, 1_000_000);
    assert!(matches!(request(&session, 2).outcome, Outcome::Acknowledged { .. }));
    let mut groups = Groups::default();
    groups.put(leader, 1);
    groups.put(client_id(0), 1);
    act(&mut session, Command::Partition { groups });
    act(&mut session, set(3));
    pass(&mut session, 200_000);
    let taken = request(&session, 3).taken[0];
    assert_eq!(fate(session.sim(), 0, 3, taken), CallFate::Open);
    pass(&mut session, 20_000_000);
    assert_eq!(request(&session, 3).outcome, Outcome::Unknown);
    act(&mut session, Command::Heal);
    let new = session.leader().expect("the others have one").0;
    act(&mut session, Command::Append { replica: new, key: 9, value: 9, count: 2 });
    pass(&mut session, 5_000_000);
    assert_eq!(fate(session.sim(), 0, 3, taken), CallFate::Overwritten);
    assert_eq!(request(&session, 3).outcome, Outcome::Unknown, "the client cannot know");
}

#[test]
fn a_steady_rate_that_is_too_much_is_said_and_not_suffered() {
    let (mut session, _) = led(2, 3);
    join(&mut session, ClientOptions::default());
    act(&mut session, Command::SetRate { client: 0, every_us: 1_000 });
    pass(&mut session, 5_000_000);
    let state = &session.sim().clients()[0];
    assert!(state.tally().skipped > 0 && state.tally().acknowledged > 0);
    assert!(state.requests().filter(|request| request.outcome == Outcome::Waits).count() <= WAITING_MAX);
    assert_eq!(refused(&mut session, set(1)), CommandError::ClientIsFull(1));
    assert!(matches!(
        session.act(Command::SetRate { client: 0, every_us: 999 }),
        Err(ActError::Input(error)) if error.path == "command.every_us"
    ));
    act(&mut session, Command::SetRate { client: 0, every_us: 0 });
    pass(&mut session, 30_000_000);
    assert!(session.sim().clients()[0].alarms().all(|(_, alarm, _)| alarm != Alarm::Next));
    assert!(session.sim().clients()[0].requests().all(|request| !matches!(request.outcome, Outcome::Waits)));
}

#[test]
fn with_hardly_any_latency_time_goes_on_and_none_and_timers_of_zero_are_refused() {
    for seed in 0..30 {
        let links = LinkConditions { latency_min_us: 0, latency_max_us: 100, ..LINKS };
        let mut session = Session::open(Record { seed, links, ..Record::default() }).expect("it opens");
        let mut at_once = (0, 0_u32);
        for _ in 0..30_000 {
            assert!(session.step());
            let now_us = session.sim().now_us();
            at_once = if at_once.0 == now_us { (now_us, at_once.1 + 1) } else { (now_us, 0) };
            assert!(at_once.1 < 200, "seed {seed}: {} events at {now_us} µs", at_once.1);
        }
        assert!(session.sim().now_us() > 50_000 && session.sim().violations().is_empty());
    }
    let none = LinkConditions { latency_min_us: 0, latency_max_us: 0, ..LINKS };
    let error = validate(&Record { links: none, ..Record::default() }).expect_err("they would ask for ever");
    assert_eq!(error.path, "links.latency_max_us");
    assert!(error.says.contains("at least 100 µs"), "{error}");
    let (mut session, _) = led(2, 3);
    let set = Command::SetLink { link: None, conditions: none };
    assert!(
        matches!(session.act(set), Err(ActError::Input(error)) if error.path == "command.conditions.latency_max_us")
    );
    let zero = KRaftSettings { fetch_timeout_ms: 0, ..KRaftSettings::default() };
    let record = Record { protocol: ProtocolSettings::KRaft(zero), ..Record::default() };
    assert_eq!(validate(&record).map_err(|error| error.path), Err("protocol.kraft.fetch_timeout_ms".to_owned()));
}
