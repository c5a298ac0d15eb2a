//! What the inspector shows of a replica and of a message: every field, by the protocol's own name.

use crate::executor::MICROS_PER_MILLI;
use crate::raft::kraft::{Answer, Body, ErrorCode, FetchOutcome, KRaft, KRaftReplica, Role};
use crate::raft::{Payload, Replica, ReplicaId, Verdict};
use crate::session::Session;
use crate::sim::{EventName, Mail, Says, Sim, TraceEvent, What};
use crate::text::en as text;

/// A field and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The protocol's name for it.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Whether it differs from what it was before the last step.
    pub is_changed: bool,
}

fn row(name: &'static str, value: impl Into<String>) -> Row {
    Row { name, value: value.into(), is_changed: false }
}

/// Marks the fields that differ from what they were.
#[must_use]
pub fn marked(mut now: Vec<Row>, before: &[Row]) -> Vec<Row> {
    for row in &mut now {
        row.is_changed = !before.iter().any(|old| old.name == row.name && old.value == row.value);
    }
    now
}

/// The fields of a link, in one direction.
#[must_use]
pub fn link(session: &Session, from: ReplicaId, to: ReplicaId) -> Vec<Row> {
    let sim = session.sim();
    let c = sim.link(from, to);
    let ms = |us: u32| format!("{}.{} ms", us / 1_000, us % 1_000 / 100);
    let percent = |ppm: u32| format!("{}.{:02} %", ppm / 10_000, ppm % 10_000 / 100);
    let flying = sim.flights().filter(|(key, _)| (key.from, key.to) == (from, to)).count();
    vec![
        row(
            "state",
            if sim.is_cut(from, to) {
                "cut: what is sent is lost"
            } else if sim.is_blocked(from, to) {
                "parted: what is sent is lost"
            } else {
                "works"
            },
        ),
        row("in flight", flying.to_string()),
        row("shortest latency", ms(c.latency_min_us)),
        row("longest latency", ms(c.latency_max_us)),
        row("lost", percent(c.loss_ppm)),
        row("delivered twice", percent(c.duplicate_ppm)),
        row("may overtake", percent(c.reorder_ppm)),
    ]
}

fn id(id: Option<ReplicaId>) -> String {
    id.map_or_else(|| "none".to_owned(), |id| format!("node {id}"))
}

fn offset(offset: Option<u64>) -> String {
    offset.map_or_else(|| "unknown".to_owned(), |offset| offset.to_string())
}

/// The fields of a replica, running or not.
#[must_use]
pub fn replica(sim: &Sim<KRaft>, which: ReplicaId) -> Vec<Row> {
    let Some(standing) = sim.standing(which) else {
        return Vec::new();
    };
    let running = sim.replica(which);
    let kraft = &sim.settings().protocol;
    let membership = if kraft.voters(sim.replicas()).contains(which) { "voter" } else { "observer" };
    let mut rows = vec![
        row("role", text::condition(running.map(|_| standing.role), sim.ended(which))),
        row("epoch", standing.epoch.to_string()),
        row("leader", id(standing.leader)),
        row("voted for", id(standing.voted)),
        row("end offset", standing.end_offset.to_string()),
        row("high watermark", offset(standing.committed)),
        row("membership", membership),
    ];
    if sim.is_paused(which) {
        rows.push(row("paused", "it does nothing, and messages wait"));
    }
    let rate_ppm = sim.clock(which).rate_ppm;
    if rate_ppm != 1_000_000 {
        rows.push(row("clock", format!("goes at {} %", text::percent(rate_ppm))));
    }
    let Some(running) = running else {
        return rows;
    };
    rows.push(row("flushed to", running.flushed().to_string()));
    let listener = running.listener();
    rows.push(row("applied to", listener.next_offset().to_string()));
    rows.push(row("state machine", map(listener.map())));
    let heard = listener.heard();
    rows.push(row("was told", heard.map_or_else(|| "nothing".to_owned(), |(epoch, leader)| text::told(epoch, leader))));
    rows.extend(role(running));
    rows
}

fn map(map: &[(u16, u64)]) -> String {
    if map.is_empty() {
        return "empty".to_owned();
    }
    map.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join(", ")
}

