//! What is done to a run by hand, beyond moving in it: commands and plans, branches, searches, groups.
//!
//! Each of these ends in one call of the session; what it refuses is said, and nothing has changed.

use super::app::{App, Msg, Open, WORK_MS_MAX, end_notice};
use super::faults::numbers;
use super::go::Choice;
use super::typed::{AGAIN, APART, AT, CLIENT, CLOCK, DELAY, EVERY, LINK, OFFSET, PUSH, Typed};
use super::{browser, prefs};
use raftwerk::raft::{Family, ReplicaId};
use raftwerk::scenario::{InputError, Record};
use raftwerk::session::{Search, Session, Until};
use raftwerk::sim::{ClientOptions, Command, EventName, Groups, LinkConditions, Plan, client_id, client_number};
use raftwerk::text::en as text;
use raftwerk::view::say;

/// Steps between two looks at the clock while searching.
const STEPS_AT_ONCE: u32 = 500;
/// The most steps of a search.
const STEPS_MAX: u32 = 200_000;
/// How long a search lasts before it says so, in milliseconds.
const QUIET_MS: f64 = 100.0;

/// Going on until something is so.
pub struct Searching {
    until: Until,
    done: u32,
    began_ms: f64,
}

impl App {
    /// What is typed into small fields.
    pub const fn typed(&self) -> &Typed {
        &self.typed
    }

    /// What is chosen in the form of a search.
    pub const fn choice(&self) -> Choice {
        self.choice
    }

    /// The branch that is laid beside this one.
    pub fn beside(&self) -> Option<&Session> {
        self.beside.as_deref()
    }

    /// How far nodes were moved.
    pub fn moved(&self) -> &[(f64, f64)] {
        &self.moved
    }

    /// Whether groups are being chosen on the stage.
    pub const fn is_parting(&self) -> bool {
        self.is_parting
    }

    /// The rectangle that is being drawn across the stage, in its units: its corner, width and height.
    pub fn lasso(&self) -> Option<[f64; 4]> {
        let [x1, y1, x2, y2] = self.lasso?;
        let [left, top, width, _] = browser::place_of(".stage svg")?;
        let scale = self.extent().width / width;
        let at = |x: i32, from: f64| (f64::from(x) - from) * scale;
        let (x1, y1, x2, y2) = (at(x1, left), at(y1, top), at(x2, left), at(y2, top));
        Some([x1.min(x2), y1.min(y2), (x1 - x2).abs(), (y1 - y2).abs()])
    }

    /// How far a search has come of how far it goes, once it lasts.
    pub fn progress(&self) -> Option<(u32, u32)> {
        let search = self.search.as_ref()?;
        (browser::now_ms() - search.began_ms > QUIET_MS).then_some((search.done, STEPS_MAX))
    }

    /// How many properties are broken.
    pub fn violations(&self) -> usize {
        self.session.as_ref().map_or(0, |session| session.sim().violations().len())
    }

    /// Says which property was broken, and shows the lights.
    pub fn tell_broken(&mut self) {
        let Some(session) = &self.session else { return };
        if let Some(broken) = session.sim().violations().last().copied() {
            self.notice = say::named(session, text::violation(say::words(session), &broken));
            self.show_overlay(Open::Safety);
        }
    }

    /// Takes the branch that is laid beside to the time that is looked at.
    pub fn follow(&mut self) {
        self.is_behind = false;
        if let (Some(session), Some(other)) = (&self.session, &mut self.beside) {
            let at_us = session.playhead_us();
            other.seek_time(at_us);
            // What is not known of it yet is run, so far as that is quickly done; the rest with the next beats.
            let began_ms = browser::now_ms();
            while other.next_due_us() <= at_us && other.step() {
                if other.position().is_multiple_of(64) && browser::now_ms() - began_ms > WORK_MS_MAX {
                    self.is_behind = other.next_due_us() <= at_us;
                    break;
                }
            }
            other.set_playhead(at_us);
        }
    }

