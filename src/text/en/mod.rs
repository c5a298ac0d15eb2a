//! English.
//!
//! What protocols share is here, in the words of the run's protocol ([`Words`]); each protocol has a section of its own.

mod classic;
mod kraft;

use crate::explain::{Because, Explanation, Question, Trigger};
use crate::raft::{
    Any, AnyKind, AnyNote, AppendError, Either, Ended, Family, Fault, MessageFace, Payload, Protocol, Ran, ReplicaId,
    ReplicaSet, RequestError, RoleShape, TRAFFIC_PARTS, TaskKind, Theme, Timer, TimerKind, Verdict,
};
use crate::sim::{
    Alarm, CallNote, Command, EventName, FlightName, Property, Sim, Tally, Violation, WAITING_MAX, client_number,
};

/// The words of a protocol.
#[derive(Debug)]
pub struct Words {
    /// What it is called.
    pub protocol: &'static str,
    /// Epoch or term.
    pub epoch: &'static str,
    /// The letter before the number of one.
    pub tag: char,
    /// An entry of a log.
    pub entry: &'static str,
    /// More of them.
    pub entries: &'static str,
    /// The number of an entry.
    pub place: &'static str,
    /// The number of the first one.
    pub first: u64,
    /// Whether followers pull.
    pulls: bool,
    /// Who asks whether it could win.
    pub prospective: &'static str,
    /// Where to read about commits.
    source: &'static str,
    /// Role, epoch, leader, vote, end of the log, and what is committed, as its papers name them.
    pub fields: [&'static str; 6],
    /// What is committed: its name, and a short one.
    pub committed: (&'static str, &'static str),
    /// What a leader knows of the others: how far they are, what is sent next, when they were heard, whether they count.
    pub peers: [&'static str; 4],
    /// The roles that there are, the most telling first.
    pub roles: &'static [RoleShape],
    /// The messages one can wait for.
    pub kinds: &'static [(AnyKind, &'static str)],
    /// The parts of the traffic; empty for those that it has not.
    pub traffic: [&'static str; TRAFFIC_PARTS],
}

/// The words of a protocol.
#[must_use]
pub const fn words(family: Family) -> &'static Words {
    match family {
        Family::KRaft => &kraft::WORDS,
        Family::Classic => &classic::WORDS,
    }
}

/// The words of a run's protocol.
#[must_use]
pub fn words_of(sim: &Sim<Any>) -> &'static Words {
    words(sim.settings().protocol.family())
}

impl Words {
    /// The word for a role.
    #[must_use]
    pub const fn role(&self, role: RoleShape) -> &'static str {
        match role {
            RoleShape::Unattached => "unattached",
            RoleShape::Prospective => self.prospective,
            RoleShape::Candidate => "candidate",
            RoleShape::Leader => "leader",
            RoleShape::Follower => "follower",
            RoleShape::Resigned => "resigned",
        }
    }

    /// The number of the entry at an offset, as this protocol counts.
    #[must_use]
    pub const fn number(&self, offset: u64) -> u64 {
        offset + self.first
    }

    /// Entries, counted.
    fn count(&self, count: u64) -> String {
        format!("{count} {}", if count == 1 { self.entry } else { self.entries })
    }
}

/// A sentence and where to read more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// What happened and why.
    pub text: String,
    /// The section or KIP behind it; may be empty.
    pub reference: &'static str,
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
        TimerKind::Heartbeat => "heartbeat",
    }
}

fn timer(timer: Timer) -> String {
    let kind = timer_kind(timer.kind);
    timer.peer.map_or_else(|| kind.to_owned(), |peer| format!("{kind} for node {peer}"))
}

/// The word for what a replica is: its role, or why it is down.
#[must_use]
pub const fn condition(words: &Words, role: Option<RoleShape>, ended: Option<Ended>) -> &'static str {
    match (role, ended) {
        (Some(shape), _) => words.role(shape),
        (None, Some(_)) => "shut down",
        (None, None) => "crashed",
    }
}

/// The accessible name of a replica: `Node 3, leader, epoch 2`. `word` is its [`condition`].
#[must_use]
pub fn replica_name(words: &Words, id: ReplicaId, word: &str, is_up: bool, epoch: u32) -> String {
    if is_up { format!("Node {id}, {word}, {} {epoch}", words.epoch) } else { format!("Node {id}, {word}") }
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
pub fn message(face: &MessageFace<AnyKind>) -> String {
    let MessageFace { kind, epoch, verdict, entries } = *face;
    match kind {
        Either::KRaft(kind) => kraft::message(&MessageFace { kind, epoch, verdict, entries }),
        Either::Classic(kind) => classic::message(&MessageFace { kind, epoch, verdict, entries }),
    }
}

/// A role that was taken on, in a word or two.
#[must_use]
pub fn became(words: &Words, role: RoleShape, epoch: u32) -> String {
    format!("{}, {} {epoch}", words.role(role), words.epoch)
}

/// What a client's message is, or the answer to one.
const fn client_message(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Asks => "request",
        Verdict::Granted => "committed",
        Verdict::Refused | Verdict::Plain => "not taken",
    }
}

