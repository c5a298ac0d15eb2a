//! What KRaft replicas say to each other (spec 4; KIP-595, KIP-996).
//!
//! Epochs and offsets are signed as in Kafka's schemas: a negative one is a bad request and is answered as such. An
//! answer carries the request's correlation id; it is taken only while the request is in flight.

use crate::raft::digest::Encoder;
use crate::raft::ids::{REPLICAS_MAX, ReplicaId};
use crate::raft::log::{Entry, EpochEnd, Records};
use crate::raft::protocol::{MessageFace, Verdict};

/// Kafka's error codes, as far as the consensus module answers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ErrorCode {
    /// No error.
    None = 0,
    /// The request's epoch is below ours.
    FencedLeaderEpoch = 1,
    /// The request's epoch is above ours, and it is not of the kind that raises it.
    UnknownLeaderEpoch = 2,
    /// Only a leader answers this.
    NotLeaderOrFollower = 3,
    /// The request contradicts itself.
    InvalidRequest = 4,
    /// The leader is shutting down.
    BrokerNotAvailable = 5,
    /// The request was meant for another voter than the one it reached.
    InvalidVoterKey = 6,
    /// The request is of another cluster. A top-level error.
    InconsistentClusterId = 7,
    /// The receiver does not know this version of the request. A top-level error.
    UnsupportedVersion = 8,
}

/// What every answer says of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What went wrong, if anything.
    pub error: ErrorCode,
    /// The leader the sender knows.
    pub leader: Option<ReplicaId>,
    /// The sender's epoch.
    pub epoch: i32,
}

/// The preferred successors of a resigning leader, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successors {
    ids: [u8; REPLICAS_MAX as usize],
    len: u8,
}

impl Successors {
    /// A list of `ids` in their order.
    #[must_use]
    pub fn new(ids: impl IntoIterator<Item = ReplicaId>) -> Self {
        let mut list = Self { ids: [0; REPLICAS_MAX as usize], len: 0 };
        for id in ids.into_iter().take(usize::from(REPLICAS_MAX)) {
            list.ids[usize::from(list.len)] = id.0;
            list.len += 1;
        }
        list
    }

    /// The ids in their order.
    pub fn iter(&self) -> impl Iterator<Item = ReplicaId> {
        self.ids[..usize::from(self.len)].iter().map(|&id| ReplicaId(id))
    }

    /// How many they are.
    #[must_use]
    pub const fn len(&self) -> u8 {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// What a successful fetch brings.
#[derive(Clone, Debug)]
pub enum FetchOutcome {
    /// Records from the fetch offset on; none when the follower has them all.
    Records(Option<Records>),
    /// The logs differ: the largest epoch the leader has that is not above the follower's, and where it ends.
    Diverging(EpochEnd),
}

/// A request or an answer.
#[derive(Clone, Debug)]
pub enum Body {
    /// Asks for a vote, or whether one would be given.
    VoteRequest {
        /// The sender's epoch.
        epoch: i32,
        /// The epoch of its last record.
        last_epoch: i32,
        /// Its end offset.
        last_offset: i64,
        /// Only asks whether it could win (KIP-996).
        pre_vote: bool,
    },
    /// Answers a vote request.
    VoteResponse {
        /// The common part.
        answer: Answer,
        /// Whether the vote is given.
        granted: bool,
    },
    /// A leader makes itself known.
    BeginQuorumEpochRequest {
        /// Who leads.
        leader: ReplicaId,
        /// Its epoch.
        epoch: i32,
    },
    /// Answers it.
    BeginQuorumEpochResponse {
        /// The common part.
        answer: Answer,
    },
    /// A leader resigns.
    EndQuorumEpochRequest {
        /// Who led.
        leader: ReplicaId,
        /// Its epoch.
        epoch: i32,
        /// Who should follow it, best first.
        successors: Successors,
    },
    /// Answers it.
    EndQuorumEpochResponse {
        /// The common part.
        answer: Answer,
    },
    /// Asks for records from `offset` on, and so tells how far the sender has come.
    FetchRequest {
        /// The sender's epoch.
        epoch: i32,
        /// Its end offset.
        offset: i64,
        /// The epoch of its last record.
        last_epoch: i32,
        /// The high watermark it knows, -1 for none.
        high_watermark: i64,
        /// How long the leader may hold the answer back.
        max_wait_ms: i32,
    },
    /// Answers a fetch.
    FetchResponse {
        /// The common part.
        answer: Answer,
        /// The leader's high watermark, -1 for unknown.
        high_watermark: i64,
        /// What was fetched.
        outcome: FetchOutcome,
    },
}

/// The cluster a request names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ClusterId {
    /// The one it is sent in.
    #[default]
    Ours = 0,
    /// None; then it is not checked.
    Unnamed = 1,
    /// Another.
    Other = 2,
}

/// Whom a request is meant for: the receiver's key as the sender knows it (KIP-853).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The cluster.
    pub cluster: ClusterId,
    /// The voter's id; without one it is not checked.
    pub voter: Option<ReplicaId>,
    /// The voter's directory id; 0 is not checked. Static voters have none.
    pub directory: u16,
}

