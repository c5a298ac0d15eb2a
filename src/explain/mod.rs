//! From what happened to why: codes with arguments, no text.
//!
//! A step's trace holds many lines; [`explain`] picks the ones that make its sentence: what set it off, the one line
//! that says why, and the role that changed, if one did. Sentences are made by `text`.
//!
//! Holds always: each step has exactly one explanation.

mod ask;

pub use ask::{Because, Question, ask};

use crate::raft::{
    Any, AnyKind, AnyNote, Fault, Gist, MessageFace, Protocol, ReplicaId, RequestError, RoleShape, TaskKind, Theme,
    Timer,
};
use crate::sim::{Alarm, CallNote, Command, EventName, TraceEvent, What};

/// What set a step off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trigger {
    /// The run began.
    Began,
    /// Somebody did something.
    Command(Command),
    /// A message arrived.
    Delivery {
        /// From whom.
        from: ReplicaId,
        /// To whom.
        to: ReplicaId,
        /// What it was.
        face: MessageFace<AnyKind>,
        /// Whether nobody was there to take it.
        is_wasted: bool,
    },
    /// A timer went off.
    Timer {
        /// Whose.
        replica: ReplicaId,
        /// Which.
        timer: Timer,
    },
    /// A task ran that stands for itself.
    Task {
        /// On whose executor.
        replica: ReplicaId,
        /// Which; unknown until it has run.
        kind: Option<TaskKind>,
    },
    /// A client's alarm went off.
    Client {
        /// Whose, from 0.
        client: u8,
        /// Which.
        alarm: Alarm,
    },
}

/// A step, explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What set it off.
    pub trigger: Trigger,
    /// The line that says why, and where.
    pub why: Option<(ReplicaId, AnyNote)>,
    /// What followed from it, if that has a line of its own.
    pub then: Option<(ReplicaId, AnyNote)>,
    /// What stopped a replica.
    pub fault: Option<(ReplicaId, Fault)>,
    /// What a replica refused to do for its user.
    pub refused: Option<(ReplicaId, RequestError)>,
    /// What happened with requests of clients, and where.
    pub calls: Vec<(ReplicaId, CallNote)>,
    /// How many messages were sent because of it.
    pub sent: usize,
    /// Whether tasks that belong to it have not run yet.
    pub is_open: bool,
}

impl Explanation {
    /// Whether it is one of the few things that are worth saying aloud while a run plays (case B26).
    #[must_use]
    pub fn is_news(&self) -> bool {
        let changes_leader = |part: &Option<(ReplicaId, AnyNote)>| {
            let change = part.and_then(|(_, note)| Any::role_change(&note));
            change.is_some_and(|it| it.to == RoleShape::Leader || it.from == Some(RoleShape::Leader))
        };
        self.fault.is_some()
            || changes_leader(&self.why)
            || changes_leader(&self.then)
            || matches!(
                self.trigger,
                Trigger::Command(command) if command.is_fault()
            )
    }
}