/// The fields that only its role has.
fn role(running: &KRaftReplica) -> Vec<Row> {
    match running.role() {
        Role::Leader { epoch_start, granting, .. } => vec![
            row("epoch start offset", epoch_start.to_string()),
            row("elected by", ids(granting.iter())),
            row("lingering records", running.waiting_records().to_string()),
        ],
        Role::Follower { has_fetched, .. } => vec![row("has fetched from leader", yes(*has_fetched))],
        Role::Prospective { .. } | Role::Candidate { .. } => {
            let face = running.face();
            vec![row("granted by", ids(face.granted.iter())), row("refused by", ids(face.refused.iter()))]
        }
        Role::Resigned { unacked, successors } => {
            vec![row("not acknowledged by", ids(unacked.iter())), row("preferred successors", ids(successors.iter()))]
        }
        Role::Unattached { .. } => Vec::new(),
    }
}

fn ids(ids: impl Iterator<Item = ReplicaId>) -> String {
    let shown: Vec<String> = ids.map(|id| id.to_string()).collect();
    if shown.is_empty() { "nobody".to_owned() } else { shown.join(", ") }
}

fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

/// What a leader knows of another replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowerLine {
    /// Which.
    pub id: ReplicaId,
    /// Whether it counts.
    pub is_voter: bool,
    /// How far it has come.
    pub end_offset: String,
    /// How long ago it last fetched.
    pub fetched: String,
    /// Whether it has fetched since check-quorum was last reached.
    pub is_counted: bool,
}

/// A leader's view of each other replica; empty for any other.
#[must_use]
pub fn followers(sim: &Sim<KRaft>, leader: ReplicaId) -> Vec<FollowerLine> {
    let Some(running) = sim.replica(leader) else {
        return Vec::new();
    };
    let Role::Leader { followers, fetched, .. } = running.role() else {
        return Vec::new();
    };
    let now_us = sim.timers(leader).map_or(0, |(_, clock)| clock.local_us(sim.now_us()));
    let lines = (0..).map(ReplicaId).zip(followers).filter(|&(id, _)| id != leader);
    lines
        .map(|(id, follower)| FollowerLine {
            id,
            is_voter: running.voters().contains(id),
            end_offset: offset(follower.end_offset),
            fetched: follower.last_fetch_us.map_or_else(
                || "never".to_owned(),
                |at_us| format!("{} ms ago", now_us.saturating_sub(at_us) / MICROS_PER_MILLI),
            ),
            is_counted: fetched.contains(id),
        })
        .collect()
}

/// A message that was sent: its line, whether it refuses something, and its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageView {
    /// What it is, in one line.
    pub line: String,
    /// Whether it refuses.
    pub is_refusal: bool,
    /// Its fields.
    pub rows: Vec<Row>,
}

/// A message in flight, or one of the steps that are remembered. `None` for what was sent too long ago.
#[must_use]
pub fn message(session: &Session, name: &EventName) -> Option<MessageView> {
    in_flight(session.sim(), name).or_else(|| {
        let EventName::Delivery { from, to, number, .. } = *name else {
            return None;
        };
        let sent = |event: &TraceEvent<KRaft>| {
            event.replica == from
                && matches!(event.what, What::Sent { to: whom, number: n, .. } if (whom, n) == (to, number))
        };
        let (step, trace) = session.recent().find(|(_, trace)| trace.iter().any(sent))?;
        let then = session.after_step(step)?;
        in_flight(&then, name).or_else(|| {
            // It never flew: it was lost at once.
            trace.iter().find(|event| sent(event)).and_then(|event| match event.what {
                What::Sent { face, .. } => Some(MessageView {
                    line: text::pending(name, Some(&face)),
                    is_refusal: face.verdict == Verdict::Refused,
                    rows: vec![row("fate", "lost on its way"), row("name", text::event_name(name))],
                }),
                _ => None,
            })
        })
    })
}

fn in_flight(sim: &Sim<KRaft>, name: &EventName) -> Option<MessageView> {
    let EventName::Delivery { from, to, number, is_copy } = *name else {
        return None;
    };
    let mut flights = sim.flights();
    let wanted = (from, to, number, is_copy);
    let (_, flight) = flights.find(|(key, _)| (key.from, key.to, key.number, key.is_copy) == wanted)?;
    let face = Sim::<KRaft>::face_of(&flight.message);
    let mut rows = match &flight.message {
        Mail::Peer(message) => {
            let mut rows = body(&message.body, from);
            rows.push(row("correlation id", message.correlation.to_string()));
            rows
        }
        Mail::Ask(ask) => vec![
            row("request", ask.number.to_string()),
            row("attempt", (u16::from(ask.attempt) + 1).to_string()),
            row("sets", text::payload(Payload::Set { key: ask.key, value: ask.value })),
        ],
        Mail::Reply(reply) => vec![
            row("request", reply.number.to_string()),
            row(
                "says",
                match reply.says {
                    Says::Committed { offset } => format!("committed at offset {offset}"),
                    Says::Declined { leader: Some(leader) } => format!("does not lead; node {leader} does"),
                    Says::Declined { leader: None } => "does not lead and knows nobody who does".to_owned(),
                    Says::Full => "has no room for it".to_owned(),
                    Says::NoLonger => "leads no more; what becomes of it is open".to_owned(),
                },
            ),
        ],
    };
    rows.push(row("name", text::event_name(name)));
    let is_refusal = face.verdict == Verdict::Refused;
    Some(MessageView { line: text::pending(name, Some(&face)), is_refusal, rows })
}

