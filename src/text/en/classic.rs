//! English: the section of the paper's Raft. `§` is the extended paper's, `D §` the dissertation's.

use super::{Sentence, Words};
use crate::raft::classic::{Cause, MessageKind, Note, Refusal};
use crate::raft::{Any, Either, LogEnd, MessageFace, Protocol, ReplicaId, RoleShape, Verdict};

/// The paper's words.
pub(super) const WORDS: Words = Words {
    protocol: "Raft",
    epoch: "term",
    tag: 't',
    entry: "entry",
    entries: "entries",
    place: "index",
    first: 1,
    pulls: false,
    prospective: "pre-candidate",
    source: "Raft §5.3",
    fields: ["state", "currentTerm", "leader", "votedFor", "last index", "commitIndex"],
    committed: ("commitIndex", "commit"),
    peers: ["matchIndex", "nextIndex", "last heard", "CheckQuorum"],
    roles: &[RoleShape::Leader, RoleShape::Candidate, RoleShape::Prospective, RoleShape::Follower],
    kinds: &[
        (Either::Classic(MessageKind::RequestVote), "RequestVote"),
        (Either::Classic(MessageKind::PreVote), "PreVote"),
        (Either::Classic(MessageKind::AppendEntries), "AppendEntries with entries"),
        (Either::Classic(MessageKind::Heartbeat), "heartbeat"),
        (Any::CLIENT, "a client's request"),
    ],
    traffic: ["votes", "", "", "entries and answers", "heartbeats", "requests of clients"],
};

/// The short name of a message.
pub(super) fn message(face: &MessageFace<MessageKind>) -> String {
    let term = face.epoch;
    match (face.kind, face.verdict) {
        (MessageKind::PreVote, _) => format!("PreVote t{term}"),
        (MessageKind::RequestVote, _) => format!("RequestVote t{term}"),
        (MessageKind::Vote, Verdict::Granted) => "granted".to_owned(),
        (MessageKind::Vote, _) => "refused".to_owned(),
        (MessageKind::AppendEntries, _) if face.entries == 1 => format!("AppendEntries t{term}: 1 entry"),
        (MessageKind::AppendEntries, _) => format!("AppendEntries t{term}: {} entries", face.entries),
        (MessageKind::Heartbeat, _) => format!("heartbeat t{term}"),
        (MessageKind::Appended, Verdict::Refused) => "refused".to_owned(),
        (MessageKind::Appended, _) if face.entries == 0 => "heard".to_owned(),
        (MessageKind::Appended, _) => "appended".to_owned(),
        (MessageKind::Client, _) => super::client_message(face.verdict).to_owned(),
    }
}

fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn log(LogEnd { epoch, end }: LogEnd) -> String {
    if end == 0 { "empty".to_owned() } else { format!("last term {epoch}, last index {end}") }
}

const fn vote(pre_vote: bool) -> &'static str {
    if pre_vote { "PreVote" } else { "vote" }
}

