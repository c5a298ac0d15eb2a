//! The rules of the extended paper, in the order of its sections.

use super::lab::{Lab, append, disk, request_vote, settings};
use raftwerk::raft::classic::{AppendOutcome, Cause, ClassicMessage, ClassicSettings, Disk, Note, Refused, Rules};
use raftwerk::raft::{
    AppendError, Ended, Family, Payload, ProtocolSettings, Replica, ReplicaId, RequestError, RoleShape,
};
use raftwerk::scenario::{Record, Start};
use raftwerk::session::Session;
use raftwerk::sim::{CallNote, ClientOptions, Command, EventName, LinkConditions, Property, What};

fn plain() -> ClassicSettings {
    ClassicSettings::default()
}

/// A lab of so many servers in which server 1 leads term 1.
fn led(settings: ClassicSettings, count: usize) -> Lab {
    let mut lab = Lab::empty(settings, count);
    lab.campaign(1);
    lab.deliver_all();
    assert!(lab.leads(1, 1));
    lab
}

fn has(lab: &Lab, shown: u8, is_it: impl Fn(&Note) -> bool) -> bool {
    lab.notes.iter().any(|(id, note)| *id == shown && is_it(note))
}

// §5.1

#[test]
fn s5_1_a_later_term_makes_a_follower_whatever_carries_it() {
    let carriers = [
        request_vote(5, (0, 0)),
        ClassicMessage::Vote { term: 5, granted: false, pre_vote: false },
        append(5, (0, 0), &[], 0),
        ClassicMessage::Appended { term: 5, count: 0, outcome: AppendOutcome::Stale },
    ];
    for message in carriers {
        let mut candidate = Lab::empty(plain(), 3);
        candidate.campaign(1);
        for mut lab in [candidate, led(plain(), 3), Lab::empty(plain(), 3)] {
            lab.lose(|_| true);
            lab.bring(2, 1, message.clone());
            assert_eq!((lab.role(1), lab.at(1).term()), (RoleShape::Follower, 5), "{message:?}");
        }
    }
}

#[test]
fn s5_1_a_message_of_an_older_term_is_refused_with_the_newer_one() {
    let mut lab = Lab::of(plain(), vec![disk(4, None, &[]), Disk::default()]);
    lab.bring(2, 1, request_vote(3, (9, 9)));
    assert!(matches!(lab.take(1, 2), ClassicMessage::Vote { term: 4, granted: false, .. }));
    lab.bring(2, 1, append(3, (0, 0), &[1], 0));
    let answer = lab.take(1, 2);
    assert!(matches!(answer, ClassicMessage::Appended { term: 4, outcome: AppendOutcome::Stale, .. }));
    assert_eq!((lab.at(1).last_index(), lab.at(1).leader()), (0, None));
    // And answers of an older term change nothing.
    let mut lab = Lab::empty(plain(), 3);
    lab.campaign(1);
    lab.campaign(1);
    lab.lose(|_| true);
    for from in [2, 3] {
        lab.bring(from, 1, ClassicMessage::Vote { term: 1, granted: true, pre_vote: false });
    }
    assert_eq!(lab.role(1), RoleShape::Candidate);
}

// §5.2

#[test]
fn s5_2_servers_start_as_followers_and_campaign_when_their_timeout_runs_out() {
    let mut lab = Lab::empty(plain(), 5);
    assert!((1..=5).all(|shown| lab.role(shown) == RoleShape::Follower && lab.at(shown).term() == 0));
    assert_eq!(lab.left_ms(1), Some(1_000));
    lab.pass(999);
    lab.look(1);
    assert_eq!(lab.role(1), RoleShape::Follower);
    lab.pass(1);
    lab.look(1);
    assert_eq!((lab.role(1), lab.at(1).term(), lab.voted(1)), (RoleShape::Candidate, 1, Some(1)));
    let asked: Vec<u8> = lab.flights().iter().map(|flight| flight.to).collect();
    assert_eq!(asked, [2, 3, 4, 5]);
}

