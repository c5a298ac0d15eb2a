//! A run as text for elsewhere: lists of events, and sequence diagrams in Mermaid's language.
//!
//! Holds always: what comes from outside (names) is escaped for where it goes.

use super::say;
use crate::explain::explain;
use crate::raft::{Any, Protocol, ReplicaId};
use crate::session::Session;
use crate::sim::{Command, Fate, TraceEvent, What, client_number};
use crate::text::en as text;
use std::fmt::Write;

/// One step, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The position after it.
    pub step: u64,
    /// When it was, in global microseconds.
    pub at_us: u64,
    /// What happened and why.
    pub text: String,
    /// Where to read more; may be empty.
    pub reference: &'static str,
}

/// The steps from one position to another (by the position after each), as far as the run is known.
#[must_use]
pub fn lines(session: &Session, first: u64, last: u64) -> Vec<Line> {
    let mut all = Vec::new();
    session.visit(first, last, &mut |step, trace| {
        let sentence = say::sentence(session, &explain(trace, false));
        let at_us = trace.first().map_or(0, |event| event.at_us);
        all.push(Line { step, at_us, text: sentence.text, reference: sentence.reference });
    });
    all
}

/// Lines as plain text: time, position, sentence.
#[must_use]
pub fn as_text(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        let reference = if line.reference.is_empty() { String::new() } else { format!(" ({})", line.reference) };
        let _ = writeln!(out, "{}  {}  {}{reference}", text::time(line.at_us), line.step, line.text);
    }
    out
}

/// Lines as JSON, one object a line; 64-bit numbers are text.
#[must_use]
pub fn as_json_lines(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        let object = serde_json::json!({
            "step": line.step.to_string(), "at_us": line.at_us.to_string(), "text": line.text, "reference": line.reference,
        });
        let _ = writeln!(out, "{object}");
    }
    out
}

/// Text inside a Mermaid diagram: what could mean something there is written by its number.
fn mermaid_text(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        let is_plain = letter.is_alphanumeric() || matches!(letter, ' ' | '.' | ',' | '’' | '…' | '→' | '/' | '§');
        if is_plain {
            out.push(letter);
        } else {
            let _ = write!(out, "#{};", u32::from(letter));
        }
    }
    // A word that ends a block there.
    if out.split(|letter: char| !letter.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("end")) {
        out = out.replace("end", "#101;nd").replace("End", "#69;nd").replace("END", "#69;ND");
    }
    out
}

fn participant(id: ReplicaId) -> String {
    client_number(id).map_or_else(|| format!("n{}", id.0 + 1), |client| format!("c{}", client + 1))
}

/// The steps from one position to another as a sequence diagram: messages when they arrive, those that are lost when they are
/// sent, roles and what was done as notes.
#[must_use]
pub fn mermaid(session: &Session, first: u64, last: u64) -> String {
    let mut body = String::new();
    let mut callers: Vec<ReplicaId> = Vec::new();
    let (one, other) = (ReplicaId(0), ReplicaId(session.sim().replicas() - 1));
    let all = if one == other { participant(one) } else { format!("{},{}", participant(one), participant(other)) };
    let mut arrow = |body: &mut String, from: ReplicaId, to: ReplicaId, sign: &str, label: &str| {
        callers.extend([from, to].into_iter().filter(|&id| client_number(id).is_some()));
        let _ = writeln!(body, "  {}{sign}{}: {}", participant(from), participant(to), mermaid_text(label));
    };
    session.visit(first, last, &mut |_, trace| {
        for event in trace {
            let me = event.replica;
            match event.what {
                What::Delivered { from, face, is_wasted, .. } => {
                    arrow(&mut body, from, me, if is_wasted { "-x" } else { "->>" }, &text::message(&face));
                }
                What::Sent { to, face, fate: Fate::Lost | Fate::Cut, .. } => {
                    arrow(&mut body, me, to, "-x", &text::message(&face));
                }
                What::Command(command) => {
                    let over = if is_of_all(&command) { all.clone() } else { participant(command.place()) };
                    let _ = writeln!(body, "  Note over {over}: {}", mermaid_text(&say::command(session, &command)));
                }
                What::Note(note) => {
                    if let Some(change) = Any::role_change(&note) {
                        let role = text::became(say::words(session), change.to, change.epoch);
                        let _ = writeln!(body, "  Note over {}: {}", participant(me), mermaid_text(&role));
                    }
                }
                _ => {}
            }
        }
    });
    callers.sort_unstable_by_key(|id| id.0);
    callers.dedup();
    let mut out = String::from("sequenceDiagram\n");
    for id in session.sim().ids().chain(callers) {
        let _ = writeln!(out, "  participant {} as {}", participant(id), mermaid_text(&say::node(session, id)));
    }
    out + &body
}

/// Whether a command is about the whole cluster.
const fn is_of_all(command: &Command) -> bool {
    matches!(
        command,
        Command::Heal
            | Command::Partition { .. }
            | Command::SpaceTimers { .. }
            | Command::SetLink { link: None, .. }
            | Command::AddClient { .. }
    )
}

/// What set a step off, as one word for programs.
#[must_use]
pub fn kind(trace: &[TraceEvent<Any>]) -> &'static str {
    use crate::explain::Trigger;
    match explain(trace, false).trigger {
        Trigger::Began => "began",
        Trigger::Command(_) => "command",
        Trigger::Delivery { .. } => "delivery",
        Trigger::Timer { .. } => "timer",
        Trigger::Task { .. } => "task",
        Trigger::Client { .. } => "client",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b09_text_in_a_diagram_is_only_text() {
        assert_eq!(mermaid_text("<b>a;b#c"), "#60;b#62;a#59;b#35;c");
        assert_eq!(mermaid_text("the end: %%x"), "the #101;nd#58; #37;#37;x");
        assert_eq!(mermaid_text("节点 ①"), "节点 ①");
    }
}
