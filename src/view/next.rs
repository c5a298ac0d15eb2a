//! The list of what can happen next.

use super::say;
use crate::executor::{NEVER, in_order};
use crate::raft::{Any, AnyKind, Form, MessageFace, ReplicaId, TaskKind, Timer};
use crate::session::Session;
use crate::sim::{EventName, Sim};
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
    /// Why it is not due, if it is not: it is held, or waits at the door of a paused node.
    pub waits: Option<&'static str>,
}

/// The line of an event; for what an executor will do, in the form its client has.
fn event_text(session: &Session, name: &EventName, face: Option<&MessageFace<AnyKind>>) -> String {
    let sim = session.sim();
    let text = match *name {
        EventName::Task { replica, number } => {
            let queue = tasks(sim, replica);
            let task = queue.into_iter().find(|task| task.number == u64::from(number));
            task.map_or_else(String::new, |task| format!("Node {replica}: {}", task.text))
        }
        EventName::Timer { replica, timer, .. }
            if sim.client(replica).is_some_and(|client| client.settings().form == Form::OnePoll) =>
        {
            format!("Node {replica}: {}", text::poll_finds(&[timer], 0))
        }
        EventName::Timer { .. } | EventName::Delivery { .. } | EventName::Client { .. } => {
            text::pending(name, face, |id| say::short(session, id))
        }
    };
    say::named(session, text)
}

/// A task that waits on a replica's executor.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedTask {
    /// Its number.
    pub number: u64,
    /// When it is due, in global microseconds.
    pub due_us: u64,
    /// What it will do, in a few words.
    pub text: String,
}

/// What waits on the executor of a running replica, in order.
#[must_use]
pub fn tasks(sim: &Sim<Any>, replica: ReplicaId) -> Vec<QueuedTask> {
    let Some(client) = sim.client(replica) else {
        return Vec::new();
    };
    let what = |kind: TaskKind, due_us: u64| match kind {
        TaskKind::Poll => {
            let over: Vec<_> =
                client.waking().filter(|(_, line)| client.clock().global_us(line.at_us) <= due_us).collect();
            let over = in_order(over, |(timer, line)| {
                [line.at_us, timer.kind as u64, timer.peer.map_or(0, |peer| 1 + u64::from(peer.0))]
            });
            let timers: Vec<Timer> = over.into_iter().map(|(timer, _)| timer).collect();
            text::poll_finds(&timers, client.inbox_len())
        }
        other => text::task(other),
    };
    let queue = client.queue().into_iter();
    queue.map(|(due_us, number, kind)| QueuedTask { number, due_us, text: what(kind, due_us) }).collect()
}

/// What can happen next, in the order in which it would, at most so much of it; and how much there is.
#[must_use]
pub fn pending(session: &Session, most: usize) -> (Vec<PendingItem>, usize) {
    let sim = session.sim();
    let all = sim.pending();
    let count = all.len();
    let shown = all
        .into_iter()
        .take(most)
        .map(|event| {
            let flight = match event.name {
                EventName::Delivery { from, to, number, is_copy } => sim
                    .flights()
                    .find(|(key, _)| (key.from, key.to, key.number, key.is_copy) == (from, to, number, is_copy))
                    .map(|(_, flight)| flight),
                EventName::Timer { .. } | EventName::Task { .. } | EventName::Client { .. } => None,
            };
            let face: Option<MessageFace<_>> = flight.map(|flight| Sim::<Any>::face_of(&flight.message));
            let is_held = flight.is_some_and(|flight| flight.held.is_some());
            let text = event_text(session, &event.name, face.as_ref());
            PendingItem {
                name: event.name,
                key: text::event_name(&event.name),
                at_us: event.at_us,
                text,
                is_delivery: face.is_some(),
                waits: (event.at_us == NEVER).then(|| text::waits(is_held)),
            }
        })
        .collect();
    (shown, count)
}
