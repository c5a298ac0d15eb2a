//! The component that owns the session.
//!
//! Holds always: the session changes only in `update`; the playhead moves by itself only on a beat of the playback; a
//! beat or a frame is asked for only while playing or gliding to a step, and a frame only draws.

use super::browser;
use super::diagram::{self, SPANS};
use super::draft::Draft;
use super::frame;
use super::keys;
use super::panels;
use super::playback::Playback;
use super::stage;
use gloo_events::EventListener;
use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use raftwerk::executor::NEVER;
use raftwerk::explain::{Explanation, Question, ask, explain};
use raftwerk::raft::{Form, ReplicaId, Timer, TimerKind};
use raftwerk::scenario::{Record, link};
use raftwerk::session::{Session, run_events};
use raftwerk::sim::{Command, EventName, What};
use raftwerk::text::en as text;
use raftwerk::view::{self, Diagram, Extent, Span, StageView};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use yew::prelude::*;

/// Playback speeds, in virtual microseconds per real millisecond, and how they are shown. The last has no limit.
pub const SPEEDS: [(f64, &str); 9] = [
    (10.0, "1/100"),
    (50.0, "1/20"),
    (100.0, "1/10"),
    (200.0, "1/5"),
    (500.0, "1/2"),
    (1_000.0, "1"),
    (5_000.0, "5"),
    (20_000.0, "20"),
    (f64::INFINITY, "as fast as possible"),
];
const SPEED_DEFAULT: usize = 3;
/// The least time between two drawings of the diagram while playing, in milliseconds.
const DIAGRAM_MS: f64 = 250.0;
/// How long work may take within a beat, in milliseconds.
const WORK_MS_MAX: f64 = 10.0;
/// How long a gap in which nothing happens takes at most, roughly, in milliseconds.
const QUICK_MS: f64 = 250.0;
/// The least time between two announcements while playing (case B26), in milliseconds.
const ANNOUNCE_MS: f64 = 2_000.0;
/// The longest wait for the clipboard (case B17), in milliseconds.
const CLIPBOARD_MS: u32 = 1_500;

/// `scenarios/newcomer.json` as a link, so that the page needs no JSON before somebody brings some.
const NEWCOMER: &str = include_str!("../../scenarios/newcomer.link");

/// What can happen on the page.
pub enum Msg {
    Step,
    StepBack,
    PlayPause,
    Reset,
    AnotherSeed,
    Speed(usize),
    Quick(bool),
    Beat,
    Frame,
    StepTask,
    Act(Command),
    Select(Option<ReplicaId>),
    SelectMessage(EventName),
    FirstOffset(Option<u64>),
    Ask(Question),
    Seek(u64),
    SeekAt(i32),
    Zoom(i8),
    TimeOut(ReplicaId),
    Share,
    Copied(bool),
    ToggleHelp,
    ToggleSettings,
    Edit(usize, String),
    AsksVoters(bool),
    Form(Form),
    Apply,
    Theme(usize),
    Close,
    Navigated,
    Hidden,
    Leaving,
    Resized,
    StartOver,
    Panic(bool),
    Bench(u64, u64),
}

/// A step on its way: the playhead glides to it, then it is taken.
struct Glide {
    from_us: u64,
    to_us: u64,
    done_ms: f64,
    lasts_ms: f64,
}

/// What is open beside the stage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Open {
    Nothing,
    Help,
    Settings,
    Share,
}

/// The page.
pub struct App {
    session: Option<Session>,
    /// What is wrong with the link, while nothing runs.
    bad_link: Option<link::LinkError>,
    is_playing: bool,
    is_quick: bool,
    is_passing: bool,
    was_hidden: bool,
    speed: usize,
    glide: Option<Glide>,
    playback: Playback,
    frame: Option<AnimationFrame>,
    selected: Option<ReplicaId>,
    selected_message: Option<EventName>,
    first_offset: Option<u64>,
    question: Option<Question>,
    span: usize,
    diagram: Option<Diagram>,
    diagram_ms: f64,
    open: Open,
    draft: Option<Draft>,
    shared: String,
    copied: Option<bool>,
    theme: usize,
    notice: String,
    announced: String,
    announced_ms: f64,
    news: Option<String>,
    stage: Option<StageView>,
    /// The three digests, for tests and for whoever compares runs; not kept up while playing.
    digests: Option<String>,
    extent: Extent,
    messages: NodeRef,
    timers: NodeRef,
    share_field: NodeRef,
    clipboard_timeout: Option<Timeout>,
    _listeners: Vec<EventListener>,
}

