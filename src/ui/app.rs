//! The component that owns the session.
//!
//! Holds always: the session changes only in `update`; the playhead moves by itself only on a beat of the playback; a
//! beat or a frame is asked for only while playing or gliding to a step, and a frame only draws.

use super::browser;
use super::diagram::{self, SPANS};
use super::doing::Searching;
use super::draft::Draft;
use super::frame;
use super::go::Choice;
use super::held::{self, Parts};
use super::later::{self, Part};
use super::listen::listen;
use super::opening::Pending;
use super::own::Previous;
use super::playback::Playback;
use super::pointers::{Dragged, Pointer};
use super::prefs::{self, PANELS, Prefs};
use super::share::Take;
use super::tree::{Tree, classes, el};
use super::typed::Typed;
use super::{panels, stage};
use gloo_events::EventListener;
use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use raftwerk::executor::NEVER;
use raftwerk::explain::{Explanation, Question, explain};
use raftwerk::raft::{Family, ProtocolSettings, ReplicaId};
use raftwerk::scenario::{Shown, link, plain};
use raftwerk::session::{Session, Until};
use raftwerk::sim::{Command, EventName, FlightName, Plan};
use raftwerk::view::inspect::MessageView;
use raftwerk::view::say;
use raftwerk::view::{self, Diagram, Extent, Looks, Sieve, Span, StageView, Thread};
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
/// The least time from the drawing of one panel to the next one's while playing, in milliseconds.
const PANEL_MS: f64 = 80.0;
/// And how many times what it took to draw the last one, so that large clusters have their panels drawn less often.
const PANEL_SHARE: f64 = 20.0;
/// How long work may take within a beat, in milliseconds.
pub const WORK_MS_MAX: f64 = 10.0;
/// How long a gap in which nothing happens takes at most, roughly, in milliseconds.
const QUICK_MS: f64 = 250.0;
/// The least time between two announcements while playing (case B26), in milliseconds.
const ANNOUNCE_MS: f64 = 2_000.0;
/// The least time between two drawings where nothing flies, in milliseconds.
const FRAME_MS: f64 = 16.0;

/// What can happen on the page.
#[derive(Clone)]
pub enum Msg {
    Step,
    StepBack,
    PlayPause,
    Reset,
    Open,
    AnotherSeed,
    Speed(usize),
    Quick(bool),
    Beat,
    Frame,
    StepTask,
    Act(Command),
    Select(Option<ReplicaId>),
    Click(ReplicaId),
    SelectMessage(EventName),
    SelectArrow(usize),
    SelectLink(ReplicaId, ReplicaId),
    ToggleRule,
    Grab(ReplicaId, i32, i32),
    Drag(i32, i32),
    LetGo(bool),
    Nudge(ReplicaId, i8, i8),
    Tidy,
    GoTo(u64),
    Find,
    Search(String),
    SieveKind(usize),
    SieveNode(Option<ReplicaId>),
    FirstOffset(Option<u64>),
    Ask(Question),
    Seek(u64),
    TimeDown(i32, i32, i32),
    TimeMove(i32, i32, i32),
    TimeUp(i32, bool),
    WheelHint,
    Zoom(i8),
    TimeOut(ReplicaId),
    PushBack(EventName),
    Delay(FlightName),
    Again(ReplicaId, ReplicaId, u32),
    Type(usize, String),
    SetLinks(Vec<Option<(ReplicaId, ReplicaId)>>),
    SetClock(ReplicaId),
    CutBoth(ReplicaId, ReplicaId, bool),
    Spread,
    Parting,
    NextGroup(ReplicaId),
    AddClient,
    Steadily(u8),
    Unplan(Plan),
    Undo,
    Earlier(usize),
    Redo,
    Switch(u32),
    NameBranch(u32, String),
    RemoveBranch(u32),
    Compare(Option<u32>),
    Choose(usize, usize),
    Until(Until),
    UntilCommitted,
    CancelSearch,
    Share,
    ShareKind(usize),
    Title(String),
    Take(Take),
    ChooseFile,
    OpenText(String),
    Failed(String),
    OpenOn,
    AnswerOpening(bool),
    OwnRun,
    Chapter(bool),
    Host(String),
    Hear,
    Copied(u32, bool),
    Toggle(Open),
    Edit(usize, String),
    Protocol(Family),
    OtherProtocol,
    CompareProtocols,
    Apply,
    Theme(usize),
    Motion(u8),
    Kinds(usize),
    HidePanel(usize),
    Side(u8),
    Below(u8),
    ResetView,
    Tab(usize),
    SystemChanged,
    Measured,
    LoadLater,
    Later(bool),
    Close,
    Navigated,
    Hidden,
    Leaving,
    Resized,
    StartOver,
    Panic(bool),
    Bench(u64, u64, Family),
}

