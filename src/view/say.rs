//! What is said of a run: in the words of its protocol, and with the names of its nodes.

use crate::explain::{Explanation, Question, ask, explain};
use crate::raft::ReplicaId;
use crate::session::Session;
use crate::sim::{Command, TraceEvent};
use crate::text::en::{self as text, Sentence, Words};

/// The words of a run's protocol.
#[must_use]
pub fn words(session: &Session) -> &'static Words {
    text::words_of(session.sim())
}

/// A text about a run, with the names of its nodes in the place of their numbers.
#[must_use]
pub fn named(session: &Session, text: String) -> String {
    let names = session.names();
    if names.is_empty() { text } else { text::named(&text, names) }
}

/// A node, as a heading has it: `Node 3`, or its name.
#[must_use]
pub fn node(session: &Session, id: ReplicaId) -> String {
    named(session, text::capital(&text::who(id)))
}

/// A node where there is little room: its number, or its name.
#[must_use]
pub fn short(session: &Session, id: ReplicaId) -> String {
    session.names().get(id.index()).filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| text::mark(id))
}

/// The one or two sentences of a step that has been explained.
#[must_use]
pub fn sentence(session: &Session, explanation: &Explanation) -> Sentence {
    let Sentence { text, reference } = text::step(words(session), explanation);
    Sentence { text: named(session, text), reference }
}

/// The one or two sentences of a step's trace.
#[must_use]
pub fn step(session: &Session, trace: &[TraceEvent<crate::raft::Any>], is_open: bool) -> String {
    sentence(session, &explain(trace, is_open)).text
}

/// What was done by hand.
#[must_use]
pub fn command(session: &Session, done: &Command) -> String {
    named(session, text::command(done))
}

/// The answer to a question about this moment.
#[must_use]
pub fn answer(session: &Session, question: Question) -> Sentence {
    let steps = session.recent().rev().map(|(_, trace)| trace);
    let Sentence { text, reference } = text::because(words(session), question, &ask(session.sim(), steps, question));
    Sentence { text: named(session, text), reference }
}
