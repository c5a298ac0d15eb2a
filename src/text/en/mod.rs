//! English.

mod rules;

pub use rules::{of_note, rule};

use crate::explain::{Because, Explanation, Question, Trigger};
use crate::raft::kraft::{Cause, MessageKind, Note, Refusal};
use crate::raft::{
    Ended, Fault, MessageFace, Payload, Ran, ReplicaId, ReplicaSet, RequestError, RoleShape, TaskKind, Timer,
    TimerKind, Verdict,
};
use crate::sim::{
    Alarm, CallNote, Command, EventName, FlightName, Property, Tally, Violation, WAITING_MAX, client_number,
};

/// A sentence and where to read more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// What happened and why.
    pub text: String,
    /// The section or KIP behind it; may be empty.
    pub reference: &'static str,
}

/// The word for a role.
#[must_use]
pub const fn role(role: RoleShape) -> &'static str {
    match role {
        RoleShape::Unattached => "unattached",
        RoleShape::Prospective => "prospective",
        RoleShape::Candidate => "candidate",
        RoleShape::Leader => "leader",
        RoleShape::Follower => "follower",
        RoleShape::Resigned => "resigned",
    }
}

/// The word for a timer.
#[must_use]
pub const fn timer_kind(kind: TimerKind) -> &'static str {
    match kind {
        TimerKind::Election => "election timeout",
        TimerKind::Fetch => "fetch timeout",
        TimerKind::CheckQuorum => "check-quorum timeout",
        TimerKind::BeginQuorumEpoch => "BeginQuorumEpoch round",
        TimerKind::Request => "request timeout",
        TimerKind::RetryBackoff => "retry backoff",
        TimerKind::LongPoll => "parked fetch timeout",
        TimerKind::Shutdown => "shutdown timeout",
        TimerKind::Linger => "linger",
    }
}

fn timer(timer: Timer) -> String {
    let kind = timer_kind(timer.kind);
    timer.peer.map_or_else(|| kind.to_owned(), |peer| format!("{kind} for node {peer}"))
}

/// The word for what a replica is: its role, or why it is down.
#[must_use]
pub const fn condition(role_shape: Option<RoleShape>, ended: Option<Ended>) -> &'static str {
    match (role_shape, ended) {
        (Some(shape), _) => role(shape),
        (None, Some(_)) => "shut down",
        (None, None) => "crashed",
    }
}

/// The accessible name of a replica: `Node 3, leader, epoch 2`. `word` is its [`condition`].
#[must_use]
pub fn replica_name(id: ReplicaId, word: &str, is_up: bool, epoch: u32) -> String {
    if is_up { format!("Node {id}, {word}, epoch {epoch}") } else { format!("Node {id}, {word}") }
}

/// What is added to a replica's name where it stands still or the cluster is parted.
#[must_use]
pub fn condition_beside(is_paused: bool, group: Option<char>) -> String {
    let group = group.map_or_else(String::new, |letter| format!(", group {letter}"));
    format!("{}{group}", if is_paused { ", paused" } else { "" })
}

/// The label of a client, with the letter of its group while there is a partition.
#[must_use]
pub fn client_label(client: u8, group: Option<char>) -> String {
    let group = group.map_or_else(String::new, |letter| format!(" · {letter}"));
    format!("Client {}{group}", client + 1)
}

/// The accessible name of a client.
#[must_use]
pub fn client_name(client: u8, believes: ReplicaId, asks: Option<u32>, tally: Tally) -> String {
    let does = asks.map_or_else(|| "idle".to_owned(), |number| format!("waits for request {number}"));
    format!(
        "Client {}, believes node {believes} leads, {does}, {} acknowledged, {} refused, {} unknown",
        client + 1,
        tally.acknowledged,
        tally.refused,
        tally.unknown
    )
}

/// The key of a message that was lost.
#[must_use]
pub fn lost_name(from: ReplicaId, to: ReplicaId, number: u32) -> String {
    format!("lost {}>{} #{number}", mark(from), mark(to))
}

/// The short name of a message, for its label.
#[must_use]
pub fn message(face: &MessageFace<MessageKind>) -> String {
    let epoch = face.epoch;
    match (face.kind, face.verdict) {
        (MessageKind::PreVote, _) => format!("PreVote e{epoch}"),
        (MessageKind::Vote, _) => format!("Vote e{epoch}"),
        (MessageKind::BeginQuorumEpoch, _) => format!("BeginQuorumEpoch e{epoch}"),
        (MessageKind::EndQuorumEpoch, _) => format!("EndQuorumEpoch e{epoch}"),
        (MessageKind::Fetch, _) => format!("Fetch e{epoch}"),
        (MessageKind::VoteAnswer, Verdict::Granted) => "granted".to_owned(),
        (MessageKind::VoteAnswer, _) => "refused".to_owned(),
        (MessageKind::FetchAnswer, Verdict::Refused) => "fetch refused".to_owned(),
        (MessageKind::FetchAnswer, _) if face.entries == 0 => "nothing new".to_owned(),
        (MessageKind::FetchAnswer, _) if face.entries == 1 => "1 record".to_owned(),
        (MessageKind::FetchAnswer, _) => format!("{} records", face.entries),
        (MessageKind::BeginQuorumEpochAnswer | MessageKind::EndQuorumEpochAnswer, Verdict::Refused) => {
            "refused".to_owned()
        }
        (MessageKind::BeginQuorumEpochAnswer | MessageKind::EndQuorumEpochAnswer, _) => "acknowledged".to_owned(),
        (MessageKind::Client, Verdict::Asks) => "request".to_owned(),
        (MessageKind::Client, Verdict::Granted) => "committed".to_owned(),
        (MessageKind::Client, _) => "not taken".to_owned(),
    }
}

