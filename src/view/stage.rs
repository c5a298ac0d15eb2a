//! The stage: replicas on a ring, clients beside it, links between them, messages on the links.

use super::say::{self, named};
use super::turn::direction;
use crate::executor::in_order;
use crate::raft::{Any, AnyKind, MessageFace, Protocol, ReplicaId, RoleShape, TimerKind, Traffic, Verdict};
use crate::session::Session;
use crate::sim::{EventName, Fate, Outcome, Sim, What, client_id, client_number};
use crate::text::en as text;

/// The size of a stage, in its own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Extent {
    /// For a place of so many pixels on the screen: as large as it is, and drawn larger where there is more room than a
    /// cluster needs, or smaller on a phone.
    #[must_use]
    pub fn of(width: f64, height: f64, is_narrow: bool) -> Self {
        let (least_width, least_height) = if is_narrow { (440.0, 330.0) } else { (840.0, 340.0) };
        let scale = (width / least_width).min(height / least_height);
        let scale = if is_narrow { scale } else { scale.max(1.0) };
        Self { width: (width / scale).round(), height: (height / scale).round() }
    }
}

/// Radius of a replica in a small cluster.
const RADIUS: f64 = 38.0;
/// Log boxes drawn under a replica.
const STRIP_MAX: u64 = 6;

/// A dot inside a candidate: one voter, at its place on the ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vote {
    /// Where, relative to the replica's centre.
    pub x: f64,
    /// Where, relative to the replica's centre.
    pub y: f64,
    /// `Some(true)` granted, `Some(false)` refused, `None` not heard of.
    pub answer: Option<bool>,
}

/// A replica.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    /// Which.
    pub id: ReplicaId,
    /// Its number, as shown.
    pub number: String,
    /// Its accessible name.
    pub name: String,
    /// Its role; `None` while it is down.
    pub role: Option<RoleShape>,
    /// The word under its number.
    pub word: &'static str,
    /// Whether its word and the end of its log are drawn: on a phone there is no room for those of many; there only what is
    /// not at rest has them.
    pub shows_word: bool,
    /// Whether it is an observer: it follows and does not count.
    pub is_observer: bool,
    /// Its epoch.
    pub epoch: u32,
    /// The letter before it.
    pub tag: char,
    /// Its centre.
    pub x: f64,
    /// Its centre.
    pub y: f64,
    /// Its radius.
    pub radius: f64,
    /// Whether it is so small that its word stands below it.
    pub is_small: bool,
    /// How its main timer runs: (deadline, length), global microseconds.
    pub timer: Option<(u64, u64)>,
    /// Its votes, for those who seek them.
    pub votes: Vec<Vote>,
    /// The last entries of its log: (epoch, whether committed).
    pub strip: Vec<(u32, bool)>,
    /// Its end offset.
    pub end_offset: u64,
    /// Its high watermark.
    pub committed: Option<u64>,
    /// Why it stopped by itself.
    pub fault: Option<String>,
    /// Whether it stands still.
    pub is_paused: bool,
    /// How fast its clock goes, where that is not the true rate.
    pub clock: Option<String>,
}

/// A client of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientView {
    /// Its id on links.
    pub id: ReplicaId,
    /// What it is called.
    pub label: String,
    /// Its accessible name: what it knows, too.
    pub name: String,
    /// What it waits for, in a few words.
    pub word: String,
}

/// A group of a partition, drawn around its nodes; clients carry its letter.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Its letter.
    pub letter: String,
    /// A path through its members, to be drawn broad.
    pub path: String,
    /// How broad.
    pub width: f64,
    /// Where its letter stands.
    pub at: (f64, f64),
}

impl NodeView {
    /// Whether it is drawn like another: all but its dial, which moves by itself.
    #[must_use]
    pub fn looks_like(&self, other: &Self) -> bool {
        let dial = |node: &Self| Self { timer: None, ..node.clone() };
        dial(self) == dial(other)
    }

    /// How much of the timer is left at a time, from 0 to 1.
    #[must_use]
    pub fn timer_left(&self, playhead_us: u64) -> f64 {
        self.timer.map_or(0.0, |(at_us, length_us)| {
            if length_us == 0 { 0.0 } else { (float(at_us.saturating_sub(playhead_us)) / float(length_us)).min(1.0) }
        })
    }
}

