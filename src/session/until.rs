//! Going on until something is so.
//!
//! A condition is made of parts that people know: a role, two leaders, an offset, a message of a kind. It is looked at
//! after each step, and the run stops right after the step that made it so. Whoever asks says how far to go at most, so
//! that the work can be cut into pieces, shown and stopped.

use super::Session;
use crate::raft::{Any, AnyKind, Protocol, ReplicaId, RoleShape};
use crate::sim::{Mark, Marked, What};

/// What a run goes on to, or back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// A node's role or epoch changes.
    RoleChange,
    /// A node is elected.
    Election,
    /// More is committed.
    Commit,
    /// Something is broken or mended by hand, or stops.
    Fault,
    /// A message arrives.
    Message,
    /// A timer goes off.
    Timer,
}

/// Until when a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// A node, or any, has a role.
    Role {
        /// Which; any without one.
        replica: Option<ReplicaId>,
        /// The role.
        role: RoleShape,
    },
    /// Two nodes lead at once, be it in different epochs.
    TwoLeaders,
    /// The record at an offset is committed.
    Committed {
        /// The offset.
        offset: u64,
    },
    /// A message of a kind is sent.
    Sent {
        /// The kind.
        kind: AnyKind,
    },
    /// Nothing is left to do.
    NothingLeft,
    /// The next such thing happens.
    Next(Jump),
}

/// How a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// It is so, right after the last step.
    Found,
    /// Not yet.
    Going,
    /// Nothing is left to do, or the run is full.
    Ended,
}

impl Jump {
    fn is_mark(self, mark: &Mark) -> bool {
        match self {
            Self::RoleChange => matches!(mark.what, Marked::Became { .. }),
            Self::Election => matches!(mark.what, Marked::Became { role: RoleShape::Leader, .. }),
            Self::Commit => matches!(mark.what, Marked::Committed { .. }),
            Self::Fault => matches!(mark.what, Marked::Fault | Marked::Stopped | Marked::Broken),
            Self::Message | Self::Timer => false,
        }
    }
}

impl Session {
    /// Whether a condition that describes a state holds here.
    #[must_use]
    pub fn holds(&self, until: Until) -> bool {
        let sim = self.sim();
        let has = |id: ReplicaId, role: RoleShape| {
            sim.replica(id).is_some() && sim.standing(id).is_some_and(|standing| standing.role == role)
        };
        match until {
            Until::Role { replica: Some(id), role } => has(id, role),
            Until::Role { replica: None, role } => sim.ids().any(|id| has(id, role)),
            Until::TwoLeaders => sim.ids().filter(|&id| has(id, RoleShape::Leader)).count() >= 2,
            Until::Committed { offset } => {
                let knows = |id| sim.standing(id).and_then(|standing| standing.committed);
                sim.ids().filter_map(knows).any(|committed| committed > offset)
            }
            Until::NothingLeft => self.next_due_us() == crate::executor::NEVER,
            Until::Sent { .. } | Until::Next(_) => false,
        }
    }

    /// Whether the last step was what a condition waits for.
    fn has_come(&self, until: Until) -> bool {
        match until {
            Until::Sent { kind } => {
                self.last_step().iter().any(|event| matches!(event.what, What::Sent { face, .. } if face.kind == kind))
            }
            Until::Next(jump) => self.last_step().iter().any(|event| match (jump, event.what) {
                (Jump::Message, What::Delivered { .. }) | (Jump::Timer, What::Fired { .. }) => true,
                (Jump::RoleChange, What::Note(note)) => Any::role_change(&note).is_some(),
                (Jump::Election, What::Note(note)) => {
                    Any::role_change(&note).is_some_and(|change| change.to == RoleShape::Leader)
                }
                (Jump::Commit, What::Note(note)) => {
                    Any::commit(&note).is_some()
                        && self.sim().standing(event.replica).is_some_and(|it| it.role == RoleShape::Leader)
                }
                (Jump::Fault, What::Command(command)) => command.is_fault(),
                (Jump::Fault, What::Failed(..) | What::Ended(_)) => true,
                _ => false,
            }),
            _ => self.holds(until),
        }
    }

    /// Goes on for at most so many steps, until it is so. A broken safety property ends any search but is told by the
    /// cluster itself.
    pub fn search(&mut self, until: Until, most: u32) -> Search {
        let broken = self.sim().violations().len();
        for _ in 0..most {
            if !self.step() {
                return if self.holds(until) { Search::Found } else { Search::Ended };
            }
            if self.has_come(until) {
                return Search::Found;
            }
            if self.sim().violations().len() > broken {
                return Search::Ended;
            }
        }
        Search::Going
    }

    /// The position right after the last such thing before this moment, among what is kept of the whole run.
    #[must_use]
    pub fn last_before(&self, jump: Jump) -> Option<u64> {
        let here = self.position();
        let marks = self.marks();
        let before = &marks[..marks.partition_point(|mark| mark.step < here)];
        before.iter().rev().find(|mark| jump.is_mark(mark)).map(|mark| mark.step)
    }
}