/// A replica or a client of the cluster, as people call it.
#[must_use]
pub fn who(id: ReplicaId) -> String {
    client_number(id).map_or_else(|| format!("node {id}"), |client| format!("client {}", client + 1))
}

/// The same, where there is little room: a number, or a number after a `c`.
#[must_use]
pub fn mark(id: ReplicaId) -> String {
    client_number(id).map_or_else(|| id.to_string(), |client| format!("c{}", client + 1))
}

fn alarm(alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::Timeout => "timeout",
        Alarm::Retry => "retry",
        Alarm::Next => "next request",
    }
}

/// The kinds of messages that a filter tells apart.
pub const KINDS: [&str; 6] =
    ["votes", "BeginQuorumEpoch", "EndQuorumEpoch", "records", "fetches without records", "requests of clients"];

/// The kinds of events that the event list tells apart.
pub const EVENT_KINDS: [&str; 8] =
    ["everything", "role changes", "votes", "refusals", "commits", "records", "faults and commands", "clients"];

/// The one line of something that can happen next. `face` belongs to a delivery.
#[must_use]
pub fn pending(name: &EventName, face: Option<&MessageFace<MessageKind>>) -> String {
    match name {
        EventName::Delivery { from, to, is_copy, .. } => {
            let what = face.map_or_else(|| "message".to_owned(), message);
            let again = if *is_copy { ", again" } else { "" };
            format!("{what}, {} → {}{again}", mark(*from), mark(*to))
        }
        EventName::Timer { replica, timer: which, .. } => format!("Node {replica}: {}", timer(*which)),
        EventName::Task { replica, number } => format!("Node {replica}: task #{number}"),
        EventName::Client { client, alarm: which, .. } => format!("Client {}: {}", client + 1, alarm(*which)),
    }
}

/// Why a message does not arrive.
#[must_use]
pub const fn waits(is_held: bool) -> &'static str {
    if is_held { "held" } else { "at the door" }
}

/// What an executor's task will do, in a few words.
#[must_use]
pub fn task(kind: TaskKind) -> String {
    match kind {
        TaskKind::Poll => "poll".to_owned(),
        TaskKind::PollState => "look at the state".to_owned(),
        TaskKind::Message(from) => format!("message from node {from}"),
        TaskKind::PollListeners => "tell the listeners".to_owned(),
        TaskKind::Timer(which) => timer(which),
        TaskKind::Request => "do what it is asked for".to_owned(),
        TaskKind::Arrival(from) => format!("arrival from node {from}"),
    }
}

/// The answer to a question about a moment, and where to read more.
#[must_use]
pub fn because(question: Question, because: &Because) -> Sentence {
    let ids = |set: ReplicaSet| {
        let shown: Vec<String> = set.iter().map(|id| id.to_string()).collect();
        match shown.len() {
            0 => "nobody".to_owned(),
            1 => format!("node {}", shown[0]),
            _ => format!("nodes {}", shown.join(", ")),
        }
    };
    let says = |text: String, reference| Sentence { text, reference };
    let offset = match question {
        Question::WhyNotCommitted { offset } => offset,
        Question::WhyNotElected { .. } | Question::WhyNobodyElected | Question::WhyRefused { .. } => 0,
    };
    match *because {
        Because::IsCommitted { holders } => {
            says(format!("Record {offset} is committed; {} hold it.", ids(holders)), "KIP-595")
        }
        Because::NoSuchEntry => says(format!("No running node has a record {offset}."), ""),
        Because::NoLeader { holders } => says(
            format!("Record {offset} is on {}, but nobody leads, and only a leader commits.", ids(holders)),
            "KIP-595",
        ),
        Because::NotInTheLeadersLog { leader } => says(
            format!(
                "The leader, node {leader}, does not have record {offset}; those who do will cut it when they fetch."
            ),
            "KIP-595 · Raft §5.3",
        ),
        Because::OfAnOlderEpoch { leader, epoch_start } => says(
            format!(
                "A majority has record {offset}, but node {leader} leads since offset {epoch_start} and commits older records only together with one of its own epoch."
            ),
            "KAFKA-12619 · Raft §5.4.2",
        ),
        Because::TooFewHaveIt { told, need } => says(
            format!(
                "It takes {need} voters to commit record {offset}. The leader knows of {}: a follower tells how far it is by the offset it fetches from.",
                ids(told)
            ),
            "KIP-595 · Raft §5.3",
        ),
        Because::Leads => says("It leads already.".to_owned(), ""),
        Because::IsPaused => says("It is paused and does nothing.".to_owned(), ""),
        Because::Standings { leading, free, stopped, apart, behind, refused, need } => {
            let mut parts = Vec::new();
            if !leading.is_empty() {
                parts.push(format!("{} leads.", capital(&ids(leading))));
            }
            if free.is_empty() {
                parts.push(format!(
                    "Nobody {}can be elected: it takes {need} votes.",
                    if leading.is_empty() { "" } else { "else " }
                ));
            } else {
                parts.push(format!(
                    "It takes {need} votes, and nothing but time and messages stands in the way of {}.",
                    ids(free)
                ));
            }
            for (who, why) in [
                (apart, "can hear from, and be heard by, too few"),
                (behind, "would be refused, because too many in reach have more in their logs"),
                (refused, "would be refused by those who have fetched from their leader"),
                (stopped, "does not run, or stands still"),
            ] {
                if !who.is_empty() {
                    parts.push(format!("{}: {why}.", capital(&ids(who))));
                }
            }
            says(parts.join(" "), "Raft §5.2 · §5.4.1")
        }
        Because::IsDown => says("It does not run.".to_owned(), ""),
        Because::IsObserver => says("It is an observer; only voters campaign.".to_owned(), "KIP-595"),
        Because::TooFewInReach { reach, need } => says(
            format!("It takes {need} votes, and it can hear from, and be heard by, only {}.", ids(reach)),
            "Raft §5.2",
        ),
        Because::LogBehind { ahead, rest, need } => says(
            format!(
                "It takes {need} votes. {} would refuse, because their logs end after its own; only {} would grant.",
                capital(&ids(ahead)),
                ids(rest)
            ),
            "KIP-595 · Raft §5.4.1",
        ),
        Because::OthersFollow { refusing, leader } => says(
            format!(
                "{} would refuse its PreVote: they have fetched from node {leader}, so that leader is alive.",
                capital(&ids(refusing))
            ),
            "KIP-996 · KAFKA-17641",
        ),
        Because::Refused { by, note: why } => note(by, &why),
        Because::NotRefused => says("It was not refused.".to_owned(), ""),
        Because::Forgotten => says("That was too long ago: go back to it and ask there.".to_owned(), ""),
        Because::Nothing => {
            says("It can be: nothing stands in its way but its timeout and the messages.".to_owned(), "")
        }
    }
}