/// A message in flight.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// A key that no other arrow has.
    pub key: String,
    /// Its label.
    pub label: String,
    /// The epoch it carries.
    pub epoch: u32,
    /// Whether it is an answer: drawn dashed.
    pub is_answer: bool,
    /// Whether it refuses.
    pub is_refused: bool,
    /// Whether it belongs to the quiet traffic of a healthy cluster.
    pub is_quiet: bool,
    /// Whether only its head is drawn: quiet traffic of a large cluster.
    pub is_bare: bool,
    /// Whether it will not arrive.
    pub is_lost: bool,
    /// Its place among those that leave and arrive at the same times.
    pub rank: u64,
    /// Whether it is the second of two.
    pub is_copy: bool,
    /// How far along it is held, from 0 to 1.
    pub held: Option<f64>,
    /// Its name, if it can be chosen.
    pub name: Option<EventName>,
    /// Where it starts.
    pub from: (f64, f64),
    /// Where it ends.
    pub to: (f64, f64),
    /// Whether sender and receiver are one.
    pub is_loop: bool,
    /// When it left and when it arrives, in global microseconds.
    pub flight_us: (u64, u64),
}

impl Arrow {
    /// Where its head is at a time, and how far along it is from 0 to 1.
    #[must_use]
    pub fn head(&self, playhead_us: u64) -> (f64, f64, f64) {
        let (sent, at) = self.flight_us;
        let whole = float(at.saturating_sub(sent)).max(1.0);
        let mut part = between(float(playhead_us.saturating_sub(sent)) / whole, 0.0, 1.0);
        if self.is_lost {
            part = part.min(0.6);
        }
        if let Some(held) = self.held {
            part = held;
        }
        if self.is_loop {
            let (x, y) = direction(part);
            return (self.from.0 + 14.0 * x, self.from.1 + 14.0 * y, part);
        }
        let (x, y) = along(self.from, self.to, part);
        (x, y, part)
    }

    /// How wide its label is.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a label is short")]
    pub fn label_width(&self) -> f64 {
        self.label.chars().count() as f64 * 5.9 + 12.0
    }

    /// The direction of flight, of length 1.
    #[must_use]
    pub fn direction(&self) -> (f64, f64) {
        unit(self.from, self.to)
    }
}

/// A link with a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLine {
    /// A key that no other line has.
    pub key: String,
    /// Its sender and its receiver.
    pub ends: (ReplicaId, ReplicaId),
    /// Where it starts.
    pub from: (f64, f64),
    /// Where it ends.
    pub to: (f64, f64),
    /// Whether it is cut in this direction.
    pub is_cut: bool,
}

/// Everything on the stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageView {
    /// The replicas.
    pub nodes: Vec<NodeView>,
    /// The clients, with their places.
    pub clients: Vec<(ClientView, (f64, f64))>,
    /// The groups of a partition; none without one.
    pub regions: Vec<Region>,
    /// The messages.
    pub arrows: Vec<Arrow>,
    /// The links.
    pub links: Vec<LinkLine>,
    /// Whether nothing flies: messages are whole lines from sending to delivery (case B22).
    pub is_still: bool,
    /// The size of the stage.
    pub extent: Extent,
}

/// What of a session is drawn, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    /// The size of the stage.
    pub extent: Extent,
    /// Kinds of messages that are not drawn.
    pub hidden: Kinds,
    /// How far replicas were moved from their places on the ring.
    pub moved: Vec<(f64, f64)>,
    /// Whether nothing flies.
    pub is_still: bool,
}

impl StageView {
    /// Where a message's head is at a time.
    #[must_use]
    pub fn head(&self, arrow: &Arrow, playhead_us: u64) -> (f64, f64) {
        if self.is_still && !arrow.is_loop && arrow.held.is_none() {
            let part = if arrow.is_lost { 0.6 } else { 1.0 };
            return along(arrow.from, arrow.to, part);
        }
        let (x, y, _) = arrow.head(playhead_us);
        (x, y)
    }

