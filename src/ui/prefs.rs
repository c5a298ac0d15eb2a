//! What is kept of the page itself, not of a run: colours, motion, panels and their sizes, and which messages are shown.
//!
//! Sizes go in steps, because the strict policy allows no style of its own to an element; `style.css` has a class for
//! each. What was kept is read field by field, and what makes no sense is as if it had not been.

use super::browser;
use raftwerk::view::Kinds;

/// The panels beside and below the stage.
pub const PANELS: [&str; 5] = ["Next", "Logs", "Time", "Events", "Node"];
/// Their places in [`PANELS`].
pub const NEXT: usize = 0;
/// See [`NEXT`].
pub const LOGS: usize = 1;
/// See [`NEXT`].
pub const TIME: usize = 2;
/// See [`NEXT`].
pub const EVENTS: usize = 3;
/// See [`NEXT`].
pub const NODE: usize = 4;

/// How many sizes there are.
pub const SIZES: u8 = 7;

/// The choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefs {
    /// As the system, light or dark.
    pub theme: u8,
    /// As the system, with flight, or without.
    pub motion: u8,
    /// A bit for each panel that is hidden.
    pub hidden: u8,
    /// How wide the side column is.
    pub side: u8,
    /// How high the lower panels are.
    pub below: u8,
    /// Kinds of messages that are not drawn.
    pub kinds: Kinds,
}

impl Default for Prefs {
    fn default() -> Self {
        Self { theme: 0, motion: 0, hidden: 0, side: 3, below: 1, kinds: Kinds(0) }
    }
}

impl Prefs {
    /// What was kept, or what everybody begins with.
    pub fn kept() -> Self {
        let kept = browser::stored(browser::PREFS).unwrap_or_default();
        let mut parts = kept.split(' ').map(|part| part.parse::<u8>().ok());
        let mut next =
            |below: u8, default: u8| parts.next().flatten().filter(|&value| value < below).unwrap_or(default);
        Self {
            theme: next(3, 0),
            motion: next(3, 0),
            hidden: next(16, 0),
            side: next(SIZES, 3),
            below: next(SIZES, 1),
            kinds: Kinds(next(64, 0)),
        }
    }

    /// Keeps them.
    pub fn keep(&self) {
        let Self { theme, motion, hidden, side, below, kinds } = self;
        browser::store(browser::PREFS, &format!("{theme} {motion} {hidden} {side} {below} {}", kinds.0));
    }

    /// Whether a panel is hidden.
    pub const fn hides(&self, panel: usize) -> bool {
        self.hidden >> panel & 1 == 1
    }

    /// Whether nothing may fly (case B22): as chosen, or as the system asks.
    pub fn is_still(&self) -> bool {
        match self.motion {
            1 => false,
            2 => true,
            _ => browser::matches("(prefers-reduced-motion: reduce)"),
        }
    }
}