/// With a capital letter at its beginning.
#[must_use]
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// What a record says.
#[must_use]
pub fn payload(payload: Payload) -> String {
    match payload {
        Payload::LeaderChange { leader, .. } => format!("LeaderChange to node {leader}"),
        Payload::Set { key, value } => format!("{key} = {value}"),
    }
}

/// A record of a log, for those who point at it.
#[must_use]
pub fn record(says: &str, epoch: u32, state: usize, why: &str) -> String {
    format!("{says}, epoch {epoch}, {}. {why}", RECORD_STATES[state])
}

/// How far a record has come on a node, from uncommitted on.
const RECORD_STATES: [&str; 4] =
    ["not known to be committed", "committed", "committed and applied", "not in the leader's log: it will be cut"];

/// What a state machine was told of the leader.
#[must_use]
pub fn told(epoch: u32, leader: Option<ReplicaId>) -> String {
    match leader {
        Some(leader) => format!("node {leader}, epoch {epoch}"),
        None => format!("nobody, epoch {epoch}"),
    }
}

/// What ran last on an executor and how long it was queued.
#[must_use]
pub fn last_task(ran: Ran) -> String {
    let queued = match ran.queued_for_us {
        0 => "was not kept waiting".to_owned(),
        us => format!("was queued for {}", time(us)),
    };
    format!("Ran last: {} (#{}), {queued}.", task(ran.kind), ran.number)
}

/// Where in a run one is.
#[must_use]
pub fn position(steps: u64, tasks: u32, length: u64) -> String {
    let into = match tasks {
        0 => String::new(),
        1 => " + 1 task".to_owned(),
        more => format!(" + {more} tasks"),
    };
    format!("event {steps}{into} of {length}")
}

/// How much an executor has done.
#[must_use]
pub fn task_counters(ran: u64, empty: u64) -> String {
    let tasks = if ran == 1 { "1 task run".to_owned() } else { format!("{ran} tasks run") };
    format!("{tasks}, {empty} of them looked at the state and found nothing to do.")
}

/// What the one poll event will find when it comes: timers that are over by then, and messages.
#[must_use]
pub fn poll_finds(timers: &[Timer], messages: usize) -> String {
    let mut found: Vec<String> = timers.iter().map(|&which| timer(which)).collect();
    match messages {
        0 => {}
        1 => found.push("1 message".to_owned()),
        more => found.push(format!("{more} messages")),
    }
    if found.is_empty() {
        "poll: will find nothing".to_owned()
    } else {
        format!("poll: will find {}", found.join(", "))
    }
}

/// The stable name of an event, as links and commands use it.
#[must_use]
pub fn event_name(name: &EventName) -> String {
    match name {
        EventName::Delivery { from, to, number, is_copy } => flight_name((*from, *to, *number, *is_copy)),
        EventName::Timer { replica, timer: which, number } => {
            format!("timer {replica} {} #{number}", timer(*which))
        }
        EventName::Task { replica, number } => format!("task {replica} #{number}"),
        EventName::Client { client, alarm: which, number } => {
            format!("client {} {} #{number}", client + 1, alarm(*which))
        }
    }
}

/// The stable name of a message in flight.
#[must_use]
pub fn flight_name((from, to, number, is_copy): FlightName) -> String {
    format!("link {}>{} #{number}{}", mark(from), mark(to), if is_copy { " copy" } else { "" })
}

/// An election, in a line.
#[must_use]
pub fn elected(id: ReplicaId, epoch: u32) -> String {
    format!("Node {id} is elected in epoch {epoch}.")
}

/// A commit, in a line.
#[must_use]
pub fn committed(high_watermark: u64) -> String {
    format!("The high watermark rises to {high_watermark}.")
}

/// Where a branch begins, in a line.
#[must_use]
pub fn forked(branch: u32, done: &Command) -> String {
    format!("Branch {} begins here: {}", branch + 1, command(done))
}