    /// Whether the run that is laid beside has not come as far as this one.
    pub const fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Fills the fields of a link with what it is like.
    pub fn fill_link(&mut self, from: ReplicaId, to: ReplicaId) {
        if let Some(session) = self.session.as_ref().filter(|session| session.sim().has_link(from, to)) {
            self.typed.fill(LINK, &numbers(session.sim().link(from, to)));
        }
    }

    fn say_wrong(&mut self, error: &InputError) {
        self.notice = format!("{}: {}. Nothing has changed.", error.path, error.says);
    }

    /// Does something here, or plans it where a time is typed.
    pub fn act(&mut self, command: Command) {
        self.notice.clear();
        self.glide = None;
        let can_wait = !command.names_an_event();
        let at_us = match self.typed.at_us() {
            Ok(at_us) => at_us.filter(|_| can_wait),
            Err(error) => {
                self.say_wrong(&error);
                return;
            }
        };
        let Some(session) = &mut self.session else { return };
        let broken = session.sim().violations().len();
        let done = match at_us {
            None => session.act(command),
            Some(at_us) => session.plan(Plan { at_us, command }),
        };
        match (done, at_us) {
            (Ok(()), None) => {
                let is_broken = session.sim().violations().len() > broken;
                self.say_step();
                if is_broken {
                    self.tell_broken();
                }
            }
            (Ok(()), Some(at_us)) => {
                self.notice = format!("Planned for {}.", text::time(at_us));
                self.typed.put(AT, String::new());
            }
            (Err(error), _) => self.notice = format!("That cannot be done here: {error}."),
        }
        self.renew_comparison();
        self.changed();
    }

    /// Does something that needs a number from a field.
    fn act_with(&mut self, field: usize, command: impl FnOnce(u32) -> Command) {
        match self.typed.number(field) {
            Ok(number) => self.act(command(number)),
            Err(error) => self.say_wrong(&error),
        }
    }

    /// The messages of this file.
    pub fn do_more(&mut self, msg: Msg) -> bool {
        match msg {
            Msg::PushBack(event) => self.act_with(PUSH, |by_us| Command::PushBack { event, by_us }),
            Msg::Delay((from, to, number, is_copy)) => {
                self.act_with(DELAY, |by_us| Command::Delay { from, to, number, is_copy, by_us });
            }
            Msg::Again(from, to, number) => {
                self.act_with(AGAIN, |after_us| Command::Duplicate { from, to, number, after_us });
            }
            Msg::SetClock(replica) => self.act_with(CLOCK, |rate_ppm| Command::SetClock { replica, rate_ppm }),
            Msg::Spread => self.act_with(APART, |apart_us| Command::SpaceTimers { apart_us }),
            Msg::Steadily(client) => self.act_with(EVERY, |every_us| Command::SetRate { client, every_us }),
            Msg::Type(field, text) => self.typed.put(field, text),
            Msg::CutBoth(from, to, is_cut) => {
                self.act_all([(from, to), (to, from)].map(|(from, to)| Command::SetCut { from, to, is_cut }));
            }
            Msg::SetLinks(links) => self.set_links(&links),
            Msg::AddClient => self.add_client(),
            Msg::Parting => {
                self.is_parting = !self.is_parting;
                self.notice.clear();
                if self.is_parting {
                    self.show_overlay(Open::Nothing);
                }
            }
            Msg::NextGroup(id) => self.move_to_next_group(id),
            Msg::Unplan(plan) => {
                if let Some(session) = &mut self.session {
                    session.unplan(plan);
                }
                self.renew_comparison();
                self.changed();
            }
            Msg::Undo | Msg::Redo => self.undo(matches!(msg, Msg::Undo)),
            Msg::Earlier(place) => self.open_earlier(place),
            Msg::Switch(id) => {
                self.halt();
                self.beside = None;
                if let Some(session) = &mut self.session {
                    session.switch(id);
                }
                self.say_step();
                self.changed();
            }
            Msg::NameBranch(id, name) => {
                if let Some(session) = &mut self.session {
                    session.name(id, &name);
                }
            }
            Msg::RemoveBranch(id) => {
                if self.has_branch_beside(id) {
                    self.compare(None);
                }
                if let Some(session) = &mut self.session {
                    session.remove(id);
                }
            }
            Msg::Compare(id) => self.compare(id),
            Msg::Choose(which, value) => {
                let slot = match which {
                    0 => &mut self.choice.node,
                    1 => &mut self.choice.role,
                    _ => &mut self.choice.kind,
                };
                *slot = value;
            }
            Msg::Until(until) => self.begin_search(until),
            Msg::UntilCommitted => match self.typed.number(OFFSET) {
                Ok(number) => {
                    let words = self.session.as_ref().map(say::words);
                    let offset = u64::from(number).checked_sub(words.map_or(0, |words| words.first));
                    match offset {
                        Some(offset) => self.begin_search(Until::Committed { offset }),
                        None => self.notice = "The first index is 1. Nothing has changed.".into(),
                    }
                }
                Err(error) => self.say_wrong(&error),
            },
            Msg::CancelSearch => {
                let at = self.session.as_ref().map_or(0, Session::position);
                self.pause();
                self.notice = format!("Stopped at event {at}; the run is kept as far as it came.");
                self.say_step();
                self.changed();
            }
            _ => {}
        }
        true
    }