#[test]
fn s5_2_a_majority_elects_and_the_leader_says_so_at_once() {
    let mut lab = Lab::empty(plain(), 5);
    lab.campaign(1);
    for shown in 2..=5 {
        lab.deliver(1, shown);
    }
    lab.deliver(2, 1);
    assert_eq!(lab.role(1), RoleShape::Candidate);
    lab.deliver(3, 1);
    assert!(lab.leads(1, 1));
    let told =
        |flight: &&super::lab::Flight| matches!(flight.message, ClassicMessage::AppendEntries { records: None, .. });
    assert_eq!(lab.flights().iter().filter(told).count(), 4);
    lab.deliver_all();
    assert!((2..=5).all(|shown| lab.at(shown).leader() == Some(ReplicaId(0))));
    assert!(lab.left_ms(1).is_none(), "a leader has no election timeout");
}

#[test]
fn s5_2_a_candidate_gives_up_to_a_leader_of_its_term_but_not_of_an_older_one() {
    let mut lab = Lab::empty(plain(), 3);
    lab.campaign(1);
    lab.lose(|_| true);
    lab.bring(2, 1, append(0, (0, 0), &[], 0));
    assert_eq!(lab.role(1), RoleShape::Candidate);
    lab.bring(2, 1, append(1, (0, 0), &[], 0));
    assert_eq!((lab.role(1), lab.at(1).leader()), (RoleShape::Follower, Some(ReplicaId(1))));
    assert!(has(&lab, 1, |note| matches!(note, Note::Became { cause: Cause::LeaderSpoke, .. })));
}

#[test]
fn s5_2_a_split_vote_ends_with_another_campaign() {
    let mut lab = Lab::empty(plain(), 4);
    lab.campaign(1);
    lab.campaign(2);
    lab.deliver(1, 3);
    lab.deliver(2, 4);
    lab.deliver_all();
    assert!([1, 2].iter().all(|&shown| lab.role(shown) == RoleShape::Candidate && lab.at(shown).term() == 1));
    lab.pass(1_000);
    lab.look(2);
    assert_eq!(lab.at(2).term(), 2);
    lab.deliver_all();
    assert!(lab.leads(2, 2));
}

#[test]
fn s5_2_a_candidate_that_a_majority_refused_waits_or_steps_down_as_set() {
    for (refused, role) in [(Refused::Waits, RoleShape::Candidate), (Refused::StepsDown, RoleShape::Follower)] {
        let mut lab = Lab::empty(ClassicSettings { refused, ..plain() }, 5);
        lab.campaign(1);
        lab.lose(|_| true);
        for from in 2..=4 {
            assert_eq!(lab.role(1), RoleShape::Candidate);
            lab.bring(from, 1, ClassicMessage::Vote { term: 1, granted: false, pre_vote: false });
        }
        assert_eq!((lab.role(1), lab.at(1).term(), lab.voted(1)), (role, 1, Some(1)));
        assert_eq!(has(&lab, 1, |note| *note == Note::Lost { term: 1 }), refused == Refused::Waits);
        assert!(lab.left_ms(1).is_some(), "its timeout goes on");
    }
}

#[test]
fn s5_2_only_a_granted_vote_and_a_living_leader_start_the_timeout_anew() {
    let mut lab = Lab::of(plain(), vec![disk(1, None, &[1, 1]), Disk::default(), Disk::default()]);
    lab.pass(400);
    lab.bring(2, 1, request_vote(2, (0, 0)));
    assert_eq!(lab.left_ms(1), Some(600), "refused");
    lab.bring(2, 1, request_vote(3, (2, 1)));
    assert_eq!(lab.left_ms(1), Some(1_000), "granted");
    lab.pass(400);
    lab.bring(2, 1, append(2, (0, 0), &[], 0));
    assert_eq!(lab.left_ms(1), Some(600), "a leader of an older term");
    lab.bring(2, 1, append(3, (0, 0), &[], 0));
    assert_eq!(lab.left_ms(1), Some(1_000));
}

#[test]
fn s5_2_a_lone_server_elects_itself_and_commits_at_once() {
    let mut lab = Lab::empty(plain(), 1);
    lab.campaign(1);
    assert!(lab.leads(1, 1));
    assert_eq!(lab.append(1), Ok(Some(0)));
    assert_eq!((lab.commit(1), lab.at(1).listener().next_offset()), (1, 1));
}