/// What was done by hand.
#[must_use]
pub fn command(command: &Command) -> String {
    match command {
        Command::Crash { replica, keep_unflushed: true } => {
            format!("Node {replica} crashes. Everything it had written stays on its disk, flushed or not.")
        }
        Command::Crash { replica, .. } => {
            format!("Node {replica} crashes. What is on its disk stays: its epoch, its vote and its flushed records.")
        }
        Command::Restart { replica, is_wiped: true } => {
            format!(
                "Node {replica} starts with an empty disk: its epoch, its vote and its log are lost. Raft does not promise to survive this."
            )
        }
        Command::Restart { replica, .. } => {
            format!("Node {replica} starts again from what is on its disk.")
        }
        Command::Resign { replica } => format!("Node {replica} is asked to resign."),
        Command::Append { replica, count, .. } => {
            format!("A client appends {} at node {replica}.", records((*count).into()))
        }
        Command::Shutdown { replica, .. } => format!("Node {replica} is asked to shut down gracefully."),
        Command::Cancel { replica, number } => {
            format!("Task #{number} is taken from node {replica}'s executor, by hand; the node is not told.")
        }
        Command::RunNow { event } => format!("Made to happen now: {}.", event_name(event)),
        Command::Drop { from, to, .. } => {
            format!("A message from {} to {} is lost, by hand.", who(*from), who(*to))
        }
        Command::SetHeld { from, to, is_held: true, .. } => {
            format!(
                "A message from {} to {} is held, by hand: it arrives only once it is released.",
                who(*from),
                who(*to)
            )
        }
        Command::SetHeld { from, to, .. } => {
            format!("A message from {} to {} that was held flies on.", who(*from), who(*to))
        }
        Command::Duplicate { from, to, .. } => {
            format!("A message from {} to {} will arrive twice, by hand.", who(*from), who(*to))
        }
        Command::Delay { from, to, by_us, .. } => {
            format!("A message from {} to {} will arrive {} later, by hand.", who(*from), who(*to), span(*by_us))
        }
        Command::Swap { one, other } => {
            format!(
                "Two messages will arrive each when the other would have: {} and {}.",
                flight_name(*one),
                flight_name(*other)
            )
        }
        Command::PushBack { event, by_us } => {
            format!("Pushed back by {}, by hand: {}.", span(*by_us), event_name(event))
        }
        Command::SpaceTimers { apart_us: 0 } => {
            "The timeouts on which nodes would seek votes will run out all at once: nobody is ahead of the others."
                .to_owned()
        }
        Command::SpaceTimers { apart_us } => {
            format!(
                "The timeouts on which nodes would seek votes will run out one after the other, {} apart.",
                span(*apart_us)
            )
        }
        Command::Pause { replica } => {
            format!("Node {replica} stands still: it does nothing, and messages wait at its door. Its clock goes on.")
        }
        Command::Resume { replica } => format!("Node {replica} goes on, first with what has waited for it."),
        Command::SetClock { replica, rate_ppm } => {
            format!("The clock of node {replica} goes at {} % from now on.", percent(*rate_ppm))
        }
        Command::Partition { groups } if groups.last() == 0 => "All are in one group again.".to_owned(),
        Command::Partition { groups } => format!(
            "The cluster is parted into {} groups: what is sent from one to another from now on is lost.",
            groups.last() + 1
        ),
        Command::Heal => "Everything is healed: no link is cut, and all are in one group.".to_owned(),
        Command::AddClient { options } => format!(
            "A client joins. It waits {} ms for an answer and sends a request at most {} times.",
            options.timeout_ms, options.attempts
        ),
        Command::ClientRequest { client, key, value } => {
            format!("Client {} wants to set {key} = {value}.", client + 1)
        }
        Command::SetRate { client, every_us: 0 } => format!("Client {} has nothing more to set by itself.", client + 1),
        Command::SetRate { client, every_us } => {
            format!("Client {} has something to set every {} from now on.", client + 1, span(*every_us))
        }
        Command::SetCut { from, to, is_cut: true } => {
            format!("The link from {} to {} is cut: what is sent on it from now on is lost.", who(*from), who(*to))
        }
        Command::SetCut { from, to, .. } => {
            format!("The link from {} to {} works again.", who(*from), who(*to))
        }
        Command::SetLink { link: Some((from, to)), .. } => {
            format!("The link from {} to {} behaves differently from now on.", who(*from), who(*to))
        }
        Command::SetLink { link: None, .. } => "All links behave differently from now on.".to_owned(),
    }
}

/// A length of time, as short as it can be said.
#[must_use]
pub fn span(us: u32) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        _ if us.is_multiple_of(1_000) => format!("{} ms", us / 1_000),
        _ => format!("{}.{:03} ms", us / 1_000, us % 1_000),
    }
}

/// Parts per million in percent, without what is zero.
#[must_use]
pub fn percent(ppm: u32) -> String {
    let (whole, rest) = (ppm / 10_000, ppm % 10_000);
    match rest {
        0 => whole.to_string(),
        _ => format!("{whole}.{rest:04}").trim_end_matches('0').to_owned(),
    }
}