    /// Does several commands, all now or all at the time that is typed.
    fn act_all(&mut self, commands: impl IntoIterator<Item = Command>) {
        let at = self.typed.text(AT).to_owned();
        for command in commands {
            self.typed.put(AT, at.clone());
            self.act(command);
        }
    }

    fn set_links(&mut self, links: &[Option<(ReplicaId, ReplicaId)>]) {
        let number = |field: usize| self.typed.number(LINK + field);
        let all = (|| {
            Ok(LinkConditions {
                latency_min_us: number(0)?,
                latency_max_us: number(1)?,
                loss_ppm: number(2)?,
                duplicate_ppm: number(3)?,
                reorder_ppm: number(4)?,
            })
        })();
        match all {
            Ok(conditions) => {
                self.act_all(links.iter().map(|&link| Command::SetLink { link, conditions }));
            }
            Err(error) => self.say_wrong(&error),
        }
    }

    fn add_client(&mut self) {
        let number = |field: usize| self.typed.number(CLIENT + field);
        let all = (|| {
            let attempts = u8::try_from(number(2)?).unwrap_or(u8::MAX);
            Ok(ClientOptions { timeout_ms: number(0)?, backoff_ms: number(1)?, attempts })
        })();
        match all {
            Ok(options) => {
                self.act(Command::AddClient { options });
                let clients = self.session.as_ref().map_or(0, |session| session.sim().clients().len());
                if let (Some(last), true) = (clients.checked_sub(1), self.notice.is_empty()) {
                    self.choose_nothing();
                    self.selected = Some(client_id(u8::try_from(last).unwrap_or(0)));
                    self.tab = prefs::NODE;
                    self.show_overlay(Open::Nothing);
                }
            }
            Err(error) => self.say_wrong(&error),
        }
    }

    fn undo(&mut self, is_back: bool) {
        self.halt();
        let Some(session) = &mut self.session else { return };
        let has = if is_back { session.undo() } else { session.redo() };
        if !has && is_back && self.go_back() {
            self.notice = "Back to the run before this one.".into();
        } else if !has {
            self.notice = if is_back { "There is nothing to undo." } else { "There is nothing to do again." }.into();
        }
        self.beside = None;
        self.say_step();
        self.changed();
    }

    fn compare(&mut self, id: Option<u32>) {
        self.beside = match (&self.session, id) {
            (Some(session), Some(id)) => session.beside(id).map(Box::new),
            _ => None,
        };
        self.is_measured = false;
        self.follow();
        self.look_anew();
    }