/// A step on its way: the playhead glides to it, then it is taken.
pub struct Glide {
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
    Legend,
    View,
    Settings,
    Share,
    Faults,
    Clients,
    Branches,
    Go,
    Safety,
}

/// The page.
pub struct App {
    pub(super) session: Option<Session>,
    /// What is wrong with the link, while nothing runs.
    pub(super) bad_link: Option<link::LinkError>,
    pub(super) is_playing: bool,
    pub(super) is_quick: bool,
    pub(super) is_passing: bool,
    pub(super) was_hidden: bool,
    pub(super) speed: usize,
    pub(super) glide: Option<Glide>,
    pub(super) playback: Playback,
    pub(super) frame: Option<AnimationFrame>,
    pub(super) selected: Option<ReplicaId>,
    /// The chosen message, as it was when it was chosen.
    pub(super) message: Option<(EventName, Option<MessageView>)>,
    pub(super) chosen_link: Option<(ReplicaId, ReplicaId)>,
    pub(super) thread: Thread,
    pub(super) is_rule_open: bool,
    pub(super) sieve: Sieve,
    pub(super) prefs: Prefs,
    /// Whether nothing flies.
    pub(super) is_still: bool,
    /// What comes after the first drawing could not be loaded.
    pub(super) is_later_missing: bool,
    pub(super) tab: usize,
    pub(super) moved: Vec<(f64, f64)>,
    pub(super) dragged: Option<Dragged>,
    /// Whether the last press on a node was a drag.
    pub(super) has_dragged: bool,
    pub(super) pointers: Vec<Pointer>,
    pub(super) is_wheel_hint: bool,
    /// The width of the diagram on the screen, and whether it must be measured again.
    pub(super) diagram_width: f64,
    pub(super) is_measured: bool,
    pub(super) focus: Option<&'static str>,
    pub(super) first_offset: Option<u64>,
    pub(super) question: Option<Question>,
    pub(super) span: usize,
    pub(super) diagram: Option<Diagram>,
    pub(super) diagram_ms: f64,
    /// What it took to draw the stage and a panel, in milliseconds, and whether that is being measured.
    pub(super) panel_cost_ms: f64,
    pub(super) is_costly: bool,
    /// The run's title, as the tab has it.
    titled: String,
    /// The run went on, and that is not drawn yet.
    pub(super) is_stale: bool,
    pub(super) drawn_ms: f64,
    /// What is drawn a few times a second while playing, and otherwise each time.
    pub(super) parts: Parts,
    pub(super) stamps: [u64; PANELS.len()],
    /// The stamp of what changes only when somebody does something.
    pub(super) calm_stamp: u64,
    /// For each node, how often it has come to look different.
    pub(super) node_stamps: Vec<u64>,
    /// Which part is drawn next while playing.
    pub(super) turn: usize,
    pub(super) open: Open,
    pub(super) draft: Option<Draft>,
    pub(super) shared: String,
    /// What a link is to, among [`super::share::KINDS`], and how the moment was looked at when sharing began.
    pub(super) share_kind: usize,
    /// How often something was copied; whether it is selected instead; and the digest of the moment that is shared.
    pub(super) copies: u32,
    pub(super) is_selected: bool,
    pub(super) shared_digest: Option<u64>,
    pub(super) share_shown: Shown,
    /// A run that is being opened.
    pub(super) pending: Option<Pending>,
    /// Whether the run came with a link and nothing was done in it; then one's own may stand aside.
    pub(super) is_guest: bool,
    pub(super) own: Option<Box<Session>>,
    pub(super) is_embedded: bool,
    /// Where an embedded page can be seen in full.
    pub(super) full: String,
    pub(super) copied: Option<bool>,
    pub(super) notice: String,
    pub(super) announced: String,
    pub(super) announced_ms: f64,
    pub(super) news: Option<String>,
    pub(super) stage: Option<StageView>,
    /// What is typed into small fields, and chosen in the form of a search.
    pub(super) typed: Typed,
    pub(super) choice: Choice,
    /// Going on until something is so.
    pub(super) search: Option<Searching>,
    /// The run before this one, until it is gone back to.
    pub(super) previous: Vec<Previous>,
    /// What is kept of the run that is worked on, if it is, and whether what is kept can be read.
    pub(super) kept: String,
    pub(super) is_own_kept: bool,
    /// The earlier runs, by their places, as the list has them.
    pub(super) earlier: Vec<(usize, String)>,
    /// The settings of the protocol that was left last.
    pub(super) remembered: Option<ProtocolSettings>,
    /// Whether what is laid beside still has to come as far as this run.
    pub(super) is_behind: bool,
    /// What was asked of the second file before it was there.
    pub(super) waiting: Option<Msg>,
    /// Another branch, laid beside this one.
    pub(super) beside: Option<Box<Session>>,
    /// Whether groups are being chosen on the stage, and the corner where a drag across it began.
    pub(super) is_parting: bool,
    pub(super) lasso: Option<[i32; 4]>,
    /// How many properties were broken when it began to play.
    pub(super) broken: usize,
    /// The three digests, for tests and for whoever compares runs; not kept up while playing.
    pub(super) digests: Option<String>,
    pub(super) is_narrow: bool,
    pub(super) extent: Extent,
    pub(super) messages: NodeRef,
    pub(super) timers: NodeRef,
    pub(super) arcs: Vec<u16>,
    pub(super) clipboard_timeout: Option<Timeout>,
    pub(super) _listeners: Vec<EventListener>,
}

