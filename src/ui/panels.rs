//! Everything around the stage but the inspector, the diagram and the tables.

use super::app::{App, Msg, Open, SPEEDS};
use super::held;
use super::later::{self, Part};
use super::prefs::{NEXT, PANELS};
use super::tree::{Tree, classes, el, say, truth};
use raftwerk::explain::Explanation;
use raftwerk::raft::Family;
use raftwerk::scenario::link::LinkError;
use raftwerk::scenario::plain;
use raftwerk::session::Session;
use raftwerk::sim::{Command, EventName, Property};
use raftwerk::text::en::{self as text, Sentence};
use raftwerk::view::say;
use raftwerk::view::{PendingItem, pending};
use yew::virtual_dom::ListenerKind;

/// The top of the page.
pub fn header(tree: &mut Tree, app: &App) {
    el!(tree, "header"; {
        tree.leaf("h1", None, "Raftwerk");
        tree.group(|tree| {
            if let Some(session) = app.session() {
                tree.leaf("p", Some("title"), &plain(&session.settings().title, 80));
            }
        });
        tree.group(|tree| protocols(tree, app));
        el!(tree, "span", "class" = "space");
        tree.group(|tree| {
            let Some(session) = app.session() else { return };
            let broken = session.sim().violations().first();
            el!(tree, "button", "type" = "button", "class" = if broken.is_some() { "plain opens safety lights broken" } else { "plain opens safety lights" },
                "aria-expanded" = truth(app.open() == Open::Safety); {
                tree.click(Msg::Toggle(Open::Safety));
                match broken {
                    None => say!(tree, "{} safety properties hold", Property::ALL.len()),
                    Some(first) => say!(tree, "{} was broken at event {}", text::property(say::words(session), first.property).0, first.step),
                }
            });
            tree.named("Share", "Share", "share", Msg::Share);
            opener(tree, app, "View", "opens view", Open::View);
            opener(tree, app, "Legend", "opens legend", Open::Legend);
            opener(tree, app, "Settings", "opens settings", Open::Settings);
        });
        el!(tree, "button", "type" = "button", "class" = "opens help", "aria-label" = "Help", "aria-expanded" = truth(app.open() == Open::Help); {
            tree.click(Msg::Toggle(Open::Help));
            tree.text("?");
        });
    });
}

/// Which protocol runs; a click on another runs that, under the same seed and faults.
pub fn protocols(tree: &mut Tree, app: &App) {
    let Some(session) = app.session() else { return };
    let current = session.settings().protocol.family();
    el!(tree, "div", "class" = "protocols", "role" = "group", "aria-label" = "Protocol"; {
        for family in Family::ALL {
            let name = text::words(family).protocol;
            let is_current = family == current;
            let says = if is_current { format!("{name} runs") } else { format!("The same seed and faults under {name}") };
            el!(tree, "button", "type" = "button", "aria-pressed" = truth(is_current), "title" = says; {
                tree.click(Msg::Protocol(family));
                tree.text(name);
            });
        }
    });
}

pub fn opener(tree: &mut Tree, app: &App, label: &str, class: &'static str, open: Open) {
    el!(tree, "button", "type" = "button", "class" = class, "aria-expanded" = truth(app.open() == open); {
        tree.click(Msg::Toggle(open));
        tree.text(label);
    });
}

/// What is shown while a run is being opened: at first nothing, for that is quick.
pub fn opening(tree: &mut Tree, app: &App) {
    el!(tree, "main"; {
        el!(tree, "p", "class" = "opening", "role" = "status"; {
            tree.text(if app.notice().is_empty() { "Opening the run …" } else { app.notice() });
        });
    });
}