// §5.3

#[test]
fn s5_3_an_entry_is_sent_to_all_and_committed_once_a_majority_has_it() {
    let mut lab = led(plain(), 5);
    assert_eq!(lab.append(1), Ok(Some(0)));
    let sent: Vec<u8> = lab.flights().iter().map(|flight| flight.to).collect();
    assert_eq!(sent, [2, 3, 4, 5], "without waiting for a heartbeat");
    for shown in 2..=5 {
        lab.deliver(1, shown);
    }
    lab.deliver(2, 1);
    assert_eq!(lab.commit(1), 0);
    lab.deliver(3, 1);
    assert_eq!((lab.commit(1), lab.at(1).listener().next_offset()), (1, 1));
    assert_eq!(lab.commit(2), 0, "followers learn it from the next AppendEntries");
    lab.beat(1);
    lab.deliver_all();
    assert_eq!(lab.commits(), [1; 5]);
    assert_eq!(lab.at(4).listener().map(), [(1, 1)]);
}

#[test]
fn s5_3_one_append_entries_carries_no_more_than_its_batch() {
    for (batch, sizes) in [(1, vec![1; 5]), (2, vec![2, 2, 1]), (16, vec![5])] {
        let mut lab = led(ClassicSettings { batch, ..plain() }, 2);
        lab.cut(1, 2, true);
        for _ in 0..5 {
            lab.append(1).expect("it leads");
        }
        lab.cut(1, 2, false);
        // What was sent is lost; a refused heartbeat sets nextIndex back, and from the match on all is sent.
        lab.beat(1);
        let mut seen = Vec::new();
        while let Some(flight) = lab.flights().first() {
            let (from, to) = (flight.from, flight.to);
            let message = lab.take(from, to);
            if let ClassicMessage::AppendEntries { records: Some(records), .. } = &message {
                seen.push(records.entries().len());
            }
            lab.bring(from, to, message);
        }
        assert_eq!((seen, lab.terms(2)), (sizes, vec![1; 5]), "batch {batch}");
    }
}

#[test]
fn s5_3_a_follower_that_was_away_is_brought_up_to_date() {
    let mut lab = led(plain(), 3);
    lab.crash(3);
    for _ in 0..4 {
        lab.append(1).expect("it leads");
        lab.deliver_all();
    }
    assert_eq!(lab.commit(1), 4);
    lab.restart(3);
    lab.beat(1);
    lab.deliver_all();
    lab.beat(1);
    lab.deliver_all();
    assert_eq!((lab.terms(3), lab.commit(3), lab.progress(1, 3)), (vec![1; 4], 4, (5, 4)));
}

#[test]
fn s5_3_the_same_append_entries_twice_changes_nothing() {
    let mut lab = Lab::empty(plain(), 2);
    for _ in 0..2 {
        lab.bring(2, 1, append(1, (0, 0), &[1, 1], 1));
        assert_eq!((lab.terms(1), lab.commit(1)), (vec![1, 1], 1));
    }
    // A late one that holds less cuts nothing.
    lab.bring(2, 1, append(1, (0, 0), &[1], 0));
    assert_eq!((lab.terms(1), lab.commit(1)), (vec![1, 1], 1));
}

#[test]
fn s5_3_a_follower_that_contradicts_is_overwritten_and_a_leader_never() {
    let mut lab = Lab::of(plain(), vec![disk(3, None, &[1, 3]), disk(2, None, &[1, 2, 2]), disk(3, None, &[1, 3])]);
    lab.campaign(1);
    lab.deliver_all();
    assert!(lab.leads(1, 4));
    lab.append(1).expect("it leads");
    lab.deliver_all();
    assert_eq!((lab.terms(1), lab.terms(2)), (vec![1, 3, 4], vec![1, 3, 4]));
    assert!(has(&lab, 2, |note| matches!(note, Note::Overwrote { from: 2, cut: 2, .. })));
    assert!(!has(&lab, 1, |note| matches!(note, Note::Overwrote { .. })));
}

// §5.4