fn newcomer() -> Record {
    link::decode(NEWCOMER).ok().flatten().unwrap_or_default()
}

fn extent() -> Extent {
    if browser::matches("(max-width: 760px)") { view::NARROW } else { view::WIDE }
}

impl App {
    /// The chosen replica.
    pub const fn selected(&self) -> Option<ReplicaId> {
        self.selected
    }

    /// Where the log table begins; at its end without one.
    pub const fn first_offset(&self) -> Option<u64> {
        self.first_offset
    }

    /// How much time the diagram shows.
    pub const fn span(&self) -> usize {
        self.span
    }

    /// What was asked about this moment.
    pub const fn question(&self) -> Option<Question> {
        self.question
    }

    /// The chosen message.
    pub const fn selected_message(&self) -> Option<EventName> {
        self.selected_message
    }

    /// Where arrows are.
    pub fn message_layer(&self) -> NodeRef {
        self.messages.clone()
    }

    /// Where timer arcs are.
    pub fn timer_layer(&self) -> NodeRef {
        self.timers.clone()
    }

    /// The run.
    pub const fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// What is open.
    pub const fn open(&self) -> Open {
        self.open
    }

    /// The settings form.
    pub const fn draft(&self) -> Option<&Draft> {
        self.draft.as_ref()
    }

    /// The shared address and whether it was copied.
    pub fn shared(&self) -> (&str, Option<bool>, NodeRef) {
        (&self.shared, self.copied, self.share_field.clone())
    }

    /// Speed, whether quick, theme.
    pub const fn choices(&self) -> (usize, bool, usize) {
        (self.speed, self.is_quick, self.theme)
    }

    /// Opens what the address, the last visit or nobody asks for.
    fn load(&mut self) {
        self.is_playing = false;
        self.glide = None;
        self.bad_link = None;
        self.selected = None;
        match link::decode(&browser::fragment()) {
            Ok(Some(record)) => self.show(record),
            Ok(None) => {
                let kept = browser::stored().and_then(|text| link::decode(&text).ok().flatten());
                let session = kept.and_then(|record| Session::open(record).ok());
                self.session = session.or_else(|| Session::open(newcomer()).ok());
            }
            Err(error) => {
                self.session = None;
                self.bad_link = Some(error);
            }
        }
        self.changed();
    }

    fn show(&mut self, record: Record) {
        match Session::open(record) {
            Ok(session) => self.session = Some(session),
            Err(error) => {
                self.session = None;
                let (path, says) = match error {
                    raftwerk::session::OpenError::Input(input) => (input.path, input.says),
                    raftwerk::session::OpenError::Command { index, why } => {
                        (format!("commands[{index}]"), why.to_string())
                    }
                };
                self.bad_link = Some(link::LinkError::Invalid(raftwerk::scenario::InputError { path, says }));
            }
        }
    }

    /// The run changed other than by playing on.
    fn changed(&mut self) {
        self.news = None;
        self.digests = self.session.as_ref().map(|session| {
            let digests = session.digests();
            format!("{:016x} {:016x} {:016x}", digests.state, digests.protocol, digests.run)
        });
        if let Some(session) = &self.session {
            let fragment = link::encode(&session.record());
            browser::hand_over(&fragment);
            if self.bad_link.is_none() {
                browser::store(&fragment);
            }
        }
        self.project();
    }