fn note(id: ReplicaId, note: &AnyNote) -> Sentence {
    match note {
        Either::KRaft(note) => kraft::note(id, note),
        Either::Classic(note) => classic::note(id, note),
    }
}

/// The rule that a step followed; `None` where nothing was decided.
#[must_use]
pub fn rule(explanation: &Explanation) -> Option<&'static str> {
    explanation.then.as_ref().or(explanation.why.as_ref()).map(|(_, note)| rule_of(note))
}

/// The rule behind a line.
#[must_use]
pub const fn rule_of(note: &AnyNote) -> &'static str {
    match note {
        Either::KRaft(note) => kraft::rule(note),
        Either::Classic(note) => classic::rule(note),
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

/// The kinds of events that the event list tells apart.
pub const EVENT_KINDS: [&str; 8] =
    ["everything", "role changes", "votes", "refusals", "commits", "logs", "faults and commands", "clients"];

/// The one line of something that can happen next. `face` belongs to a delivery; `short` is what its ends are called.
#[must_use]
pub fn pending(name: &EventName, face: Option<&MessageFace<AnyKind>>, short: impl Fn(ReplicaId) -> String) -> String {
    match name {
        EventName::Delivery { from, to, is_copy, .. } => {
            let what = face.map_or_else(|| "message".to_owned(), message);
            let again = if *is_copy { ", again" } else { "" };
            format!("{what}, {} → {}{again}", short(*from), short(*to))
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
        TaskKind::PollListeners => "tell the state machine".to_owned(),
        TaskKind::Timer(which) => timer(which),
        TaskKind::Request => "do what it is asked for".to_owned(),
        TaskKind::Arrival(from) => format!("arrival from node {from}"),
    }
}

/// A text with the names of nodes in the place of their numbers: `Node 3` becomes the third name, if there is one.
#[must_use]
pub fn named(text: &str, names: &[String]) -> String {
    let name = |number: &str| {
        let place = number.parse::<usize>().ok()?.checked_sub(1)?;
        names.get(place).filter(|name| !name.is_empty())
    };
    let mut out = String::new();
    let mut rest = text;
    let mut is_word_start = true;
    'text: while let Some(first) = rest.chars().next() {
        for word in ["nodes ", "Nodes ", "node ", "Node "] {
            let Some(numbers) = rest.strip_prefix(word).filter(|_| is_word_start) else { continue };
            // One number, or more with commas between.
            let list_end = numbers
                .find(|letter: char| {
                    !(letter.is_ascii_digit() || word.contains("odes") && (letter == ',' || letter == ' '))
                })
                .unwrap_or(numbers.len());
            let list = numbers[..list_end].trim_end_matches([',', ' ']);
            let known: Option<Vec<&str>> = list.split(", ").map(|number| name(number).map(String::as_str)).collect();
            if let Some(known) = known {
                out += &known.join(", ");
                rest = &numbers[list.len()..];
                is_word_start = false;
                continue 'text;
            }
        }
        out.push(first);
        is_word_start = !first.is_alphanumeric();
        rest = &rest[first.len_utf8()..];
    }
    out
}

/// The answer to a question about a moment, and where to read more.
#[must_use]
pub fn because(words: &Words, question: Question, because: &Because) -> Sentence {
    let ids = |set: ReplicaSet| {
        let shown: Vec<String> = set.iter().map(|id| id.to_string()).collect();
        match shown.len() {
            0 => "nobody".to_owned(),
            1 => format!("node {}", shown[0]),
            _ => format!("nodes {}", shown.join(", ")),
        }
    };
    let says = |text: String, reference| Sentence { text, reference };
    let at = match question {
        Question::WhyNotCommitted { offset } => words.number(offset),
        Question::WhyNotElected { .. } | Question::WhyNobodyElected | Question::WhyRefused { .. } => 0,
    };
    let Words { entry, entries, place, epoch, source, .. } = *words;
    let this = capital(&format!("{entry} {at}"));
    let is_pull = words.pulls;
    match *because {
        Because::IsCommitted { holders } => says(format!("{this} is committed; {} hold it.", ids(holders)), source),
        Because::NoSuchEntry => says(format!("No running node has {entry} {at}."), ""),
        Because::NoLeader { holders } => {
            says(format!("{this} is on {}, but nobody leads, and only a leader commits.", ids(holders)), source)
        }
        Because::NotInTheLeadersLog { leader } => says(
            format!(
                "The leader, node {leader}, does not have {entry} {at}; those who do will cut it when they {}.",
                if is_pull { "fetch" } else { "hear from it" }
            ),
            if is_pull { "KIP-595 · Raft §5.3" } else { "Raft §5.3" },
        ),
        Because::OfAnOlderEpoch { leader, epoch_start } => says(
            format!(
                "A majority has {entry} {at}, but it is of an older {epoch}: node {leader} leads since {place} {} and commits older {entries} only together with one of its own {epoch}. A leader of a later {epoch} could still overwrite it.",
                words.number(epoch_start)
            ),
            if is_pull { "KAFKA-12619 · Raft §5.4.2" } else { "Raft §5.4.2 · figure 8" },
        ),
        Because::TooFewHaveIt { told, need } => says(
            format!(
                "It takes {need} voters to commit {entry} {at}. The leader knows of {}: {}.",
                ids(told),
                if is_pull {
                    "a follower tells how far it is by the offset it fetches from"
                } else {
                    "it knows how far a follower is by its answers, as matchIndex"
                }
            ),
            if is_pull { "KIP-595 · Raft §5.3" } else { "Raft §5.3" },
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
                (refused, "would be refused by those who know that their leader is alive"),
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
            "Raft §5.4.1",
        ),
        Because::OthersFollow { refusing, leader } => says(
            format!(
                "{} would refuse to let it campaign: they have {} node {leader} lately, so that leader is alive.",
                capital(&ids(refusing)),
                if is_pull { "fetched from" } else { "heard from" }
            ),
            if is_pull { "KIP-996 · KAFKA-17641" } else { "D §9.6" },
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
        Payload::NoOp => "no-op".to_owned(),
        Payload::Set { key, value } => format!("{key} = {value}"),
    }
}

/// A record of a log, for those who point at it.
#[must_use]
pub fn record(words: &Words, says: &str, epoch: u32, state: usize, why: &str) -> String {
    format!("{says}, {} {epoch}, {}. {why}", words.epoch, RECORD_STATES[state])
}

/// How far a record has come on a node, from uncommitted on.
const RECORD_STATES: [&str; 4] =
    ["not known to be committed", "committed", "committed and applied", "not in the leader's log: it will be cut"];

/// What a state machine was told of the leader.
#[must_use]
pub fn told(words: &Words, epoch: u32, leader: Option<ReplicaId>) -> String {
    match leader {
        Some(leader) => format!("node {leader}, {} {epoch}", words.epoch),
        None => format!("nobody, {} {epoch}", words.epoch),
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
pub fn elected(words: &Words, id: ReplicaId, epoch: u32) -> String {
    format!("Node {id} is elected in {} {epoch}.", words.epoch)
}

/// A commit, in a line.
#[must_use]
pub fn committed(words: &Words, end: u64) -> String {
    format!("The {} rises to {end}.", words.committed.0)
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
            format!("Node {replica} crashes. What it had flushed to its disk stays.")
        }
        Command::Restart { replica, is_wiped: true } => {
            format!(
                "Node {replica} starts with an empty disk: what it had promised and its log are lost. Raft does not promise to survive this."
            )
        }
        Command::Restart { replica, .. } => {
            format!("Node {replica} starts again from what is on its disk.")
        }
        Command::Resign { replica } => format!("Node {replica} is asked to resign."),
        Command::Append { replica, count, .. } => {
            format!(
                "A client appends {} at node {replica}.",
                if *count == 1 { "1 command".to_owned() } else { format!("{count} commands") }
            )
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
fn call(words: &Words, id: ReplicaId, note: CallNote) -> String {
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
            "{me} takes request {number} of client {} in and puts it at {} {}. It answers once that is committed.",
            client + 1,
            words.place,
            words.number(offset)
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
                "{} {} is committed: {} tells client {} that its request {number} is.",
                capital(words.place),
                words.number(offset),
                who(id),
                client + 1
            )
        }
        CallNote::NoLonger { client, number } => format!(
            "{me} leads no more: it tells client {} that it does not know what becomes of request {number}.",
            client + 1
        ),
        CallNote::Acknowledged { number, offset } => {
            format!("{me} learns that its request {number} is committed, at {} {}.", words.place, words.number(offset))
        }
        CallNote::AcknowledgedLate { number, offset } => {
            format!(
                "{me} had given request {number} up and now learns that it is committed, at {} {}.",
                words.place,
                words.number(offset)
            )
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

/// Why a replica did not do what it was asked for.
fn refused(words: &Words, id: ReplicaId, why: RequestError) -> Sentence {
    let name = words.epoch;
    let why = match why {
        RequestError::Append(AppendError::NotLeader { epoch }) => {
            format!("it cannot append: it does not lead {name} {epoch}")
        }
        RequestError::Append(AppendError::Ahead { epoch }) => {
            format!("it cannot append: it has not reached {name} {epoch}")
        }
        RequestError::Append(other) => format!("it cannot append: {other}"),
        RequestError::NotLeader { epoch } => format!("it cannot resign from {name} {epoch}: it does not lead it"),
        RequestError::ResignAhead { .. } | RequestError::NoSuchThing => why.to_string(),
    };
    Sentence { text: format!("Node {id} refuses: {why}."), reference: "" }
}

/// Why a replica stopped by itself.
#[must_use]
pub fn fault(words: &Words, id: ReplicaId, fault: Fault) -> String {
    let (epoch, committed) = (words.epoch, words.committed.0);
    match fault {
        Fault::ContradictoryLeader { epoch: number } => {
            format!("Node {id} stops: two leaders were named for {epoch} {number}.")
        }
        Fault::TruncationBelowHighWatermark { offset, high_watermark } => {
            format!("Node {id} stops: it was told to cut its log to {offset}, below the {committed} {high_watermark}.")
        }
        Fault::RequestCalledInvalid => {
            format!("Node {id} stops: its own request was called invalid.")
        }
        Fault::HighWatermarkBack { from, to } => {
            format!("Node {id} stops: its {committed} would have fallen from {from} to {to}.")
        }
        Fault::ExecutorFull => {
            format!("Node {id} stops: its executor had no room for a task without which it would never wake.")
        }
        Fault::TaskLoop => {
            format!("Node {id} stops: it had more work at one instant than any correct run has.")
        }
    }
}

/// The one or two sentences of a step.
#[must_use]
pub fn step(words: &Words, explanation: &Explanation) -> Sentence {
    if let Some((id, why)) = explanation.fault {
        return Sentence { text: fault(words, id, why), reference: "" };
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
        let refusal = refused(words, id, why);
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
    let is_only_taken = explanation.why.is_some_and(|(_, note)| Any::gist(&note).theme == Theme::Taken);
    let said = explanation.calls.iter().take(2).map(|&(id, note)| call(words, id, note));
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
pub fn property(words: &Words, property: Property) -> (&'static str, String) {
    let Words { epoch, entry, entries, place, committed: (committed, _), .. } = *words;
    match property {
        Property::ElectionSafety => ("Election Safety", format!("At most one leader in a {epoch}.")),
        Property::LeaderAppendOnly => {
            ("Leader Append-Only", format!("A leader never deletes or overwrites {entries} of its own log."))
        }
        Property::LogMatching => (
            "Log Matching",
            format!("Two logs that have the same {epoch} at one {place} have the same {entries} up to there."),
        ),
        Property::LeaderCompleteness => {
            ("Leader Completeness", format!("A new leader’s log holds every committed {entry}."))
        }
        Property::StateMachineSafety => {
            ("State Machine Safety", format!("No two nodes commit different {entries} at one {place}."))
        }
        Property::MonotonicEpoch => ("No way back", format!("The {epoch} of a node never falls.")),
        Property::MonotonicCommit => ("Commits stay", format!("The {committed} of a running node never falls.")),
        Property::HighWatermarkOnMajority => {
            ("Commits on a majority", format!("A majority of the voters has come as far as the leader’s {committed}."))
        }
        Property::LeaderHighWatermark => {
            ("Leaders go on", format!("No leader moves its {committed} to below what a leader before had."))
        }
    }
}

/// A property that was broken: at which event, where, with whom, at which entry.
#[must_use]
pub fn violation(words: &Words, violation: &Violation) -> String {
    let (name, meaning) = property(words, violation.property);
    let with = violation.other.map_or_else(String::new, |other| format!(" and node {other}"));
    let at = violation.offset.map_or_else(String::new, |offset| format!(", {} {}", words.entry, words.number(offset)));
    format!(
        "{name} was broken at event {}: node {}{with}, {} {}{at}. It says: {meaning}",
        violation.step, violation.replica, words.epoch, violation.epoch
    )
}

/// A time on the clock: `2.874 s`.
#[must_use]
pub fn time(us: u64) -> String {
    let ms = us / 1_000;
    format!("{}.{:03} s", ms / 1_000, ms % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_the_place_of_numbers_and_of_nothing_else() {
        let names: Vec<String> = ["S1", "b", "node 1"].map(str::to_owned).to_vec();
        for (text, wanted) in [
            ("Node 1 hears from node 2.", "S1 hears from b."),
            ("nodes 1, 2, 3 refuse, and node 2’s log", "S1, b, node 1 refuse, and b’s log"),
            ("Nodes 2: in reach", "b: in reach"),
            ("node 4, anode 1, node x, nodes", "node 4, anode 1, node x, nodes"),
            ("node 12 and node 1.", "node 12 and S1."),
        ] {
            assert_eq!(named(text, &names), wanted);
        }
    }
}
