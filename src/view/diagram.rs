//! The space-time diagram: a lane a node, time to the right, each message a line as long as its flight.
//!
//! Lanes show the whole run, from marks that are kept of it; messages are drawn as far back as they are remembered.

use super::say;
use super::stage::{Kinds, between, kind};
use super::thread::{MessageId, Part, Thread};
use crate::raft::Any;
use crate::raft::{ReplicaId, RoleShape};
use crate::session::Session;
use crate::sim::{Fate, Marked, TraceEvent, What, client_id, client_number};
use crate::text::en as text;

/// The height of a lane in a small cluster.
const LANE: f64 = 22.0;
/// Room above the lanes, for times.
pub const HEAD: f64 = 18.0;
/// Room left of them, for names.
pub const MARGIN: f64 = 56.0;
/// How near a place is to a line that is meant, in the units of the diagram.
const NEAR: f64 = 5.0;
/// The least distance between two commits that are both marked.
const APART: f64 = 4.0;
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
    /// What it is called, as fully as there is room.
    pub name: String,
    /// Where it runs.
    pub y: f64,
    /// What it was, from left to right.
    pub stretches: Vec<Stretch>,
}

/// A message from one lane to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its two ends.
    pub from: (f64, f64),
    /// See `from`.
    pub to: (f64, f64),
    /// Which message it is.
    pub id: MessageId,
    /// Its part in the thread that is highlighted.
    pub part: Option<Part>,
    /// Its epoch.
    pub epoch: u32,
    /// Whether it is an answer.
    pub is_answer: bool,
    /// Whether it was lost.
    pub is_lost: bool,
    /// Whether it is one of many alike.
    pub is_quiet: bool,
}

/// What a sign on a lane stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignKind {
    /// The node was elected.
    Elected,
    /// The leader's high watermark rose.
    Committed,
    /// Somebody did something.
    Command,
    /// A property was broken.
    Broken,
    /// Another branch begins here.
    Forked,
}

/// A mark on a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    /// Where.
    pub at: (f64, f64),
    /// What it stands for.
    pub kind: SignKind,
    /// What it is, in a sentence.
    pub says: String,
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
    /// The height of a lane.
    pub lane: f64,
    /// The messages.
    pub lines: Vec<Line>,
    /// Marks.
    pub signs: Vec<Sign>,
    /// Whether a thread is highlighted.
    pub has_thread: bool,
    /// Times.
    pub ticks: Vec<Tick>,
}

impl Diagram {
    /// Where a time is.
    #[must_use]
    pub fn x(&self, at_us: u64) -> f64 {
        place(self.span, self.size.0, at_us)
    }

