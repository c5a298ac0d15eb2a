//! English: KRaft's section of the catalogue.

use super::{Sentence, Words};
use crate::raft::kraft::{Cause, MessageKind, Note, Refusal};
use crate::raft::{Any, Either, Ended, LogEnd, MessageFace, Protocol, ReplicaId, RoleShape, Verdict};

/// Kafka's words.
pub(super) const WORDS: Words = Words {
    protocol: "KRaft",
    epoch: "epoch",
    tag: 'e',
    entry: "record",
    entries: "records",
    place: "offset",
    first: 0,
    pulls: true,
    prospective: "prospective",
    source: "KIP-595",
    fields: ["role", "epoch", "leader", "voted for", "end offset", "high watermark"],
    committed: ("high watermark", "HW"),
    peers: ["fetch offset", "", "last fetch", "check-quorum"],
    roles: &[
        RoleShape::Leader,
        RoleShape::Candidate,
        RoleShape::Prospective,
        RoleShape::Follower,
        RoleShape::Unattached,
        RoleShape::Resigned,
    ],
    kinds: &[
        (Either::KRaft(MessageKind::PreVote), "PreVote"),
        (Either::KRaft(MessageKind::Vote), "Vote"),
        (Either::KRaft(MessageKind::BeginQuorumEpoch), "BeginQuorumEpoch"),
        (Either::KRaft(MessageKind::EndQuorumEpoch), "EndQuorumEpoch"),
        (Either::KRaft(MessageKind::Fetch), "Fetch"),
        (Any::CLIENT, "a client's request"),
    ],
    traffic: [
        "votes",
        "BeginQuorumEpoch",
        "EndQuorumEpoch",
        "records",
        "fetches without records",
        "requests of clients",
    ],
};

const fn plural(count: u8) -> &'static str {
    if count == 1 { "record" } else { "records" }
}

fn records(count: u64) -> String {
    WORDS.count(count)
}

