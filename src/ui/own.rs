//! The visitor's own runs: the one that is worked on, those before it, and what is kept of both for the next visit.
//!
//! Holds always: a run of one's own leaves the page or the place where it is kept only for the list of earlier runs (in
//! *Branches*), which drops the oldest first, and of those the ones in which nothing was done. A *guest*, which came with a
//! link, is kept nowhere until something is done in it. Part of the second file.
//!
//! Leaves out: branches and what could be undone; only the run itself is kept.

use super::app::{App, Msg, Open};
use super::browser;
use super::tree::{Tree, el};
use raftwerk::scenario::{Record, link, plain};
use raftwerk::session::Session;
use raftwerk::text::en as text;

/// How many earlier runs are kept, and how many sessions can be gone back to.
const EARLIER_MAX: usize = 8;
const PREVIOUS_MAX: usize = 2;

/// A run that another one took the place of, in this visit.
pub struct Previous {
    session: Session,
    is_guest: bool,
}

/// The earlier runs, as fragments, the newest first.
fn earlier() -> Vec<String> {
    let kept = browser::stored(browser::EARLIER).unwrap_or_default();
    kept.lines().map(str::to_owned).collect()
}

fn read(fragment: &str) -> Option<Record> {
    link::decode(fragment).ok().flatten()
}

/// Whether a run is what a newcomer sees, under any seed, before its first step.
fn is_blank(fragment: &str) -> bool {
    read(fragment).is_some_and(|it| {
        let blank = Record { seed: it.seed, ..Record::newcomer() };
        it.position == 0 && it.rewound() == blank
    })
}

/// Puts a run among the earlier ones.
fn set_aside(fragment: String) {
    if is_blank(&fragment) {
        return;
    }
    let mut all = earlier();
    all.retain(|other| *other != fragment);
    all.insert(0, fragment);
    while all.len() > EARLIER_MAX {
        let is_untouched = |it: &String| read(it).is_some_and(|it| it.commands.is_empty() && it.plans.is_empty());
        let place = all[1..].iter().rposition(is_untouched).map_or(all.len() - 1, |place| place + 1);
        all.remove(place);
    }
    // What does not fit makes room from its end.
    while !browser::store(browser::EARLIER, &all.join("\n")) && all.pop().is_some() {}
}

impl App {
    /// Keeps the run for the next visit, and for whoever shows it after a trap.
    pub(super) fn keep(&mut self) {
        let Some(session) = &self.session else { return };
        let fragment = link::encode(&session.record());
        browser::hand_over(&fragment);
        if self.is_embedded {
            self.full = format!("{}#{fragment}", browser::page());
        }
        if self.is_guest && session.to_undo().is_some() {
            // It is one's own from now on; undoing all of it goes back to what was.
            self.is_guest = false;
            self.kept.clear();
            if let Some(own) = self.own.take() {
                self.remember(Previous { session: *own, is_guest: false });
            }
        }
        if !self.is_guest && self.bad_link.is_none() {
            let there = browser::stored(browser::RUN).unwrap_or_default();
            if !there.is_empty() && there != self.kept && there != fragment {
                set_aside(there);
            }
            browser::store(browser::RUN, &fragment);
            self.kept = fragment;
        }
    }

    fn remember(&mut self, previous: Previous) {
        self.previous.push(previous);
        if self.previous.len() > PREVIOUS_MAX {
            self.previous.remove(0);
        }
    }

    /// What is kept is of another run than the one that is worked on from now on. `before` was worked on until now.
    pub(super) fn take_the_place_of(&mut self, before: Option<Session>) {
        let is_guest = self.is_guest;
        if let Some(own) = self.own.take() {
            self.remember(Previous { session: *own, is_guest: false });
        }
        if let Some(session) = before {
            self.remember(Previous { session, is_guest });
        }
        self.is_guest = false;
        self.kept.clear();
    }

    /// Whether there is a run of this visit to go back to by undoing.
    pub(super) fn has_previous(&self) -> bool {
        !self.is_guest && !self.previous.is_empty()
    }

    /// Goes back to the run before this one. False if there is none.
    pub(super) fn go_back(&mut self) -> bool {
        if self.is_guest {
            return false;
        }
        let Some(previous) = self.previous.pop() else { return false };
        let left = self.session.replace(previous.session);
        self.is_guest = previous.is_guest;
        if self.is_guest {
            self.own = left.map(Box::new);
        } else {
            self.kept.clear();
        }
        self.renew_draft();
        true
    }

    /// Sets one's own run aside while another is looked at.
    pub(super) fn lay_aside(&mut self) {
        if let Some(session) = self.session.take()
            && !self.is_guest
        {
            self.own = Some(Box::new(session));
        }
    }

    /// Whether there is a run of one's own beside the one that is looked at.
    pub(super) const fn has_own(&self) -> bool {
        (self.is_guest || self.session.is_none()) && (self.own.is_some() || self.is_own_kept)
    }

    /// Looks up the earlier runs.
    pub(super) fn look_up_earlier(&mut self) {
        let says = |fragment: String| {
            let record = read(&fragment)?;
            let title = plain(&record.title, 60);
            let title = if title.is_empty() { "Without a title".to_owned() } else { title };
            let protocol = text::words(record.protocol.family()).protocol;
            let done = match record.commands.len() {
                0 => String::new(),
                done => format!(", {done} done by hand"),
            };
            Some(format!("{title}: {protocol}, event {}{done}", record.position))
        };
        let all = earlier().into_iter().enumerate().filter(|(_, fragment)| *fragment != self.kept);
        self.earlier = all.filter_map(|(place, fragment)| Some((place, says(fragment)?))).collect();
    }

    /// Opens an earlier run.
    pub(super) fn open_earlier(&mut self, place: usize) {
        if let Some(fragment) = earlier().get(place) {
            self.show_overlay(Open::Nothing);
            self.open_text(fragment);
        }
    }
}

/// The list of earlier runs.
pub fn list(tree: &mut Tree, app: &App) {
    if app.earlier.is_empty() {
        return;
    }
    tree.leaf("h2", None, "Earlier runs");
    tree.leaf("p", Some("unit"), "Kept in this browser. The one that is shown now joins them.");
    el!(tree, "ol", "class" = "earlier"; {
        for (place, says) in &app.earlier {
            let place = *place;
            el!(tree, "li"; {
                el!(tree, "button", "type" = "button", "class" = "plain"; {
                    tree.click(Msg::Earlier(place));
                    tree.text(says);
                });
            });
        }
    });
}