    fn project(&mut self) {
        self.stage = self.session.as_ref().map(|session| view::stage(session, self.extent));
        let now_ms = browser::now_ms();
        // While playing it is drawn anew a few times a second; only the line of the present moves with each frame.
        if !self.is_playing || now_ms - self.diagram_ms >= DIAGRAM_MS {
            self.diagram_ms = now_ms;
            self.diagram = self.session.as_ref().map(|session| {
                let end_us = session.marks().last().map_or(0, |mark| mark.at_us).max(session.sim().now_us());
                let span = Span::around(session.playhead_us(), SPANS[self.span].0, end_us);
                view::diagram(session, if self.extent == view::NARROW { 400.0 } else { 1_250.0 }, span)
            });
        }
    }

    /// Asks for the next beat and the next frame, if anything moves.
    fn go_on(&mut self, ctx: &Context<Self>) {
        if !self.is_playing && self.glide.is_none() {
            self.playback.stop();
            return;
        }
        self.playback.go_on(self.is_playing && SPEEDS[self.speed].0.is_infinite());
        if self.frame.is_none() {
            let link = ctx.link().clone();
            self.frame = Some(request_animation_frame(move |_| link.send_message(Msg::Frame)));
        }
    }

    fn pause(&mut self) {
        self.is_playing = false;
        self.is_passing = false;
    }

    /// Ends a glide at once: the step it was for is taken.
    fn land(&mut self) -> bool {
        if self.glide.take().is_none() {
            return false;
        }
        self.take_step()
    }

    fn take_step(&mut self) -> bool {
        let Some(session) = &mut self.session else {
            return false;
        };
        if !session.step() {
            self.notice = end_notice(session);
            return false;
        }
        true
    }

    /// Says the sentence of the step that was just taken.
    fn say_step(&mut self) {
        if let Some(session) = &self.session {
            self.announced = text::step(&explain(session.last_step(), session.is_open())).text;
        }
    }

