//! Opening a run: from the address, from the last visit, or a new one. Part of the second file, as reading links is.
//!
//! Holds always: a link that cannot be opened never becomes another run, and takes none away from the last visit.

use super::app::{App, Open};
use super::browser;
use super::draft::Draft;
use super::go::Choice;
use raftwerk::executor::in_order;
use raftwerk::scenario::{Record, Shown, link};
use raftwerk::session::Session;
use raftwerk::sim::Plan;

impl App {
    /// Opens what the address asks for, or else what was there at the last visit.
    pub(super) fn open_asked(&mut self) {
        match link::decode(&browser::fragment()) {
            Ok(Some(record)) => self.show(record),
            Ok(None) => {
                let kept = browser::stored(browser::RUN);
                let record = kept.as_deref().and_then(|text| link::decode(text).ok().flatten());
                let session = record.and_then(|record| Session::open(record).ok());
                if session.is_none() && kept.is_some() {
                    self.notice =
                        "The run of your last visit was made by another version of this page and cannot be opened by this one. This is a new one."
                            .into();
                }
                self.session = Some(session.unwrap_or_else(Session::newcomer));
            }
            Err(error) => {
                self.session = None;
                self.bad_link = Some(error);
            }
        }
    }

    pub(super) fn show(&mut self, record: Record) {
        match Session::open(record) {
            Ok(session) => self.session = Some(session),
            Err(error) => {
                self.session = None;
                self.bad_link = Some(link::LinkError::Invalid(error));
            }
        }
    }

    /// Keeps the run for the next visit, and for whoever shows it after a trap.
    pub(super) fn keep(&self) {
        if let Some(session) = &self.session {
            let fragment = link::encode(&session.record());
            browser::hand_over(&fragment);
            if self.bad_link.is_none() {
                browser::store(browser::RUN, &fragment);
            }
        }
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
        self.previous = self.session.replace(session).map(Box::new).or_else(|| self.previous.take());
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
        Record {
            commands: Vec::new(),
            plans,
            chapters: Vec::new(),
            position: 0,
            tasks: 0,
            playhead_us: 0,
            shown: Shown::default(),
            digest: None,
            ..record
        }
    }
}
