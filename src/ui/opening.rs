//! Opening a run: from the address, from the last visit, from a file, or a new one. Part of the second file, as reading links
//! is.
//!
//! Holds always: what cannot be opened never becomes another run, and opening something takes away no run of one's own. A run
//! that came with a link is a *guest*: it is not kept in the place of one's own until something is done in it.

use super::app::{App, Msg, Open, WORK_MS_MAX};
use super::browser;
use super::draft::Draft;
use super::go::Choice;
use super::tree::{Tree, el, say};
use raftwerk::executor::in_order;
use raftwerk::scenario::link::LinkError;
use raftwerk::scenario::{InputError, Panel, Record, Selection, Shown, from_json, link, plain};
use raftwerk::session::{Difference, Opening, Session};
use raftwerk::sim::{EventName, Plan};
use raftwerk::view::say;

/// The longest error that is shown, in characters.
const SAYS_SHOWN: usize = 600;
/// The most steps that are taken at once on the way to a chapter.
const STEPS_AT_A_CHAPTER: u64 = 200_000;
/// Steps between two looks at the clock.
const STEPS_AT_ONCE: u64 = 2_000;
/// How long a replay lasts before it says so, in milliseconds.
const QUIET_MS: f64 = 100.0;
/// How long it lasts, in milliseconds, and how many steps it has, before it asks.
const ASK_MS: f64 = 2_000.0;
const ASK_STEPS: u64 = 2_000_000;

/// Where a run comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The address.
    Address,
    /// The last visit.
    Kept,
    /// A file, a drop or a paste.
    File,
}

/// A run that is being replayed.
pub struct Pending {
    opening: Opening,
    source: Source,
    began_ms: f64,
    /// Whether somebody is asked, and whether somebody was.
    is_asking: bool,
    was_asked: bool,
}

impl Pending {
    /// Whether it goes on by itself.
    pub const fn goes_on(&self) -> bool {
        !self.is_asking
    }
}

impl App {
    /// Opens what the address asks for, or else what was there at the last visit.
    pub(super) fn open_asked(&mut self) {
        self.is_own_kept = matches!(browser::stored(browser::RUN).as_deref().map(link::decode), Some(Ok(Some(_))));
        match link::decode(&browser::fragment()) {
            Ok(Some(record)) => self.open_record(record, Source::Address),
            Ok(None) => self.open_kept(),
            Err(error) => self.refuse(error),
        }
    }

    /// Goes back to one's own run: of this visit, of the last, or a new one.
    fn show_own(&mut self) {
        match self.own.take() {
            Some(own) => {
                self.session = Some(*own);
                self.is_guest = false;
            }
            None => self.open_kept(),
        }
    }

    /// Opens what was there at the last visit, or else what a newcomer sees.
    fn open_kept(&mut self) {
        let kept = browser::stored(browser::RUN).unwrap_or_default();
        match link::decode(&kept) {
            Ok(Some(record)) => {
                self.kept = kept;
                self.open_record(record, Source::Kept);
            }
            Ok(None) => self.show_newcomer(),
            Err(_) => self.lose_kept(),
        }
    }

    /// Shows a newcomer's run, as a guest beside what is kept.
    fn show_newcomer(&mut self) {
        self.session = Some(Session::newcomer());
        self.is_guest = browser::stored(browser::RUN).is_some_and(|kept| !kept.is_empty());
    }

    fn lose_kept(&mut self) {
        self.show_newcomer();
        self.is_own_kept = false;
        self.notice =
            "The run of your last visit was made by another version of this page and cannot be opened by this one. This is a new one."
                .into();
    }

    /// Nothing is shown but what is wrong.
    fn refuse(&mut self, error: LinkError) {
        self.lay_aside();
        self.bad_link = Some(error);
        // A figure in another page takes no focus.
        self.focus = (!self.is_embedded).then_some(".bad-link h2");
    }