    /// The same seed and faults under a protocol; the run before can be had back by undoing.
    pub(super) fn change_protocol(&mut self, family: Family) {
        let Some(session) = &self.session else { return };
        let done = session.record();
        if done.protocol.family() == family {
            return;
        }
        let own = self.remembered.replace(done.protocol.clone());
        let plain = done.under(family);
        let lost = done.commands.len() + done.plans.len() - plain.plans.len();
        // Back to a protocol whose settings were chosen: those, if they still fit.
        let own = own.filter(|own| own.family() == family).map(|protocol| Record { protocol, ..plain.clone() });
        let opened = own.and_then(|record| Session::open(record).ok()).map_or_else(|| Session::open(plain), Ok);
        match opened {
            Ok(session) => self.begin(session),
            Err(error) => {
                self.notice = format!("That protocol cannot begin like this: {error}. Nothing has changed.");
                return;
            }
        }
        self.notice = match lost {
            0 => String::new(),
            1 => "One thing that was done names a message, a timer or a role, so it is not done here. Undo goes back."
                .into(),
            _ => format!(
                "{lost} things that were done name messages, timers or roles, so they are not done here. Undo goes back."
            ),
        };
    }

    /// Lays the other protocol beside this run, or puts it away.
    pub(super) fn compare_protocols(&mut self) {
        if self.beside.take().is_none_or(|other| self.is_same_protocol(&other)) {
            self.beside = self.other_protocol();
            if self.beside.is_none() {
                self.notice = "The other protocol cannot begin like this.".into();
            }
        }
        self.is_measured = false;
        self.follow();
        self.look_anew();
    }

    /// Whether that branch is laid beside this one.
    pub fn has_branch_beside(&self, id: u32) -> bool {
        self.beside.as_ref().is_some_and(|other| other.branch() == id && self.is_same_protocol(other))
    }

    fn is_same_protocol(&self, other: &Session) -> bool {
        let family = |session: &Session| session.settings().protocol.family();
        self.session.as_ref().is_some_and(|session| family(session) == family(other))
    }

    fn other_protocol(&self) -> Option<Box<Session>> {
        let record = self.session.as_ref()?.record();
        let record = record.under(record.protocol.family().other());
        Session::open(record).ok().map(Box::new)
    }

    /// After something was done: the other protocol's run has the same done to it. What was done last is added where that is
    /// still ahead there; otherwise it runs anew.
    pub(super) fn renew_comparison(&mut self) {
        let Some(session) = &self.session else { return };
        let Some(other) = self
            .beside
            .as_mut()
            .filter(|other| other.settings().protocol.family() != session.settings().protocol.family())
        else {
            return;
        };
        let wanted = session.record().under(other.settings().protocol.family()).plans;
        let known = other.record();
        let known = known.under(known.protocol.family()).plans;
        if wanted == known {
            return;
        }
        if let Some((last, before)) = wanted.split_last()
            && *before == known[..]
            && !other.has_future()
            && other.plan(*last).is_ok()
        {
            return;
        }
        self.beside = self.other_protocol();
    }

    fn begin_search(&mut self, until: Until) {
        self.halt();
        let Some(session) = &self.session else { return };
        if session.holds(until) {
            self.notice = "It is so already.".into();
            return;
        }
        self.search = Some(Searching { until, done: 0, began_ms: browser::now_ms() });
        self.broken = self.violations();
        self.playback.start();
    }

    /// Goes on with a search for the time of one beat. True if something must be rendered.
    pub fn search_on(&mut self) -> bool {
        let (Some(search), Some(session)) = (&mut self.search, &mut self.session) else { return false };
        let started_ms = browser::now_ms();
        let found = loop {
            let found = session.search(search.until, STEPS_AT_ONCE);
            search.done += STEPS_AT_ONCE;
            if found != Search::Going || search.done >= STEPS_MAX || browser::now_ms() - started_ms > WORK_MS_MAX {
                break found;
            }
        };
        if found == Search::Going && search.done < STEPS_MAX {
            return self.progress().is_some();
        }
        let is_end = session.next_due_us() == raftwerk::executor::NEVER || session.is_full();
        let end = end_notice(session);
        self.pause();
        if let Some(session) = &mut self.session {
            session.look_back();
        }
        match found {
            Search::Going => self.notice = format!("It was not so within {STEPS_MAX} events. The run is kept."),
            Search::Ended if is_end => self.notice = end,
            Search::Ended | Search::Found => {}
        }
        if self.violations() > self.broken {
            self.tell_broken();
        }
        self.say_step();
        self.changed();
        true
    }