    /// Where the labels of the messages are at a time: beside their heads, on the first free place; `None` where there is
    /// no room. Those of quiet messages give way.
    #[must_use]
    pub fn labels(&self, playhead_us: u64) -> Vec<Option<(f64, f64)>> {
        let mut taken: Vec<[f64; 4]> = Vec::new();
        for node in &self.nodes {
            let r = node.radius;
            // With its word and its log below, if they are there.
            let below = if node.is_small { 34.0 } else { 0.0 };
            taken.push([node.x - r, node.y - r, node.x + r, node.y + r + below]);
            // The badge with its epoch.
            let (x, y) = (node.x + r * 0.74, node.y - r * 0.74 - 4.0);
            taken.push([x - 8.0, y - 9.0, x + 16.0, y + 9.0]);
        }
        for (_, (x, y)) in &self.clients {
            taken.push([x - CLIENT.0, y - CLIENT.1, x + CLIENT.0, y + CLIENT.1]);
        }
        let mut places = vec![None; self.arrows.len()];
        for is_quiet in [false, true] {
            for (arrow, place) in
                self.arrows.iter().zip(&mut places).filter(|(arrow, _)| arrow.is_quiet == is_quiet && !arrow.is_bare)
            {
                if self.arrows.len() > LABELS_MAX && is_quiet {
                    continue;
                }
                let (x, y) = if self.is_still {
                    along(arrow.from, arrow.to, if arrow.is_lost { 0.3 } else { 0.5 })
                } else {
                    self.head(arrow, playhead_us)
                };
                let half = arrow.label_width() / 2.0;
                let free = [(0.0, 17.0), (0.0, -17.0), (half + 14.0, 0.0), (-half - 14.0, 0.0)].into_iter().find_map(
                    |(dx, dy)| {
                        let (x, y) = (x + dx, y + dy);
                        let spot = [x - half, y - 9.0, x + half, y + 9.0];
                        let touches = |other: &[f64; 4]| {
                            spot[0] < other[2] && other[0] < spot[2] && spot[1] < other[3] && other[1] < spot[3]
                        };
                        let is_inside = spot[0] >= 0.0
                            && spot[1] >= 0.0
                            && spot[2] <= self.extent.width
                            && spot[3] <= self.extent.height;
                        (is_inside && !taken.iter().any(touches)).then_some((spot, (x, y)))
                    },
                );
                if let Some((spot, at)) = free {
                    taken.push(spot);
                    *place = Some(at);
                }
            }
        }
        places
    }
}