fn became(id: ReplicaId, note: &Note) -> Option<Sentence> {
    let Note::Became { from, to, term, cause, leader } = note else {
        return None;
    };
    let led_by = leader.map_or_else(String::new, |leader| format!("node {leader}"));
    let (text, reference) = match (to, cause) {
        (RoleShape::Prospective, _) => (
            format!(
                "Node {id} has heard of no leader for its election timeout. It becomes pre-candidate and asks, without raising term {term}, whether it could win."
            ),
            "D §9.6",
        ),
        (RoleShape::Candidate, Cause::MajorityWould) => (
            format!(
                "A majority would vote for node {id}: it becomes candidate, raises the term to {term}, votes for itself and asks for votes."
            ),
            "D §9.6 · Raft §5.2",
        ),
        (RoleShape::Candidate, _) if *from == Some(RoleShape::Candidate) => (
            format!(
                "Node {id} was not elected within its election timeout. It starts another campaign: it raises the term to {term}, votes for itself and asks for votes."
            ),
            "Raft §5.2",
        ),
        (RoleShape::Candidate, _) => (
            format!(
                "Node {id} has heard of no leader for its election timeout. It becomes candidate: it raises the term to {term}, votes for itself and asks for votes."
            ),
            "Raft §5.2",
        ),
        (RoleShape::Leader, Cause::OnlyServer) => {
            (format!("Node {id} is alone: its own vote is a majority, and it leads term {term}."), "Raft §5.2")
        }
        (RoleShape::Leader, _) => (
            format!(
                "A majority voted for node {id}: it is the leader of term {term} and tells the others with AppendEntries."
            ),
            "Raft §5.2",
        ),
        (_, Cause::Restart) => (
            format!(
                "Node {id} starts as a follower in term {term}: it knows no leader and waits for its election timeout."
            ),
            "Raft §5.2",
        ),
        (_, Cause::QuorumLost) => (
            format!(
                "Node {id} has not heard from a majority for an election timeout: it may be cut off, so it steps down. The term stays {term}."
            ),
            "D §6.2",
        ),
        (_, Cause::MajorityRefused) => (
            format!("So many refused node {id} that it cannot win: it is a follower again, in term {term}."),
            "etcd/raft",
        ),
        (_, Cause::HigherTerm) if leader.is_some() => (
            format!("Node {id} learns of term {term}, which is above its own, and follows {led_by}, which leads it."),
            "Raft §5.1",
        ),
        (_, Cause::HigherTerm) if *from == Some(RoleShape::Leader) => (
            format!("Node {id} learns of term {term}, which is above its own: it leads no more and becomes follower."),
            "Raft §5.1",
        ),
        (_, Cause::HigherTerm) if *from == Some(RoleShape::Follower) => {
            (format!("Node {id} learns of term {term}, which is above its own, and takes it over."), "Raft §5.1")
        }
        (_, Cause::HigherTerm) => (
            format!("Node {id} learns of term {term}, which is above its own: it takes it over and becomes follower."),
            "Raft §5.1",
        ),
        _ => (format!("Node {id} hears from {led_by}, the leader of term {term}, and follows it."), "Raft §5.2"),
    };
    Some(Sentence { text, reference })
}

fn refusal(why: Refusal, theirs: LogEnd, ours: LogEnd, term: u32) -> (String, &'static str) {
    match why {
        Refusal::OldTerm => (format!("that term is over; it is in term {term}"), "Raft §5.1"),
        Refusal::VotedFor(other) => (format!("in term {term} it has voted for node {other}"), "Raft §5.2"),
        Refusal::LogBehind => {
            (format!("the asker’s log ({}) is behind its own ({})", log(theirs), log(ours)), "Raft §5.4.1")
        }
        Refusal::LeaderLives => (
            "it has heard from a leader within the shortest election timeout, so that leader is alive".to_owned(),
            "D §9.6",
        ),
    }
}