#[test]
fn s5_4_1_whoever_wins_has_every_committed_entry() {
    // Entry 2 is committed on 1 and 2; server 3 lacks it and cannot win.
    let mut lab = Lab::of(plain(), vec![disk(1, None, &[1, 1]), disk(1, None, &[1, 1]), disk(1, None, &[1])]);
    lab.campaign(3);
    lab.deliver_all();
    assert_eq!(lab.role(3), RoleShape::Candidate);
    lab.campaign(2);
    lab.deliver_all();
    assert!(lab.leads(2, 3));
}

#[test]
fn s5_4_2_entries_of_older_terms_are_committed_only_with_one_of_its_own() {
    let mut lab = Lab::of(plain(), vec![disk(2, None, &[1, 2]), disk(2, None, &[1, 2]), disk(2, None, &[1, 2])]);
    lab.campaign(1);
    lab.deliver_all();
    assert!(lab.leads(1, 3));
    assert_eq!((lab.progress(1, 2).1, lab.commit(1)), (2, 0));
    assert!(has(&lab, 1, |note| matches!(note, Note::OlderTerm { index: 2, term: 2, current: 3 })));
    lab.append(1).expect("it leads");
    lab.deliver_all();
    assert_eq!(lab.commit(1), 3);
}

// §5.5, §5.6 and figure 2: what survives a crash

#[test]
fn s5_5_term_vote_and_log_survive_a_crash_and_nothing_else_does() {
    let mut lab = led(plain(), 3);
    lab.append(1).expect("it leads");
    lab.deliver_all();
    lab.beat(1);
    lab.deliver_all();
    assert_eq!(lab.commits(), [1; 3]);
    lab.crash(1);
    lab.restart(1);
    assert_eq!((lab.role(1), lab.at(1).term(), lab.voted(1), lab.terms(1)), (RoleShape::Follower, 1, Some(1), vec![1]));
    assert_eq!((lab.commit(1), lab.at(1).listener().next_offset(), lab.at(1).leader()), (0, 0, None));
}

// §8

#[test]
fn s8_a_no_op_lets_a_new_leader_commit_at_once() {
    for no_op in [false, true] {
        let rules = Rules { no_op, ..Rules::default() };
        let disks = vec![disk(1, None, &[1]), disk(1, None, &[1]), disk(1, None, &[1])];
        let mut lab = Lab::of(ClassicSettings { rules, ..plain() }, disks);
        lab.campaign(1);
        lab.deliver_all();
        assert_eq!(lab.commit(1), if no_op { 2 } else { 0 });
        let last = lab.at(1).log().get(lab.at(1).last_index() - 1).map(|entry| entry.payload);
        assert_eq!(last == Some(Payload::NoOp), no_op);
    }
}

#[test]
fn s8_only_the_leader_takes_commands() {
    let mut lab = led(settings(), 3);
    assert_eq!(lab.append(2), Err(RequestError::Append(AppendError::NotLeader { epoch: 1 })));
    let mut lab_two = led(settings(), 3);
    lab_two.bring(2, 1, append(2, (0, 0), &[], 0));
    assert_eq!(lab_two.append(1), Err(RequestError::Append(AppendError::NotLeader { epoch: 2 })));
    assert_eq!(lab.append(1), Ok(Some(1)));
}

fn session(record: Record) -> Session {
    Session::open(record).expect("a good record")
}

fn until(session: &mut Session, is_so: impl Fn(&Session) -> bool) {
    for _ in 0..5_000 {
        if is_so(session) {
            return;
        }
        assert!(session.step(), "it ends");
    }
    panic!("it does not come about");
}

