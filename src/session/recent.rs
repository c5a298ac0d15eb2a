//! The traces of the steps around here; for lists and drawings.

use crate::raft::Any;
use crate::sim::TraceEvent;

/// How many lines of traces are kept at least, once there are that many.
const RECENT_MAX: usize = 8_000;

/// The traces of the steps around here, back to back; for lists and drawings.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    lines: Vec<TraceEvent<Any>>,
    /// The position after each step, and where its lines begin.
    steps: Vec<(u64, usize)>,
}

impl Recent {
    /// Keeps the trace of a step, or what there is of it so far. A step that is followed by others is known already.
    pub(super) fn put(&mut self, step: u64, trace: &[TraceEvent<Any>]) {
        if let Some(&(last, start)) = self.steps.last() {
            if step < last {
                return;
            }
            if step == last {
                // An open step has grown; or something was done within it, which begins a trace anew.
                if trace.len() >= self.lines.len() - start {
                    self.lines.truncate(start);
                }
                self.lines.extend_from_slice(trace);
                return;
            }
        }
        if self.lines.len() >= 2 * RECENT_MAX {
            let kept = self.steps.partition_point(|&(_, start)| start < self.lines.len() - RECENT_MAX);
            let from = self.steps.get(kept).map_or(self.lines.len(), |&(_, start)| start);
            self.steps.drain(..kept);
            self.lines.drain(..from);
            for (_, start) in &mut self.steps {
                *start -= from;
            }
        }
        self.steps.push((step, self.lines.len()));
        self.lines.extend_from_slice(trace);
    }

    /// Whether every step between two positions is here; the first one exclusive.
    pub(super) fn covers(&self, from: u64, to: u64) -> bool {
        let first = self.steps.first().map(|&(step, _)| step);
        let last = self.steps.last().map(|&(step, _)| step);
        from >= to || (first.is_some_and(|step| step <= from + 1) && last.is_some_and(|step| step >= to))
    }

    /// Forgets what comes after a position.
    pub(super) fn cut(&mut self, step: u64) {
        let kept = self.steps.partition_point(|&(last, _)| last <= step);
        if let Some(&(_, start)) = self.steps.get(kept) {
            self.lines.truncate(start);
        }
        self.steps.truncate(kept);
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &[TraceEvent<Any>])> {
        self.steps.iter().enumerate().map(|(index, &(step, start))| {
            let end = self.steps.get(index + 1).map_or(self.lines.len(), |&(_, next)| next);
            (step, &self.lines[start..end])
        })
    }
}