    /// Opens text that somebody gave the page: a scenario file, a link, or a bare fragment.
    pub(super) fn open_text(&mut self, text: &str) {
        let text = text.trim();
        let record = if text.starts_with('{') {
            from_json(text).map_err(LinkError::Invalid)
        } else {
            link::decode(link::fragment_of(text)).and_then(|record| record.ok_or(LinkError::Damaged))
        };
        match record {
            Ok(record) => self.open_record(record, Source::File),
            Err(LinkError::Invalid(error)) => self.fail(Source::File, error),
            Err(error) => self.notice = format!("That cannot be opened: {error}. Nothing has changed."),
        }
    }

    fn open_record(&mut self, record: Record, source: Source) {
        self.pause();
        self.glide = None;
        match Opening::new(record) {
            Ok(opening) => {
                let (_, all) = opening.progress();
                let is_asking = all > ASK_STEPS;
                let began_ms = browser::now_ms();
                self.pending = Some(Pending { opening, source, began_ms, is_asking, was_asked: false });
                self.playback.start();
                self.open_on();
            }
            Err(error) => self.fail(source, error),
        }
    }

    /// Replays on for a while.
    pub(super) fn open_on(&mut self) {
        let Some(pending) = &mut self.pending else { return };
        if pending.is_asking {
            return;
        }
        let started_ms = browser::now_ms();
        loop {
            match pending.opening.go_on(STEPS_AT_ONCE) {
                Ok(true) => break,
                Ok(false) => {}
                Err(error) => {
                    let source = pending.source;
                    self.pending = None;
                    self.fail(source, error);
                    return;
                }
            }
            let now_ms = browser::now_ms();
            if !pending.was_asked && now_ms - pending.began_ms > ASK_MS {
                pending.is_asking = true;
                self.focus = (!self.is_embedded).then_some(".progress button");
                return;
            }
            if now_ms - started_ms > WORK_MS_MAX {
                return;
            }
        }
        let Some(pending) = self.pending.take() else { return };
        match pending.opening.finish() {
            Ok(session) => self.show(session, pending.source),
            Err(error) => self.fail(pending.source, error),
        }
    }

    /// Somebody was asked whether to go on.
    pub(super) fn answer_opening(&mut self, goes_on: bool) {
        if let Some(pending) = self.pending.as_mut().filter(|_| goes_on) {
            pending.is_asking = false;
            pending.was_asked = true;
            return;
        }
        let Some(pending) = self.pending.take() else { return };
        if pending.source == Source::Address {
            browser::show_fragment("");
        }
        let says = "Not opened. Nothing has changed.";
        if self.session.is_none() && self.bad_link.is_none() {
            if pending.source == Source::Kept { self.show_newcomer() } else { self.show_own() }
        }
        self.notice = says.into();
        self.changed();
    }

    fn fail(&mut self, source: Source, error: InputError) {
        match source {
            Source::Address => self.refuse(LinkError::Invalid(error)),
            Source::Kept => self.lose_kept(),
            Source::File => {
                let says = plain(&error.to_string(), SAYS_SHOWN);
                // Nothing else may be there yet: what was being opened until now was set aside for this.
                if self.session.is_none() && self.bad_link.is_none() {
                    self.show_own();
                }
                self.notice = format!("That cannot be opened: {says}. Nothing has changed.");
            }
        }
        self.changed();
    }

    /// Shows a run that was opened, at its moment and as it is to be looked at.
    fn show(&mut self, session: Session, source: Source) {
        let shown = session.settings().shown;
        match source {
            Source::File => self.begin(session),
            Source::Address | Source::Kept => {
                self.lay_aside();
                self.session = Some(session);
                self.is_guest = source == Source::Address;
                self.changed();
            }
        }
        if source != Source::Kept {
            self.look_at(shown);
        }
    }