/// What happened with a request of a client, at `id`: a client or a node.
fn call(id: ReplicaId, note: CallNote) -> String {
    let me = capital(&who(id));
    let node = |id: ReplicaId| format!("node {id}");
    match note {
        CallNote::Asked { number, attempt: 0, to } => {
            format!("{me} sends request {number} to {}, which it believes to lead.", node(to))
        }
        CallNote::Asked { number, attempt, to } => {
            format!("{me} sends request {number} again, to {} (attempt {}).", node(to), u16::from(attempt) + 1)
        }
        CallNote::Taken { client, number, offset } => format!(
            "{me} takes request {number} of client {} in and puts it at offset {offset}. It answers once that is committed.",
            client + 1
        ),
        CallNote::Declined { client, number, leader: Some(leader) } => {
            format!(
                "{me} does not lead: it takes nothing of client {}’s request {number} and names node {leader}.",
                client + 1
            )
        }
        CallNote::Declined { client, number, leader: None } => format!(
            "{me} does not lead and knows nobody who does: it takes nothing of client {}’s request {number}.",
            client + 1
        ),
        CallNote::Full { client, number } => {
            format!("{me} has no room for client {}’s request {number} and takes nothing of it.", client + 1)
        }
        CallNote::Committed { client, number, offset } => {
            format!(
                "Offset {offset} is committed: {} tells client {} that its request {number} is.",
                who(id),
                client + 1
            )
        }
        CallNote::NoLonger { client, number } => format!(
            "{me} leads no more: it tells client {} that it does not know what becomes of request {number}.",
            client + 1
        ),
        CallNote::Acknowledged { number, offset } => {
            format!("{me} learns that its request {number} is committed, at offset {offset}.")
        }
        CallNote::AcknowledgedLate { number, offset } => {
            format!("{me} had given request {number} up and now learns that it is committed, at offset {offset}.")
        }
        CallNote::Redirected { number, to } => {
            format!("{me} is told to ask {} and sends request {number} there.", node(to))
        }
        CallNote::BacksOff { number, to } => {
            format!("{me} waits a little and then sends request {number} to {}.", node(to))
        }
        CallNote::TimedOut { number, by } => {
            format!("{me} had no answer of {} to request {number} in time: it may have been taken, or not.", node(by))
        }
        CallNote::GaveUp { number, is_unknown: true } => {
            format!("{me} gives request {number} up and does not know what became of it.")
        }
        CallNote::GaveUp { number, .. } => format!("{me} gives request {number} up: nobody took it."),
        CallNote::Stale { number } => format!("{me} has no use for an answer to request {number} any more."),
        CallNote::Skipped => format!(
            "{me} has {WAITING_MAX} requests waiting and makes no new one: it has more to set than the cluster takes."
        ),
    }
}

fn vote(pre_vote: bool) -> &'static str {
    if pre_vote { "PreVote" } else { "vote" }
}

const fn vote_reference(pre_vote: bool) -> &'static str {
    if pre_vote { "KIP-996" } else { "KIP-595 · Raft §5.4.1" }
}

fn became(id: ReplicaId, note: &Note) -> Option<Sentence> {
    let Note::Became { from, to, epoch, cause, leader } = note else {
        return None;
    };
    let led_by = leader.map_or_else(String::new, |leader| format!("node {leader}"));
    let (text, reference) = match (to, cause) {
        (RoleShape::Prospective, Cause::FetchTimeout) => (
            format!(
                "Node {id} has not fetched from {led_by} for the fetch timeout. It becomes prospective and asks, without raising epoch {epoch}, whether it could win."
            ),
            "KIP-996",
        ),
        (RoleShape::Prospective, Cause::NamedSuccessor) => (
            format!(
                "Node {id} has waited its turn after its leader resigned. It becomes prospective and asks, without raising epoch {epoch}, whether it could win."
            ),
            "KIP-595 · KIP-996",
        ),
        (RoleShape::Prospective, _) if *from == Some(RoleShape::Candidate) => (
            format!("Node {id} was not elected in time. It is prospective again and first asks whether it could win."),
            "KIP-996",
        ),
        (RoleShape::Prospective, _) => (
            format!(
                "Node {id} has waited for its election timeout and heard of no leader. It becomes prospective and asks, without raising epoch {epoch}, whether it could win."
            ),
            "KIP-996",
        ),
        (RoleShape::Candidate, Cause::NoPreVote) => (
            format!(
                "PreVote is switched off: node {id} raises the epoch to {epoch} at once, votes for itself and asks for votes."
            ),
            "KIP-595 · Raft §5.2",
        ),
        (RoleShape::Candidate, _) => (
            format!(
                "With a majority behind it, node {id} becomes candidate: it raises the epoch to {epoch}, votes for itself and asks for votes."
            ),
            "KIP-996 · Raft §5.2",
        ),
        (RoleShape::Leader, Cause::OnlyVoter) => {
            (format!("Node {id} is the only voter and leads epoch {epoch} at once."), "KIP-595")
        }
        (RoleShape::Leader, _) => (
            format!(
                "A majority voted for node {id}: it is the leader of epoch {epoch} and tells the others with BeginQuorumEpoch."
            ),
            "KIP-595 · Raft §5.2",
        ),
        (RoleShape::Resigned, Cause::Restart) => (
            format!(
                "Node {id} led epoch {epoch} before it stopped. It starts resigned: records it had not flushed may be lost, so it must not go on in that epoch."
            ),
            "KAFKA-10527",
        ),
        (RoleShape::Resigned, Cause::ResignAsked) => (
            format!(
                "Node {id} resigns from epoch {epoch}, as it was asked to, and tells the others who should follow."
            ),
            "KIP-595",
        ),
        (RoleShape::Resigned, Cause::ShuttingDown) => (
            format!(
                "Node {id} is shutting down: it resigns from epoch {epoch} and tells the others who should follow."
            ),
            "KIP-595",
        ),
        (RoleShape::Resigned, _) => (
            format!(
                "A majority has not fetched from node {id} for 1.5 fetch timeouts. It resigns from epoch {epoch} and tells the others."
            ),
            "KAFKA-15489",
        ),
        (RoleShape::Follower, Cause::Restart) => {
            (format!("Node {id} starts as a follower of {led_by}, the leader of epoch {epoch} it knew."), "KIP-595")
        }
        (RoleShape::Follower, Cause::MajorityRefused | Cause::ElectionTimeout) => {
            (format!("Node {id} cannot win now. It goes back to following {led_by} in epoch {epoch}."), "KIP-996")
        }
        (RoleShape::Follower, _) => {
            (format!("Node {id} learns that {led_by} leads epoch {epoch}, follows it and fetches from it."), "KIP-595")
        }
        (RoleShape::Unattached, Cause::HigherEpoch) => (
            format!("Node {id} learns of epoch {epoch}, which is above its own, and takes it over."),
            "KIP-595 · Raft §5.1",
        ),
        (RoleShape::Unattached, Cause::MajorityRefused) => {
            (format!("Node {id} cannot win now and waits; the epoch stays {epoch}."), "KIP-996")
        }
        (RoleShape::Unattached, Cause::ElectionTimeout) if *from == Some(RoleShape::Resigned) => {
            (format!("Node {id} has told the others for long enough and moves to epoch {epoch}."), "KIP-595")
        }
        (RoleShape::Unattached, Cause::ElectionTimeout) => (
            format!("Node {id} did not get a majority of PreVotes in time and starts over; the epoch stays {epoch}."),
            "KIP-996",
        ),
        (RoleShape::Unattached, _) => {
            (format!("Node {id} starts unattached in epoch {epoch}: it knows no leader and waits."), "KIP-595")
        }
    };
    Some(Sentence { text, reference })
}