    // Groups.

    fn groups(&self) -> Groups {
        self.session.as_ref().map_or_else(Groups::default, |session| *session.sim().groups())
    }

    fn everybody(&self) -> Vec<ReplicaId> {
        let Some(session) = &self.session else { return Vec::new() };
        let clients = session.sim().clients().len();
        session
            .sim()
            .ids()
            .chain((0..clients).filter_map(|client| Some(client_id(u8::try_from(client).ok()?))))
            .collect()
    }

    /// Numbers groups from 0 without gaps, in the order of their members.
    fn tidy(&self, groups: &Groups) -> Groups {
        let mut known: Vec<u8> = Vec::new();
        let mut tidied = Groups::default();
        for id in self.everybody() {
            let group = groups.of(id);
            let place = known.iter().position(|&other| other == group).unwrap_or_else(|| {
                known.push(group);
                known.len() - 1
            });
            tidied.put(id, u8::try_from(place).unwrap_or(0));
        }
        tidied
    }

    fn part_into(&mut self, groups: &Groups) {
        let groups = self.tidy(groups);
        if groups == self.groups() {
            return;
        }
        let is_planned = !self.typed.text(AT).trim().is_empty();
        self.act(Command::Partition { groups });
        // One that waits for its time is not to be seen on the stage, so the next one would be drawn from other groups.
        self.is_parting &= !is_planned;
    }

    /// Moves a node or a client to the next group, the last of which is a new one.
    fn move_to_next_group(&mut self, id: ReplicaId) {
        let mut groups = self.groups();
        // The one alone in the last group goes round.
        let is_alone = self.everybody().iter().filter(|&&other| groups.of(other) == groups.of(id)).count() == 1;
        let next = if is_alone && groups.of(id) == groups.last() { 0 } else { groups.of(id) + 1 };
        groups.put(id, next);
        self.part_into(&groups);
    }

    /// Draws the rectangle on; nothing is parted before it is let go.
    pub fn pull_lasso(&mut self, x: i32, y: i32) -> bool {
        if let Some([_, _, to_x, to_y]) = &mut self.lasso {
            (*to_x, *to_y) = (x, y);
        }
        true
    }

    /// Puts those within the rectangle into a group of their own.
    pub fn close_lasso(&mut self, is_meant: bool) -> bool {
        let place = self.lasso();
        self.lasso = None;
        let (Some([x, y, width, height]), Some(stage)) = (place, &self.stage) else { return true };
        if !is_meant || width.max(height) < 8.0 {
            return true;
        }
        self.has_dragged = true;
        let nodes = stage.nodes.iter().map(|node| (node.id, (node.x, node.y)));
        let clients = stage.clients.iter().map(|(client, at)| (client.id, *at));
        let is_in = |(at_x, at_y): (f64, f64)| at_x >= x && at_x <= x + width && at_y >= y && at_y <= y + height;
        let members: Vec<ReplicaId> = nodes.chain(clients).filter(|&(_, at)| is_in(at)).map(|(id, _)| id).collect();
        let mut groups = self.groups();
        let new = groups.last() + 1;
        for &id in &members {
            groups.put(id, new);
        }
        self.part_into(&groups);
        true
    }

    /// The other messages that fly, with which one can be swapped.
    pub fn others_flying(session: &Session, name: EventName) -> Vec<EventName> {
        let flying = session.sim().flights().filter(|(_, flight)| flight.held.is_none() && flight.door_us.is_none());
        let names = flying.map(|(key, _)| EventName::Delivery {
            from: key.from,
            to: key.to,
            number: key.number,
            is_copy: key.is_copy,
        });
        raftwerk::executor::in_order(names.filter(|&other| other != name).collect(), |name| match *name {
            EventName::Delivery { from, to, number, is_copy } => {
                [from.0.into(), u64::from(to.0) << 40 | u64::from(number) << 1 | u64::from(is_copy), 0]
            }
            _ => [0; 3],
        })
    }

    /// Whether an id is a client's.
    pub const fn is_client(id: ReplicaId) -> bool {
        client_number(id).is_some()
    }
}