    /// Selects what is to be looked at, and opens its panel.
    pub(super) fn look_at(&mut self, shown: Shown) {
        self.choose_nothing();
        match shown.selection {
            None => {}
            Some(Selection::Node(id)) => self.selected = Some(id),
            Some(Selection::Message((from, to, number, is_copy))) => {
                let name = EventName::Delivery { from, to, number, is_copy };
                self.message = self.session.as_ref().map(|session| (name, super::later::message(session, name)));
            }
            Some(Selection::Link(from, to)) => {
                self.chosen_link = Some((from, to));
                self.fill_link(from, to);
            }
        }
        if shown.selection.is_some() {
            self.tab = super::prefs::NODE;
        }
        let (tab, open) = match shown.panel {
            None => (None, Open::Nothing),
            Some(Panel::Next) => (Some(super::prefs::NEXT), Open::Nothing),
            Some(Panel::Logs) => (Some(super::prefs::LOGS), Open::Nothing),
            Some(Panel::Time) => (Some(super::prefs::TIME), Open::Nothing),
            Some(Panel::Events) => (Some(super::prefs::EVENTS), Open::Nothing),
            Some(Panel::Node) => (Some(super::prefs::NODE), Open::Nothing),
            Some(Panel::Faults) => (None, Open::Faults),
            Some(Panel::Clients) => (None, Open::Clients),
            Some(Panel::Branches) => (None, Open::Branches),
            Some(Panel::Go) => (None, Open::Go),
            Some(Panel::Safety) => (None, Open::Safety),
        };
        if let Some(tab) = tab {
            self.prefs.hidden &= !(1 << tab);
            self.tab = tab;
        }
        if open != Open::Nothing && !self.is_embedded {
            self.open = open;
        }
        self.is_measured = false;
        self.look_anew();
    }

    /// How the moment is looked at now.
    pub(super) fn shown(&self) -> Shown {
        let message = self.message.as_ref().and_then(|(name, _)| match *name {
            EventName::Delivery { from, to, number, is_copy } => Some(Selection::Message((from, to, number, is_copy))),
            _ => None,
        });
        let link = self.chosen_link.map(|(from, to)| Selection::Link(from, to));
        let tab = [Panel::Next, Panel::Logs, Panel::Time, Panel::Events, Panel::Node];
        let panel = match self.open {
            Open::Faults => Some(Panel::Faults),
            Open::Clients => Some(Panel::Clients),
            Open::Branches => Some(Panel::Branches),
            Open::Go => Some(Panel::Go),
            Open::Safety => Some(Panel::Safety),
            _ => tab.get(self.tab).copied().filter(|_| self.is_narrow),
        };
        Shown { selection: self.selected.map(Selection::Node).or(message).or(link), panel }
    }

    /// Begins another run; one that cannot begin changes nothing.
    pub(super) fn start(&mut self, record: Record) {
        match Session::open(record) {
            Ok(session) => self.begin(session),
            Err(error) => self.notice = format!("That run cannot begin: {error}. Nothing has changed."),
        }
    }

    /// Shows another run from its start; the one before can be had back by undoing.
    pub(super) fn begin(&mut self, session: Session) {
        self.pause();
        // What was still being opened is not wanted any more.
        self.pending = None;
        self.glide = None;
        self.bad_link = None;
        self.notice.clear();
        self.announced.clear();
        self.was_hidden = false;
        self.beside = None;
        self.is_parting = false;
        self.choice = Choice::default();
        // A large cluster has a larger stage on a phone.
        self.is_measured = false;
        let before = self.session.replace(session);
        self.take_the_place_of(before);
        self.renew_draft();
        if !browser::fragment().is_empty() {
            browser::show_fragment("");
        }
        self.changed();
    }

    /// What the settings form shows is of the run that is there.
    pub(super) fn renew_draft(&mut self) {
        if self.open == Open::Settings {
            self.draft = Some(Draft::of(&self.at_start()));
        }
    }

    /// The settings of the run from its start.
    pub(super) fn at_start(&self) -> Record {
        let record = self.session.as_ref().map_or_else(Record::newcomer, Session::record);
        // What was planned is planned again, done already or not.
        let done = record.commands.iter().filter(|placed| placed.is_planned);
        let again = done.map(|placed| Plan { at_us: placed.at_us, command: placed.command });
        let plans = in_order(again.chain(record.plans.iter().copied()).collect(), |plan| [plan.at_us, 0, 0]);
        Record { commands: Vec::new(), plans, chapters: Vec::new(), ..record }.rewound()
    }

    /// The chapter at or before this moment, by its place in the list.
    pub(super) fn chapter(&self) -> Option<usize> {
        let session = self.session.as_ref()?;
        let here = session.position();
        session.settings().chapters.iter().rposition(|chapter| chapter.position <= here)
    }

