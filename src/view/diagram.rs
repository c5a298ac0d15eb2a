//! The space-time diagram: a lane a node, time to the right, each message a line as long as its flight.
//!
//! Lanes show the whole run, from marks that are kept of it; messages are drawn as far back as they are remembered.

use super::stage::between;
use crate::raft::kraft::KRaft;
use crate::raft::{ReplicaId, RoleShape};
use crate::session::Session;
use crate::sim::{Fate, TraceEvent, What};
use crate::text::en as text;

/// The height of a lane.
pub const LANE: f64 = 22.0;
/// Room above the lanes, for times.
pub const HEAD: f64 = 18.0;
/// Room left of them, for names.
pub const MARGIN: f64 = 56.0;
/// The most messages that are drawn.
const LINES_MAX: usize = 500;

/// The times that a diagram shows, in global microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its left edge.
    pub from_us: u64,
    /// Its right edge, which is later.
    pub to_us: u64,
}

impl Span {
    /// So much time around a playhead, a good part of it in the past; `None` for all of a run that has come to `end_us`.
    #[must_use]
    pub fn around(playhead_us: u64, length_us: Option<u64>, end_us: u64) -> Self {
        match length_us {
            None => Self { from_us: 0, to_us: (end_us + end_us / 20).max(1_000) },
            Some(length_us) => {
                let to_us = (playhead_us + length_us / 5).max(length_us);
                Self { from_us: to_us - length_us, to_us }
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 52 bits")]
const fn float(value: u64) -> f64 {
    value as f64
}

/// A stretch of a lane in one role and epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// From where to where.
    pub x: (f64, f64),
    /// The role; `None` while it is down.
    pub role: Option<RoleShape>,
    /// The epoch.
    pub epoch: u32,
}

/// A node's line through time.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Which.
    pub id: ReplicaId,
    /// Where it runs.
    pub y: f64,
    /// What it was, from left to right.
    pub stretches: Vec<Stretch>,
}

/// A message from one lane to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// A key that no other has.
    pub key: String,
    /// What it is, and when.
    pub says: String,
    /// Its two ends.
    pub from: (f64, f64),
    /// See `from`.
    pub to: (f64, f64),
    /// Its epoch.
    pub epoch: u32,
    /// Whether it is an answer.
    pub is_answer: bool,
    /// Whether it was lost.
    pub is_lost: bool,
    /// Whether it is one of many alike.
    pub is_quiet: bool,
}

/// A time written above.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where.
    pub x: f64,
    /// The time.
    pub label: String,
}

/// The diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    /// Its width and height.
    pub size: (f64, f64),
    /// The times it shows.
    pub span: Span,
    /// The lanes.
    pub lanes: Vec<Lane>,
    /// The messages.
    pub lines: Vec<Line>,
    /// Times.
    pub ticks: Vec<Tick>,
}

impl Diagram {
    /// Where a time is.
    #[must_use]
    pub fn x(&self, at_us: u64) -> f64 {
        place(self.span, self.size.0, at_us)
    }