fn along(from: (f64, f64), to: (f64, f64), part: f64) -> (f64, f64) {
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

/// With more messages than these, quiet ones have no labels.
const LABELS_MAX: usize = 24;
/// How far apart messages of one link fly.
const BESIDE: f64 = 15.0;

#[expect(clippy::cast_precision_loss, reason = "a picture needs no more than 52 bits")]
const fn float(value: u64) -> f64 {
    value as f64
}

/// Half the width and height of a client.
pub const CLIENT: (f64, f64) = (36.0, 14.0);

/// The room left of the ring that clients take.
fn clients_room(extent: Extent, clients: usize) -> f64 {
    match clients {
        0 => 0.0,
        _ if extent.width > 600.0 => 110.0,
        _ => 84.0,
    }
}

/// Where a client stands: at the left edge, all of them equally far apart.
#[expect(clippy::cast_precision_loss, reason = "at most nine")]
fn client_place(extent: Extent, client: usize, clients: usize) -> (f64, f64) {
    let part = (client as f64 + 0.5) / clients as f64;
    // Below the tools of a wide stage.
    let top = if extent.width > 600.0 { 90.0 } else { 0.0 };
    (CLIENT.0 + 8.0, top + (extent.height - top) * part)
}

/// The places of `count` replicas on the ring: the first at the top, clockwise, equally far apart along it.
fn ring(extent: Extent, count: u8, room: f64) -> Vec<(f64, f64)> {
    let middle_x = (extent.width + room) / 2.0;
    if count == 1 {
        return vec![(middle_x, extent.height / 2.0 - 10.0)];
    }
    // Room for labels beside, for the dial above, and for word and log below.
    let beside = match (extent.width > 600.0, count) {
        (true, 10..) => 70.0,
        (true, _) => 130.0,
        (false, _) => 62.0,
    };
    let (top, bottom) =
        (radius(count) + 16.0, extent.height - radius(count) - if is_small(count) { 44.0 } else { 34.0 });
    let at = |part: f64| {
        let (x, y) = direction(part);
        (middle_x + (middle_x - room - beside) * x, f64::midpoint(top, bottom) + (bottom - top) / 2.0 * y)
    };
    let points: Vec<(f64, f64)> = (0..=RING_PARTS).map(|part| at(f64::from(part) / f64::from(RING_PARTS))).collect();
    let length = |pair: &[(f64, f64)]| {
        let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        (dx * dx + dy * dy).sqrt()
    };
    let whole: f64 = points.windows(2).map(length).sum();
    let mut places = Vec::new();
    let mut walked = 0.0;
    for pair in points.windows(2) {
        let here = length(pair);
        #[expect(clippy::cast_precision_loss, reason = "at most 25")]
        while places.len() < usize::from(count)
            && places.len() as f64 * whole / f64::from(count) <= walked + here + 1e-6
        {
            let wanted = places.len() as f64 * whole / f64::from(count);
            places.push(along(pair[0], pair[1], (wanted - walked) / here.max(1e-6)));
        }
        walked += here;
    }
    places
}

/// Into how many straight parts the ring is cut to measure along it.
const RING_PARTS: u16 = 240;

fn radius(count: u8) -> f64 {
    match count {
        0..=5 => RADIUS,
        6..=9 => 27.0,
        _ => 14.0,
    }
}

/// Whether the replicas are so small that their words stand below them.
const fn is_small(count: u8) -> bool {
    count > 5
}

/// From one point towards another, of length 1; to the right if they are one.
fn unit(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length < 1e-6 { (1.0, 0.0) } else { (dx / length, dy / length) }
}

/// From one centre towards another, `inset` away from it and a little to the right of the flight's direction, so that
/// the two directions of a link do not cover each other.
fn edge(from: (f64, f64), to: (f64, f64), inset: f64) -> (f64, f64) {
    let (x, y) = unit(from, to);
    (from.0 + x * inset, from.1 + y * inset)
}

fn aside(point: (f64, f64), from: (f64, f64), to: (f64, f64), by: f64) -> (f64, f64) {
    let (x, y) = unit(from, to);
    (point.0 - y * by, point.1 + x * by)
}

fn main_timer(role: RoleShape) -> Option<TimerKind> {
    match role {
        RoleShape::Unattached | RoleShape::Prospective | RoleShape::Candidate | RoleShape::Resigned => {
            Some(TimerKind::Election)
        }
        RoleShape::Follower => Some(TimerKind::Fetch),
        RoleShape::Leader => Some(TimerKind::CheckQuorum),
    }
}

/// The centres of all replicas, where they were moved to.
fn centres(looks: &Looks, count: u8, clients: usize) -> Vec<(f64, f64)> {
    let margin = radius(count);
    let moved = looks.moved.iter().copied().chain(std::iter::repeat((0.0, 0.0)));
    let Extent { width, height } = looks.extent;
    let place = |((x, y), (by_x, by_y))| {
        (between(x + by_x, margin, width - margin), between(y + by_y, margin, height - margin))
    };
    ring(looks.extent, count, clients_room(looks.extent, clients)).into_iter().zip(moved).map(place).collect()
}

fn node(session: &Session, looks: &Looks, (x, y): (f64, f64), id: ReplicaId, count: u8) -> NodeView {
    let sim = session.sim();
    let standing = sim.standing(id);
    let is_up = sim.replica(id).is_some();
    let role = standing.filter(|_| is_up).map(|s| s.role);
    let epoch = standing.map_or(0, |s| s.epoch);
    let radius = radius(count);
    let timer = role.and_then(main_timer).and_then(|kind| {
        let (table, clock) = sim.timers(id)?;
        let line = table.get(crate::raft::Timer::new(kind));
        (line.at_us != crate::executor::NEVER).then(|| (clock.global_us(line.at_us), line.length_us))
    });
    let votes = match (role, sim.face(id)) {
        (Some(RoleShape::Prospective | RoleShape::Candidate), Some(face)) => face
            .voters
            .iter()
            .map(|voter| {
                let (x, y) = direction(f64::from(voter.0) / f64::from(count));
                let answer = if face.granted.contains(voter) {
                    Some(true)
                } else if face.refused.contains(voter) {
                    Some(false)
                } else {
                    None
                };
                let ring = radius - if is_small(count) { 4.0 } else { 2.5 };
                Vote { x: ring * x, y: ring * y, answer }
            })
            .collect(),
        _ => Vec::new(),
    };
    let (strip, end_offset, committed) = sim.log(id).map_or((Vec::new(), 0, None), |log| {
        let end = log.end_offset();
        let committed = standing.and_then(|s| s.committed);
        let strip = (end.saturating_sub(STRIP_MAX)..end)
            .filter_map(|offset| log.get(offset).map(|entry| (entry.epoch, committed.is_some_and(|hw| offset < hw))))
            .collect();
        (strip, end, committed)
    });
    let is_observer = !Any::voters(&sim.settings().protocol, count).contains(id);
    let word = match role {
        Some(RoleShape::Follower | RoleShape::Unattached) if is_observer => "observer",
        _ => text::condition(text::words_of(sim), role, sim.ended(id)),
    };
    NodeView {
        id,
        number: say::short(session, id),
        name: named(session, text::replica_name(text::words_of(sim), id, word, role.is_some(), epoch))
            + &text::condition_beside(sim.is_paused(id), group(sim, id)),
        role,
        word,
        shows_word: count <= 9
            || looks.extent.width > 600.0
            || !matches!(role, Some(RoleShape::Follower | RoleShape::Unattached)),
        is_observer,
        epoch,
        tag: text::words_of(sim).tag,
        x,
        y,
        radius,
        is_small: is_small(count),
        timer,
        votes,
        strip,
        end_offset,
        committed,
        fault: sim.fault(id).map(|failure| named(session, text::fault(text::words_of(sim), id, failure.fault))),
        is_paused: sim.is_paused(id),
        clock: Some(sim.clock(id).rate_ppm)
            .filter(|&rate| rate != 1_000_000)
            .map(|rate| format!("{} %", text::percent(rate))),
    }
}

/// The letter of the group somebody is in, while there is a partition.
fn group(sim: &Sim<Any>, id: ReplicaId) -> Option<char> {
    let groups = sim.groups();
    (groups.last() > 0).then(|| letter(groups.of(id)))
}

fn letter(group: u8) -> char {
    char::from(b'A' + group.min(25))
}

/// The groups of a partition, each around its members.
fn regions(sim: &Sim<Any>, places: &[(ReplicaId, (f64, f64))], count: u8) -> Vec<Region> {
    let groups = sim.groups();
    if groups.last() == 0 {
        return Vec::new();
    }
    let region = |group: u8| {
        let members: Vec<(f64, f64)> =
            places.iter().filter(|(id, _)| groups.of(*id) == group).map(|&(_, place)| place).collect();
        let first = *members.first()?;
        let corners: Vec<String> = hull(&members).iter().map(|&(x, y)| format!("{} {}", Px(x), Px(y))).collect();
        // One alone is a point, which is drawn as a dot as broad as the line.
        let path = format!("M{}{}Z", corners.join("L"), if members.len() == 1 { "h0.01" } else { "" });
        let top = members.iter().copied().fold(first, |top, place| if place.1 < top.1 { place } else { top });
        let width = 2.0 * (radius(count) + 22.0);
        let at = ((top.0 - width / 2.0 + 10.0).max(10.0), (top.1 - width / 2.0 + 26.0).max(14.0));
        Some(Region { letter: letter(group).to_string(), path, width, at })
    };
    (0..=groups.last()).filter_map(region).collect()
}

/// The outermost of some points, in order around them: from each one on to the one that has all others on its right.
fn hull(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let Some(&start) = points.iter().reduce(|left, point| if point < left { point } else { left }) else {
        return Vec::new();
    };
    let mut around = vec![start];
    while let Some(&here) = around.last() {
        let mut next = here;
        for &point in points {
            let turn = (next.0 - here.0) * (point.1 - here.1) - (next.1 - here.1) * (point.0 - here.0);
            if next == here || turn > 0.0 {
                next = point;
            }
        }
        if next == start || around.len() > points.len() {
            break;
        }
        around.push(next);
    }
    around
}

fn client(sim: &Sim<Any>, number: u8) -> Option<ClientView> {
    let state = sim.clients().get(usize::from(number))?;
    let id = client_id(number);
    let waits = state.requests().find(|request| request.outcome == Outcome::Asked);
    let word = waits.map_or_else(
        || "idle".to_owned(),
        |request| format!("asks {}", state.believes()).to_owned() + if request.attempts > 1 { " again" } else { "" },
    );
    Some(ClientView {
        id,
        label: text::client_label(number, group(sim, id)),
        name: text::client_name(number, state.believes(), waits.map(|request| request.number), state.tally())
            + &text::condition_beside(false, group(sim, id)),
        word,
    })
}

/// The projection of a session on a stage.
#[must_use]
pub fn stage(session: &Session, looks: &Looks) -> StageView {
    let sim = session.sim();
    let count = sim.replicas();
    let members = sim.clients().len();
    let centres = centres(looks, count, members);
    let place = |id: ReplicaId| match client_number(id) {
        Some(client) => client_place(looks.extent, client.into(), members),
        None => centres[id.index()],
    };
    let nodes: Vec<NodeView> = sim.ids().map(|id| node(session, looks, centres[id.index()], id, count)).collect();
    let inset = radius(count) + if count > 9 { 8.0 } else { 14.0 };
    // Messages that follow each other on a link fly side by side, so that their labels can be read. By their numbers, so
    // that none changes its path when another arrives.
    let line = |from: ReplicaId, to: ReplicaId, number: u32| {
        let (a, b) = (place(from), place(to));
        if from == to {
            let corner = (a.0 + radius(count), a.1 - radius(count));
            return (corner, corner);
        }
        let by = 5.0 + BESIDE * f64::from(number % 3);
        let inset = |id: ReplicaId| if client_number(id).is_some() { CLIENT.0 + 6.0 } else { inset };
        (aside(edge(a, b, inset(from)), a, b, by), aside(edge(b, a, inset(to)), a, b, by))
    };
    let arrow = |key: String, ends: (ReplicaId, ReplicaId), number: u32, face: MessageFace<AnyKind>, flight_us| {
        let (from, to) = line(ends.0, ends.1, number);
        Arrow {
            key,
            label: text::message(&face),
            epoch: face.epoch,
            is_answer: face.verdict != Verdict::Asks,
            is_refused: face.verdict == Verdict::Refused,
            is_quiet: is_quiet(&face),
            is_bare: is_quiet(&face) && count > 9 && !looks.is_still,
            is_lost: false,
            is_copy: false,
            held: None,
            name: None,
            rank: u64::from(ends.0.0) << 48 | u64::from(ends.1.0) << 40 | u64::from(number) << 1,
            from,
            to,
            is_loop: ends.0 == ends.1,
            flight_us,
        }
    };
    let mut arrows = Vec::new();
    for (key, flight) in sim.flights() {
        let (from, to) = (key.from, key.to);
        let name = EventName::Delivery { from, to, number: key.number, is_copy: key.is_copy };
        let face = Sim::<Any>::face_of(&flight.message);
        if looks.hidden.has(kind(&face)) {
            continue;
        }
        // What waits at a door has arrived there.
        let at_us = flight.door_us.unwrap_or(key.at_us);
        let flies = arrow(text::event_name(&name), (from, to), key.number, face, (flight.sent_us, at_us));
        let rank = flies.rank | u64::from(key.is_copy);
        let held = flight.held.map(|(at_us, left_us)| {
            let flown_us = at_us.saturating_sub(flight.sent_us);
            float(flown_us) / float(flown_us + left_us).max(1.0)
        });
        arrows.push(Arrow { is_copy: key.is_copy, name: Some(name), held, rank, ..flies });
    }
    for lost in session.lost() {
        if let What::Sent { to, number, at_us, face, fate: Fate::Lost | Fate::Cut } = lost.sent.what {
            let from = lost.sent.replica;
            if looks.hidden.has(kind(&face)) {
                continue;
            }
            let flies = arrow(text::lost_name(from, to, number), (from, to), number, face, (lost.sent.at_us, at_us));
            arrows.push(Arrow { is_lost: true, ..flies });
        }
    }
    // The queue keeps no order; the picture must.
    let arrows = in_order(arrows, |arrow| [arrow.flight_us.0, arrow.flight_us.1, arrow.rank]);
    let numbers = || (0..members).filter_map(|client| u8::try_from(client).ok());
    let all: Vec<ReplicaId> = sim.ids().chain(numbers().map(client_id)).collect();
    let is_link = |from: ReplicaId, to: ReplicaId| client_number(from).is_none() || client_number(to).is_none();
    let links = all
        .iter()
        .flat_map(|&from| all.iter().map(move |&to| (from, to)))
        .filter(|&(from, to)| is_link(from, to))
        .filter(|&(from, to)| from != to && sim.is_cut(from, to))
        .map(|(from, to)| {
            let (a, b) = line(from, to, 0);
            LinkLine { key: format!("{}>{}", from.0, to.0), ends: (from, to), from: a, to: b, is_cut: true }
        })
        .collect();
    let clients = numbers().filter_map(|number| Some((client(sim, number)?, place(client_id(number))))).collect();
    let places: Vec<(ReplicaId, (f64, f64))> = sim.ids().map(|id| (id, place(id))).collect();
    let regions = regions(sim, &places, count);
    StageView { nodes, clients, regions, arrows, links, is_still: looks.is_still, extent: looks.extent }
}

/// Kinds of messages, as a filter has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(pub u8);

impl Kinds {
    /// Whether a kind is among them.
    #[must_use]
    pub const fn has(self, kind: usize) -> bool {
        self.0 >> kind & 1 == 1
    }

    /// With a kind that was not among them, or without one that was.
    #[must_use]
    pub const fn toggled(self, kind: usize) -> Self {
        Self(self.0 ^ 1 << kind)
    }
}

/// Which part of the traffic a message belongs to.
#[must_use]
pub fn kind(face: &MessageFace<AnyKind>) -> usize {
    Any::traffic(face) as usize
}

pub(super) fn is_quiet(face: &MessageFace<AnyKind>) -> bool {
    Any::traffic(face) == Traffic::Quiet
}

/// A number, not below `low` nor above `high`. (`f64::clamp` would bring the writing of floats along, for its panic.)
#[must_use]
pub fn between(value: f64, low: f64, high: f64) -> f64 {
    value.max(low).min(high)
}

/// A length as it is written into a drawing: in hundredths. The standard way to write such a number is a large part of what
/// a page would load.
#[derive(Clone, Copy, Debug)]
pub struct Px(pub f64);

impl std::fmt::Display for Px {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        #[expect(clippy::cast_possible_truncation, reason = "a drawing is a few thousand units wide")]
        let hundredths = (self.0 * 100.0).round() as i64;
        let sign = if hundredths < 0 { "-" } else { "" };
        let (whole, rest) = (hundredths.abs() / 100, hundredths.abs() % 100);
        match rest {
            0 => write!(out, "{sign}{whole}"),
            _ => write!(out, "{sign}{whole}.{rest:02}"),
        }
    }
}