fn refusal(why: Refusal, theirs: (u64, u32), ours: (u64, u32), epoch: u32) -> (String, &'static str) {
    match why {
        Refusal::LogBehind => (
            format!(
                "the asker's log (epoch {}, end {}) is behind its own (epoch {}, end {})",
                theirs.1, theirs.0, ours.1, ours.0
            ),
            "KIP-595 · Raft §5.4.1",
        ),
        Refusal::VotedFor(other) => (format!("it has voted for node {other} in epoch {epoch}"), "KIP-595 · Raft §5.2"),
        Refusal::KnowsLeader(leader) => (format!("node {leader} leads epoch {epoch}"), "KIP-595"),
        Refusal::Fetched(leader) => {
            (format!("it has fetched from node {leader} in epoch {epoch}, so that leader is alive"), "KAFKA-17641")
        }
        Refusal::OwnCandidate => {
            (format!("it is a candidate itself and votes for itself in epoch {epoch}"), "Raft §5.2")
        }
        Refusal::Leads => (format!("it leads epoch {epoch}"), "KIP-595"),
        Refusal::HasResigned => (format!("it led epoch {epoch} itself"), "KIP-595"),
        Refusal::OldEpoch => (format!("the request's epoch is over; it is in epoch {epoch}"), "KIP-595 · Raft §5.1"),
        Refusal::NotMeant => ("the request was meant for another voter".to_owned(), "KIP-853"),
        Refusal::Invalid => ("the request contradicts itself".to_owned(), "KIP-595"),
    }
}

