//! The protocols that there are, as one.
//!
//! This is the list of them, and the only place outside their own folders that the engine has for their names. [`Any`] is
//! a protocol whose settings, messages, notes, disks and replicas are those of one of them, chosen by the settings when
//! a run begins. Whoever looks at runs of whatever protocol, a session, its explanation, its picture, looks at runs
//! of [`Any`]; benchmarks and the protocols' own tests run the protocols themselves.
//!
//! Holds always: a cluster speaks one protocol; a digest of a run is the same as if it had been run by that protocol
//! alone.

use super::classic::{self, Classic, ClassicReplica, ClassicSettings};
use super::digest::Encoder;
use super::ids::{ReplicaId, ReplicaSet};
use super::kraft::{self, KRaft, KRaftReplica, KRaftSettings};
use super::listener::Listener;
use super::log::Log;
use super::projection::{Fields, Gist, PeerView, Traffic};
use super::protocol::{
    Beginning, Carries, Context, Driven, Ended, Face, MessageFace, Protocol, Replica, Request, RequestError,
    RoleChange, Standing,
};
use super::timers::{Timer, TimerTable};

/// Any of the protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Any;

/// Which protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// KRaft.
    KRaft,
    /// The paper's Raft.
    Classic,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Classic, Self::KRaft];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::KRaft => Self::Classic,
            Self::Classic => Self::KRaft,
        }
    }
}

/// The protocol of a run, with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtocolSettings {
    /// KRaft.
    KRaft(KRaftSettings),
    /// The paper's Raft.
    Classic(ClassicSettings),
}

impl ProtocolSettings {
    /// A protocol as it is unless somebody says otherwise.
    #[must_use]
    pub fn of(family: Family) -> Self {
        match family {
            Family::KRaft => Self::KRaft(KRaftSettings::default()),
            Family::Classic => Self::Classic(ClassicSettings::default()),
        }
    }

    /// Another protocol, as unless somebody says otherwise, with timeouts as long as these.
    #[must_use]
    pub fn under(&self, family: Family) -> Self {
        match (self, family) {
            (Self::KRaft(kraft), Family::Classic) => Self::Classic(ClassicSettings {
                election_min_ms: kraft.election_timeout_ms,
                election_max_ms: kraft
                    .election_timeout_ms
                    .saturating_mul(2)
                    .min(LONGEST_MS)
                    .max(kraft.election_timeout_ms),
                heartbeat_ms: (kraft.election_timeout_ms / 3).max(1),
                ..ClassicSettings::default()
            }),
            (Self::Classic(raft), Family::KRaft) => Self::KRaft(KRaftSettings {
                election_timeout_ms: raft.election_min_ms,
                fetch_timeout_ms: raft.election_min_ms.saturating_add(raft.election_min_ms / 3).min(LONGEST_MS),
                bootstrap: kraft::Bootstrap::Nobody,
                ..KRaftSettings::default()
            }),
            (Self::KRaft(_), Family::KRaft) | (Self::Classic(_), Family::Classic) => self.clone(),
        }
    }

    /// Which protocol it is.
    #[must_use]
    pub const fn family(&self) -> Family {
        match self {
            Self::KRaft(_) => Family::KRaft,
            Self::Classic(_) => Family::Classic,
        }
    }
}

/// No timeout of one protocol becomes longer than this in the other: an hour.
const LONGEST_MS: u32 = 3_600_000;

/// Something that each protocol has a type of its own for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<K, C> {
    /// KRaft's.
    KRaft(K),
    /// The paper's.
    Classic(C),
}

/// A message.
pub type AnyMessage = Either<kraft::KRaftMessage, classic::ClassicMessage>;
/// Which message.
pub type AnyKind = Either<kraft::MessageKind, classic::MessageKind>;
/// Why something happened.
pub type AnyNote = Either<kraft::Note, classic::Note>;
/// What survives a crash.
pub type AnyDisk = Either<kraft::Disk, classic::Disk>;

impl Carries<KRaft> for Any {
    #[inline]
    fn message(own: kraft::KRaftMessage) -> AnyMessage {
        Either::KRaft(own)
    }

    #[inline]
    fn note(own: kraft::Note) -> AnyNote {
        Either::KRaft(own)
    }
}

impl Carries<Classic> for Any {
    #[inline]
    fn message(own: classic::ClassicMessage) -> AnyMessage {
        Either::Classic(own)
    }

    #[inline]
    fn note(own: classic::Note) -> AnyNote {
        Either::Classic(own)
    }
}

/// A replica of any protocol.
pub type AnyReplica = Either<KRaftReplica, ClassicReplica>;

impl AnyReplica {
    /// It as a KRaft replica.
    #[must_use]
    pub const fn kraft(&self) -> Option<&KRaftReplica> {
        match self {
            Self::KRaft(it) => Some(it),
            Self::Classic(_) => None,
        }
    }

    /// It as a server of the paper's.
    #[must_use]
    pub const fn classic(&self) -> Option<&ClassicReplica> {
        match self {
            Self::Classic(it) => Some(it),
            Self::KRaft(_) => None,
        }
    }
}

