//! Raft as in the paper: leaders push.
//!
//! The words are the paper's: *term*, *index* (from 1), *commitIndex*, *nextIndex*, *matchIndex*. Sources: the extended
//! paper (figure 2, §5, §8), and the dissertation for PreVote (§9.6) and CheckQuorum (§6.2). Section numbers in this
//! folder's comments are the paper's unless the dissertation is named.
//!
//! | file | holds |
//! | --- | --- |
//! | `settings` | timeouts, backtracking, rules beyond the paper |
//! | `message` | requests and answers |
//! | `state` | roles, the transition table, what is kept on disk |
//! | `replica` | the server itself: transitions, and what each role does when looked at |
//! | `vote`, `append` | what it does with each message |
//! | `note` | reason codes |
//!
//! The shared log counts offsets from 0: the entry with index `i` stands at offset `i - 1`, and the last index is the
//! log's end offset, the commit index its exclusive one. Every entry is a batch of its own and is on disk before anything
//! follows from it.
//!
//! Left out, for now: membership change (dissertation §4), leadership transfer (§3.10), snapshots (§7), reads and sessions (§8).

mod append;
mod message;
mod note;
mod replica;
mod settings;
mod state;
mod vote;

pub use message::{AppendOutcome, ClassicMessage, MessageKind, Place};
pub use note::{Cause, Note, Refusal};
pub use replica::ClassicReplica;
pub use settings::{Backtracking, ClassicSettings, Refused, Rules};
pub use state::{Disk, Progress, Role, Tally};

use super::digest::Encoder;
use super::ids::{ReplicaId, ReplicaSet};
use super::log::Log;
use super::projection::{Fields, Gist, Traffic};
use super::protocol::{Beginning, MessageFace, Protocol, RoleChange, Verdict};

/// The family of the paper's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classic;

impl Protocol for Classic {
    type Settings = ClassicSettings;
    type Message = ClassicMessage;
    type MessageKind = MessageKind;
    const CLIENT: MessageKind = MessageKind::Client;
    type Note = Note;
    type Disk = Disk;
    type Replica = ClassicReplica;

    fn traffic(face: &MessageFace<MessageKind>) -> Traffic {
        match face.kind {
            MessageKind::PreVote | MessageKind::RequestVote | MessageKind::Vote => Traffic::Votes,
            MessageKind::Appended if face.entries == 0 && face.verdict == Verdict::Plain => Traffic::Quiet,
            MessageKind::AppendEntries | MessageKind::Appended => Traffic::Entries,
            MessageKind::Heartbeat => Traffic::Quiet,
            MessageKind::Client => Traffic::Clients,
        }
    }

    fn encode_message(message: &ClassicMessage, out: &mut Encoder) {
        message.encode(out);
    }

    fn message_face(message: &ClassicMessage) -> MessageFace<MessageKind> {
        message.face()
    }

    fn message_fields(message: &ClassicMessage, _: ReplicaId, put: &mut Fields<'_>) {
        message.fields(put);
    }

    fn resigns(_: &ClassicSettings) -> bool {
        false
    }

    fn voters(_: &ClassicSettings, replicas: u8) -> ReplicaSet {
        ReplicaSet::first(replicas)
    }

    fn empty_disk(_: &ClassicSettings) -> Disk {
        Disk::default()
    }

    fn disk_of(_: &ClassicSettings, beginning: Beginning) -> Disk {
        let Beginning { epoch, voted, committed, log, .. } = beginning;
        Disk { term: epoch, voted, log, commit: committed.unwrap_or(0) }
    }

    fn wiped_disk(_: &Disk) -> Disk {
        Disk::default()
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
            Note::Committed { to, .. } => Some(*to),
            _ => None,
        }
    }

    fn role_change(note: &Note) -> Option<RoleChange> {
        match *note {
            Note::Became { from, to, term: epoch, .. } => Some(RoleChange { from, to, epoch }),
            _ => None,
        }
    }
}
