//! KRaft: Kafka's Raft, in which followers pull.
//!
//! A leader does not push entries; followers *fetch* them, and the offset a follower fetches from tells the leader how
//! far it has come. Kafka's words are used throughout: *epoch* for term, *high watermark* for commit index (exclusive),
//! *end offset* for one past the last record. Sources: KIP-595 (the protocol), KIP-853 (voter identities), KIP-996
//! (PreVote), and Kafka 4.2's `raft` module for what they leave open. Section numbers in this folder's comments are
//! those KIPs' or, as "spec", the project's notes on that module.
//!
//! | file | holds |
//! | --- | --- |
//! | `settings` | timeouts and rule flags |
//! | `message` | requests and answers |
//! | `state` | roles, the transition table, the persisted record |
//! | `connections` | which peer may be asked now |
//! | `accumulator` | what clients appended and waits to be written |
//! | `replica` | the member itself: what each role does when looked at |
//! | `vote`, `quorum`, `fetch` | what it does with each message |
//! | `note`, `face` | reason codes, and what is shown of it |
//!
//! Left out, for now: snapshots (spec 4.5, 5.5) and voter changes (spec 4.6, 5.4): their messages, the voter set as records of
//! the log, and directory ids other than as a disk's own.

mod accumulator;
mod connections;
mod face;
mod fetch;
mod message;
mod note;
mod quorum;
mod replica;
mod settings;
mod state;
#[cfg(test)]
mod transition_tests;
mod vote;

pub use message::{Address, Answer, Body, ClusterId, ErrorCode, FetchOutcome, KRaftMessage, MessageKind, Successors};
pub use note::{Cause, Note, Refusal};
pub use quorum::{QuorumDescription, ReplicaDescription};
pub use replica::KRaftReplica;
pub use settings::{Bootstrap, KRaftSettings, Rules};
pub use state::{Disk, Follower, QuorumRecord, Role};

use super::digest::Encoder;
use super::ids::{ReplicaId, ReplicaSet};
use super::log::{Log, encode_entry};
use super::projection::{Fields, Gist, Traffic};
use super::protocol::{Beginning, MessageFace, Protocol, RoleChange};

/// The family of KRaft's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KRaft;

impl Protocol for KRaft {
    type Settings = KRaftSettings;
    type Message = KRaftMessage;
    type MessageKind = MessageKind;
    const CLIENT: MessageKind = MessageKind::Client;
    type Note = Note;
    type Disk = Disk;
    type Replica = KRaftReplica;

    fn traffic(face: &MessageFace<MessageKind>) -> Traffic {
        match face.kind {
            MessageKind::PreVote | MessageKind::Vote | MessageKind::VoteAnswer => Traffic::Votes,
            MessageKind::BeginQuorumEpoch | MessageKind::BeginQuorumEpochAnswer => Traffic::Leading,
            MessageKind::EndQuorumEpoch | MessageKind::EndQuorumEpochAnswer => Traffic::Ending,
            MessageKind::FetchAnswer if face.entries > 0 => Traffic::Entries,
            MessageKind::Fetch | MessageKind::FetchAnswer => Traffic::Quiet,
            MessageKind::Client => Traffic::Clients,
        }
    }

    fn encode_message(message: &KRaftMessage, out: &mut Encoder) {
        message.encode(out, encode_entry);
    }

    fn message_face(message: &KRaftMessage) -> MessageFace<MessageKind> {
        message.face()
    }

    fn message_fields(message: &KRaftMessage, from: ReplicaId, put: &mut Fields<'_>) {
        message.fields(from, put);
    }

    fn resigns(_: &KRaftSettings) -> bool {
        true
    }

    fn voters(settings: &KRaftSettings, replicas: u8) -> ReplicaSet {
        settings.voters(replicas)
    }

    fn empty_disk(_: &KRaftSettings) -> Disk {
        Disk { directory: 1, ..Disk::default() }
    }

    fn disk_of(settings: &KRaftSettings, beginning: Beginning) -> Disk {
        let Beginning { epoch, leader, voted, committed, log } = beginning;
        Disk {
            quorum: QuorumRecord { epoch, leader, voted },
            high_watermark: committed,
            log,
            ..Self::empty_disk(settings)
        }
    }

    /// It has a new directory id; answers to the requests of before must not look like answers to those of after.
    fn wiped_disk(lost: &Disk) -> Disk {
        Disk { directory: lost.directory + 1, correlation: lost.correlation, ..Disk::default() }
    }

    fn disk_log(disk: &Disk) -> &Log {
        &disk.log
    }

    fn encode_disk(disk: &Disk, out: &mut Encoder) {
        disk.encode(out);
    }

    fn gist(note: &Note) -> Gist {
        note.gist()
    }

    fn commit(note: &Note) -> Option<u64> {
        match note {
            Note::HighWatermark { to } => Some(*to),
            _ => None,
        }
    }

    fn role_change(note: &Note) -> Option<RoleChange> {
        match *note {
            Note::Became { from, to, epoch, .. } => Some(RoleChange { from, to, epoch }),
            _ => None,
        }
    }
}