/// Explains a step from its trace; `is_open` says that the trace is not complete yet.
#[must_use]
pub fn explain(trace: &[TraceEvent<Any>], is_open: bool) -> Explanation {
    let trigger = trace
        .iter()
        .find_map(|event| match event.what {
            What::Command(command) => Some(Trigger::Command(command)),
            What::Delivered { from, face, is_wasted, .. } => {
                Some(Trigger::Delivery { from, to: event.replica, face, is_wasted })
            }
            What::Fired { event: EventName::Timer { replica, timer, .. } } => Some(Trigger::Timer { replica, timer }),
            What::Fired { event: EventName::Client { client, alarm, .. } } => Some(Trigger::Client { client, alarm }),
            What::Fired { event: EventName::Task { replica, .. } } => Some(Trigger::Task {
                replica,
                kind: trace.iter().find_map(|event| match event.what {
                    What::Task { kind, .. } => Some(kind),
                    _ => None,
                }),
            }),
            _ => None,
        })
        .unwrap_or(Trigger::Began);
    let notes = trace.iter().filter_map(|event| match event.what {
        What::Note(note) => Some((event.replica, note)),
        _ => None,
    });
    let all: Vec<_> = notes.map(|(id, note)| (id, note, Any::gist(&note))).collect();
    let role = all.iter().rev().find(|(.., gist)| gist.theme == Theme::Role).copied();
    let others = all.iter().filter(|(.., gist)| gist.theme != Theme::Role);
    let other = others.max_by_key(|(.., gist)| gist.weight).copied();
    let line = |part: Option<(ReplicaId, AnyNote, Gist)>| part.map(|(id, note, _)| (id, note));
    let (why, then) = match (role, other.map(|(.., gist)| gist.theme)) {
        _ if matches!(trigger, Trigger::Began) => (None, None),
        // The answer that was counted is why the role changed.
        (Some(_), Some(Theme::Count)) => (line(other), line(role)),
        // A vote is judged after a higher epoch was taken over, and so is what a new leader says.
        (Some(_), Some(Theme::Vote | Theme::VoteRefused | Theme::Log | Theme::Refusal)) => (line(role), line(other)),
        (Some(_), _) => (line(role), None),
        // Entries that were appended, and what was learned to be committed with them.
        (None, Some(Theme::Commit)) => {
            let log = all.iter().rev().find(|(.., gist)| gist.theme == Theme::Log).copied();
            if log.is_some() { (line(log), line(other)) } else { (line(other), None) }
        }
        (None, _) => (line(other), None),
    };
    let fault = trace.iter().find_map(|event| match event.what {
        What::Failed(fault, _) => Some((event.replica, fault)),
        _ => None,
    });
    let refused = trace.iter().find_map(|event| match event.what {
        What::Refused(why) => Some((event.replica, why)),
        _ => None,
    });
    let call = |event: &TraceEvent<Any>| match event.what {
        What::Call(note) => Some((event.replica, note)),
        _ => None,
    };
    let calls = trace.iter().filter_map(call).collect();
    let sent = trace.iter().filter(|event| matches!(event.what, What::Sent { .. })).count();
    Explanation { trigger, why, then, fault, refused, calls, sent, is_open }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raft::kraft::{Cause, MessageKind, Note};
    use crate::raft::{Either, LogEnd, Verdict};

    #[test]
    fn a_vote_is_told_after_the_epoch_and_an_election_after_the_count() {
        let event = |what| TraceEvent::<Any> { at_us: 0, replica: ReplicaId(1), what };
        let face = MessageFace { kind: Either::KRaft(MessageKind::Vote), epoch: 1, verdict: Verdict::Asks, entries: 0 };
        let delivered = What::Delivered { from: ReplicaId(0), number: 1, face, is_wasted: false };
        let became = |to, cause| {
            What::Note(Either::KRaft(Note::Became {
                from: Some(RoleShape::Candidate),
                to,
                epoch: 1,
                cause,
                leader: None,
            }))
        };
        let granted = What::Note(Either::KRaft(Note::Granted {
            to: ReplicaId(0),
            epoch: 1,
            pre_vote: false,
            theirs: LogEnd { epoch: 0, end: 0 },
            ours: LogEnd { epoch: 0, end: 0 },
        }));
        let vote = explain(
            &[event(delivered), event(became(RoleShape::Unattached, Cause::HigherEpoch)), event(granted)],
            false,
        );
        assert!(matches!(vote.why, Some((_, Either::KRaft(Note::Became { .. })))));
        assert!(matches!(vote.then, Some((_, Either::KRaft(Note::Granted { .. })))));
        let counted = What::Note(Either::KRaft(Note::Counted {
            from: ReplicaId(0),
            granted: true,
            pre_vote: false,
            have: 2,
            need: 2,
        }));
        let election = explain(
            &[event(delivered), event(counted), event(became(RoleShape::Leader, Cause::MajorityGranted))],
            false,
        );
        assert!(matches!(election.why, Some((_, Either::KRaft(Note::Counted { .. })))));
        assert!(matches!(election.then, Some((_, Either::KRaft(Note::Became { to: RoleShape::Leader, .. })))));
        assert!(election.is_news() && !vote.is_news());
    }
}
