//! The key table: it drives the page and makes the help.

use super::app::{Msg, Open};

/// A key and what it does.
pub struct Key {
    /// As the browser names it.
    pub key: &'static str,
    /// As people read it.
    pub shown: &'static str,
    /// What it does.
    pub says: &'static str,
    /// The message it sends.
    pub msg: fn() -> Msg,
}

/// All keys.
pub const KEYS: [Key; 24] = [
    Key { key: "ArrowRight", shown: "→", says: "Step", msg: || Msg::Step },
    Key { key: "e", shown: "E", says: "Executor step: one task of the next step", msg: || Msg::StepTask },
    Key { key: "ArrowLeft", shown: "←", says: "Step back", msg: || Msg::StepBack },
    Key { key: " ", shown: "Space", says: "Play or pause", msg: || Msg::PlayPause },
    Key { key: "Home", shown: "Home", says: "Reset: back to the start", msg: || Msg::Reset },
    Key { key: "n", shown: "N", says: "Another seed", msg: || Msg::AnotherSeed },
    Key { key: "s", shown: "S", says: "Share", msg: || Msg::Share },
    Key { key: "w", shown: "W", says: "Why: the rule behind the sentence", msg: || Msg::ToggleRule },
    Key { key: "l", shown: "L", says: "Legend: what each mark means", msg: || Msg::Toggle(Open::Legend) },
    Key {
        key: "v",
        shown: "V",
        says: "View: panels, their sizes, and which messages are drawn",
        msg: || Msg::Toggle(Open::View),
    },
    Key { key: "u", shown: "U", says: "Undo what was done last", msg: || Msg::Undo },
    Key { key: "r", shown: "R", says: "Redo: do again what was undone", msg: || Msg::Redo },
    Key {
        key: "g",
        shown: "G",
        says: "Go to the next or last event of a kind, or run until something is so",
        msg: || Msg::Toggle(Open::Go),
    },
    Key { key: "b", shown: "B", says: "Branches: the futures of this run", msg: || Msg::Toggle(Open::Branches) },
    Key { key: "x", shown: "X", says: "Faults: partitions, links, timers, plans", msg: || Msg::Toggle(Open::Faults) },
    Key { key: "p", shown: "P", says: "Part the cluster: choose groups on the stage", msg: || Msg::Parting },
    Key { key: "c", shown: "C", says: "Clients of the cluster", msg: || Msg::Toggle(Open::Clients) },
    Key {
        key: "k",
        shown: "K",
        says: "The other protocol, under the same seed and faults",
        msg: || Msg::OtherProtocol,
    },
    Key {
        key: "d",
        shown: "D",
        says: "Side by side: the other protocol at the same time",
        msg: || Msg::CompareProtocols,
    },
    Key { key: "PageDown", shown: "Page ↓", says: "Next chapter", msg: || Msg::Chapter(false) },
    Key { key: "PageUp", shown: "Page ↑", says: "Chapter before", msg: || Msg::Chapter(true) },
    Key { key: "f", shown: "F", says: "Find: search the event list", msg: || Msg::Find },
    Key { key: "?", shown: "?", says: "Help", msg: || Msg::Toggle(Open::Help) },
    Key { key: "Escape", shown: "Esc", says: "Close what is open", msg: || Msg::Close },
];

/// The message of a key, if it has one.
pub fn message(key: &str) -> Option<Msg> {
    KEYS.iter().find(|line| line.key.eq_ignore_ascii_case(key)).map(|line| (line.msg)())
}