fn is_phone() -> bool {
    browser::matches("(max-width: 760px)")
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

    /// The diagram of this moment.
    pub const fn diagram(&self) -> Option<&Diagram> {
        self.diagram.as_ref()
    }

    /// The name of the chosen message.
    pub fn message_name(&self) -> Option<EventName> {
        self.message.as_ref().map(|(name, _)| *name)
    }

    /// The chosen message.
    pub fn message(&self) -> Option<(EventName, &Option<MessageView>)> {
        self.message.as_ref().map(|(name, view)| (*name, view))
    }

    /// The thread of the chosen message.
    pub const fn thread(&self) -> &Thread {
        &self.thread
    }

    /// The chosen link.
    pub const fn chosen_link(&self) -> Option<(ReplicaId, ReplicaId)> {
        self.chosen_link
    }

    /// Whether the rule behind the sentence is shown.
    pub const fn is_rule_open(&self) -> bool {
        self.is_rule_open
    }

    /// What the event list shows.
    pub const fn sieve(&self) -> &Sieve {
        &self.sieve
    }

    /// Loads what comes after the first drawing.
    fn load_later(ctx: &Context<Self>) {
        let link = ctx.link().clone();
        wasm_bindgen_futures::spawn_local(async move { link.send_message(Msg::Later(later::load().await)) });
    }

    /// What is wrong with the link.
    pub const fn bad_link(&self) -> Option<&link::LinkError> {
        self.bad_link.as_ref()
    }

    /// What is kept of the page.
    pub const fn prefs(&self) -> &Prefs {
        &self.prefs
    }

    /// Which tab is open on a phone.
    pub const fn tab(&self) -> usize {
        self.tab
    }

    /// Whether this is a phone.
    pub const fn is_narrow(&self) -> bool {
        self.is_narrow
    }

    /// The size of the stage.
    pub const fn extent(&self) -> Extent {
        self.extent
    }

    /// Whether nodes were moved from the ring.
    pub fn is_rearranged(&self) -> bool {
        self.moved.iter().any(|&by| by != (0.0, 0.0))
    }

    /// Whether the hint about zooming is shown.
    pub const fn is_wheel_hint(&self) -> bool {
        self.is_wheel_hint
    }

    /// The parts that were drawn, and the stamp under which a panel is drawn now.
    pub const fn part(&self, panel: usize) -> (&Parts, u64) {
        (&self.parts, self.stamps[panel])
    }

    /// The stamp of what changes only when somebody does something.
    pub const fn calm_stamp(&self) -> u64 {
        self.calm_stamp
    }

    /// The stamp of a node on the stage.
    pub fn node_stamp(&self, id: ReplicaId) -> u64 {
        self.calm_stamp << 32 | self.node_stamps.get(id.index()).copied().unwrap_or(0)
    }

    /// Whether it plays.
    pub const fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Whether it passes a quiet stretch.
    pub const fn is_passing(&self) -> bool {
        self.is_passing
    }

    /// Whether nothing flies.
    pub const fn is_still(&self) -> bool {
        self.is_still
    }

    /// Whether it was paused because the tab was hidden.
    pub const fn was_hidden(&self) -> bool {
        self.was_hidden
    }

    /// What must be said besides the sentence.
    pub fn notice(&self) -> &str {
        &self.notice
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
    pub fn shared(&self) -> (&str, Option<bool>) {
        (&self.shared, self.copied)
    }

    /// The speed, and whether quiet stretches are skipped.
    pub const fn pace(&self) -> (usize, bool) {
        (self.speed, self.is_quick)
    }

    /// Opens what the address, the last visit or nobody asks for; the first two once the whole page is there.
    pub(super) fn load(&mut self, ctx: &Context<Self>) {
        self.is_playing = false;
        self.glide = None;
        // How far it was played is kept too.
        let _ = later::keep(self);
        self.bad_link = None;
        self.choose_nothing();
        self.beside = None;
        self.pending = None;
        let is_asked = !matches!(browser::fragment().as_str(), "" | "#");
        if let Some(session) = self.session.take().filter(|_| !self.is_guest) {
            self.own = Some(Box::new(session));
        }
        self.is_guest = false;
        if is_asked || self.own.is_none() && browser::stored(browser::RUN).is_some() {
            later::update(self, ctx, Msg::Open);
        } else {
            self.session = Some(self.own.take().map_or_else(Session::newcomer, |own| *own));
        }
        self.changed();
    }

    /// The run changed other than by playing on.
    pub(super) fn changed(&mut self) {
        self.news = None;
        self.digests = later::keep(self);
        self.project();
    }

    pub(super) fn choose_nothing(&mut self) {
        self.selected = None;
        self.message = None;
        self.chosen_link = None;
        self.question = None;
    }

    pub(super) fn project(&mut self) {
        self.follow();
        // A client's link is not there before the client is, nor a node's in a smaller cluster.
        let is_there = |session: &Session, (from, to)| session.sim().has_link(from, to);
        self.chosen_link = self.chosen_link.filter(|&ends| self.session.as_ref().is_some_and(|it| is_there(it, ends)));
        let Some(session) = &self.session else {
            (self.stage, self.diagram) = (None, None);
            return;
        };
        let replicas = usize::from(session.sim().replicas());
        if self.moved.len() != replicas {
            self.moved = vec![(0.0, 0.0); replicas];
        }
        let looks =
            Looks { extent: self.extent, hidden: self.prefs.kinds, moved: self.moved.clone(), is_still: self.is_still };
        let stage = view::stage(session, &looks);
        self.node_stamps.resize(replicas, 0);
        let was = self.stage.iter().flat_map(|stage| &stage.nodes);
        for ((old, new), stamp) in was.zip(&stage.nodes).zip(&mut self.node_stamps) {
            *stamp += u64::from(!new.looks_like(old));
        }
        self.stage = Some(stage);
        if self.is_playing {
            // One panel after the other, so that no frame has to wait for all of them; only the line of the present moves with
            // each frame.
            let now_ms = browser::now_ms();
            if now_ms - self.diagram_ms < PANEL_MS.max(PANEL_SHARE * self.panel_cost_ms) {
                return;
            }
            self.diagram_ms = now_ms;
            self.is_costly = true;
            self.turn = (self.turn + 1) % PANELS.len();
            self.stamps[self.turn] += 1;
            if self.turn != prefs::TIME {
                return;
            }
        }
        let end_us = session.marks().last().map_or(0, |mark| mark.at_us).max(session.sim().now_us());
        let span = Span::around(session.playhead_us(), SPANS[self.span].0, end_us);
        let drawn = later::time(
            session,
            &later::Frame { width: self.diagram_width, span, kinds: self.prefs.kinds, chosen: self.message_name() },
        );
        (self.diagram, self.thread) = drawn.map_or_else(Default::default, |(diagram, thread)| (Some(diagram), thread));
    }

    /// The time that is drawn: the playhead, or the last event where nothing flies.
    pub(super) fn drawn_us(&self) -> u64 {
        self.session.as_ref().map_or(
            0,
            |session| {
                if self.is_still() { session.sim().now_us() } else { session.playhead_us() }
            },
        )
    }

    /// Draws what moves between two steps.
    pub(super) fn draw(&mut self, is_new: bool) {
        let drawn_us = self.drawn_us();
        if let Some(stage) = &self.stage {
            frame::draw(stage, drawn_us, &self.messages, &self.timers, &mut self.arcs, is_new);
            panels::draw_clock(drawn_us);
            if let Some(view) = &self.diagram {
                diagram::draw_now(view, drawn_us);
            }
        }
    }

    /// Asks for the next beat and the next frame, if anything moves.
    pub(super) fn go_on(&mut self, ctx: &Context<Self>) {
        let opens = self.pending.as_ref().is_some_and(Pending::goes_on);
        if !self.is_playing && self.glide.is_none() && self.search.is_none() && !self.is_behind && !opens {
            self.playback.stop();
            return;
        }
        self.playback.go_on(
            self.search.is_some() || opens || self.is_behind || self.is_playing && SPEEDS[self.speed].0.is_infinite(),
        );
        if (self.is_playing || self.glide.is_some())
            && self.search.is_none()
            && self.frame.is_none()
            && !self.is_still()
        {
            let link = ctx.link().clone();
            self.frame = Some(request_animation_frame(move |_| link.send_message(Msg::Frame)));
        }
    }

    pub(super) fn pause(&mut self) {
        if self.is_playing
            && let Some(session) = &mut self.session
        {
            // While it played, nobody kept what was before the last step.
            session.look_back();
        }
        self.is_playing = false;
        self.is_passing = false;
        self.search = None;
    }

    /// Stops whatever moves, to go or to look somewhere else.
    pub(super) fn halt(&mut self) {
        self.pause();
        self.glide = None;
        self.notice.clear();
        self.was_hidden = false;
    }

    /// Ends a glide at once: the step it was for is taken.
    pub(super) fn land(&mut self) -> bool {
        if self.glide.take().is_none() {
            return false;
        }
        self.take_step()
    }

    pub(super) fn take_step(&mut self) -> bool {
        let Some(session) = &mut self.session else {
            return false;
        };
        let broken = session.sim().violations().len();
        if !session.step_and_look() {
            self.notice = end_notice(session);
            return false;
        }
        if session.sim().violations().len() > broken {
            self.tell_broken();
        }
        true
    }

    /// Says the sentence of the step that was just taken.
    pub(super) fn say_step(&mut self) {
        if let Some(session) = &self.session {
            self.announced = say::step(session, session.last_step(), session.is_open());
        }
    }

    /// Plays, or pauses what plays.
    pub(super) fn play_or_pause(&mut self) {
        self.notice.clear();
        if self.is_playing {
            self.pause();
            self.announced = "Paused.".into();
            self.changed();
            return;
        }
        if self.land() {
            self.changed();
        }
        self.was_hidden = false;
        self.search = None;
        self.is_playing = self.session.is_some();
        self.broken = self.violations();
        self.playback.start();
    }

    pub(super) fn begin_step(&mut self) {
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
        if self.is_still || gap_ms < 1.0 {
            self.take_step();
            self.say_step();
            self.changed();
            return;
        }
        let lasts_ms = view::between(gap_ms * 5.0, 140.0, 450.0);
        self.glide = Some(Glide { from_us, to_us, done_ms: 0.0, lasts_ms });
        self.playback.start();
    }

    /// Moves the playhead for one beat. True if something must be rendered.
    fn beat(&mut self, elapsed_ms: f64) -> bool {
        if self.search.is_some() {
            return self.search_on();
        }
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
            if self.is_behind {
                self.calm_stamp += 1;
                self.project();
            }
            return self.is_behind || self.beside.is_some();
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
                self.news = Some(say::sentence(session, &explanation).text);
            }
            if session.sim().violations().len() > self.broken {
                self.pause();
                self.tell_broken();
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
        self.is_stale |= has_stepped || was_passing != self.is_passing;
        // Where messages fly, the next frame draws it; where none is asked for, a beat does, as often as one would.
        self.is_still() && self.catch_up(FRAME_MS)
    }

    /// Projects what is not drawn yet, unless that was done less than so many milliseconds ago. True if it must be rendered.
    fn catch_up(&mut self, apart_ms: f64) -> bool {
        let now_ms = browser::now_ms();
        if !self.is_stale || now_ms - self.drawn_ms < apart_ms {
            return false;
        }
        self.is_stale = false;
        self.drawn_ms = now_ms;
        self.project();
        true
    }

    pub(super) fn explanation(&self) -> Explanation {
        self.session
            .as_ref()
            .map_or_else(|| explain(&[], false), |session| explain(session.last_step(), session.is_open()))
    }
}

/// Why a run takes no more steps.
pub fn end_notice(session: &Session) -> String {
    if session.is_full() {
        format!("This run has {} events, as many as a link can hold. Go back, or start another.", session.position())
    } else {
        "Nothing is left to do.".into()
    }
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
            message: None,
            chosen_link: None,
            thread: Thread::default(),
            is_rule_open: false,
            sieve: Sieve::default(),
            prefs: Prefs::kept(),
            is_still: false,
            is_later_missing: false,
            tab: prefs::NEXT,
            moved: Vec::new(),
            dragged: None,
            has_dragged: false,
            pointers: Vec::new(),
            is_wheel_hint: false,
            diagram_width: 1_000.0,
            is_measured: false,
            focus: None,
            first_offset: None,
            question: None,
            span: 2,
            diagram: None,
            diagram_ms: 0.0,
            panel_cost_ms: 0.0,
            is_costly: false,
            titled: String::new(),
            is_stale: false,
            drawn_ms: 0.0,
            parts: Parts::default(),
            stamps: [0; PANELS.len()],
            calm_stamp: 0,
            node_stamps: Vec::new(),
            turn: 0,
            open: Open::Nothing,
            draft: None,
            shared: String::new(),
            share_kind: 0,
            copies: 0,
            is_selected: false,
            shared_digest: None,
            share_shown: Shown::default(),
            pending: None,
            is_guest: false,
            own: None,
            is_embedded: browser::is_embedded(),
            full: String::new(),
            copied: None,
            notice: String::new(),
            announced: String::new(),
            announced_ms: 0.0,
            news: None,
            stage: None,
            typed: Typed::default(),
            choice: Choice::default(),
            search: None,
            previous: Vec::new(),
            kept: String::new(),
            is_own_kept: false,
            earlier: Vec::new(),
            beside: None,
            remembered: None,
            is_behind: false,
            waiting: None,
            is_parting: false,
            lasso: None,
            broken: 0,
            digests: None,
            is_narrow: is_phone(),
            extent: Extent::of(840.0, 400.0, false),
            messages: NodeRef::default(),
            timers: NodeRef::default(),
            arcs: Vec::new(),
            clipboard_timeout: None,
            _listeners: listen(ctx),
        };
        app.apply_theme();
        app.is_still = app.prefs.is_still();
        app.load(ctx);
        app
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let is_time = matches!(msg, Msg::Beat | Msg::Frame);
        if matches!(msg, Msg::Select(_) | Msg::Tab(_) | Msg::Toggle(_)) && std::mem::take(&mut self.is_later_missing) {
            Self::load_later(ctx);
        }
        let renders = match msg {
            Msg::Beat => {
                let elapsed_ms = self.playback.elapsed_ms();
                let is_opening = self.pending.as_ref().is_some_and(Pending::goes_on);
                if is_opening { later::update(self, ctx, Msg::OpenOn) } else { self.beat(elapsed_ms) }
            }
            Msg::Frame => {
                self.frame = None;
                let renders = self.catch_up(0.0);
                if !renders {
                    self.draw(false);
                }
                renders
            }
            Msg::Step => {
                self.begin_step();
                true
            }
            Msg::StepBack => {
                self.halt();
                if let Some(session) = &mut self.session {
                    session.step_back();
                }
                self.say_step();
                self.changed();
                true
            }
            Msg::PlayPause => {
                self.play_or_pause();
                true
            }
            Msg::Reset => {
                self.seek(0);
                self.say_step();
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
            Msg::Select(Some(id)) if self.is_parting => later::update(self, ctx, Msg::NextGroup(id)),
            Msg::Select(id) => {
                let chosen = id.filter(|_| self.selected != id);
                self.choose_nothing();
                self.selected = chosen;
                if chosen.is_some() {
                    self.tab = prefs::NODE;
                }
                self.look_anew();
                true
            }
            Msg::Click(id) => {
                // The click that ends a drag chooses nothing.
                if !std::mem::take(&mut self.has_dragged) {
                    let msg = if self.is_parting { Msg::NextGroup(id) } else { Msg::Select(Some(id)) };
                    ctx.link().send_message(msg);
                }
                false
            }

            Msg::Measured => true,
            Msg::LoadLater => {
                Self::load_later(ctx);
                false
            }
            Msg::Later(is_here) => {
                self.is_later_missing = !is_here;
                if is_here {
                    later::update(self, ctx, Msg::Hear);
                    browser::say_whole();
                    if self.session.is_none() && self.bad_link.is_none() {
                        self.load(ctx);
                    }
                    if let Some(waiting) = self.waiting.take() {
                        ctx.link().send_message(waiting);
                    }
                } else {
                    self.notice =
                        "Part of this page could not be loaded, so its panels stay empty. Your run is kept: load the page again."
                            .into();
                }
                self.is_measured = false;
                self.changed();
                self.look_anew();
                true
            }
            Msg::SystemChanged => {
                self.look_anew();
                true
            }
            Msg::Navigated => {
                self.open = Open::Nothing;
                self.load(ctx);
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
                self.is_narrow = is_phone();
                self.is_measured = false;
                self.look_anew();
                true
            }
            // Asked before the second file is there: done once it is.
            other @ (Msg::Protocol(_) | Msg::OtherProtocol | Msg::AnotherSeed | Msg::Toggle(_))
                if !later::is_here() =>
            {
                self.waiting = Some(other);
                false
            }
            other => later::update(self, ctx, other),
        };
        if renders && !(is_time && self.is_playing) {
            self.stamps = self.stamps.map(|stamp| stamp + 1);
            self.calm_stamp += 1;
        }
        self.go_on(ctx);
        renders
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let mut tree = Tree::new(ctx.link().clone());
        let tree_ref = &mut tree;
        self.page(tree_ref);
        tree.finish()
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            // Once the first drawing is on the screen.
            let scope = ctx.link().clone();
            Timeout::new(0, move || scope.send_message(Msg::LoadLater)).forget();
        }
        let title = self.session.as_ref().map_or("", |session| session.settings().title.as_str());
        if self.titled != title {
            title.clone_into(&mut self.titled);
            browser::set_title(&plain(title, 80));
        }
        if let Some(focus) = self.focus.take() {
            browser::focus(focus);
        }
        if !self.is_measured {
            self.is_measured = true;
            self.measure(ctx);
        }
        if std::mem::take(&mut self.is_costly) {
            self.panel_cost_ms = browser::now_ms() - self.diagram_ms;
        }
        // While it plays, dials are moved by frames; whoever looks closely sees no difference.
        self.draw(!self.is_playing);
    }
}

