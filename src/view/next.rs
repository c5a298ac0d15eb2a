//! The list of what can happen next.

use crate::raft::kraft::KRaft;
use crate::raft::{MessageFace, Protocol};
use crate::session::Session;
use crate::sim::EventName;
use crate::text::en as text;

/// One line of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingItem {
    /// Its name, for commands.
    pub name: EventName,
    /// A key that no other item has.
    pub key: String,
    /// When it is due, in global microseconds.
    pub at_us: u64,
    /// What it is, in one line.
    pub text: String,
    /// Whether it is a delivery, which can be dropped.
    pub is_delivery: bool,
}

/// What can happen next, in the order in which it would.
#[must_use]
pub fn pending(session: &Session) -> Vec<PendingItem> {
    let sim = session.sim();
    sim.pending()
        .into_iter()
        .map(|event| {
            let face: Option<MessageFace<_>> = match event.name {
                EventName::Delivery { from, to, number, is_copy } => sim
                    .flights()
                    .find(|(key, _)| (key.from, key.to, key.number, key.is_copy) == (from, to, number, is_copy))
                    .map(|(_, flight)| KRaft::message_face(&flight.message)),
                EventName::Timer { .. } => None,
            };
            PendingItem {
                name: event.name,
                key: text::event_name(&event.name),
                at_us: event.at_us,
                text: text::pending(&event.name, face.as_ref()),
                is_delivery: face.is_some(),
            }
        })
        .collect()
}