impl Address {
    /// The address of a static voter.
    #[must_use]
    pub const fn of(voter: ReplicaId) -> Self {
        Self { cluster: ClusterId::Ours, voter: Some(voter), directory: 0 }
    }

    fn encode(self, out: &mut Encoder) {
        out.u8(self.cluster as u8);
        out.u8(self.voter.map_or(u8::MAX, |voter| voter.0));
        out.u32(self.directory.into());
    }
}

/// A message with its correlation id.
#[derive(Clone, Debug)]
pub struct KRaftMessage {
    /// Whom a request is meant for; answers carry none.
    pub address: Address,
    /// Joins an answer to its request.
    pub correlation: u32,
    /// What it says.
    pub body: Body,
}

/// Which message, for the catalogue and for drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Vote with `preVote`.
    PreVote,
    /// Vote.
    Vote,
    /// BeginQuorumEpoch.
    BeginQuorumEpoch,
    /// EndQuorumEpoch.
    EndQuorumEpoch,
    /// Fetch.
    Fetch,
    /// The answer to a vote request of either kind (it does not say which).
    VoteAnswer,
    /// The answer to BeginQuorumEpoch.
    BeginQuorumEpochAnswer,
    /// The answer to EndQuorumEpoch.
    EndQuorumEpochAnswer,
    /// The answer to Fetch.
    FetchAnswer,
    /// What clients of the cluster ask, and the answer: not a message of the protocol.
    Client,
}

fn shown(epoch: i32) -> u32 {
    u32::try_from(epoch).unwrap_or(0)
}

impl Answer {
    fn encode(self, out: &mut Encoder) {
        out.u8(self.error as u8);
        out.u8(self.leader.map_or(u8::MAX, |leader| leader.0));
        out.i64(i64::from(self.epoch));
    }

    const fn verdict(self) -> Verdict {
        if matches!(self.error, ErrorCode::None) { Verdict::Plain } else { Verdict::Refused }
    }
}