    fn begin_step(&mut self) {
        self.notice.clear();
        self.was_hidden = false;
        self.pause();
        if self.land() {
            self.say_step();
            self.changed();
        }
        let Some(session) = &self.session else { return };
        let (from_us, to_us) = (session.playhead_us(), session.next_due_us());
        if to_us == NEVER {
            self.notice = "Nothing is left to do.".into();
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "a gap is short")]
        let gap_ms = to_us.saturating_sub(from_us) as f64 / 1_000.0;
        let still = browser::matches("(prefers-reduced-motion: reduce)");
        if still || gap_ms < 1.0 {
            self.take_step();
            self.say_step();
            self.changed();
            return;
        }
        let lasts_ms = view::between(gap_ms * 5.0, 140.0, 450.0);
        self.glide = Some(Glide { from_us, to_us, done_ms: 0.0, lasts_ms });
        self.playback.start();
    }

    /// Runs one executor task and nothing more, and shows where.
    fn step_task(&mut self) {
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
            self.selected = ran.or(self.selected);
            self.selected_message = None;
        } else {
            self.notice = end_notice(session);
        }
        self.say_step();
        self.changed();
    }

    /// Moves the playhead for one beat. True if something must be rendered.
    fn beat(&mut self, elapsed_ms: f64) -> bool {
        if let Some(glide) = &mut self.glide {
            glide.done_ms += elapsed_ms;
            let part = view::between(glide.done_ms / glide.lasts_ms, 0.0, 1.0);
            if part >= 1.0 {
                self.land();
                self.say_step();
                self.changed();
                return true;
            }
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a part of a gap, for drawing"
            )]
            let at_us = glide.from_us + ((glide.to_us - glide.from_us) as f64 * part) as u64;
            if let Some(session) = &mut self.session {
                session.set_playhead(at_us);
            }
            return false;
        }
        if !self.is_playing {
            return false;
        }
        self.play(elapsed_ms)
    }

    fn play(&mut self, dt_ms: f64) -> bool {
        let Some(session) = &mut self.session else {
            return false;
        };
        let (speed, _) = SPEEDS[self.speed];
        let started_ms = browser::now_ms();
        let mut left_ms = dt_ms;
        let mut has_stepped = false;
        let was_passing = std::mem::take(&mut self.is_passing);
        loop {
            let (here_us, due_us) = (session.playhead_us(), session.next_due_us());
            if due_us == NEVER {
                self.notice = "Nothing is left to do.".into();
                self.pause();
                return true;
            }
            #[expect(clippy::cast_precision_loss, reason = "a gap is short")]
            let gap_us = due_us.saturating_sub(here_us) as f64;
            let mut rate = speed;
            if self.is_quick && !session.is_anything_flying() && gap_us / QUICK_MS > speed {
                rate = gap_us / QUICK_MS;
                self.is_passing = true;
            }
            let reach_us = left_ms * rate;
            if reach_us < gap_us {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "less than a gap, for drawing"
                )]
                session.set_playhead(here_us + reach_us as u64);
                break;
            }
            left_ms -= gap_us / rate;
            if !session.step() {
                self.notice = end_notice(session);
                self.pause();
                return true;
            }
            has_stepped = true;
            let explanation = explain(session.last_step(), false);
            if explanation.is_news() {
                self.news = Some(text::step(&explanation).text);
            }
            if !session.sim().violations().is_empty() {
                self.notice = "A safety property was broken.".into();
                self.pause();
                return true;
            }
            if browser::now_ms() - started_ms > WORK_MS_MAX {
                break;
            }
        }
        let now_ms = browser::now_ms();
        if self.news.is_some() && now_ms - self.announced_ms >= ANNOUNCE_MS {
            self.announced = self.news.take().unwrap_or_default();
            self.announced_ms = now_ms;
        }
        if has_stepped {
            self.project();
        }
        has_stepped || was_passing != self.is_passing
    }

    fn act(&mut self, command: Command) {
        self.notice.clear();
        self.glide = None;
        let Some(session) = &mut self.session else {
            return;
        };
        match session.act(command) {
            Ok(()) => self.say_step(),
            Err(error) => self.notice = format!("That cannot be done here: {error}."),
        }
        self.changed();
    }

    fn share(&mut self, ctx: &Context<Self>) {
        let Some(session) = &self.session else { return };
        let fragment = link::encode(&session.record());
        browser::show_fragment(&fragment);
        self.shared = format!("{}#{fragment}", browser::address());
        self.copied = None;
        self.open = Open::Share;
        let link = ctx.link().clone();
        let navigator = browser::window().navigator();
        let clipboard = js_sys::Reflect::get(&navigator, &"clipboard".into())
            .ok()
            .and_then(|value| value.dyn_into::<web_sys::Clipboard>().ok());
        match clipboard {
            Some(clipboard) => {
                let promise = clipboard.write_text(&self.shared);
                wasm_bindgen_futures::spawn_local({
                    let link = link.clone();
                    async move { link.send_message(Msg::Copied(JsFuture::from(promise).await.is_ok())) }
                });
                self.clipboard_timeout =
                    Some(Timeout::new(CLIPBOARD_MS, move || link.send_message(Msg::Copied(false))));
            }
            None => link.send_message(Msg::Copied(false)),
        }
    }

    fn time_out(&mut self, id: ReplicaId) {
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
            None => self.notice = format!("Node {id} has no timeout to run out."),
        }
    }

    fn start(&mut self, record: Record) {
        self.pause();
        self.glide = None;
        self.bad_link = None;
        self.notice.clear();
        self.announced.clear();
        self.was_hidden = false;
        self.show(record);
        if !browser::fragment().is_empty() {
            browser::show_fragment("");
        }
        self.changed();
    }

    /// The settings of the run from its start.
    fn at_start(&self) -> Record {
        let record = self.session.as_ref().map_or_else(newcomer, Session::record);
        Record { commands: Vec::new(), position: 0, tasks: 0, playhead_us: 0, ..record }
    }

    fn explanation(&self) -> Explanation {
        self.session
            .as_ref()
            .map_or_else(|| explain(&[], false), |session| explain(session.last_step(), session.is_open()))
    }
}