/// The sentence of a line.
pub(super) fn note(id: ReplicaId, note: &Note) -> Sentence {
    let says = |text: String, reference| Sentence { text, reference };
    match *note {
        Note::Became { .. } => became(id, note).unwrap_or(Sentence { text: String::new(), reference: "" }),
        Note::Granted { to, term, pre_vote: true, theirs, .. } => says(
            format!(
                "Node {id} would vote for node {to} in term {term}: node {to}’s log ({}) is at least as up-to-date as its own. It promises nothing.",
                log(theirs)
            ),
            "D §9.6",
        ),
        Note::Granted { to, term, theirs, .. } => says(
            format!(
                "Node {id} grants its vote to node {to}: it has not voted for another in term {term}, and node {to}’s log ({}) is at least as up-to-date as its own.",
                log(theirs)
            ),
            "Raft §5.2 · §5.4.1",
        ),
        Note::Refused { to, term, pre_vote, why, theirs, ours } => {
            let (because, reference) = if why == Refusal::VotedFor(id) {
                (format!("in term {term} it has voted for itself"), "Raft §5.2")
            } else {
                refusal(why, theirs, ours, term)
            };
            says(format!("Node {id} refuses node {to} its {}: {because}.", vote(pre_vote)), reference)
        }
        Note::Ignored { from, term } => says(
            format!(
                "Node {id} ignores node {from}’s RequestVote of term {term}: it has heard from a leader within the shortest election timeout. It does not answer and keeps its term."
            ),
            "D §4.2.3 · Raft §6",
        ),
        Note::Counted { from, granted, pre_vote, have, need } => says(
            format!(
                "Node {id} counts a {} from node {from}’s {} answer: it has {have} of the {need} it needs.",
                if granted { "yes" } else { "no" },
                vote(pre_vote),
            ),
            if pre_vote { "D §9.6" } else { "Raft §5.2" },
        ),
        Note::Lost { term } => says(
            format!(
                "So many refused node {id} that it cannot win term {term} any more; it waits for the rest of its election timeout."
            ),
            "Raft §5.2",
        ),
        Note::Late { from } => {
            says(format!("Node {id} has no use for this answer of node {from} any more and ignores it."), "Raft §5.1")
        }
        Note::Stale { from, term } => says(
            format!(
                "Node {id} refuses node {from}’s AppendEntries: term {term} is over. Its answer names its own term."
            ),
            "Raft §5.1",
        ),
        Note::Rival { from, term } => says(
            format!(
                "Node {id} leads term {term} and hears from node {from}, which leads it too. Raft rules that out; it refuses."
            ),
            "Raft §5.2",
        ),
        Note::Took { index, count: 1 } => says(
            format!("Node {id} appends the client’s command to its log, at index {index}, and sends it on."),
            "Raft §5.3",
        ),
        Note::Took { index, count } => says(
            format!(
                "Node {id} appends {count} commands of a client to its log, up to index {index}, and sends them on."
            ),
            "Raft §5.3",
        ),
        Note::NoOp { index } => says(
            format!(
                "It appends a no-op entry of its own term at index {index}: with that it can commit what is before it."
            ),
            "Raft §8 · §5.4.2",
        ),
        Note::Appended { count, last } => {
            says(format!("Node {id} appends {}; its last index is {last}.", entries(count.into())), "Raft §5.3")
        }
        Note::Overwrote { from, cut, count } => says(
            format!(
                "From index {from} on node {id}’s log contradicts the leader’s: it deletes {} and appends {} of the leader’s.",
                entries(cut),
                entries(count.into())
            ),
            "Raft §5.3",
        ),
        Note::InStep { last } => says(
            format!("Node {id} hears from its leader and has nothing to append; its last index is {last}."),
            "Raft §5.2",
        ),
        Note::Mismatch { prev, has: 0 } => says(
            format!("Node {id} refuses: new entries would follow index {}, and its log ends before that.", prev.1),
            "Raft §5.3",
        ),
        Note::Mismatch { prev, has } => says(
            format!(
                "Node {id} refuses: at index {} the leader has an entry of term {}, and it has one of term {has}.",
                prev.1, prev.0
            ),
            "Raft §5.3",
        ),
        Note::Matched { by, index } => says(
            format!(
                "Node {id} learns that node {by}’s log agrees with its own up to index {index}: that is its matchIndex."
            ),
            "Raft §5.3",
        ),
        Note::Back { by, next } => says(
            format!("Node {by} refused: node {id} sets its nextIndex back to {next} and tries again from there."),
            "Raft §5.3",
        ),
        Note::Contradicts { by, matched } => says(
            format!(
                "Node {by} refuses what it has acknowledged: node {id} keeps its matchIndex at {matched}. Either this answer is old, or node {by} has lost its disk, which Raft does not promise to survive: this leader cannot help it any more."
            ),
            "Raft §5.3",
        ),
        Note::NothingNew { by } => {
            says(format!("Node {id} hears from node {by} and learns nothing new of its log."), "Raft §5.3")
        }
        Note::Committed { to, by_counting: false } => says(
            format!("Node {id} learns that everything up to index {to} is committed: its commitIndex moves there."),
            "Raft §5.3",
        ),
        Note::Committed { to, .. } => says(
            format!("The commitIndex of node {id} moves to {to}: a majority has everything up to there."),
            "Raft §5.3 · §5.4.2",
        ),
        Note::OlderTerm { index, term, current } => says(
            format!(
                "A majority has index {index}, but it is an entry of term {term} and node {id} leads term {current}: by counting, a leader commits only entries of its own term."
            ),
            "Raft §5.4.2",
        ),
        Note::Heartbeats { told } => says(
            format!(
                "Node {id} sends a heartbeat to {told} {}, so that nobody else campaigns.",
                if told == 1 { "node" } else { "nodes" }
            ),
            "Raft §5.2",
        ),
        Note::QuorumHeard { have, need } => says(
            format!(
                "Node {id} looks whom it has heard since it last looked: {have}, itself included, of the {need} that it takes to go on leading."
            ),
            "D §6.2",
        ),
        Note::Applied { to } => {
            says(format!("The state machine of node {id} is given everything up to index {to}."), "Raft §5.3")
        }
    }
}