/// A context of one protocol out of one of all.
macro_rules! context {
    ($cx:expr, $family:ident) => {
        Context {
            now_us: $cx.now_us,
            settings: match $cx.settings {
                ProtocolSettings::$family(settings) => settings,
                _ => unreachable!("a cluster speaks one protocol"),
            },
            luck: &mut *$cx.luck,
            effects: &mut *$cx.effects,
        }
    };
}

/// Makes a replica act, with the context of its protocol.
macro_rules! drive {
    ($replica:expr, $cx:ident, $it:ident => $does:expr) => {
        match $replica {
            Either::KRaft($it) => {
                let $cx: &mut Context<'_, KRaft, Any> = &mut context!($cx, KRaft);
                $does
            }
            Either::Classic($it) => {
                let $cx: &mut Context<'_, Classic, Any> = &mut context!($cx, Classic);
                $does
            }
        }
    };
}

/// The same said of the value of whatever protocol.
macro_rules! of_each {
    ($value:expr, $it:ident => $says:expr) => {
        match $value {
            Either::KRaft($it) => $says,
            Either::Classic($it) => $says,
        }
    };
}

fn any_face<K>(face: MessageFace<K>, kind: impl Fn(K) -> AnyKind) -> MessageFace<AnyKind> {
    let MessageFace { kind: own, epoch, verdict, entries } = face;
    MessageFace { kind: kind(own), epoch, verdict, entries }
}

impl Protocol for Any {
    type Settings = ProtocolSettings;
    type Message = AnyMessage;
    type MessageKind = AnyKind;
    const CLIENT: AnyKind = Either::KRaft(KRaft::CLIENT);
    type Note = AnyNote;
    type Disk = AnyDisk;
    type Replica = AnyReplica;

    fn traffic(face: &MessageFace<AnyKind>) -> Traffic {
        let MessageFace { kind, epoch, verdict, entries } = *face;
        match kind {
            Either::KRaft(kind) => KRaft::traffic(&MessageFace { kind, epoch, verdict, entries }),
            Either::Classic(kind) => Classic::traffic(&MessageFace { kind, epoch, verdict, entries }),
        }
    }

    #[inline]
    fn encode_message(message: &AnyMessage, out: &mut Encoder) {
        match message {
            Either::KRaft(message) => KRaft::encode_message(message, out),
            Either::Classic(message) => Classic::encode_message(message, out),
        }
    }

    #[inline]
    fn message_face(message: &AnyMessage) -> MessageFace<AnyKind> {
        match message {
            Either::KRaft(message) => any_face(KRaft::message_face(message), Either::KRaft),
            Either::Classic(message) => any_face(Classic::message_face(message), Either::Classic),
        }
    }

    fn message_fields(message: &AnyMessage, from: ReplicaId, put: &mut Fields<'_>) {
        match message {
            Either::KRaft(message) => KRaft::message_fields(message, from, put),
            Either::Classic(message) => Classic::message_fields(message, from, put),
        }
    }

    fn resigns(settings: &ProtocolSettings) -> bool {
        match settings {
            ProtocolSettings::KRaft(settings) => KRaft::resigns(settings),
            ProtocolSettings::Classic(settings) => Classic::resigns(settings),
        }
    }

    fn voters(settings: &ProtocolSettings, replicas: u8) -> ReplicaSet {
        match settings {
            ProtocolSettings::KRaft(settings) => KRaft::voters(settings, replicas),
            ProtocolSettings::Classic(settings) => Classic::voters(settings, replicas),
        }
    }

    fn empty_disk(settings: &ProtocolSettings) -> AnyDisk {
        match settings {
            ProtocolSettings::KRaft(settings) => Either::KRaft(KRaft::empty_disk(settings)),
            ProtocolSettings::Classic(settings) => Either::Classic(Classic::empty_disk(settings)),
        }
    }

    fn disk_of(settings: &ProtocolSettings, beginning: Beginning) -> AnyDisk {
        match settings {
            ProtocolSettings::KRaft(settings) => Either::KRaft(KRaft::disk_of(settings, beginning)),
            ProtocolSettings::Classic(settings) => Either::Classic(Classic::disk_of(settings, beginning)),
        }
    }

    fn wiped_disk(lost: &AnyDisk) -> AnyDisk {
        match lost {
            Either::KRaft(lost) => Either::KRaft(KRaft::wiped_disk(lost)),
            Either::Classic(lost) => Either::Classic(Classic::wiped_disk(lost)),
        }
    }

    fn disk_log(disk: &AnyDisk) -> &Log {
        match disk {
            Either::KRaft(disk) => KRaft::disk_log(disk),
            Either::Classic(disk) => Classic::disk_log(disk),
        }
    }

    fn encode_disk(disk: &AnyDisk, out: &mut Encoder) {
        match disk {
            Either::KRaft(disk) => KRaft::encode_disk(disk, out),
            Either::Classic(disk) => Classic::encode_disk(disk, out),
        }
    }

    #[inline]
    fn gist(note: &AnyNote) -> Gist {
        match note {
            Either::KRaft(note) => KRaft::gist(note),
            Either::Classic(note) => Classic::gist(note),
        }
    }

