//! What changes how a run is looked at, and not the run: panels, choices, searches in lists, sharing, what is open.
//!
//! Like everything that only happens once the whole page is there, this is in the second file (`later`).

use super::app::{App, Msg, Open, end_notice};
use super::diagram::SPANS;
use super::draft::Draft;
use super::listen;
use super::pointers::{Dragged, NUDGE, Pointer};
use super::prefs::{self, Prefs};
use super::{browser, later};
use raftwerk::executor::NEVER;
use raftwerk::raft::{Any, Family};
use raftwerk::raft::{ReplicaId, Timer, TimerKind};
use raftwerk::scenario::Record;
use raftwerk::session::Session;
use raftwerk::sim::{ClientOptions, Command, Compiled, EventName, Stream, What, scale};
use raftwerk::text::en as text;
use raftwerk::view::say;
use yew::prelude::*;

/// Runs a million events, goes to random moments of them and back step by step, and tells how many microseconds each took:
/// the seeks, a semicolon, the steps back.
fn bench_history(every_us: u64) {
    let Ok(mut session) = Session::open(Record::default()) else { return };
    if let Ok(every_us @ 1..) = u32::try_from(every_us) {
        let _ = session.act(Command::AddClient { options: ClientOptions::default() });
        let _ = session.act(Command::SetRate { client: 0, every_us });
    }
    while session.position() < BENCH_EVENTS && session.step() {}
    let mut luck = Stream::of_link(1, ReplicaId(1), ReplicaId(2));
    let (mut seeks, mut backs) = (Vec::new(), Vec::new());
    let took_us = |start_ms: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a benchmark lasts seconds")]
        let us = ((browser::now_ms() - start_ms) * 1_000.0) as u64;
        us.to_string()
    };
    for _ in 0..300 {
        let start_ms = browser::now_ms();
        session.seek(scale(luck.draw(), 1_000_000).into());
        seeks.push(took_us(start_ms));
        for _ in 0..3 {
            let start_ms = browser::now_ms();
            session.step_back();
            backs.push(took_us(start_ms));
        }
    }
    browser::tell("raftwerk:bench-result", &format!("{};{}", seeks.join(" "), backs.join(" ")));
}

/// The length of the run whose history is measured.
const BENCH_EVENTS: u64 = 1_000_000;

/// Runs a cluster of five that has a leader for `events` checked events, with a client that appends every so many
/// microseconds (0: never), and tells how many microseconds each quarter took.
fn bench(events: u64, append_every_us: u64, family: Family) {
    let Ok(mut session) = Session::open(Record::of(family)) else { return };
    while session.position() < 20_000 && session.step() {}
    let Some((leader, _)) = session.leader() else { return };
    let mut sim = session.sim().clone();
    let quarter_ms = |_| {
        let start_ms = browser::now_ms();
        Any::run_events(&mut sim, events / 4, leader, append_every_us);
        // In whole microseconds.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a benchmark lasts seconds")]
        let took_us = ((browser::now_ms() - start_ms) * 1_000.0) as u64;
        took_us.to_string()
    };
    let quarters: Vec<String> = (0..4).map(quarter_ms).collect();
    browser::tell("raftwerk:bench-result", &quarters.join(" "));
}