impl App {
    /// The whole page.
    fn page(&self, tree: &mut Tree) {
        let (Some(session), Some(stage)) = (&self.session, &self.stage) else {
            el!(tree, "div", "class" = "page"; {
                panels::header(tree, self);
                if self.bad_link.is_none() {
                    panels::opening(tree, self);
                    tree.group(|tree| later::draw(tree, self, Part::Progress));
                } else {
                    later::draw(tree, self, Part::BadLink);
                    tree.group(|tree| later::draw(tree, self, Part::Progress));
                }
            });
            return;
        };
        let prefs = &self.prefs;
        let is_side_empty = prefs.hides(prefs::NEXT) && prefs.hides(prefs::LOGS) && !self.is_anything_chosen();
        let is_below_empty = prefs.hides(prefs::TIME) && prefs.hides(prefs::EVENTS);
        let class = classes(
            "body",
            &[
                (&format!("side-{} below-{}", prefs.side, prefs.below), true),
                ("many", stage.nodes.len() > 9),
                ("no-side", is_side_empty),
                ("no-below", is_below_empty),
                ("with-inspector", self.is_anything_chosen()),
                ("two", self.beside.is_some()),
            ],
        );
        el!(tree, "div", "class" = if self.is_embedded { "page embed" } else { "page" }, "data-digests" = self.digests.clone(); {
            tree.part(&self.parts, held::HEADER, self.calm_stamp, |tree| panels::header(tree, self));
            tree.group(|tree| later::draw(tree, self, Part::Banner));
            el!(tree, "main", "class" = class, "aria-busy" = self.search.is_some().then_some("true"); {
                stage::stage(tree, self, stage);
                tree.group(|tree| later::draw(tree, self, Part::Beside));
                panels::sentence(tree, self, &self.explanation());
                panels::transport(tree, self, session);
                tree.when(self.is_narrow(), |tree| panels::tabs(tree, self));
                el!(tree, "div", "class" = "side"; {
                    panels::panel(tree, self, prefs::NODE, "chosen", |tree| later::draw(tree, self, Part::Inspector));
                    panels::panel(tree, self, prefs::NEXT, "next", |tree| panels::next(tree, self, session));
                    panels::panel(tree, self, prefs::LOGS, "logs", |tree| later::draw(tree, self, Part::Logs));
                });
                el!(tree, "div", "class" = "below"; {
                    panels::panel(tree, self, prefs::TIME, "time", |tree| later::draw(tree, self, Part::Time));
                    panels::panel(tree, self, prefs::EVENTS, "events", |tree| later::draw(tree, self, Part::Events));
                });
            });
            tree.group(|tree| later::draw(tree, self, Part::Overlay));
            tree.group(|tree| later::draw(tree, self, Part::Progress));
            el!(tree, "p", "class" = "unseen", "role" = "status", "aria-live" = "polite"; { tree.text(&self.announced) });
        });
    }