    #[inline]
    fn commit(note: &AnyNote) -> Option<u64> {
        match note {
            Either::KRaft(note) => KRaft::commit(note),
            Either::Classic(note) => Classic::commit(note),
        }
    }

    #[inline]
    fn role_change(note: &AnyNote) -> Option<RoleChange> {
        match note {
            Either::KRaft(note) => KRaft::role_change(note),
            Either::Classic(note) => Classic::role_change(note),
        }
    }
}

impl Driven<Any> for AnyReplica {
    fn start(id: ReplicaId, replicas: u8, disk: AnyDisk, cx: &mut Context<'_, Any>) -> Self {
        match disk {
            Either::KRaft(disk) => {
                let mut cx: Context<'_, KRaft, Any> = context!(cx, KRaft);
                Self::KRaft(KRaftReplica::start(id, replicas, disk, &mut cx))
            }
            Either::Classic(disk) => {
                let mut cx: Context<'_, Classic, Any> = context!(cx, Classic);
                Self::Classic(ClassicReplica::start(id, replicas, disk, &mut cx))
            }
        }
    }

    #[inline]
    fn poll_state(&mut self, cx: &mut Context<'_, Any>) -> bool {
        drive!(self, cx, it => it.poll_state(cx))
    }

    #[inline]
    fn handle(&mut self, from: ReplicaId, message: AnyMessage, cx: &mut Context<'_, Any>) {
        match (self, message) {
            (Self::KRaft(it), Either::KRaft(message)) => {
                let cx: &mut Context<'_, KRaft, Any> = &mut context!(cx, KRaft);
                it.handle(from, message, cx);
            }
            (Self::Classic(it), Either::Classic(message)) => {
                let cx: &mut Context<'_, Classic, Any> = &mut context!(cx, Classic);
                it.handle(from, message, cx);
            }
            // A cluster speaks one protocol.
            (Self::KRaft(_), Either::Classic(_)) | (Self::Classic(_), Either::KRaft(_)) => {}
        }
    }

    #[inline]
    fn poll_listeners(&mut self, cx: &mut Context<'_, Any>) {
        drive!(self, cx, it => it.poll_listeners(cx));
    }

    #[inline]
    fn fire(&mut self, timer: Timer, cx: &mut Context<'_, Any>) -> bool {
        drive!(self, cx, it => it.fire(timer, cx))
    }

    fn request(&mut self, request: Request, cx: &mut Context<'_, Any>) -> Result<Option<u64>, RequestError> {
        drive!(self, cx, it => it.request(request, cx))
    }
}

impl Replica<Any> for AnyReplica {
    #[inline]
    fn ended(&self) -> Option<Ended> {
        of_each!(self, it => it.ended())
    }

    #[inline]
    fn timers(&self) -> &TimerTable {
        of_each!(self, it => it.timers())
    }

    #[inline]
    fn timers_mut(&mut self) -> &mut TimerTable {
        of_each!(self, it => it.timers_mut())
    }

    fn campaigns_on(&self) -> Option<Timer> {
        of_each!(self, it => it.campaigns_on())
    }

    #[inline]
    fn log(&self) -> &Log {
        of_each!(self, it => it.log())
    }

    fn stop(self, keep_unflushed: bool) -> AnyDisk {
        match self {
            Self::KRaft(it) => Either::KRaft(it.stop(keep_unflushed)),
            Self::Classic(it) => Either::Classic(it.stop(keep_unflushed)),
        }
    }

    #[inline]
    fn standing(&self) -> Standing {
        of_each!(self, it => it.standing())
    }

    #[inline]
    fn face(&self) -> Face {
        of_each!(self, it => it.face())
    }

    fn listener(&self) -> &Listener {
        of_each!(self, it => it.listener())
    }

    fn fields(&self, put: &mut Fields<'_>) {
        of_each!(self, it => it.fields(put));
    }

    fn peers(&self) -> Option<Vec<PeerView>> {
        of_each!(self, it => it.peers())
    }

    fn commits_from(&self) -> Option<u64> {
        of_each!(self, it => it.commits_from())
    }

    fn stands_by(&self, settings: &ProtocolSettings, now_us: u64) -> Option<ReplicaId> {
        match (self, settings) {
            (Self::KRaft(it), ProtocolSettings::KRaft(settings)) => it.stands_by(settings, now_us),
            (Self::Classic(it), ProtocolSettings::Classic(settings)) => it.stands_by(settings, now_us),
            (Self::KRaft(_), ProtocolSettings::Classic(_)) | (Self::Classic(_), ProtocolSettings::KRaft(_)) => None,
        }
    }

    fn encode(&self, out: &mut Encoder) {
        of_each!(self, it => it.encode(out));
    }

    #[inline]
    fn encode_persisted(&self, out: &mut Encoder) {
        of_each!(self, it => it.encode_persisted(out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_any_protocol_is_at_most_64_bytes() {
        assert!(size_of::<AnyMessage>() <= 64, "{}", size_of::<AnyMessage>());
    }
}