    /// Which time a place shows.
    #[must_use]
    pub fn at_us(&self, x: f64) -> u64 {
        let part = between((x - MARGIN) / (self.size.0 - MARGIN), 0.0, 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a span")]
        let into_us = (float(self.span.to_us - self.span.from_us) * part) as u64;
        self.span.from_us + into_us
    }
}

fn place(span: Span, width: f64, at_us: u64) -> f64 {
    let length = float(span.to_us - span.from_us);
    let into = if at_us >= span.from_us { float(at_us - span.from_us) } else { -float(span.from_us - at_us) };
    MARGIN + (width - MARGIN) * into / length
}

/// Projects a session.
#[must_use]
pub fn diagram(session: &Session, width: f64, span: Span) -> Diagram {
    let sim = session.sim();
    let y = |id: ReplicaId| HEAD + LANE * (f64::from(id.0) + 0.5);
    let now_us = session.playhead_us().max(sim.now_us());
    let x = |at_us: u64| between(place(span, width, at_us), MARGIN, width);
    let mut lanes: Vec<Lane> = sim.ids().map(|id| Lane { id, y: y(id), stretches: Vec::new() }).collect();
    // What each is since when; what is to come is not drawn.
    let began: Vec<(u64, Option<RoleShape>, u32)> = sim.ids().map(|_| (0, Some(RoleShape::Unattached), 0)).collect();
    let mut since = began;
    let mut close = |since: &mut (u64, Option<RoleShape>, u32), id: ReplicaId, at_us: u64| {
        if at_us >= span.from_us && since.0 <= span.to_us && at_us > since.0 {
            let stretch = Stretch { x: (x(since.0), x(at_us)), role: since.1, epoch: since.2 };
            lanes[id.index()].stretches.push(stretch);
        }
    };
    for mark in session.marks().iter().filter(|mark| mark.step <= session.position()) {
        let current = &mut since[mark.replica.index()];
        close(current, mark.replica, mark.at_us);
        let epoch = if mark.role.is_none() { current.2 } else { mark.epoch };
        *current = (mark.at_us, mark.role, epoch);
    }
    for (id, current) in sim.ids().zip(&mut since) {
        close(current, id, now_us.max(current.0 + 1));
    }
    let visible = session.sent().filter(|event| match event.what {
        What::Sent { at_us, .. } => at_us >= span.from_us && event.at_us <= span.to_us,
        _ => false,
    });
    let all: Vec<&TraceEvent<KRaft>> = visible.collect();
    let lines = all[all.len().saturating_sub(LINES_MAX)..].iter().filter_map(|event| line(event, span, width, &y));
    Diagram {
        size: (width, HEAD + LANE * f64::from(sim.replicas()) + 4.0),
        span,
        lines: lines.collect(),
        lanes,
        ticks: ticks(span, width),
    }
}

fn line(event: &TraceEvent<KRaft>, span: Span, width: f64, y: &impl Fn(ReplicaId) -> f64) -> Option<Line> {
    let What::Sent { to, number, at_us, fate, face } = event.what else {
        return None;
    };
    let is_lost = matches!(fate, Fate::Lost | Fate::Cut);
    let from = (place(span, width, event.at_us), y(event.replica));
    let whole = (place(span, width, at_us), y(to));
    let end = if is_lost { (from.0 + (whole.0 - from.0) * 0.6, from.1 + (whole.1 - from.1) * 0.6) } else { whole };
    // What begins left of the picture is drawn from its edge.
    let cut = |outside: (f64, f64), inside: (f64, f64)| {
        if outside.0 >= MARGIN || inside.0 <= outside.0 {
            return outside;
        }
        let part = (MARGIN - outside.0) / (inside.0 - outside.0);
        (MARGIN, outside.1 + (inside.1 - outside.1) * part.min(1.0))
    };
    if end.0 < MARGIN {
        return None;
    }
    let fate_says = if is_lost { ", lost" } else { "" };
    Some(Line {
        key: format!("{}>{to} #{number}", event.replica),
        says: format!(
            "{}, {} → {to}, {} to {}{fate_says}",
            text::message(&face),
            event.replica,
            text::time(event.at_us),
            text::time(at_us)
        ),
        from: cut(from, end),
        to: end,
        epoch: face.epoch,
        is_answer: face.verdict != crate::raft::Verdict::Asks,
        is_lost,
        is_quiet: super::stage::is_quiet(&face),
    })
}

/// Round times, about eight of them.
fn ticks(span: Span, width: f64) -> Vec<Tick> {
    let length_us = span.to_us - span.from_us;
    let step_us = [1, 2, 5]
        .into_iter()
        .flat_map(|digit| (2..10).map(move |power| digit * 10_u64.pow(power)))
        .filter(|step_us| length_us / step_us <= 8)
        .min()
        .unwrap_or(length_us);
    let first = span.from_us.div_ceil(step_us);
    (first..=span.to_us / step_us)
        .map(|count| count * step_us)
        .map(|at_us| Tick { x: place(span, width, at_us), label: text::time(at_us) })
        .collect()
}
