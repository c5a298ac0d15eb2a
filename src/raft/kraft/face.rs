//! What is shown of a replica and of its messages, by the names of Kafka's schemas.

use super::message::{Answer, Body, ErrorCode, FetchOutcome, KRaftMessage};
use super::replica::KRaftReplica;
use super::state::Role;
use crate::raft::ids::ReplicaId;
use crate::raft::projection::{Fields, PeerView, Value};

impl KRaftReplica {
    pub(super) fn own_fields(&self, put: &mut Fields<'_>) {
        let is_voter = self.voters.contains(self.id);
        put("membership", Value::Word(if is_voter { "voter" } else { "observer" }));
        put("flushed to", Value::Number(self.flushed));
        put("applied to", Value::Number(self.listener.next_offset()));
        put("state machine", Value::Map(self.listener.map().to_vec()));
        put("was told", Value::Told(self.listener.heard()));
        match &self.role {
            Role::Leader { epoch_start, granting, .. } => {
                put("epoch start offset", Value::Number(*epoch_start));
                put("elected by", Value::Nodes(*granting));
                put("lingering records", Value::Number(self.waiting_records() as u64));
            }
            Role::Follower { has_fetched, .. } => put("has fetched from leader", Value::Yes(*has_fetched)),
            Role::Prospective { tally, .. } | Role::Candidate { tally, .. } => {
                put("granted by", Value::Nodes(tally.granted));
                put("refused by", Value::Nodes(tally.refused));
            }
            Role::Resigned { unacked, successors } => {
                put("not acknowledged by", Value::Nodes(*unacked));
                put("preferred successors", Value::Ranked(successors.iter().collect()));
            }
            Role::Unattached { .. } => {}
        }
    }

    pub(super) fn followers_seen(&self) -> Option<Vec<PeerView>> {
        let Role::Leader { followers, fetched, .. } = &self.role else { return None };
        let seen = (0..).map(ReplicaId).zip(followers).map(|(id, follower)| PeerView {
            id,
            is_voter: self.voters.contains(id),
            matched: follower.end_offset,
            next: None,
            heard_us: follower.last_fetch_us,
            is_counted: fetched.contains(id),
        });
        Some(seen.collect())
    }
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

fn answer(it: &Answer, put: &mut Fields<'_>) {
    put("errorCode", Value::Word(error(it.error)));
    put("leaderId", Value::Node(it.leader));
    put("leaderEpoch", Value::Signed(it.epoch.into()));
}

impl KRaftMessage {
    /// Its fields.
    pub(super) fn fields(&self, from: ReplicaId, put: &mut Fields<'_>) {
        let leadership = |leader: ReplicaId, epoch: i32, put: &mut Fields<'_>| {
            put("leaderId", Value::Node(Some(leader)));
            put("leaderEpoch", Value::Signed(epoch.into()));
        };
        match &self.body {
            Body::VoteRequest { epoch, last_epoch, last_offset, pre_vote } => {
                put("replicaId", Value::Node(Some(from)));
                put("replicaEpoch", Value::Signed((*epoch).into()));
                put("lastOffsetEpoch", Value::Signed((*last_epoch).into()));
                put("lastOffset", Value::Signed(*last_offset));
                put("preVote", Value::Yes(*pre_vote));
            }
            Body::VoteResponse { answer: common, granted } => {
                answer(common, put);
                put("voteGranted", Value::Yes(*granted));
            }
            Body::BeginQuorumEpochRequest { leader, epoch } => leadership(*leader, *epoch, put),
            Body::EndQuorumEpochRequest { leader, epoch, successors } => {
                leadership(*leader, *epoch, put);
                put("preferredCandidates", Value::Ranked(successors.iter().collect()));
            }
            Body::BeginQuorumEpochResponse { answer: common } | Body::EndQuorumEpochResponse { answer: common } => {
                answer(common, put);
            }
            Body::FetchRequest { epoch, offset, last_epoch, high_watermark, max_wait_ms } => {
                put("replicaId", Value::Node(Some(from)));
                put("currentLeaderEpoch", Value::Signed((*epoch).into()));
                put("fetchOffset", Value::Signed(*offset));
                put("lastFetchedEpoch", Value::Signed((*last_epoch).into()));
                put("highWatermark", Value::Signed(*high_watermark));
                put("maxWaitMs", Value::Signed((*max_wait_ms).into()));
            }
            Body::FetchResponse { answer: common, high_watermark, outcome } => {
                answer(common, put);
                put("highWatermark", Value::Signed(*high_watermark));
                match outcome {
                    FetchOutcome::Diverging(known) => put("divergingEpoch", Value::EpochEnd(*known)),
                    FetchOutcome::Records(records) => put("records", Value::Records(records.clone())),
                }
            }
        }
        put("correlation id", Value::Number(self.correlation.into()));
    }
}