impl App {
    /// The messages of this file; the others are those of `doing`.
    pub fn look_more(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::StepTask => {
                self.step_task();
                true
            }
            Msg::Act(command) => {
                self.act(command);
                true
            }
            Msg::TimeOut(id) => {
                self.time_out(id);
                true
            }
            Msg::Seek(step) => {
                self.seek(step);
                true
            }
            Msg::GoTo(step) => {
                self.seek(step);
                self.say_step();
                true
            }
            Msg::TimeDown(id, x, y) => {
                self.pointers.retain(|pointer| pointer.id != id);
                self.pointers.push(Pointer { id, down: (x, y), at: (x, y), has_moved: false });
                false
            }
            Msg::TimeMove(id, x, y) => self.move_pointer(id, (x, y)),
            Msg::TimeUp(id, is_meant) => self.lift_pointer(id, is_meant),
            Msg::WheelHint => {
                let is_new = !self.is_wheel_hint;
                self.is_wheel_hint = true;
                is_new
            }
            Msg::Zoom(by) => {
                self.span = self.span.saturating_add_signed(by.into()).min(SPANS.len() - 1);
                self.look_anew();
                true
            }
            Msg::FirstOffset(first) => {
                self.first_offset = first;
                true
            }
            Msg::Ask(question) => {
                self.question = if self.question == Some(question) { None } else { Some(question) };
                if let (Some(question), Some(session)) = (self.question, &self.session) {
                    self.announced = later::answer(session, question);
                }
                true
            }
            Msg::SelectMessage(name) => {
                let is_off = self.message_name() == Some(name);
                self.choose_nothing();
                if let (false, Some(session)) = (is_off, &self.session) {
                    self.message = Some((name, later::message(session, name)));
                    self.tab = prefs::NODE;
                }
                self.look_anew();
                true
            }
            Msg::SelectArrow(index) => {
                let name = self.stage.as_ref().and_then(|stage| stage.arrows.get(index)?.name);
                if let Some(name) = name {
                    ctx.link().send_message(Msg::SelectMessage(name));
                }
                false
            }
            Msg::SelectLink(from, to) => {
                self.choose_nothing();
                self.chosen_link = Some((from, to));
                self.fill_link(from, to);
                self.tab = prefs::NODE;
                self.look_anew();
                true
            }
            Msg::ToggleRule => {
                self.is_rule_open = !self.is_rule_open;
                self.is_measured = false;
                if let (true, Some(rule)) = (self.is_rule_open, text::rule(&self.explanation())) {
                    self.announced = rule.to_owned();
                }
                true
            }
            Msg::Grab(_, x, y) if self.is_parting => {
                self.has_dragged = false;
                self.lasso = Some([x, y, x, y]);
                false
            }
            Msg::Grab(id, x, y) => {
                let was = self.moved.get(id.index()).copied().unwrap_or_default();
                self.has_dragged = false;
                self.dragged = Some(Dragged { id, from: (x, y), was, has_moved: false });
                false
            }
            Msg::Drag(x, y) if self.lasso.is_some() => self.pull_lasso(x, y),
            Msg::Drag(x, y) => self.drag(x, y),
            Msg::LetGo(is_meant) if self.lasso.is_some() => self.close_lasso(is_meant),
            Msg::LetGo(is_meant) => {
                let Some(dragged) = &self.dragged else { return false };
                let has_moved = dragged.has_moved;
                if !is_meant {
                    let (id, was) = (dragged.id, dragged.was);
                    self.move_to(id, was);
                }
                self.dragged = None;
                self.has_dragged = is_meant && has_moved;
                has_moved
            }
            Msg::Nudge(id, x, y) => {
                let (old_x, old_y) = self.moved.get(id.index()).copied().unwrap_or_default();
                self.move_to(id, (old_x + NUDGE * f64::from(x), old_y + NUDGE * f64::from(y)));
                true
            }
            Msg::Tidy => {
                self.moved.clear();
                self.project();
                true
            }
            Msg::Find => {
                self.prefs.hidden &= !(1 << prefs::EVENTS);
                self.tab = prefs::EVENTS;
                self.is_measured = false;
                self.focus = Some("#find");
                true
            }
            Msg::Search(search) => {
                self.sieve.search = search;
                true
            }
            Msg::SieveKind(kind) => {
                self.sieve.kind = kind;
                true
            }
            Msg::SieveNode(replica) => {
                self.sieve.replica = replica;
                true
            }
            Msg::Share => {
                self.pause();
                self.share(ctx);
                true
            }
            Msg::Copied(which, is_copied) => {
                if which == self.copies && self.copied.is_none() {
                    self.clipboard_timeout = None;
                    self.copied = Some(is_copied);
                    // Whoever is choosing what to share stays where they are.
                    self.is_selected = !is_copied && !browser::is_in_field();
                    if self.is_selected {
                        self.focus = Some(".sharing [readonly]");
                    }
                }
                true
            }
            Msg::Toggle(open) => {
                let opens = self.open != open;
                if opens && open == Open::Settings {
                    self.draft = Some(Draft::of(&self.at_start()));
                }
                if opens && open == Open::Branches {
                    self.look_up_earlier();
                }
                self.show_overlay(if opens { open } else { Open::Nothing });
                true
            }
            Msg::Edit(index, value) => {
                if let Some(slot) = self.draft.as_mut().and_then(|draft| draft.texts.get_mut(index)) {
                    *slot = value;
                }
                true
            }
            Msg::Open => {
                self.open_asked();
                true
            }
            Msg::OpenOn => {
                self.open_on();
                true
            }
            Msg::AnswerOpening(goes_on) => {
                self.answer_opening(goes_on);
                true
            }
            Msg::OpenText(text) => {
                self.open_text(&text);
                true
            }
            Msg::Failed(what) => {
                self.notice = format!("{}. Nothing has changed.", text::capital(&what));
                true
            }
            Msg::OwnRun => {
                browser::show_fragment("");
                self.notice.clear();
                self.load(ctx);
                true
            }
            Msg::Chapter(is_back) => {
                self.turn_page(is_back);
                true
            }
            Msg::ShareKind(kind) => {
                self.share_kind = kind;
                self.make_link(ctx);
                true
            }
            Msg::Title(title) => {
                if let Some(session) = &mut self.session {
                    session.set_title(title.trim().to_owned());
                }
                self.changed();
                self.make_link(ctx);
                true
            }
            Msg::Take(take) => {
                self.take(take);
                true
            }
            Msg::ChooseFile => {
                browser::tell("raftwerk:choose", "");
                false
            }
            Msg::Host(said) => {
                self.ask_of_host(&said);
                true
            }
            Msg::Hear => {
                self._listeners.extend(listen::outside(ctx));
                false
            }
            Msg::AnotherSeed => {
                let record = Record { seed: browser::fresh_seed(), ..self.at_start() };
                self.start(record);
                true
            }
            Msg::StartOver => {
                self.start(Record::newcomer());
                true
            }
            Msg::Protocol(family) => {
                self.change_protocol(family);
                true
            }
            Msg::OtherProtocol => {
                let family = self.session.as_ref().map(|session| session.settings().protocol.family().other());
                if let Some(family) = family {
                    self.change_protocol(family);
                }
                true
            }
            Msg::CompareProtocols => {
                self.compare_protocols();
                true
            }
            Msg::Apply => {
                let base = self.at_start();
                if let Some(draft) = &mut self.draft {
                    match draft.record(&base) {
                        Ok(record) => {
                            draft.error = None;
                            self.open = Open::Nothing;
                            self.start(record);
                        }
                        Err(error) => draft.error = Some(error),
                    }
                }
                true
            }
            Msg::Theme(theme) => self.prefer(|prefs| prefs.theme = u8::try_from(theme).unwrap_or(0)),
            Msg::Motion(motion) => self.prefer(|prefs| prefs.motion = motion),
            Msg::Kinds(kind) => self.prefer(|prefs| prefs.kinds = prefs.kinds.toggled(kind)),
            Msg::HidePanel(panel) => self.prefer(|prefs| prefs.hidden ^= 1 << panel),
            Msg::Side(size) => self.prefer(|prefs| prefs.side = size),
            Msg::Below(size) => self.prefer(|prefs| prefs.below = size),
            Msg::Tab(tab) => {
                self.tab = tab;
                self.is_measured = false;
                self.focus = Some("[role=tab][aria-selected=true]");
                true
            }
            Msg::Close => {
                // One thing after the other: what lies on top first.
                if std::mem::take(&mut self.is_parting) {
                    self.notice.clear();
                } else if self.open == Open::Nothing {
                    self.choose_nothing();
                }
                self.show_overlay(Open::Nothing);
                self.look_anew();
                true
            }
            Msg::Bench(events, append_every_us, family) => {
                if events == 0 {
                    bench_history(append_every_us);
                } else {
                    bench(events, append_every_us, family);
                }
                false
            }
            Msg::Panic(is_borrowed) => {
                let borrowed = self.session.as_mut().filter(|_| is_borrowed);
                panic!("a deliberate panic, with the session {}", if borrowed.is_some() { "borrowed" } else { "free" });
            }
            Msg::ResetView => self.prefer(|prefs| *prefs = Prefs::default()),
            other => self.do_more(other),
        }
    }

    /// Runs one executor task and nothing more, and shows where.
    pub(super) fn step_task(&mut self) {
        self.notice.clear();
        self.was_hidden = false;
        self.pause();
        self.land();
        let Some(session) = &mut self.session else { return };
        if session.step_task() {
            let ran = session.last_step().iter().rev().find_map(|event| match event.what {
                What::Task { .. } | What::Delivered { .. } => Some(event.replica),
                _ => None,
            });
            if ran.is_some() {
                self.choose_nothing();
                self.selected = ran;
            }
        } else {
            self.notice = end_notice(session);
        }
        self.say_step();
        self.changed();
    }

    pub(super) fn time_out(&mut self, id: ReplicaId) {
        let timer = self.session.as_ref().and_then(|session| {
            let (table, _) = session.sim().timers(id)?;
            [TimerKind::Election, TimerKind::Fetch, TimerKind::CheckQuorum]
                .map(Timer::new)
                .into_iter()
                .find(|&timer| table.deadline_us(timer) != NEVER)
                .map(|timer| EventName::Timer { replica: id, timer, number: table.get(timer).number })
        });
        match timer {
            Some(event) => self.act(Command::RunNow { event }),
            None => {
                let name = self.session.as_ref().map_or_else(String::new, |session| say::node(session, id));
                self.notice = format!("{name} has no timeout to run out.");
            }
        }
    }

    /// Changes what is kept of the page.
    pub(super) fn prefer(&mut self, change: impl FnOnce(&mut Prefs)) -> bool {
        change(&mut self.prefs);
        self.prefs.keep();
        self.apply_theme();
        self.is_measured = false;
        self.look_anew();
        true
    }
}
