//! What the page can do without at first: a second wasm file, loaded once the first drawing stands.
//!
//! [`second`] is where the page is cut: what only it uses is in the second file (`xtask/src/split.rs` cuts). Without that
//! file the stage, the sentence, the playback and what comes next are there and work.
//!
//! Holds always: until the second file is there, nothing here does anything.

use super::app::{App, Msg};
use super::tree::Tree;
use super::{branches, diagram, events, go, inspector, logs, opening, overlays, panels};
use raftwerk::explain::Question;
use raftwerk::session::Session;
use raftwerk::sim::EventName;
use raftwerk::view::inspect::{self, MessageView};
use raftwerk::view::say;
use raftwerk::view::{self, Diagram, Kinds, Span, Thread};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{self, Waker};
use yew::Context;

static IS_HERE: AtomicBool = AtomicBool::new(false);

/// Whether the second file is there.
pub fn is_here() -> bool {
    IS_HERE.load(Ordering::Relaxed)
}

/// Loads the second file; whether it is there then.
pub async fn load() -> bool {
    let is_here = second(Call::Nothing).await.is_ok();
    IS_HERE.store(is_here, Ordering::Relaxed);
    is_here
}

/// A part of the page that is drawn by the second file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Inspector,
    Logs,
    Time,
    Events,
    Overlay,
    Answer,
    Beside,
    Progress,
    BadLink,
    Banner,
}

/// What is asked of the second file, and where the result goes.
enum Call<'a> {
    Nothing,
    Update(&'a mut App, &'a Context<App>, Msg, &'a mut bool),
    Keep(&'a mut App, &'a mut Option<String>),
    Draw(&'a mut Tree, &'a App, Part),
    Answer(&'a Session, Question, &'a mut String),
    Message(&'a Session, EventName, &'a mut Option<MessageView>),
    Time(&'a Session, &'a Frame, &'a mut Option<(Diagram, Thread)>),
}

/// What the diagram shows.
pub struct Frame {
    /// Its width, in pixels.
    pub width: f64,
    /// Which time.
    pub span: Span,
    /// Which messages.
    pub kinds: Kinds,
    /// The chosen message.
    pub chosen: Option<EventName>,
}

/// Where the page is cut.
#[cfg(is_cut)]
#[wasm_split_helpers::wasm_split(later, fallible)]
fn second(call: Call<'_>) -> Result<(), wasm_split_helpers::SplitLoaderError> {
    do_it(call);
    Ok(())
}

/// Built by plain Trunk, the page is whole.
#[cfg(not(is_cut))]
#[expect(clippy::unused_async, reason = "it is called like the one that is cut off")]
async fn second(call: Call<'_>) -> Result<(), std::convert::Infallible> {
    do_it(call);
    Ok(())
}

fn do_it(call: Call<'_>) {
    match call {
        Call::Nothing => {}
        Call::Update(app, ctx, msg, renders) => *renders = app.look_more(ctx, msg),
        Call::Keep(app, to) => {
            app.keep();
            *to = app.session().map(|session| {
                let digests = session.digests();
                format!("{:016x} {:016x} {:016x}", digests.state, digests.protocol, digests.run)
            });
        }
        Call::Draw(tree, app, part) => draw_part(tree, app, part),
        Call::Answer(session, question, to) => *to = say::answer(session, question).text,
        Call::Message(session, name, to) => *to = inspect::message(session, &name),
        Call::Time(session, frame, to) => {
            let thread = match frame.chosen {
                Some(EventName::Delivery { from, to, number, .. }) => Thread::of(session, (from, to, number)),
                _ => Thread::default(),
            };
            *to = Some((view::diagram(session, frame.width, frame.span, frame.kinds, &thread), thread));
        }
    }
}

/// The cut is called through a future, which is ready at once when the file is there.
fn call(call: Call<'_>) {
    if is_here() {
        let _ = pin!(second(call)).poll(&mut task::Context::from_waker(Waker::noop()));
    }
}

fn draw_part(tree: &mut Tree, app: &App, part: Part) {
    if part == Part::BadLink {
        panels::bad_link(tree, app);
    }
    if part == Part::Progress {
        opening::progress(tree, app);
    }
    let Some(session) = app.session() else { return };
    match part {
        Part::Inspector => inspector::inspector(tree, app, session),
        Part::Logs => logs::logs(tree, app, session),
        Part::Time => {
            if let Some(view) = app.diagram() {
                diagram::diagram(tree, app, view);
            }
        }
        Part::Events => events::list(tree, app, session),
        Part::Overlay => overlays::overlay(tree, app),
        Part::Beside => {
            if let Some(other) = app.beside() {
                branches::beside(tree, app, session, other);
            }
        }
        Part::Progress => go::progress(tree, app),
        Part::Banner => opening::banner(tree, app, session),
        Part::BadLink => {}
        Part::Answer => {
            if let Some(question) = app.question() {
                panels::answer(tree, &say::answer(session, question));
            }
        }
    }
}

/// Draws a part.
pub fn draw(tree: &mut Tree, app: &App, part: Part) {
    call(Call::Draw(tree, app, part));
}

/// What the page does with most messages. True if something must be rendered.
pub fn update(app: &mut App, ctx: &Context<App>, msg: Msg) -> bool {
    let mut renders = false;
    call(Call::Update(app, ctx, msg, &mut renders));
    renders
}

/// Keeps the run as it is now; gives the three digests of this moment.
pub fn keep(app: &mut App) -> Option<String> {
    let mut digests = None;
    call(Call::Keep(app, &mut digests));
    digests
}

/// The answer to a question about this moment, as text.
pub fn answer(session: &Session, question: Question) -> String {
    let mut said = String::new();
    call(Call::Answer(session, question, &mut said));
    said
}

/// A message, as the inspector shows it.
pub fn message(session: &Session, name: EventName) -> Option<MessageView> {
    let mut view = None;
    call(Call::Message(session, name, &mut view));
    view
}

/// The diagram, and the thread of the chosen message in it.
pub fn time(session: &Session, frame: &Frame) -> Option<(Diagram, Thread)> {
    let mut drawn = None;
    call(Call::Time(session, frame, &mut drawn));
    drawn
}
