//! English: the rules behind the sentences, one or two sentences each.

use crate::explain::Explanation;
use crate::raft::kraft::{Cause, Note, Refusal};

/// The rule that a step followed; `None` where nothing was decided.
#[must_use]
pub fn rule(explanation: &Explanation) -> Option<&'static str> {
    explanation.then.as_ref().or(explanation.why.as_ref()).map(|(_, note)| of_note(note))
}

/// The rule behind a line.
#[must_use]
pub const fn of_note(note: &Note) -> &'static str {
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