/// What is shown in place of a run when the link is bad.
pub fn bad_link(tree: &mut Tree, app: &App) {
    let error = app.bad_link();
    let (heading, says) = match error {
        None => ("Nothing to show", "The run could not be opened.".to_owned()),
        Some(LinkError::Damaged) => (
            "This link is incomplete or damaged",
            "Some of its characters are missing or changed, so nothing of it was opened. The link is still in the address bar: perhaps its end was cut off where you copied it."
                .to_owned(),
        ),
        Some(LinkError::Unknown(version)) => (
            "This link is of an unknown version",
            format!("It is whole, but was made by version {version} of this page, which is not known here. Try a newer page."),
        ),
        Some(LinkError::Invalid(error)) => (
            "This link says something that cannot be",
            format!("It is whole, but {} cannot be opened: {}.", error.path, error.says),
        ),
    };
    el!(tree, "main"; {
        el!(tree, "div", "class" = "bad-link", "role" = "alert"; {
            el!(tree, "h2", "tabindex" = "-1"; { tree.text(heading) });
            tree.leaf("p", None, &says);
            tree.when(!app.notice().is_empty(), |tree| tree.leaf("p", Some("notice"), app.notice()));
            el!(tree, "p", "class" = "actions"; {
                tree.when(app.has_own(), |tree| tree.button("Back to your own run", "share", Msg::OwnRun));
                tree.button("Open the first election instead", "", Msg::StartOver);
            });
        });
    });
}

/// The answer to a question.
pub fn answer(tree: &mut Tree, sentence: &Sentence) {
    el!(tree, "p", "class" = "answer"; {
        tree.text(&sentence.text);
        if !sentence.reference.is_empty() {
            tree.text(" ");
            tree.leaf("span", Some("reference"), sentence.reference);
        }
    });
}

/// The sentence about the last event, and the rule behind it.
pub fn sentence(tree: &mut Tree, app: &App, explanation: &Explanation) {
    let rule = text::rule(explanation);
    let class = classes("sentence", &[("open", app.is_rule_open())]);
    el!(tree, "section", "class" = class, "aria-label" = "What happened and why"; {
        let sentence = app.session().map_or_else(|| Sentence { text: String::new(), reference: "" }, |session| say::sentence(session, explanation));
        el!(tree, "p"; {
            tree.text(&sentence.text);
            tree.text(" ");
            tree.when(!sentence.reference.is_empty(), |tree| tree.leaf("span", Some("reference"), sentence.reference));
            tree.text(" ");
            tree.when(rule.is_some(), |tree| {
                el!(tree, "button", "type" = "button", "class" = "plain rule", "aria-expanded" = truth(app.is_rule_open()); {
                    tree.click(Msg::ToggleRule);
                    tree.text(if app.is_rule_open() { "hide the rule" } else { "the rule" });
                });
            });
        });
        tree.group(|tree| {
            if let Some(rule) = rule.filter(|_| app.is_rule_open()) {
                tree.leaf("p", Some("rule-text"), rule);
            }
        });
        tree.group(|tree| {
            if app.question().is_some() {
                later::draw(tree, app, Part::Answer);
            }
        });
        tree.when(app.is_parting(), |tree| {
            tree.leaf("p", Some("unit"), "Drag across nodes and clients to part them from the others, or choose one to move it on. Esc ends it.");
        });
        tree.when(app.was_hidden(), |tree| tree.leaf("p", Some("notice"), "Paused while hidden."));
        tree.group(|tree| {
            if !app.notice().is_empty() {
                el!(tree, "p", "class" = "notice", "role" = "alert"; { tree.text(app.notice()) });
            }
        });
    });
}

const CLOCK: &str = "clock";

/// Shows a time on the clock, without rendering.
pub fn draw_clock(playhead_us: u64) {
    if let Some(clock) = super::gloo_document().get_element_by_id(CLOCK) {
        clock.set_text_content(Some(&text::time(playhead_us)));
    }
}