/// The short name of a message.
pub(super) fn message(face: &MessageFace<MessageKind>) -> String {
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
        (MessageKind::Client, _) => super::client_message(face.verdict).to_owned(),
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

fn refusal(why: Refusal, theirs: LogEnd, ours: LogEnd, epoch: u32) -> (String, &'static str) {
    match why {
        Refusal::LogBehind => (
            format!(
                "the asker's log (epoch {}, end {}) is behind its own (epoch {}, end {})",
                { theirs.epoch },
                { theirs.end },
                { ours.epoch },
                { ours.end }
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

/// The sentence of a line.
pub(super) fn note(id: ReplicaId, note: &Note) -> Sentence {
    let says = |text: String, reference| Sentence { text, reference };
    match *note {
        Note::Became { .. } => became(id, note).unwrap_or(Sentence { text: String::new(), reference: "" }),
        Note::Granted { to, epoch, pre_vote: true, theirs, .. } => says(
            format!(
                "Node {id} would vote for node {to} in an epoch after {epoch}: node {to}’s log (epoch {}, end {}) is at least as complete as its own. It promises nothing.",
                { theirs.epoch },
                { theirs.end }
            ),
            "KIP-996",
        ),
        Note::Granted { to, epoch, theirs, .. } => says(
            format!(
                "Node {id} grants its vote to node {to}: it has not voted for another in epoch {epoch}, and node {to}’s log (epoch {}, end {}) is at least as complete as its own.",
                { theirs.epoch },
                { theirs.end }
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

/// The rule behind a line.
pub(super) const fn rule(note: &Note) -> &'static str {
    match note {
        Note::Became { cause, .. } => of_cause(*cause),
        Note::Refused { why: Refusal::LogBehind, .. } | Note::Granted { .. } => {
            "A vote is granted only to a log at least as complete as one's own: the last epoch decides, then the end offset. A voter grants one vote in an epoch, and none while it knows that epoch's leader."
        }
        Note::Refused { why: Refusal::Fetched(_), .. } => {
            "A follower that has fetched from its leader refuses every PreVote until its fetch timeout runs out, so that one node that cannot hear the leader does not end a working epoch."
        }
        Note::Refused { .. } => {
            "A voter grants at most one vote in an epoch, and a candidate has given it to itself. It writes its vote to disk before it answers, so that a restart does not undo it."
        }
        Note::Counted { .. } | Note::Lost { .. } => {
            "A campaign is won when a majority of all voters, itself included, has granted, and lost once so many have refused that no majority is left."
        }
        Note::LateAnswer { .. } | Note::OldAnswer { .. } => {
            "Answers are matched with requests by their correlation id. What comes late or from an older epoch changes nothing."
        }
        Note::Fenced { .. } => {
            "A request of an older epoch is refused, and the answer carries the newer one: the sender takes it over."
        }
        Note::NotLeader { .. } => {
            "Only the leader serves fetches and appends. Anybody else names the leader it knows, and the asker goes there."
        }
        Note::Served { .. } | Note::Parked { .. } | Note::WaitOver { .. } | Note::UpToDate { .. } => {
            "A leader answers a fetch at once when it has something to say; otherwise it keeps the fetch until it has, or until its maximum wait is over. Asking from an offset tells the leader that all before it is stored."
        }
        Note::ToldDiverging { .. } | Note::Truncated { .. } => {
            "A fetch names the last epoch and offset of the follower's log. If the leader's log differs there, it says where its own log of that epoch ends; the follower cuts its log back to that and asks again."
        }
        Note::Appended { .. } => {
            "A follower copies the leader's records in order and acknowledges them with its next fetch."
        }
        Note::LeaderChangeAppended { .. } | Note::HighWatermarkWaits { .. } => {
            "A leader begins its epoch with a record of its own and commits nothing before a majority has it; with it all earlier records are committed."
        }
        Note::HighWatermark { .. } | Note::HighWatermarkStays { .. } => {
            "The high watermark is the largest offset that a majority of the voters has reached, and lies beyond the first record of the leader's epoch. What is below it is never lost."
        }
        Note::RequestTimedOut { .. } | Note::BackoffOver { .. } => {
            "One request at a time is in flight to each peer. One that is not answered in time is given up, and the peer is asked again after a pause."
        }
        Note::BeginQuorumRound { .. } | Note::HeardLeader { .. } | Note::Acknowledged { .. } => {
            "A new leader tells every voter that it leads, again and again until the voter has answered."
        }
        Note::SuccessorWait { .. }
        | Note::ResignAsked { .. }
        | Note::ShutdownAsked { .. }
        | Note::ShutdownEnded { .. } => {
            "A leader that goes resigns first and names its successors, the most complete log first. The first of them campaigns at once, the others wait their turn."
        }
        Note::AppendTaken { .. } | Note::Drained { .. } => {
            "Records of clients are gathered for a moment, written together as one batch, and fetched by the followers."
        }
        Note::Told { .. } => "The state machine is told who leads, and is given records once they are committed.",
    }
}

const fn of_cause(cause: Cause) -> &'static str {
    match cause {
        Cause::ElectionTimeout | Cause::FetchTimeout | Cause::NoPreVote => {
            "A voter that hears nothing of a leader for a whole timeout campaigns. With PreVote it first asks, as prospective, whether it would win, and raises its epoch only if a majority says yes."
        }
        Cause::NamedSuccessor | Cause::ResignAsked | Cause::ShuttingDown => {
            "A leader that resigns names its successors, the most complete log first. The first of them campaigns at once, the others wait their turn."
        }
        Cause::HigherEpoch => {
            "Epochs only rise. Whoever meets a higher one takes it over, forgets leader and vote of the old one, and gives up what role it had there."
        }
        Cause::LeaderNamed => {
            "An epoch has at most one leader. Whoever learns its name from a request or an answer of that epoch follows it."
        }
        Cause::MajorityRefused => {
            "A campaign is lost once so many have refused that no majority is left. A prospective then goes back and waits; its epoch has not risen, so nobody was disturbed."
        }
        Cause::MajorityGranted => {
            "With a majority, a prospective raises its epoch and becomes candidate, and a candidate becomes leader. Two majorities always share a voter, and each votes once: so an epoch has at most one leader."
        }
        Cause::QuorumLost => {
            "A leader that a majority has not fetched from for one and a half fetch timeouts resigns: it may be cut off, and must not keep clients waiting."
        }
        Cause::Restart => {
            "Epoch, leader and vote are written to disk before anything follows from them, so a restarted node keeps its word. One that led does not lead again in that epoch."
        }
        Cause::OnlyVoter => "A cluster of one voter has its majority at once.",
    }
}