/// Why a run takes no more steps.
fn end_notice(session: &Session) -> String {
    if session.is_full() {
        format!("This run has {} events, as many as a link can hold. Go back, or start another.", session.position())
    } else {
        "Nothing is left to do.".into()
    }
}

/// Runs a cluster of five that has a leader for `events` checked events, with a client that appends every so many
/// microseconds (0: never), and tells how many microseconds each quarter took.
fn bench(events: u64, append_every_us: u64) {
    let Ok(mut session) = Session::open(Record::default()) else { return };
    while session.position() < 20_000 && session.step() {}
    let Some((leader, _)) = session.leader() else { return };
    let mut sim = session.sim().clone();
    let quarter_ms = |_| {
        let start_ms = browser::now_ms();
        run_events(&mut sim, events / 4, leader, append_every_us);
        // In whole microseconds.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a benchmark lasts seconds")]
        let took_us = ((browser::now_ms() - start_ms) * 1_000.0) as u64;
        took_us.to_string()
    };
    let quarters: Vec<String> = (0..4).map(quarter_ms).collect();
    browser::tell("raftwerk:bench-result", &quarters.join(" "));
}

fn listen(ctx: &Context<App>) -> Vec<EventListener> {
    let window = browser::window();
    let document = super::gloo_document();
    let on = |target: &web_sys::EventTarget, name: &'static str, msg: fn() -> Msg| {
        let link = ctx.link().clone();
        EventListener::new(target, name, move |_| link.send_message(msg()))
    };
    let keys = {
        let link = ctx.link().clone();
        let options = gloo_events::EventListenerOptions::enable_prevent_default();
        EventListener::new_with_options(&document, "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                return;
            };
            if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
                return;
            }
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let tag = target.map(|element| element.tag_name().to_ascii_lowercase()).unwrap_or_default();
            let key = event.key();
            let types = matches!(tag.as_str(), "input" | "select" | "textarea");
            let presses = matches!(tag.as_str(), "button" | "a" | "summary") && matches!(key.as_str(), " " | "Enter");
            if (types && key != "Escape") || presses {
                return;
            }
            if let Some(msg) = keys::message(&key) {
                event.prevent_default();
                link.send_message(msg);
            }
        })
    };
    let visibility = {
        let link = ctx.link().clone();
        EventListener::new(&document, "visibilitychange", move |_| {
            if super::gloo_document().visibility_state() == web_sys::VisibilityState::Hidden {
                link.send_message(Msg::Hidden);
            }
        })
    };
    // For the test of the panic page: `detail` says whether the session is borrowed at that moment.
    let panic = {
        let link = ctx.link().clone();
        EventListener::new(&document, "raftwerk:test-panic", move |event| {
            let detail = event.dyn_ref::<web_sys::CustomEvent>().and_then(|event| event.detail().as_string());
            link.send_message(Msg::Panic(detail.as_deref() == Some("borrowed")));
        })
    };
    // For `cargo xtask bench`: `detail` is how many events to run, and how many microseconds from one append to the next.
    let bench = {
        let link = ctx.link().clone();
        EventListener::new(&document, "raftwerk:bench", move |event| {
            let detail = event.dyn_ref::<web_sys::CustomEvent>().and_then(|event| event.detail().as_string());
            let mut numbers = detail.as_deref().unwrap_or_default().split(' ').map(|text| text.parse().unwrap_or(0));
            let (events, append_every_us) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            link.send_message(Msg::Bench(events, append_every_us));
        })
    };
    vec![
        keys,
        visibility,
        panic,
        bench,
        on(&window, "hashchange", || Msg::Navigated),
        on(&window, "pagehide", || Msg::Leaving),
        on(&window, "resize", || Msg::Resized),
    ]
}

