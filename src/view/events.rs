//! The event list: a line a step, those that are remembered around here, the newest first.

use crate::explain::{Explanation, Trigger, explain};
use crate::raft::{Any, Protocol, ReplicaId, Theme, Traffic, Verdict};
use crate::session::Session;
use crate::sim::{TraceEvent, What};

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// The position after it.
    pub step: u64,
    /// When it was, in global microseconds.
    pub at_us: u64,
    /// What happened, in a line.
    pub text: String,
    /// Whether one stands right after it.
    pub is_here: bool,
    /// Whether it comes after where one stands.
    pub is_ahead: bool,
}

/// What of the list is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sieve {
    /// Which of the catalogue's kinds of events.
    pub kind: usize,
    /// Only steps in which this replica had a part.
    pub replica: Option<ReplicaId>,
    /// Only lines with this in them; small and large letters are the same.
    pub search: String,
}

impl Sieve {
    fn lets_through(&self, explanation: &Explanation, trace: &[TraceEvent<Any>]) -> bool {
        let has = |wanted: &[Theme]| {
            trace.iter().any(|event| matches!(event.what, What::Note(note) if wanted.contains(&Any::gist(&note).theme)))
        };
        let is_answer_to_campaign = |trigger: &Trigger| {
            matches!(trigger, Trigger::Delivery { face, .. }
                if Any::traffic(face) == Traffic::Votes && face.verdict != Verdict::Asks)
        };
        let is_kind = match self.kind {
            1 => has(&[Theme::Role]),
            2 => has(&[Theme::Vote, Theme::VoteRefused, Theme::Count]) || is_answer_to_campaign(&explanation.trigger),
            3 => has(&[Theme::VoteRefused, Theme::Refusal]),
            4 => has(&[Theme::Commit]),
            5 => has(&[Theme::Log, Theme::Taken]),
            6 => {
                matches!(explanation.trigger, Trigger::Command(_))
                    || trace.iter().any(|event| matches!(event.what, What::Failed(..) | What::Ended(_)))
            }
            7 => trace.iter().any(|event| matches!(event.what, What::Call(_))),
            _ => true,
        };
        let is_there = |id: ReplicaId| trace.iter().any(|event| event.replica == id);
        is_kind && self.replica.is_none_or(is_there)
    }
}

/// The list, with at most so many lines up to here, and so many of what comes after.
#[must_use]
pub fn events(session: &Session, sieve: &Sieve, most: usize, ahead: usize) -> Vec<EventLine> {
    let here = session.begun();
    let search = sieve.search.trim().to_ascii_lowercase();
    let line = |(step, trace): (u64, &[TraceEvent<Any>])| {
        let explanation = explain(trace, session.is_open() && step == here);
        let at_us = trace.first()?.at_us;
        if !sieve.lets_through(&explanation, trace) {
            return None;
        }
        let text = super::say::sentence(session, &explanation).text;
        let is_found = search.is_empty() || text.to_ascii_lowercase().contains(&search);
        is_found.then_some(EventLine { step, at_us, text, is_here: step == here, is_ahead: step > here })
    };
    let mut lines: Vec<EventLine> =
        session.recent().skip_while(|&(step, _)| step <= here).filter_map(line).take(ahead).collect();
    lines.reverse();
    lines.extend(session.recent().rev().skip_while(|&(step, _)| step > here).filter_map(line).take(most));
    lines
}