    pub(super) fn is_anything_chosen(&self) -> bool {
        self.selected.is_some() || self.message.is_some() || self.chosen_link.is_some()
    }

    /// Takes over the sizes on the screen, so that letters are as large as they should be.
    pub(super) fn measure(&mut self, ctx: &Context<Self>) {
        let mut differs = false;
        if let Some([_, _, width, height]) = browser::place_of(".stage svg") {
            let extent = Extent::of(width, height, self.is_narrow);
            differs |= extent != self.extent;
            self.extent = extent;
        }
        if let Some([_, _, width, _]) = browser::place_of(".diagram") {
            differs |= (width - self.diagram_width).abs() > 0.5;
            self.diagram_width = width;
        }
        if differs {
            self.look_anew();
            ctx.link().send_message(Msg::Measured);
        }
    }

    /// Goes to a position.
    pub(super) fn seek(&mut self, step: u64) {
        self.halt();
        if let Some(session) = &mut self.session {
            session.seek(step.min(session.length()));
        }
        self.changed();
    }

    /// Projects everything again, the diagram too.
    pub(super) fn look_anew(&mut self) {
        self.is_still = self.prefs.is_still();
        // While it plays, each panel has its turn.
        self.diagram_ms = f64::NEG_INFINITY;
        self.turn = prefs::TIME - 1;
        self.project();
    }

    pub(super) fn apply_theme(&self) {
        browser::set_theme(["", "light", "dark"][usize::from(self.prefs.theme)]);
    }

    /// Opens or closes what lies over the page, and moves the focus there and back.
    pub(super) fn show_overlay(&mut self, open: Open) {
        // A figure in another page has no room for one, and takes no focus.
        if self.is_embedded {
            return;
        }
        self.focus = match (self.open, open) {
            (Open::Nothing, Open::Nothing) => None,
            (Open::Help, Open::Nothing) => Some(".opens.help"),
            (Open::Legend, Open::Nothing) => Some(".opens.legend"),
            (Open::View, Open::Nothing) => Some(".opens.view"),
            (Open::Settings, Open::Nothing) => Some(".opens.settings"),
            (Open::Share, Open::Nothing) => Some("header .share"),
            (Open::Faults, Open::Nothing) => Some(".opens.faults"),
            (Open::Clients, Open::Nothing) => Some(".opens.clients"),
            (Open::Branches, Open::Nothing) => Some(".opens.branches"),
            (Open::Go, Open::Nothing) => Some(".opens.go"),
            (Open::Safety, Open::Nothing) => Some(".opens.safety"),
            _ => Some(".overlay"),
        };
        self.open = open;
    }
}
