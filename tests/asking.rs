//! Questions about a moment: why a record is not committed, why something was refused.
#![cfg(not(target_arch = "wasm32"))]

use raftwerk::explain::{Because, Question, ask};
use raftwerk::raft::kraft::Note;
use raftwerk::raft::{Either, ReplicaId, ReplicaSet, Verdict};
use raftwerk::scenario::{Record, Start, from_json};
use raftwerk::session::Session;
use raftwerk::sim::{Command, What};

fn ids(all: &[u8]) -> ReplicaSet {
    let mut set = ReplicaSet::default();
    all.iter().for_each(|&id| set.insert(ReplicaId(id)));
    set
}

fn why(session: &Session, offset: u64) -> Because {
    ask(session.sim(), [], Question::WhyNotCommitted { offset })
}

/// Node 1 of three is about to win: it stopped as candidate. All have two records of epoch 1.
fn three() -> Session {
    let start = |voted| Start { log: vec![1, 1], epoch: 2, voted, ..Start::default() };
    let starts = vec![start(Some(ReplicaId(0))), start(None), start(None)];
    Session::open(Record { replicas: 3, starts, ..Record::default() }).expect("it opens")
}

#[test]
fn why_a_record_is_not_committed() {
    let mut session = three();
    assert_eq!(why(&session, 0), Because::NoLeader { holders: ids(&[0, 1, 2]) });
    assert_eq!(why(&session, 7), Because::NoSuchEntry);
    while session.leader().is_none() {
        assert!(session.step());
    }
    assert_eq!(why(&session, 0), Because::TooFewHaveIt { told: ids(&[0]), need: 2 });
    // Once another has fetched from offset 2, a majority has the old records, and not the leader's first.
    let mut was_older = false;
    while session.sim().standing(ReplicaId(0)).and_then(|it| it.committed).is_none() {
        was_older |= why(&session, 0) == Because::OfAnOlderEpoch { leader: ReplicaId(0), epoch_start: 2 };
        assert!(session.step());
    }
    assert!(was_older, "the moment that Raft 5.4.2 is about");
    assert_eq!(why(&session, 2), Because::IsCommitted { holders: ids(&[0, 1, 2]) });
}

#[test]
fn a_record_that_only_a_former_leader_has_will_go() {
    let mut session = three();
    while session.sim().standing(ReplicaId(0)).and_then(|it| it.committed).is_none() {
        assert!(session.step());
    }
    for (from, to) in [(0, 1), (0, 2), (1, 0), (2, 0)] {
        let command = Command::SetCut { from: ReplicaId(from), to: ReplicaId(to), is_cut: true };
        session.act(command).expect("a link can be cut");
    }
    for _ in 0..3 {
        session.act(Command::Append { replica: ReplicaId(0), key: 1, value: 1, count: 1 }).expect("it leads");
        session.step();
    }
    let end = session.sim().standing(ReplicaId(0)).expect("it runs").end_offset;
    assert!(matches!(why(&session, end - 1), Because::TooFewHaveIt { .. }));
    while session.leader().is_none_or(|(leader, _)| leader == ReplicaId(0)) {
        assert!(session.step());
    }
    assert_eq!(why(&session, end - 1), Because::NotInTheLeadersLog { leader: session.leader().expect("just seen").0 });
}

#[test]
fn why_a_vote_was_refused() {
    // Two campaign at once.
    let record = from_json(include_str!("../scenarios/kraft.json")).expect("a good scenario");
    let mut session = Session::open(record).expect("it opens");
    let mut found = 0;
    for _ in 0..60 {
        assert!(session.step());
        let refusal = session.last_step().iter().find_map(|event| match event.what {
            What::Sent { to, number, face, .. } if face.verdict == Verdict::Refused => {
                Some((event.replica, to, number))
            }
            _ => None,
        });
        let Some((by, to, number)) = refusal else { continue };
        let steps: Vec<_> = session.recent().map(|(_, trace)| trace).collect();
        let because = ask(session.sim(), steps.into_iter().rev(), Question::WhyRefused { by, to, number });
        let Because::Refused { by: who, note } = because else { panic!("{because:?}") };
        assert_eq!(who, by);
        assert!(matches!(note, Either::KRaft(Note::Refused { to: whom, .. }) if whom == to), "{note:?}");
        found += 1;
    }
    assert!(found > 0);
    let nobody = Question::WhyRefused { by: ReplicaId(0), to: ReplicaId(1), number: 9_999 };
    assert_eq!(ask(session.sim(), [], nobody), Because::Forgotten);
}