fn note(id: ReplicaId, note: &Note) -> Sentence {
    let says = |text: String, reference| Sentence { text, reference };
    match *note {
        Note::Became { .. } => became(id, note).unwrap_or(Sentence { text: String::new(), reference: "" }),
        Note::Granted { to, epoch, pre_vote: true, theirs, .. } => says(
            format!(
                "Node {id} would vote for node {to} in an epoch after {epoch}: node {to}’s log (epoch {}, end {}) is at least as complete as its own. It promises nothing.",
                theirs.1, theirs.0
            ),
            "KIP-996",
        ),
        Note::Granted { to, epoch, theirs, .. } => says(
            format!(
                "Node {id} grants its vote to node {to}: it has not voted for another in epoch {epoch}, and node {to}’s log (epoch {}, end {}) is at least as complete as its own.",
                theirs.1, theirs.0
            ),
            "KIP-595 · Raft §5.4.1",
        ),
        Note::Refused { to, epoch, pre_vote, why, theirs, ours } => {
            let (because, reference) = refusal(why, theirs, ours, epoch);
            says(format!("Node {id} refuses node {to} its {}: {because}.", vote(pre_vote)), reference)
        }
        Note::Counted { from, granted, pre_vote, have, need } => says(
            format!(
                "Node {id} counts a {} from node {from}’s {}: it has {have} of the {need} it needs.",
                if granted { "yes" } else { "no" },
                if pre_vote { "PreVote answer" } else { "vote answer" },
            ),
            vote_reference(pre_vote),
        ),
        Note::Lost { epoch } => says(
            format!(
                "A majority refused node {id}: it cannot win epoch {epoch} any more and waits for the rest of its election timeout."
            ),
            "KAFKA-18345",
        ),
        Note::LateAnswer { from } => {
            says(format!("Node {id} has no use for this answer of node {from} any more and ignores it."), "KAFKA-10842")
        }
        Note::OldAnswer { from, epoch } => {
            says(format!("Node {from} answers from epoch {epoch}, which is over; node {id} ignores it."), "KIP-595")
        }
        Note::Fenced { from, epoch } => {
            says(format!("Node {id} refuses node {from}’s request: its epoch {epoch} is over."), "KIP-595 · Raft §5.1")
        }
        Note::NotLeader { from, leader: Some(leader) } => says(
            format!("Node {id} learns from node {from}, or tells it, that the leader is node {leader}."),
            "KIP-595",
        ),
        Note::NotLeader { from, leader: None } => {
            says(format!("Between node {id} and node {from}: neither knows a leader."), "KIP-595")
        }
        Note::Served { to, offset, records } => says(
            format!(
                "Node {id} sends {records} {} to node {to}, from offset {offset} on; the fetch tells it that node {to} has all before.",
                plural(records)
            ),
            "KIP-595",
        ),
        Note::Parked { from, offset } => says(
            format!(
                "Node {from} has everything up to offset {offset}. Node {id} has nothing new and keeps the fetch until it has."
            ),
            "KIP-595",
        ),
        Note::ToldDiverging { to, epoch, end_offset } => says(
            format!(
                "Node {to}’s log differs from node {id}’s: in epoch {epoch} node {id}’s ends at {end_offset}. It says so, and node {to} will cut its own back."
            ),
            "KIP-595",
        ),
        Note::WaitOver { to } => {
            says(format!("Nothing new came in time; node {id} answers node {to}’s fetch with nothing."), "KIP-595")
        }
        Note::Appended { count, end_offset } => says(
            format!("Node {id} appends {count} fetched {}; its log now ends at {end_offset}.", plural(count)),
            "KIP-595",
        ),
        Note::Truncated { end_offset } => says(
            format!(
                "Node {id} cuts its log back to offset {end_offset}, where it agrees with the leader’s, and fetches on from there."
            ),
            "KIP-595 · Raft §5.3",
        ),
        Note::UpToDate { end_offset } => says(
            format!("Node {id} learns that it has everything: its log ends at {end_offset} like the leader’s."),
            "KIP-595",
        ),
        Note::LeaderChangeAppended { offset } => says(
            format!(
                "Node {id} appends a LeaderChange record at offset {offset}: it commits nothing before a majority has that."
            ),
            "KIP-595 · Raft §5.4.2",
        ),
        Note::HighWatermark { to } => says(
            format!(
                "The high watermark on node {id} moves to {to}: a majority has everything before it, so it is committed."
            ),
            "KIP-595 · Raft §5.3",
        ),
        Note::HighWatermarkWaits { majority, epoch_start } => says(
            format!(
                "A majority has everything before offset {majority}, but node {id} leads since offset {epoch_start} and commits only with a record of its own epoch."
            ),
            "KAFKA-12619 · Raft §5.4.2",
        ),
        Note::HighWatermarkStays { at, have, need } => says(
            format!(
                "The high watermark of node {id} stays at {at}: {have} of the {need} voters that it takes have come further."
            ),
            "KIP-595 · Raft §5.3",
        ),
        Note::RequestTimedOut { peer } => {
            says(format!("Node {peer} did not answer node {id} in time; node {id} may ask again."), "KIP-595")
        }
        Note::BackoffOver { peer } => says(format!("Node {id} may ask node {peer} again."), "KIP-595"),
        Note::BeginQuorumRound { told: 0 } => says(
            format!("All voters have fetched from node {id} lately: nobody needs to be told that it leads."),
            "KIP-595",
        ),
        Note::BeginQuorumRound { told } => {
            says(format!("Node {id} tells {told} voters that have not fetched lately that it leads."), "KIP-595")
        }
        Note::HeardLeader { leader, epoch } => {
            says(format!("Node {id} hears again that node {leader} leads epoch {epoch}."), "KIP-595")
        }
        Note::Acknowledged { by } => says(format!("Node {by} has heard node {id}."), "KIP-595"),
        Note::AppendTaken { offset, count } => says(
            format!(
                "Node {id} takes {} of a client, up to offset {offset}; they wait a little for more to share a batch.",
                records(count.into())
            ),
            "KIP-595",
        ),
        Note::Drained { count, end_offset } => says(
            format!(
                "Node {id} writes {} that clients appended: its end offset is {end_offset}. They are committed once a majority has fetched them.",
                records(count.into())
            ),
            "KIP-595",
        ),
        Note::Told { leader: Some(leader), epoch } => {
            says(format!("The state machine of node {id} hears that node {leader} leads epoch {epoch}."), "KAFKA-17333")
        }
        Note::Told { epoch, .. } => {
            says(format!("The state machine of node {id} hears that nobody leads epoch {epoch}."), "KAFKA-17333")
        }
        Note::ResignAsked { epoch, current } if epoch < current => says(
            format!("Epoch {epoch} is over for node {id}, which is in epoch {current}: nothing to resign from."),
            "KIP-595",
        ),
        Note::ResignAsked { epoch, .. } => says(format!("Node {id} will resign from epoch {epoch}."), "KIP-595"),
        Note::ShutdownAsked { timeout_ms } => {
            says(format!("Node {id} has {timeout_ms} ms to finish: it stops as soon as another node leads."), "KIP-595")
        }
        Note::ShutdownEnded { ended: Ended::TimedOut, .. } => {
            says(format!("Node {id} stops: the time for its graceful shutdown is over."), "KIP-595")
        }
        Note::ShutdownEnded { leader: Some(leader), .. } if leader != id => {
            says(format!("Node {id} stops: node {leader} leads, so it is not needed."), "KIP-595")
        }
        Note::ShutdownEnded { .. } => says(format!("Node {id} stops: nobody else is there to lead."), "KIP-595"),
        Note::SuccessorWait { leader, wait_ms: 0 } => {
            says(format!("Node {leader} resigned and named node {id} first: it may seek votes at once."), "KIP-595")
        }
        Note::SuccessorWait { leader, wait_ms } => says(
            format!("Node {leader} resigned; node {id} lets better successors go first and waits {wait_ms} ms."),
            "KIP-595",
        ),
    }
}

const fn plural(count: u8) -> &'static str {
    if count == 1 { "record" } else { "records" }
}

/// Why a replica did not do what it was asked for.
fn refused(id: ReplicaId, why: RequestError) -> Sentence {
    Sentence { text: format!("Node {id} refuses: {why}."), reference: "KIP-595" }
}