/// The outline of a role: circle, hexagon or rounded square, around the origin.
#[must_use]
pub fn shape_path(role: Option<RoleShape>, r: f64) -> String {
    match role {
        Some(RoleShape::Candidate | RoleShape::Prospective) => {
            let points: Vec<String> = (0..6)
                .map(|i| {
                    let (x, y) = direction(f64::from(i) / 6.0);
                    format!("{} {}", Px(r * 1.06 * x), Px(r * 1.06 * y))
                })
                .collect();
            format!("M{}Z", points.join("L"))
        }
        Some(RoleShape::Leader | RoleShape::Resigned) => {
            // Half a side, and half of it without the corner.
            let (side, straight) = (r * 0.88, r * 0.68);
            let [s, m, t, u] = [side, -side, straight, -straight].map(Px);
            format!("M{u} {m}H{t}Q{s} {m} {s} {u}V{t}Q{s} {s} {t} {s}H{u}Q{m} {s} {m} {t}V{u}Q{m} {m} {u} {m}Z")
        }
        _ => circle_path(r),
    }
}

/// A circle from the top, clockwise.
fn circle_path(r: f64) -> String {
    let (top, r) = (Px(-r), Px(r));
    format!("M0 {top}A{r} {r} 0 1 1 0 {r}A{r} {r} 0 1 1 0 {top}")
}

/// An arc around the origin from the top, clockwise, over `part` of the circle.
#[must_use]
pub fn arc_path(r: f64, part: f64) -> String {
    if part <= 0.0 {
        return String::new();
    }
    if part >= 0.999 {
        return circle_path(r);
    }
    let (x, y) = direction(part);
    let large = u8::from(part > 0.5);
    let end = (Px(r * x), Px(r * y));
    format!("M0 {}A{} {} 0 {large} 1 {} {}", Px(-r), Px(r), Px(r), end.0, end.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_in_hundredths() {
        let shown: Vec<String> = [0.0, 1.0, -0.004, -0.5, 12.345, -7.999].map(|value| Px(value).to_string()).to_vec();
        assert_eq!(shown, ["0", "1", "0", "-0.50", "12.35", "-8"]);
    }
}