    /// Goes to the next chapter, or to the last one.
    pub(super) fn turn_page(&mut self, is_back: bool) {
        self.halt();
        let Some(session) = &self.session else { return };
        let chapters = &session.settings().chapters;
        let here = session.position();
        let is_inside = |place: usize| chapters.get(place).is_some_and(|chapter| chapter.position < here);
        let place = match (self.chapter(), is_back) {
            (None, true) => return,
            (None, false) => 0,
            (Some(place), false) => place + 1,
            (Some(place), true) if is_inside(place) => place,
            (Some(place), true) => place.saturating_sub(1),
        };
        let Some((position, shown)) = chapters.get(place).map(|chapter| (chapter.position, chapter.shown)) else {
            self.notice =
                if chapters.is_empty() { "This run has no chapters." } else { "That was the last chapter." }.into();
            return;
        };
        if let Some(session) = &mut self.session {
            session.seek(position.min(session.length()));
            let mut left = STEPS_AT_A_CHAPTER;
            while session.position() < position && left > 0 && session.step() {
                left -= 1;
            }
            session.look_back();
            if session.position() < position && left == 0 {
                self.notice = format!(
                    "The chapter is {} events ahead. Go on to the next chapter again.",
                    position - session.position()
                );
                self.changed();
                return;
            }
        }
        self.look_at(shown);
        self.say_step();
        self.changed();
    }
}

/// What is said of the run as a whole: that it differs from what was shared, that one's own is kept, its chapters.
pub fn banner(tree: &mut Tree, app: &App, session: &Session) {
    if let Some(difference) = session.difference() {
        let commands = session.commands();
        let name = |index: usize| {
            commands.get(index).map_or_else(
                || "the start".to_owned(),
                |placed| {
                    format!(
                        "command {} (“{}”, event {})",
                        index + 1,
                        say::command(session, &placed.command),
                        placed.step + 1
                    )
                },
            )
        };
        let start = || "the start".to_owned();
        let (from, to) = match difference {
            Difference::Command(index) => (index.checked_sub(1).map_or_else(start, name), name(index)),
            Difference::Moment => {
                (commands.len().checked_sub(1).map_or_else(start, name), "the moment that was shared".into())
            }
        };
        el!(tree, "p", "class" = "banner notice", "role" = "alert"; {
            say!(tree, "This is not the run that was shared: its replay first differs between {from} and {to}.");
        });
    }
    let chapters = &session.settings().chapters;
    if !chapters.is_empty() {
        let here = app.chapter();
        el!(tree, "section", "class" = "banner chapter", "aria-label" = "Chapter"; {
            tree.named("‹", "Chapter before", "", Msg::Chapter(true));
            say!(tree, "{} of {}", here.map_or(0, |place| place + 1), chapters.len());
            tree.named("›", "Next chapter", "", Msg::Chapter(false));
            if let Some(chapter) = here.and_then(|place| chapters.get(place)) {
                tree.leaf("p", None, &plain(&chapter.text, 600));
            }
        });
    }
    if app.has_own() {
        el!(tree, "p", "class" = "banner"; {
            tree.text("Your own run is kept. ");
            tree.button("Back to your own run", "plain", Msg::OwnRun);
        });
    }
}

/// How far a replay has come, and whether to go on.
pub fn progress(tree: &mut Tree, app: &App) {
    let Some(pending) = &app.pending else { return };
    let (done, all) = pending.opening.progress();
    if pending.is_asking {
        el!(tree, "div", "class" = "progress", "role" = "alert"; {
            el!(tree, "span"; { say!(tree, "This run has {all} events to replay, which takes a while; {done} are done.") });
            tree.button("Go on", "", Msg::AnswerOpening(true));
            tree.button("Do not open it", "", Msg::AnswerOpening(false));
        });
    } else if browser::now_ms() - pending.began_ms > QUIET_MS {
        el!(tree, "div", "class" = "progress"; {
            el!(tree, "progress", "max" = all, "value" = done, "aria-label" = "Replaying the run");
            el!(tree, "span"; { say!(tree, "{done} of {all} events") });
            tree.button("Cancel", "", Msg::AnswerOpening(false));
        });
    }
}