/// A button whose sign is only for the eye.
fn marked(
    tree: &mut Tree,
    glyph: &'static str,
    shown: &str,
    label: &'static str,
    class: &'static str,
    is_off: bool,
    msg: Msg,
) {
    el!(tree, "button", "type" = "button", "class" = class, "aria-label" = label, "disabled" = is_off; {
        tree.click(msg);
        el!(tree, "svg", "class" = "glyph", "viewBox" = "0 0 12 12", "aria-hidden" = "true"; {
            el!(tree, "path", "d" = glyph);
        });
        tree.text(shown);
    });
}

/// What moves time. Only the clock and the position change with each step.
pub fn transport(tree: &mut Tree, app: &App, session: &Session) {
    let is_passing = app.is_passing();
    let (parts, _) = app.part(NEXT);
    let stamp = app.calm_stamp() << 1 | u64::from(session.begun() == 0);
    el!(tree, "section", "class" = "transport", "aria-label" = "Playback"; {
        tree.part(parts, held::MOVES, stamp, |tree| moves(tree, app, session));
        el!(tree, "output", "class" = "clock"; { el!(tree, "span", "id" = CLOCK) });
        el!(tree, "span", "class" = classes("passing", &[("on", is_passing)]); { tree.text(if is_passing { "» nothing due" } else { "" }) });
        tree.leaf("span", Some("position"), &text::position(session.position(), session.sim().tasks_into(), session.length()));
        if !app.is_embedded {
            tree.part(parts, held::PACE, app.calm_stamp(), |tree| pace(tree, app));
        }
        tree.when(app.is_embedded, |tree| {
            el!(tree, "a", "class" = "full", "href" = &app.full, "target" = "_blank", "rel" = "noopener"; { tree.text("Open in full") });
        });
    });
}

/// The buttons that move time.
fn moves(tree: &mut Tree, app: &App, session: &Session) {
    marked(
        tree,
        "M8 1V11L2 6ZM9 1H11V11H9Z",
        " Back",
        "Step back",
        "",
        session.position() == 0 && !session.is_open(),
        Msg::StepBack,
    );
    if app.is_playing() {
        marked(tree, "M2 1H5V11H2ZM7 1H10V11H7Z", " Pause", "Pause", "play", false, Msg::PlayPause);
    } else {
        marked(tree, "M2 1L11 6L2 11Z", " Play", "Play", "play", false, Msg::PlayPause);
    }
    marked(tree, "M1 1H3V11H1ZM4 1L10 6L4 11Z", " Step", "Step", "", false, Msg::Step);
    el!(tree, "button", "type" = "button", "class" = "opens go", "aria-expanded" = truth(app.open() == Open::Go); {
        tree.click(Msg::Toggle(Open::Go));
        tree.text("Go to");
    });
}

/// How fast it plays, and where it starts.
fn pace(tree: &mut Tree, app: &App) {
    let (speed, is_quick) = app.pace();
    el!(tree, "span", "class" = "space");
    el!(tree, "label", "class" = "speed"; {
        tree.text("speed ");
        tree.leaf("span", Some("speed-word"), SPEEDS[speed].1);
        el!(tree, "input", "type" = "range", "min" = "0", "max" = SPEEDS.len() as u64 - 1, "aria-label" = "Speed",
            "aria-valuetext" = SPEEDS[speed].1; {
            tree.value(&speed.to_string());
            tree.read(|value| Msg::Speed(value.parse().unwrap_or(0)));
        });
    });
    el!(tree, "label", "class" = "quick"; {
        el!(tree, "input", "type" = "checkbox"; {
            tree.ticked(is_quick);
            tree.read(|value| Msg::Quick(value == "true"));
        });
        tree.text(" skip quiet stretches");
    });
    tree.button("Reset", "", Msg::Reset);
    tree.button("Another seed", "", Msg::AnotherSeed);
}