/// Why a replica stopped by itself.
#[must_use]
pub fn fault(id: ReplicaId, fault: Fault) -> String {
    match fault {
        Fault::ContradictoryLeader { epoch } => {
            format!("Node {id} stops: two leaders were named for epoch {epoch}.")
        }
        Fault::TruncationBelowHighWatermark { offset, high_watermark } => format!(
            "Node {id} stops: it was told to cut its log to {offset}, below the high watermark {high_watermark}."
        ),
        Fault::RequestCalledInvalid => {
            format!("Node {id} stops: its own request was called invalid.")
        }
        Fault::HighWatermarkBack { from, to } => {
            format!("Node {id} stops: its high watermark would have fallen from {from} to {to}.")
        }
        Fault::ExecutorFull => {
            format!("Node {id} stops: its executor had no room for a task without which it would never wake.")
        }
        Fault::TaskLoop => {
            format!("Node {id} stops: it had more work at one instant than any correct run has.")
        }
    }
}

fn records(count: u64) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}

/// The one or two sentences of a step.
#[must_use]
pub fn step(explanation: &Explanation) -> Sentence {
    if let Some((id, why)) = explanation.fault {
        return Sentence { text: fault(id, why), reference: "" };
    }
    let opening = match &explanation.trigger {
        Trigger::Began => {
            return Sentence {
                text: "Nothing has happened yet. Press Step for the next event, or Play.".to_owned(),
                reference: "",
            };
        }
        Trigger::Command(done) => Some(command(done)),
        Trigger::Delivery { from, to, face, is_wasted: true } => {
            return Sentence {
                text: format!("“{}” from {} reaches node {to}, which is down: it is lost.", message(face), who(*from)),
                reference: "",
            };
        }
        Trigger::Delivery { .. } | Trigger::Timer { .. } | Trigger::Task { .. } | Trigger::Client { .. } => None,
    };
    if let (Some((id, why)), []) = (explanation.refused, explanation.calls.as_slice()) {
        let refusal = refused(id, why);
        let text = opening.into_iter().chain([refusal.text]).collect::<Vec<_>>().join(" ");
        return Sentence { text, reference: refusal.reference };
    }
    let why = explanation.why.as_ref().map(|(id, why)| note(*id, why));
    let then = explanation.then.as_ref().map(|(id, then)| note(*id, then));
    let reference = then.as_ref().or(why.as_ref()).map_or("", |sentence| sentence.reference);
    let plain = || match &explanation.trigger {
        Trigger::Delivery { from, to, face, .. } if explanation.is_open => {
            format!("“{}” from {} has reached {} and waits on its executor.", message(face), who(*from), who(*to))
        }
        Trigger::Delivery { from, to, face, .. } => {
            format!("“{}” from {} reaches {}; nothing follows from it.", message(face), who(*from), who(*to))
        }
        Trigger::Timer { replica, timer: which } => format!("Node {replica}: {}.", timer(*which)),
        Trigger::Task { replica, kind } => {
            let what = kind.map_or_else(|| "a task waits".to_owned(), task);
            format!("Node {replica}: {what}; nothing follows from it.")
        }
        Trigger::Client { client, alarm: which } => format!("Client {}: {}.", client + 1, alarm(*which)),
        Trigger::Began | Trigger::Command(_) => String::new(),
    };
    let mut parts: Vec<String> = opening.into_iter().collect();
    // Of what a node did with a request only the desk speaks, unless it led to more.
    let is_only_taken = matches!(explanation.why, Some((_, Note::AppendTaken { .. })));
    let said = explanation.calls.iter().take(2).map(|&(id, note)| call(id, note));
    if is_only_taken && !explanation.calls.is_empty() {
        parts.extend(said);
    } else {
        parts.extend(why.map(|sentence| sentence.text));
        parts.extend(said);
    }
    parts.extend(then.map(|sentence| sentence.text));
    if parts.is_empty() {
        parts.push(plain());
    }
    if explanation.is_open {
        parts.push("Its executor has more to run at this instant.".to_owned());
    }
    Sentence { text: parts.join(" "), reference }
}

/// The name of a property and its meaning in one sentence.
#[must_use]
pub const fn property(property: Property) -> (&'static str, &'static str) {
    match property {
        Property::ElectionSafety => ("Election safety", "At most one leader in an epoch."),
        Property::MonotonicEpoch => ("Epochs rise", "The epoch of a node never falls."),
        Property::MonotonicCommit => ("Commits stay", "The high watermark of a running node never falls."),
        Property::StateMachineSafety => {
            ("State machine safety", "No two nodes commit different records at one offset.")
        }
        Property::LeaderCompleteness => ("Leader completeness", "A new leader holds every committed record."),
        Property::HighWatermarkOnMajority => {
            ("Commits on a majority", "A majority of the voters has come as far as the leader's high watermark.")
        }
        Property::LeaderHighWatermark => ("Leaders go on", "No leader's high watermark is below one before."),
    }
}

/// A property that was broken: at which event, where, with whom, at which entry.
#[must_use]
pub fn violation(violation: &Violation) -> String {
    let (name, meaning) = property(violation.property);
    let with = violation.other.map_or_else(String::new, |other| format!(" and node {other}"));
    let at = violation.offset.map_or_else(String::new, |offset| format!(", record {offset}"));
    format!(
        "{name} was broken at event {}: node {}{with}, epoch {}{at}. It says: {meaning}",
        violation.step, violation.replica, violation.epoch
    )
}

/// A time on the clock: `2.874 s`.
#[must_use]
pub fn time(us: u64) -> String {
    let ms = us / 1_000;
    format!("{}.{:03} s", ms / 1_000, ms % 1_000)
}