impl KRaftMessage {
    /// Writes the message for a digest.
    pub(super) fn encode(&self, out: &mut Encoder, entry: impl Fn(Entry, &mut Encoder)) {
        out.u32(self.correlation);
        self.address.encode(out);
        match &self.body {
            Body::VoteRequest { epoch, last_epoch, last_offset, pre_vote } => {
                out.u8(0);
                out.i64(i64::from(*epoch));
                out.i64(i64::from(*last_epoch));
                out.i64(*last_offset);
                out.bool(*pre_vote);
            }
            Body::VoteResponse { answer, granted } => {
                out.u8(1);
                answer.encode(out);
                out.bool(*granted);
            }
            Body::BeginQuorumEpochRequest { leader, epoch } => {
                out.u8(2);
                out.u8(leader.0);
                out.i64(i64::from(*epoch));
            }
            Body::BeginQuorumEpochResponse { answer } => {
                out.u8(3);
                answer.encode(out);
            }
            Body::EndQuorumEpochRequest { leader, epoch, successors } => {
                out.u8(4);
                out.u8(leader.0);
                out.i64(i64::from(*epoch));
                out.u8(successors.len());
                for id in successors.iter() {
                    out.u8(id.0);
                }
            }
            Body::EndQuorumEpochResponse { answer } => {
                out.u8(5);
                answer.encode(out);
            }
            Body::FetchRequest { epoch, offset, last_epoch, high_watermark, max_wait_ms } => {
                out.u8(6);
                out.i64(i64::from(*epoch));
                out.i64(*offset);
                out.i64(i64::from(*last_epoch));
                out.i64(*high_watermark);
                out.i64(i64::from(*max_wait_ms));
            }
            Body::FetchResponse { answer, high_watermark, outcome } => {
                out.u8(7);
                answer.encode(out);
                out.i64(*high_watermark);
                match outcome {
                    FetchOutcome::Records(None) => out.u8(0),
                    FetchOutcome::Records(Some(records)) => {
                        out.u8(1);
                        out.u64(records.base());
                        out.u64(records.entries().len() as u64);
                        for &record in records.entries() {
                            entry(record, out);
                        }
                    }
                    FetchOutcome::Diverging(known) => {
                        out.u8(2);
                        out.u32(known.epoch);
                        out.u64(known.end_offset);
                    }
                }
            }
        }
    }

    /// What is drawn of it.
    pub(super) fn face(&self) -> MessageFace<MessageKind> {
        let face = |kind, epoch, verdict| MessageFace { kind, epoch: shown(epoch), verdict, entries: 0 };
        match &self.body {
            Body::VoteRequest { epoch, pre_vote: true, .. } => face(MessageKind::PreVote, *epoch, Verdict::Asks),
            Body::VoteRequest { epoch, .. } => face(MessageKind::Vote, *epoch, Verdict::Asks),
            Body::VoteResponse { answer, granted } => {
                let verdict = if *granted { Verdict::Granted } else { Verdict::Refused };
                face(MessageKind::VoteAnswer, answer.epoch, verdict)
            }
            Body::BeginQuorumEpochRequest { epoch, .. } => face(MessageKind::BeginQuorumEpoch, *epoch, Verdict::Asks),
            Body::BeginQuorumEpochResponse { answer } => {
                face(MessageKind::BeginQuorumEpochAnswer, answer.epoch, answer.verdict())
            }
            Body::EndQuorumEpochRequest { epoch, .. } => face(MessageKind::EndQuorumEpoch, *epoch, Verdict::Asks),
            Body::EndQuorumEpochResponse { answer } => {
                face(MessageKind::EndQuorumEpochAnswer, answer.epoch, answer.verdict())
            }
            Body::FetchRequest { epoch, .. } => face(MessageKind::Fetch, *epoch, Verdict::Asks),
            Body::FetchResponse { answer, outcome, .. } => {
                let entries = match outcome {
                    FetchOutcome::Records(Some(records)) => u8::try_from(records.entries().len()).unwrap_or(u8::MAX),
                    FetchOutcome::Records(None) | FetchOutcome::Diverging(_) => 0,
                };
                let verdict = match outcome {
                    FetchOutcome::Diverging(_) => Verdict::Refused,
                    FetchOutcome::Records(_) => answer.verdict(),
                };
                MessageFace { entries, ..face(MessageKind::FetchAnswer, answer.epoch, verdict) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_at_most_64_bytes() {
        assert!(size_of::<KRaftMessage>() <= 64, "{}", size_of::<KRaftMessage>());
    }
}