/// The tabs of a phone.
pub fn tabs(tree: &mut Tree, app: &App) {
    el!(tree, "div", "class" = "tabs", "role" = "tablist", "aria-label" = "Panels"; {
        for (index, name) in PANELS.iter().enumerate() {
            let is_on = app.tab() == index;
            el!(tree, "button", "type" = "button", "role" = "tab", "id" = format_args!("tab-{index}"), "aria-selected" = truth(is_on),
                "aria-controls" = format_args!("panel-{index}"), "tabindex" = if is_on { "0" } else { "-1" }; {
                tree.click(Msg::Tab(index));
                tree.hear(ListenerKind::onkeydown, move |event: &web_sys::KeyboardEvent| {
                    let to = match event.key().as_str() {
                        "ArrowRight" => index + 1,
                        "ArrowLeft" => index + PANELS.len() - 1,
                        _ => return None,
                    };
                    event.prevent_default();
                    event.stop_propagation();
                    Some(Msg::Tab(to % PANELS.len()))
                });
                tree.text(name);
            });
        }
    });
}

/// A panel: beside or below the stage, or a tab of its own on a phone.
pub fn panel(tree: &mut Tree, app: &App, index: usize, class: &'static str, draw: impl FnOnce(&mut Tree)) {
    let is_on = if app.is_narrow() { app.tab() == index } else { !app.prefs().hides(index) };
    let name = PANELS[index];
    el!(tree, "section", "class" = class, "id" = format_args!("panel-{index}"), "aria-label" = name,
        "role" = app.is_narrow().then_some("tabpanel"), "hidden" = !is_on; {
        if is_on {
            let (parts, stamp) = app.part(index);
            tree.part(parts, index, stamp, draw);
        }
    });
}

/// How many lines of the list are shown while it plays.
const NEXT_IN_PLAY: usize = 8;
/// How many otherwise.
const NEXT_MAX: usize = 200;

fn item(tree: &mut Tree, is_first: bool, line: &PendingItem) {
    let event = line.name;
    el!(tree, "li", "class" = is_first.then_some("first"), "aria-label" = &line.text; {
        tree.key(&line.key);
        el!(tree, "span", "class" = if line.is_delivery { "mark delivery" } else { "mark timer" }, "aria-hidden" = "true");
        tree.leaf("span", Some("due"), &line.waits.map_or_else(|| text::time(line.at_us), ToOwned::to_owned));
        if let EventName::Delivery { from, to, number, is_copy } = event {
            el!(tree, "button", "type" = "button", "class" = "what", "title" = &line.key, "aria-label" = format_args!("Look into {}", line.text); {
                tree.click(Msg::SelectMessage(event));
                tree.text(&line.text);
            });
            tree.named("Drop", &format!("Drop {}", line.text), "plain", Msg::Act(Command::Drop { from, to, number, is_copy }));
        } else {
            el!(tree, "span", "class" = "what", "title" = &line.key; { tree.text(&line.text) });
            tree.when(!matches!(event, EventName::Task { .. }), |tree| {
                tree.named("Later", &format!("Later: push back {}", line.text), "plain", Msg::PushBack(event));
            });
        }
        let verb = if matches!(event, EventName::Timer { .. } | EventName::Client { .. }) { "Fire" } else { "Run" };
        tree.named(verb, &format!("{verb} now: {}", line.text), "", Msg::Act(Command::RunNow { event }));
    });
}

/// What can happen next.
pub fn next(tree: &mut Tree, app: &App, session: &Session) {
    // Nobody reads further while it runs.
    let most = if app.is_playing() { NEXT_IN_PLAY } else { NEXT_MAX };
    let (list, all) = pending(session, most);
    el!(tree, "h2"; {
        tree.text("Next");
        tree.hide(NEXT);
    });
    el!(tree, "ol", "tabindex" = "0", "aria-label" = "What can happen next, in order"; {
        for (index, line) in list.iter().enumerate() {
            item(tree, index == 0, line);
        }
    });
    tree.when(all > list.len(), |tree| {
        el!(tree, "p", "class" = "unit"; { say!(tree, "and {} more", all - list.len()) });
    });
    tree.when(all == 0, |tree| tree.leaf("p", None, "Nothing is left to do."));
}