fn answer(answer: &Answer) -> Vec<Row> {
    vec![
        row("errorCode", error(answer.error)),
        row("leaderId", answer.leader.map_or_else(|| "-1 (none)".to_owned(), |id| format!("node {id}"))),
        row("leaderEpoch", answer.epoch.to_string()),
    ]
}

/// Kafka's name of an error code.
const fn error(error: ErrorCode) -> &'static str {
    match error {
        ErrorCode::None => "NONE",
        ErrorCode::FencedLeaderEpoch => "FENCED_LEADER_EPOCH",
        ErrorCode::UnknownLeaderEpoch => "UNKNOWN_LEADER_EPOCH",
        ErrorCode::NotLeaderOrFollower => "NOT_LEADER_OR_FOLLOWER",
        ErrorCode::InvalidRequest => "INVALID_REQUEST",
        ErrorCode::BrokerNotAvailable => "BROKER_NOT_AVAILABLE",
        ErrorCode::InvalidVoterKey => "INVALID_VOTER_KEY",
        ErrorCode::InconsistentClusterId => "INCONSISTENT_CLUSTER_ID",
        ErrorCode::UnsupportedVersion => "UNSUPPORTED_VERSION",
    }
}

/// The fields of a request or an answer, by the names of Kafka's schemas.
fn body(body: &Body, from: ReplicaId) -> Vec<Row> {
    let leadership = |leader: ReplicaId, epoch: i32| {
        vec![row("leaderId", format!("node {leader}")), row("leaderEpoch", epoch.to_string())]
    };
    match body {
        Body::VoteRequest { epoch, last_epoch, last_offset, pre_vote } => vec![
            row("replicaId", format!("node {from}")),
            row("replicaEpoch", epoch.to_string()),
            row("lastOffsetEpoch", last_epoch.to_string()),
            row("lastOffset", last_offset.to_string()),
            row("preVote", yes(*pre_vote)),
        ],
        Body::VoteResponse { answer: common, granted } => {
            let mut rows = answer(common);
            rows.push(row("voteGranted", yes(*granted)));
            rows
        }
        Body::BeginQuorumEpochRequest { leader, epoch } => leadership(*leader, *epoch),
        Body::EndQuorumEpochRequest { leader, epoch, successors } => {
            let mut rows = leadership(*leader, *epoch);
            rows.push(row("preferredCandidates", ids(successors.iter())));
            rows
        }
        Body::BeginQuorumEpochResponse { answer: common } | Body::EndQuorumEpochResponse { answer: common } => {
            answer(common)
        }
        Body::FetchRequest { epoch, offset, last_epoch, high_watermark, max_wait_ms } => vec![
            row("replicaId", format!("node {from}")),
            row("currentLeaderEpoch", epoch.to_string()),
            row("fetchOffset", offset.to_string()),
            row("lastFetchedEpoch", last_epoch.to_string()),
            row("highWatermark", high_watermark.to_string()),
            row("maxWaitMs", max_wait_ms.to_string()),
        ],
        Body::FetchResponse { answer: common, high_watermark, outcome } => {
            let mut rows = answer(common);
            rows.push(row("highWatermark", high_watermark.to_string()));
            rows.push(match outcome {
                FetchOutcome::Diverging(known) => {
                    row("divergingEpoch", format!("epoch {}, end offset {}", known.epoch, known.end_offset))
                }
                FetchOutcome::Records(None) => row("records", "none"),
                FetchOutcome::Records(Some(records)) => {
                    let lines = (records.base()..).zip(records.entries());
                    let shown: Vec<String> = lines
                        .map(|(offset, entry)| format!("{offset}@{} {}", entry.epoch, text::payload(entry.payload)))
                        .collect();
                    row("records", shown.join("; "))
                }
            });
            rows
        }
    }
}
