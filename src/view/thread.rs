//! The thread of a message: what it came of, and what came of it.
//!
//! A message is sent in a step; what set that step off, if it was a message, is its cause, and so on back to a timer or a
//! command. What was sent in the step in which it arrived is its consequence, and so on. Only steps that are remembered
//! are looked at.

use crate::raft::Any;
use crate::raft::ReplicaId;
use crate::session::Session;
use crate::sim::{TraceEvent, What};

/// A message: its sender, its receiver and its number on that link.
pub type MessageId = (ReplicaId, ReplicaId, u32);

/// A message's part in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is the one.
    Pinned,
    /// It came before, and led to it.
    Cause,
    /// It came of it.
    Consequence,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// The message itself.
    pub pinned: Option<MessageId>,
    /// What led to it, the nearest first.
    pub causes: Vec<MessageId>,
    /// What came of it, in order.
    pub consequences: Vec<MessageId>,
    /// The positions after the steps that led to it, the nearest first: each sent the message before.
    pub cause_steps: Vec<u64>,
    /// The position after the step in which it arrived.
    pub arrived: Option<u64>,
}

/// The most consequences that are followed.
const CONSEQUENCES_MAX: usize = 300;

/// The message that set a step off, if one did.
fn trigger(trace: &[TraceEvent<Any>]) -> Option<MessageId> {
    trace.iter().find_map(|event| match event.what {
        What::Delivered { from, number, .. } => Some((from, event.replica, number)),
        _ => None,
    })
}

fn sent(trace: &[TraceEvent<Any>]) -> impl Iterator<Item = MessageId> {
    trace.iter().filter_map(|event| match event.what {
        What::Sent { to, number, .. } => Some((event.replica, to, number)),
        _ => None,
    })
}

impl Thread {
    /// The thread of a message, as far as it is remembered.
    #[must_use]
    pub fn of(session: &Session, pinned: MessageId) -> Self {
        let here = session.begun();
        let mut thread = Self { pinned: Some(pinned), ..Self::default() };
        let mut wanted = pinned;
        for (step, trace) in session.recent().rev().filter(|&(step, _)| step <= here) {
            if sent(trace).any(|id| id == wanted) {
                thread.cause_steps.push(step);
                match trigger(trace) {
                    Some(id) => {
                        thread.causes.push(id);
                        wanted = id;
                    }
                    None => break,
                }
            }
        }
        for (step, trace) in session.recent().take_while(|&(step, _)| step <= here) {
            let Some(id) = trigger(trace) else { continue };
            if id == pinned {
                thread.arrived = Some(step);
            }
            if (id == pinned || thread.consequences.contains(&id)) && thread.consequences.len() < CONSEQUENCES_MAX {
                thread.consequences.extend(sent(trace));
            }
        }
        thread
    }

    /// A message's part in it.
    #[must_use]
    pub fn part(&self, id: MessageId) -> Option<Part> {
        if self.pinned == Some(id) {
            Some(Part::Pinned)
        } else if self.causes.contains(&id) {
            Some(Part::Cause)
        } else if self.consequences.contains(&id) {
            Some(Part::Consequence)
        } else {
            None
        }
    }
}