    /// The message nearest to a place, if one is near.
    #[must_use]
    pub fn near(&self, x: f64, y: f64) -> Option<MessageId> {
        let distance = |line: &Line| {
            let (dx, dy) = (line.to.0 - line.from.0, line.to.1 - line.from.1);
            let part = ((x - line.from.0) * dx + (y - line.from.1) * dy) / (dx * dx + dy * dy).max(1e-6);
            let part = between(part, 0.0, 1.0);
            let (ex, ey) = (line.from.0 + dx * part - x, line.from.1 + dy * part - y);
            ex * ex + ey * ey
        };
        let mut best = None;
        for line in &self.lines {
            let d = distance(line);
            if d <= NEAR * NEAR && best.is_none_or(|(least, _)| d < least) {
                best = Some((d, line.id));
            }
        }
        best.map(|(_, id)| id)
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

/// Projects a session, without the kinds of messages in `hidden`, and with the parts of a thread.
#[must_use]
pub fn diagram(session: &Session, width: f64, span: Span, hidden: Kinds, thread: &Thread) -> Diagram {
    let sim = session.sim();
    let clients = u8::try_from(sim.clients().len()).unwrap_or(0);
    let lane = match sim.replicas() + clients {
        0..=5 => LANE,
        6..=9 => 16.0,
        _ => 11.0,
    };
    // Clients have their lanes below.
    let row = |id: ReplicaId| client_number(id).map_or(id.0, |client| sim.replicas() + client);
    let y = |id: ReplicaId| HEAD + lane * (f64::from(row(id)) + 0.5);
    let now_us = session.playhead_us().max(sim.now_us());
    let x = |at_us: u64| between(place(span, width, at_us), MARGIN, width);
    let empty = |id: ReplicaId| {
        let name = if lane > 12.0 { say::node(session, id) } else { say::short(session, id) };
        Lane { id, name, y: y(id), stretches: Vec::new() }
    };
    let mut lanes: Vec<Lane> = sim.ids().map(empty).collect();
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
        let Some(current) = since.get_mut(mark.replica.index()) else { continue };
        let (role, epoch) = match mark.what {
            Marked::Became { role, epoch } => (Some(role), epoch),
            Marked::Stopped => (None, current.2),
            Marked::Committed { .. } | Marked::Fault | Marked::Broken => continue,
        };
        close(current, mark.replica, mark.at_us);
        *current = (mark.at_us, role, epoch);
    }
    for (id, current) in sim.ids().zip(&mut since) {
        close(current, id, now_us.max(current.0 + 1));
    }
    lanes.extend((0..clients).map(client_id).map(empty));
    let visible = session.sent().filter(|event| match event.what {
        What::Sent { at_us, face, .. } => {
            at_us >= span.from_us && event.at_us <= span.to_us && !hidden.has(kind(&face))
        }
        _ => false,
    });
    let all: Vec<&TraceEvent<Any>> = visible.collect();
    let lines =
        all[all.len().saturating_sub(LINES_MAX)..].iter().filter_map(|event| line(event, span, width, &y, thread));
    Diagram {
        size: (width, HEAD + lane * f64::from(sim.replicas() + clients) + 4.0),
        span,
        lane,
        lines: lines.collect(),
        signs: signs(session, span, width, &y),
        has_thread: thread.pinned.is_some(),
        lanes,
        ticks: ticks(span, width),
    }
}

/// Elections, commits, broken properties, and what was done by hand.
fn signs(session: &Session, span: Span, width: f64, y: &impl Fn(ReplicaId) -> f64) -> Vec<Sign> {
    let here = session.begun();
    let words = text::words_of(session.sim());
    let mut signs = Vec::new();
    let mut put = |at_us: u64, id: ReplicaId, kind: SignKind, says: String| {
        let says = say::named(session, says);
        if at_us >= span.from_us && at_us <= span.to_us {
            signs.push(Sign { at: (place(span, width, at_us), y(id)), kind, says });
        }
    };
    let marks = session.marks();
    // They rise by time; only those in the picture are looked at.
    let first = marks.partition_point(|mark| mark.at_us < span.from_us);
    let shown = marks[first..].iter().take_while(|mark| mark.at_us <= span.to_us && mark.step <= here);
    let mut last = f64::MIN;
    for mark in shown {
        match mark.what {
            Marked::Became { role: RoleShape::Leader, epoch } => {
                put(mark.at_us, mark.replica, SignKind::Elected, text::elected(words, mark.replica, epoch));
            }
            Marked::Committed { end } => {
                let x = place(span, width, mark.at_us);
                if x - last >= APART {
                    last = x;
                    put(mark.at_us, mark.replica, SignKind::Committed, text::committed(words, end));
                }
            }
            Marked::Broken => {
                let broken = session.sim().violations().iter().find(|violation| violation.step == mark.step);
                let says = broken.map_or(String::new(), |broken| text::property(words, broken.property).0.to_owned());
                put(mark.at_us, mark.replica, SignKind::Broken, says);
            }
            Marked::Became { .. } | Marked::Stopped | Marked::Fault => {}
        }
    }
    let current = session.branch();
    for branch in session.branches() {
        if let Some(fork) = branch.fork.filter(|fork| branch.is_current || fork.from == current) {
            put(fork.at_us, fork.command.place(), SignKind::Forked, text::forked(branch.id, &fork.command));
        }
    }
    for placed in session.commands().iter().filter(|placed| placed.step < here) {
        put(placed.at_us, placed.command.place(), SignKind::Command, text::command(&placed.command));
    }
    signs
}

fn line(
    event: &TraceEvent<Any>,
    span: Span,
    width: f64,
    y: &impl Fn(ReplicaId) -> f64,
    thread: &Thread,
) -> Option<Line> {
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
    Some(Line {
        from: cut(from, end),
        to: end,
        id: (event.replica, to, number),
        part: thread.part((event.replica, to, number)),
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
        .filter(|tick| tick.x < width - 26.0)
        .collect()
}