impl Component for App {
    type Message = Msg;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let mut app = Self {
            session: None,
            bad_link: None,
            is_playing: false,
            is_quick: true,
            is_passing: false,
            was_hidden: false,
            speed: SPEED_DEFAULT,
            glide: None,
            playback: Playback::new(ctx.link().clone()),
            frame: None,
            selected: None,
            selected_message: None,
            first_offset: None,
            question: None,
            span: 2,
            diagram: None,
            diagram_ms: 0.0,
            open: Open::Nothing,
            draft: None,
            shared: String::new(),
            copied: None,
            theme: 0,
            notice: String::new(),
            announced: String::new(),
            announced_ms: 0.0,
            news: None,
            stage: None,
            digests: None,
            extent: extent(),
            messages: NodeRef::default(),
            timers: NodeRef::default(),
            share_field: NodeRef::default(),
            clipboard_timeout: None,
            _listeners: listen(ctx),
        };
        app.load();
        app
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let renders = match msg {
            Msg::Beat => {
                let elapsed_ms = self.playback.elapsed_ms();
                self.beat(elapsed_ms)
            }
            Msg::Frame => {
                self.frame = None;
                if let (Some(stage), Some(session)) = (&self.stage, &self.session) {
                    frame::draw(stage, session.playhead_us(), &self.messages, &self.timers);
                    panels::draw_clock(session.playhead_us());
                    if let Some(view) = &self.diagram {
                        diagram::draw_now(view, session.playhead_us());
                    }
                }
                false
            }
            Msg::StepTask => {
                self.step_task();
                true
            }
            Msg::Step => {
                self.begin_step();
                true
            }
            Msg::StepBack => {
                self.pause();
                self.notice.clear();
                self.glide = None;
                if let Some(session) = &mut self.session {
                    session.step_back();
                }
                self.say_step();
                self.changed();
                true
            }
            Msg::PlayPause => {
                self.notice.clear();
                if self.is_playing {
                    self.pause();
                    self.announced = "Paused.".into();
                    self.changed();
                } else {
                    if self.land() {
                        self.changed();
                    }
                    self.was_hidden = false;
                    self.is_playing = self.session.is_some();
                    self.playback.start();
                }
                true
            }
            Msg::Reset => {
                self.pause();
                self.glide = None;
                self.notice.clear();
                if let Some(session) = &mut self.session {
                    session.seek(0);
                }
                self.say_step();
                self.changed();
                true
            }
            Msg::AnotherSeed => {
                let record = Record { seed: browser::fresh_seed(), ..self.at_start() };
                self.start(record);
                true
            }
            Msg::StartOver => {
                self.start(newcomer());
                true
            }
            Msg::Speed(speed) => {
                self.speed = speed.min(SPEEDS.len() - 1);
                true
            }
            Msg::Quick(is_quick) => {
                self.is_quick = is_quick;
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
                self.pause();
                self.glide = None;
                self.notice.clear();
                if let Some(session) = &mut self.session {
                    session.seek(step.min(session.length()));
                }
                self.changed();
                true
            }
            Msg::SeekAt(client_x) => {
                self.pause();
                self.glide = None;
                self.notice.clear();
                let part = browser::part_of_width(".diagram", client_x);
                if let (Some(diagram), Some(session), Some(part)) = (&self.diagram, &mut self.session, part) {
                    session.seek_time(diagram.at_us(part * diagram.size.0));
                }
                self.changed();
                true
            }
            Msg::Zoom(by) => {
                self.span = self.span.saturating_add_signed(by.into()).min(SPANS.len() - 1);
                self.diagram_ms = 0.0;
                self.project();
                true
            }
            Msg::FirstOffset(first) => {
                self.first_offset = first;
                true
            }
            Msg::Ask(question) => {
                self.question = if self.question == Some(question) { None } else { Some(question) };
                if let (Some(question), Some(session)) = (self.question, &self.session) {
                    self.announced = text::because(question, &ask(session.sim(), question)).text;
                }
                true
            }
            Msg::SelectMessage(name) => {
                self.selected = None;
                self.selected_message = if self.selected_message == Some(name) { None } else { Some(name) };
                true
            }
            Msg::Select(id) => {
                self.selected_message = None;
                self.selected = if self.selected == id { None } else { id };
                true
            }
            Msg::Share => {
                self.pause();
                self.share(ctx);
                true
            }
            Msg::Copied(is_copied) => {
                self.clipboard_timeout = None;
                if self.copied.is_none() {
                    self.copied = Some(is_copied);
                    if let Some(field) = self.share_field.cast::<web_sys::HtmlInputElement>().filter(|_| !is_copied) {
                        let _ = field.focus();
                        field.select();
                    }
                }
                true
            }
            Msg::ToggleHelp => {
                self.open = if self.open == Open::Help { Open::Nothing } else { Open::Help };
                true
            }
            Msg::ToggleSettings => {
                self.open = if self.open == Open::Settings { Open::Nothing } else { Open::Settings };
                self.draft = Some(Draft::of(&self.at_start()));
                true
            }
            Msg::Edit(index, value) => {
                if let Some(slot) = self.draft.as_mut().and_then(|draft| draft.texts.get_mut(index)) {
                    *slot = value;
                }
                true
            }
            Msg::Form(form) => {
                if let Some(draft) = &mut self.draft {
                    draft.form = form;
                }
                true
            }
            Msg::AsksVoters(asks_voters) => {
                if let Some(draft) = &mut self.draft {
                    draft.asks_voters = asks_voters;
                }
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
            Msg::Theme(theme) => {
                self.theme = theme;
                browser::set_theme([None, Some("light"), Some("dark")].get(theme).copied().flatten());
                true
            }
            Msg::Close => {
                self.open = Open::Nothing;
                self.selected = None;
                self.selected_message = None;
                self.question = None;
                true
            }
            Msg::Navigated => {
                self.open = Open::Nothing;
                self.load();
                true
            }
            Msg::Hidden => {
                self.was_hidden = self.is_playing;
                self.pause();
                self.changed();
                true
            }
            Msg::Leaving => {
                self.changed();
                false
            }
            Msg::Resized => {
                let extent = extent();
                let differs = extent != self.extent;
                self.extent = extent;
                if differs {
                    self.project();
                }
                differs
            }
            Msg::Bench(events, append_every_us) => {
                bench(events, append_every_us);
                false
            }
            Msg::Panic(is_borrowed) => {
                let borrowed = self.session.as_mut().filter(|_| is_borrowed);
                panic!("a deliberate panic, with the session {}", if borrowed.is_some() { "borrowed" } else { "free" });
            }
        };
        self.go_on(ctx);
        renders
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let header = panels::header(self, ctx);
        let (Some(session), Some(stage)) = (&self.session, &self.stage) else {
            return html! { <div class="page">{ header }{ panels::bad_link(ctx, self.bad_link.as_ref()) }</div> };
        };
        let playhead_us = session.playhead_us();
        let explanation = self.explanation();
        html! {
            <div class="page" data-digests={self.digests.clone()}>
                { header }
                <main class={classes!("body", self.selected.map(|_| "with-inspector"))}>
                    { stage::stage(self, ctx, stage, self.extent, playhead_us) }
                    { panels::sentence(self, session, &explanation, &self.notice, self.was_hidden) }
                    { panels::transport(self, ctx, session, self.is_playing, self.is_passing) }
                    if let Some(view) = &self.diagram { { diagram::diagram(self, ctx, view) } }
                    { panels::side(self, ctx, session) }
                </main>
                { panels::overlay(self, ctx) }
                <p class="unseen" role="status" aria-live="polite">{ &self.announced }</p>
            </div>
        }
    }

    fn rendered(&mut self, _ctx: &Context<Self>, _first: bool) {
        if let (Some(stage), Some(session)) = (&self.stage, &self.session) {
            frame::draw(stage, session.playhead_us(), &self.messages, &self.timers);
            panels::draw_clock(session.playhead_us());
            if let Some(view) = &self.diagram {
                diagram::draw_now(view, session.playhead_us());
            }
        }
    }
}