#[test]
fn s8_a_client_is_sent_to_the_leader_and_told_once_its_command_is_committed() {
    let mut session = session(Record::newcomer());
    until(&mut session, |session| session.leader().is_some());
    let (leader, _) = session.leader().expect("just seen");
    until(&mut session, |session| {
        session.sim().ids().all(|id| session.sim().standing(id).is_some_and(|it| it.leader == Some(leader)))
    });
    session.act(Command::AddClient { options: ClientOptions::default() }).expect("there is room");
    let mut notes = Vec::new();
    // It begins with node 1; if that leads, it crashes first.
    if leader == ReplicaId(0) {
        session.act(Command::Crash { replica: leader, keep_unflushed: true }).expect("it runs");
        session.act(Command::Restart { replica: leader, is_wiped: false }).expect("it is down");
        until(&mut session, |session| session.leader().is_some_and(|(id, _)| id != leader));
        let (leader, _) = session.leader().expect("just seen");
        until(&mut session, |session| session.sim().standing(ReplicaId(0)).is_some_and(|it| it.leader == Some(leader)));
    }
    session.act(Command::ClientRequest { client: 0, key: 1, value: 42 }).expect("it is idle");
    for _ in 0..400 {
        session.step();
        notes.extend(session.last_step().iter().filter_map(|event| match event.what {
            What::Call(note) => Some(note),
            _ => None,
        }));
    }
    let has = |is_it: fn(&CallNote) -> bool| notes.iter().any(is_it);
    assert!(has(|note| matches!(note, CallNote::Redirected { .. })), "{notes:?}");
    assert!(has(|note| matches!(note, CallNote::Committed { .. })), "{notes:?}");
    assert!(has(|note| matches!(note, CallNote::Acknowledged { .. })), "{notes:?}");
    assert_eq!(session.sim().violations(), []);
}

#[test]
fn a_server_that_is_shut_down_stops_at_once() {
    let mut session = session(Record::newcomer());
    session.act(Command::Shutdown { replica: ReplicaId(1), timeout_ms: 1_000 }).expect("it runs");
    assert_eq!(session.sim().ended(ReplicaId(1)), Some(Ended::Completed));
    session.act(Command::Resign { replica: ReplicaId(0) }).expect("it can be asked");
    let refused =
        session.last_step().iter().any(|event| matches!(event.what, What::Refused(RequestError::NoSuchThing)));
    assert!(refused, "nobody can be asked to resign");
}

/// The light of Election Safety: a server that forgot its vote lets two lead one term.
#[test]
fn p02_a_lost_disk_shows_two_leaders_in_one_term() {
    let links = LinkConditions { latency_min_us: 50_000, latency_max_us: 50_000, ..LinkConditions::default() };
    let start = Start { epoch: 0, ..Start::default() };
    let record = Record {
        replicas: 3,
        links,
        protocol: ProtocolSettings::of(Family::Classic),
        starts: vec![start; 3],
        ..Record::of(Family::Classic)
    };
    let mut session = session(record);
    let campaign = |session: &mut Session, id: u8| {
        let replica = ReplicaId(id);
        let (table, _) = session.sim().timers(replica).expect("it runs");
        let timer = raftwerk::raft::Timer::new(raftwerk::raft::TimerKind::Election);
        let event = EventName::Timer { replica, timer, number: table.get(timer).number };
        session.act(Command::RunNow { event }).expect("it is armed");
    };
    let deliver = |session: &mut Session, from: u8, to: u8| {
        let flight = session.sim().flights().map(|(key, _)| key).find(|key| (key.from.0, key.to.0) == (from, to));
        let key = flight.expect("something flies there");
        let event = EventName::Delivery { from: key.from, to: key.to, number: key.number, is_copy: false };
        session.act(Command::RunNow { event }).expect("it flies");
    };
    campaign(&mut session, 0);
    deliver(&mut session, 0, 2);
    session.act(Command::Crash { replica: ReplicaId(2), keep_unflushed: true }).expect("it runs");
    session.act(Command::Restart { replica: ReplicaId(2), is_wiped: true }).expect("it is down");
    campaign(&mut session, 1);
    deliver(&mut session, 1, 2);
    deliver(&mut session, 2, 0);
    assert!(session.sim().violations().is_empty());
    deliver(&mut session, 2, 1);
    let broken: Vec<Property> = session.sim().violations().iter().map(|violation| violation.property).collect();
    assert_eq!(broken, [Property::ElectionSafety]);
    let leads =
        |id: u8| session.sim().standing(ReplicaId(id)).is_some_and(|it| (it.role, it.epoch) == (RoleShape::Leader, 1));
    assert!(leads(0) && leads(1));
    // And they go on refusing each other without falling over.
    for _ in 0..200 {
        session.step();
    }
    assert!(session.sim().ids().all(|id| session.sim().fault(id).is_none()));
}
