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
//! | `listener` | the state machine and what it is told |
//! | `replica` | the member itself: what each role does when looked at |
//! | `vote`, `quorum`, `fetch` | what it does with each message |
//! | `note` | reason codes |
//!
//! Left out, for now: snapshots (spec 4.5, 5.5) and voter changes (spec 4.6, 5.4): their messages, the voter set as records of
//! the log, and directory ids other than as a disk's own.

mod accumulator;
mod connections;
mod fetch;
mod listener;
mod message;
mod note;
mod quorum;
mod replica;
mod settings;
mod state;
#[cfg(test)]
mod transition_tests;
mod vote;

pub use listener::Listener;
pub use message::{Address, Answer, Body, ClusterId, ErrorCode, FetchOutcome, KRaftMessage, MessageKind, Successors};
pub use note::{Cause, Note, Refusal};
pub use quorum::{QuorumDescription, ReplicaDescription};
pub use replica::KRaftReplica;
pub use settings::{Bootstrap, KRaftSettings, Rules};
pub use state::{Disk, Follower, QuorumRecord, Role};

use super::digest::Encoder;
use super::log::{Log, encode_entry};
use super::protocol::{MessageFace, Protocol, RoleShape};

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

    fn encode_message(message: &KRaftMessage, out: &mut Encoder) {
        message.encode(out, encode_entry);
    }

    fn message_face(message: &KRaftMessage) -> MessageFace<MessageKind> {
        message.face()
    }

    fn empty_disk() -> Disk {
        Disk { directory: 1, ..Disk::default() }
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

    fn commit(note: &Note) -> Option<u64> {
        match note {
            Note::HighWatermark { to } => Some(*to),
            _ => None,
        }
    }

    fn role_change(note: &Note) -> Option<(RoleShape, u32)> {
        match note {
            Note::Became { to, epoch, .. } => Some((*to, *epoch)),
            _ => None,
        }
    }
}