/// The rule behind a line.
pub(super) const fn rule(note: &Note) -> &'static str {
    match note {
        Note::Became { cause, .. } => of_cause(*cause),
        Note::Granted { .. } | Note::Refused { why: Refusal::LogBehind, .. } => {
            "A vote is granted only to a log at least as up-to-date as one’s own: the later last term decides, then the longer log. So whoever wins holds every committed entry."
        }
        Note::Refused { why: Refusal::LeaderLives, .. } | Note::Ignored { .. } => {
            "Whoever has heard from a leader within the shortest election timeout lets nobody else campaign, so that a server that was cut off does not depose a leader that works."
        }
        Note::Late { .. } | Note::Stale { .. } | Note::Refused { why: Refusal::OldTerm, .. } => {
            "Terms are a clock: a message of an older term is refused or ignored, and one of a later term makes its receiver a follower in that term."
        }
        Note::Refused { .. } => {
            "A server votes at most once in a term, first come, first served. It writes its vote to disk before it answers, so that a restart does not undo it."
        }
        Note::Counted { .. } | Note::Lost { .. } => {
            "A campaign is won with the votes of a majority of all servers, its own included. Two majorities share a server, so a term has at most one leader."
        }
        Note::Rival { .. } => "At most one leader is elected in a term (Election Safety).",
        Note::Took { .. } | Note::NoOp { .. } => {
            "Only the leader takes commands. It appends them to its own log and never deletes or overwrites there (Leader Append-Only). A new leader may begin with an entry that does nothing, to be able to commit at once."
        }
        Note::Appended { .. } | Note::InStep { .. } => {
            "AppendEntries names the entry before the new ones. A follower that has that entry appends what is new and leaves alone what it has already; so an old message does no harm."
        }
        Note::Overwrote { .. } | Note::Mismatch { .. } | Note::Back { .. } => {
            "If two logs have an entry with the same index and term, they are the same up to there (Log Matching). A leader finds the last place where a follower agrees by going back; the follower then deletes what follows and takes over the leader’s entries."
        }
        Note::Matched { .. } | Note::NothingNew { .. } | Note::Contradicts { .. } => {
            "For each follower the leader keeps nextIndex, the entry to send next, and matchIndex, up to where the logs are known to agree. matchIndex never falls, however late an answer comes."
        }
        Note::Committed { .. } => {
            "The leader commits an entry of its own term once a majority has it, and with it everything before. Followers learn commitIndex from the next AppendEntries. What is committed is never lost."
        }
        Note::OlderTerm { .. } => {
            "An entry of an older term that is on a majority can still be overwritten by a leader with a later last term (figure 8). So only entries of the leader’s own term are committed by counting; older ones are committed with them."
        }
        Note::Heartbeats { .. } => {
            "A leader sends AppendEntries to everybody all the time, without entries if there are none. A follower that hears nothing for its election timeout campaigns."
        }
        Note::QuorumHeard { .. } => {
            "With CheckQuorum a leader looks once an election timeout whether it has heard from a majority, and steps down if not. A leader that was cut off so notices after one to two election timeouts."
        }
        Note::Applied { .. } => {
            "Each server applies committed entries to its state machine in the order of the log; lastApplied never passes commitIndex."
        }
    }
}

const fn of_cause(cause: Cause) -> &'static str {
    match cause {
        Cause::ElectionTimeout => {
            "A follower or candidate that hears from no leader for its election timeout campaigns. Timeouts are random, so that mostly one is first."
        }
        Cause::MajorityWould => {
            "With PreVote a server asks first whether it could win, without raising its term, and campaigns only if a majority says yes. So one that cannot win disturbs nobody."
        }
        Cause::MajorityGranted | Cause::OnlyServer => {
            "With a majority a candidate becomes leader. Two majorities always share a server, and each votes once in a term: so a term has at most one leader."
        }
        Cause::MajorityRefused => {
            "The paper lets a candidate wait for its timeout. Here it goes back to being a follower as soon as so many have refused that it cannot win; that changes nothing but what is drawn."
        }
        Cause::HigherTerm => {
            "Terms only rise. Whoever meets a later one takes it over, becomes follower and may vote anew; a leader or candidate of an older term gives up."
        }
        Cause::LeaderSpoke => {
            "An AppendEntries of its own term comes from the one leader of that term: a candidate gives up, and everybody follows it and starts its election timeout anew."
        }
        Cause::QuorumLost => {
            "A leader that hears from no majority cannot commit anything. With CheckQuorum it steps down, so that clients look for another."
        }
        Cause::Restart => {
            "currentTerm, votedFor and the log are on disk before anything follows from them; commitIndex and all else are not. A server that starts is a follower."
        }
    }
}
