//! What opens over the page: settings, view, share, help and the legend.

use super::app::{App, Msg, Open};
use super::diagram::sign_path;
use super::draft::{Draft, FIELDS};
use super::inspector::FORMS;
use super::keys::KEYS;
use super::prefs::{NODE, PANELS, SIZES};
use super::stage::{arrow_class, figure, figure_class, head, kinds};
use super::tree::{Tree, el, say, truth};
use raftwerk::raft::{Form, ReplicaId, RoleShape};
use raftwerk::text::en as text;
use raftwerk::view::{Arrow, NodeView, SignKind, Vote};
use yew::virtual_dom::ListenerKind;

fn field(tree: &mut Tree, label: &str, draw: impl FnOnce(&mut Tree)) {
    el!(tree, "label", "class" = "field"; {
        tree.leaf("span", None, label);
        draw(tree);
    });
}

fn choice(tree: &mut Tree, label: &str, names: &[&str], chosen: usize, msg: fn(usize) -> Msg) {
    field(tree, label, |tree| {
        el!(tree, "select"; {
            tree.read(move |value| msg(value.parse().unwrap_or(0)));
            for (index, name) in names.iter().enumerate() {
                el!(tree, "option", "value" = index as u64, "selected" = index == chosen; { tree.text(name) });
            }
        });
    });
}

fn close(tree: &mut Tree) {
    el!(tree, "p", "class" = "actions"; { tree.button("Close", "", Msg::Close) });
}

fn settings(tree: &mut Tree, app: &App, draft: &Draft) {
    el!(tree, "form", "class" = "overlay", "aria-label" = "Settings", "tabindex" = "-1"; {
        tree.hear(ListenerKind::onsubmit, |event: &web_sys::Event| {
            event.prevent_default();
            Some(Msg::Apply)
        });
        tree.leaf("h2", None, "Settings");
        for (index, it) in FIELDS.iter().enumerate() {
            let error = draft.error.as_ref().filter(|error| error.path == it.path);
            field(tree, it.label, |tree| {
                el!(tree, "input", "type" = "text", "inputmode" = "decimal", "autocomplete" = "off", "aria-invalid" = truth(error.is_some()); {
                    tree.value(&draft.texts[index]);
                    tree.read(move |value| Msg::Edit(index, value));
                });
                tree.leaf("span", Some("unit"), it.unit);
                if let Some(error) = error {
                    el!(tree, "span", "class" = "notice", "role" = "alert"; { tree.text(&error.says) });
                }
            });
        }
        choice(tree, "Work on executors", &FORMS.map(|(_, name)| name), usize::from(draft.form == Form::OnePoll), |index| {
            Msg::Form(FORMS[index.min(1)].0)
        });
        field(tree, "Ask voters for the leader", |tree| {
            el!(tree, "input", "type" = "checkbox"; {
                tree.ticked(draft.asks_voters);
                tree.read(|value| Msg::AsksVoters(value == "true"));
            });
            tree.leaf("span", Some("unit"), "while none is known");
        });
        tree.group(|tree| {
            if let Some(error) = draft.error.as_ref().filter(|error| !FIELDS.iter().any(|field| field.path == error.path)) {
                el!(tree, "p", "class" = "notice", "role" = "alert"; { say!(tree, "{error}") });
            }
        });
        el!(tree, "p", "class" = "actions"; {
            el!(tree, "button", "type" = "submit", "class" = "play"; { tree.text("Start a new run") });
            tree.button("Close", "", Msg::Close);
        });
        looks(tree, app);
    });
}

fn looks(tree: &mut Tree, app: &App) {
    let prefs = app.prefs();
    choice(tree, "Colours", &["as the system", "light", "dark"], prefs.theme.into(), Msg::Theme);
    choice(tree, "Motion", &["as the system", "messages fly", "nothing flies"], prefs.motion.into(), |index| {
        Msg::Motion(u8::try_from(index).unwrap_or(0))
    });
}

fn size(tree: &mut Tree, label: &'static str, size: u8, msg: fn(u8) -> Msg) {
    field(tree, label, |tree| {
        el!(tree, "input", "type" = "range", "min" = "0", "max" = u64::from(SIZES) - 1; {
            tree.value(&size.to_string());
            tree.read(move |value| msg(value.parse().unwrap_or(0)));
        });
    });
}

fn view(tree: &mut Tree, app: &App) {
    let prefs = app.prefs();
    el!(tree, "section", "class" = "overlay", "aria-label" = "View", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Panels");
        for (index, name) in PANELS.iter().enumerate().filter(|&(index, _)| index != NODE) {
            tree.tick(name, !prefs.hides(index), move |_| Msg::HidePanel(index));
        }
        size(tree, "Width of the side", prefs.side, Msg::Side);
        size(tree, "Height below", prefs.below, Msg::Below);
        tree.leaf("h2", None, "Messages that are drawn");
        kinds(tree, app);
        tree.leaf("h2", None, "Looks");
        looks(tree, app);
        el!(tree, "p", "class" = "actions"; {
            tree.button("As at first", "", Msg::ResetView);
            tree.button("Close", "", Msg::Close);
        });
    });
}

fn share(tree: &mut Tree, app: &App) {
    let (address, copied, field) = app.shared();
    el!(tree, "section", "class" = "overlay", "aria-label" = "Share", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Share this moment");
        el!(tree, "p", "role" = "status"; {
            tree.text(match copied {
                None => "Copying …",
                Some(true) => "Copied. Whoever opens the link sees the same run at this moment.",
                Some(false) => "Copy the link with your copy keys: it is selected.",
            });
        });
        el!(tree, "input", "type" = "text", "readonly" = true, "aria-label" = "Link to this moment"; {
            tree.value(address);
            tree.found(field);
        });
        el!(tree, "p", "class" = "unit"; {
            say!(tree, "{} characters", address.len());
            if address.len() > 2_000 {
                tree.text(": some programs cut links longer than 2,000.");
            }
        });
        close(tree);
    });
}

fn help(tree: &mut Tree) {
    el!(tree, "section", "class" = "overlay", "aria-label" = "Help", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Keys");
        el!(tree, "dl", "class" = "keys"; {
            for key in &KEYS {
                el!(tree, "dt"; { tree.leaf("kbd", None, key.shown) });
                tree.leaf("dd", None, key.says);
            }
            el!(tree, "dt"; { tree.leaf("kbd", None, "Shift →") });
            tree.leaf("dd", None, "Shift and an arrow move the node that has the focus; dragging does too");
        });
        el!(tree, "p", "class" = "actions"; {
            tree.button("Legend", "", Msg::Toggle(Open::Legend));
            tree.button("Close", "", Msg::Close);
        });
    });
}

/// A line of the legend: a drawing of 60 by 34 around its middle, and what it means.
fn mark(tree: &mut Tree, says: &str, draw: impl FnOnce(&mut Tree)) {
    el!(tree, "dt"; {
        el!(tree, "svg", "viewBox" = "-30 -17 60 34", "aria-hidden" = "true"; { draw(tree) });
    });
    tree.leaf("dd", None, says);
}

fn sample(role: Option<RoleShape>) -> NodeView {
    NodeView {
        id: ReplicaId(0),
        number: String::new(),
        name: String::new(),
        role,
        word: "",
        is_observer: false,
        epoch: 1,
        x: 0.0,
        y: 0.0,
        radius: 13.0,
        is_small: false,
        timer: None,
        votes: Vec::new(),
        strip: Vec::new(),
        end_offset: 0,
        committed: None,
        fault: None,
    }
}

fn sample_node(tree: &mut Tree, view: &NodeView) {
    el!(tree, "g", "class" = figure_class(view, false); { figure(tree, view) });
}

fn sample_arrow(tree: &mut Tree, change: impl FnOnce(&mut Arrow)) {
    let mut arrow = Arrow {
        key: String::new(),
        label: String::new(),
        epoch: 1,
        is_answer: false,
        is_refused: false,
        is_quiet: false,
        is_bare: false,
        is_lost: false,
        rank: 0,
        is_copy: false,
        held: None,
        name: None,
        from: (-28.0, 0.0),
        to: (12.0, 0.0),
        is_loop: false,
        flight_us: (0, 0),
    };
    change(&mut arrow);
    el!(tree, "g", "class" = arrow_class(&arrow, false); {
        el!(tree, "line", "class" = "trail", "x1" = arrow.from.0, "y1" = "0", "x2" = arrow.to.0, "y2" = "0");
        el!(tree, "g", "transform" = "translate(12 0)"; { head(tree, &arrow) });
    });
}

fn stretch(tree: &mut Tree, class: &'static str) {
    el!(tree, "line", "class" = class, "x1" = "-28", "x2" = "28", "y1" = "0", "y2" = "0");
}

fn record(tree: &mut Tree, class: &'static str) {
    el!(tree, "rect", "class" = class, "x" = "-12", "y" = "-9", "width" = "24", "height" = "18", "rx" = "4");
}

fn legend(tree: &mut Tree) {
    el!(tree, "section", "class" = "overlay legend", "aria-label" = "Legend", "tabindex" = "-1"; {
        tree.leaf("h2", None, "Nodes");
        el!(tree, "dl"; {
            for (role, says) in [
                (Some(RoleShape::Follower), "follower"),
                (Some(RoleShape::Unattached), "unattached: it knows no leader and waits"),
                (Some(RoleShape::Prospective), "prospective: it asks whether it would win"),
                (Some(RoleShape::Candidate), "candidate"),
                (Some(RoleShape::Leader), "leader"),
                (Some(RoleShape::Resigned), "resigned leader"),
                (None, "crashed, or shut down"),
            ] {
                mark(tree, says, |tree| {
                    let view = sample(role);
                    el!(tree, "g", "class" = figure_class(&view, false); {
                        el!(tree, "path", "class" = "body", "d" = raftwerk::view::shape_path(role, 13.0));
                        if role.is_none() {
                            el!(tree, "path", "class" = "cross", "d" = "M-6 -6L6 6M-6 6L6 -6");
                        }
                    });
                });
            }
            mark(tree, "observer: it follows and has no vote", |tree| sample_node(tree, &NodeView { is_observer: true, ..sample(Some(RoleShape::Follower)) }));
            mark(tree, "the epoch, by number and hue", |tree| {
                el!(tree, "g", "class" = "replica e1"; {
                    el!(tree, "rect", "class" = "badge", "x" = "-14", "y" = "-9", "width" = "28", "height" = "18", "rx" = "9");
                    el!(tree, "text", "class" = "badge-text", "y" = "4"; { tree.text("e1") });
                });
            });
            mark(tree, "how much of its timeout is left", |tree| {
                el!(tree, "circle", "class" = "dial", "r" = "13");
                el!(tree, "path", "class" = "arc", "d" = raftwerk::view::arc_path(13.0, 0.35));
            });
            mark(tree, "votes, each at its voter's place on the ring: granted, not heard of, refused", |tree| {
                let vote = |x, answer| Vote { x, y: 0.0, answer };
                let votes = vec![vote(-16.0, Some(true)), vote(0.0, None), vote(16.0, Some(false))];
                el!(tree, "g", "class" = "bare"; { sample_node(tree, &NodeView { votes, radius: 30.0, ..sample(Some(RoleShape::Follower)) }) });
            });
            mark(tree, "the end of its log: hue by epoch, dashed while not committed; the rule runs under what is", |tree| {
                let strip = vec![(1, true), (1, true), (2, false)];
                el!(tree, "g", "class" = "bare", "transform" = "translate(0 -22)"; {
                    sample_node(tree, &NodeView { strip, radius: 0.0, ..sample(Some(RoleShape::Follower)) });
                });
            });
        });
        tree.leaf("h2", None, "Messages");
        el!(tree, "dl"; {
            mark(tree, "request", |tree| sample_arrow(tree, |_| ()));
            mark(tree, "answer", |tree| sample_arrow(tree, |it| it.is_answer = true));
            mark(tree, "refusal", |tree| sample_arrow(tree, |it| (it.is_answer, it.is_refused) = (true, true)));
            mark(tree, "fetch without records: the quiet traffic of a healthy cluster", |tree| sample_arrow(tree, |it| it.is_quiet = true));
            mark(tree, "lost", |tree| sample_arrow(tree, |it| it.is_lost = true));
            mark(tree, "a second delivery of the same message", |tree| sample_arrow(tree, |it| it.is_copy = true));
            mark(tree, "held", |tree| sample_arrow(tree, |it| it.held = Some(0.5)));
            mark(tree, "cut link: what is sent that way is lost", |tree| {
                el!(tree, "g", "class" = "link cut"; {
                    el!(tree, "line", "class" = "way", "x1" = "-28", "x2" = "28", "y1" = "0", "y2" = "0");
                    el!(tree, "path", "class" = "chevron", "d" = "M-4 -5L3 0L-4 5");
                    el!(tree, "path", "class" = "cross", "d" = "M11 -5L21 5M11 5L21 -5");
                });
            });
        });
        tree.leaf("h2", None, "Logs");
        el!(tree, "dl"; {
            mark(tree, "applied: the state machine has it", |tree| record(tree, "entry e1 applied"));
            mark(tree, "committed, not applied yet", |tree| record(tree, "entry e1"));
            mark(tree, "not known to be committed", |tree| record(tree, "entry e1 open"));
            mark(tree, "not in the leader's log: it will be cut", |tree| record(tree, "entry e1 will-go"));
            mark(tree, "from where the leader saw the follower fetch", |tree| {
                el!(tree, "text", "y" = "5"; { tree.text("↑7") });
            });
        });
        tree.leaf("h2", None, "Time");
        el!(tree, "dl"; {
            mark(tree, "leader", |tree| stretch(tree, "stretch leader e1"));
            mark(tree, "candidate; dashed: prospective", |tree| stretch(tree, "stretch candidate e1"));
            mark(tree, "follower", |tree| stretch(tree, "stretch e1"));
            mark(tree, "unattached", |tree| stretch(tree, "stretch unattached e1"));
            mark(tree, "down", |tree| stretch(tree, "stretch crashed"));
            for (kind, says) in [
                (SignKind::Elected, "elected"),
                (SignKind::Committed, "the high watermark rises"),
                (SignKind::Command, "something done by hand"),
                (SignKind::Broken, "a safety property broken"),
            ] {
                mark(tree, says, |tree| {
                    let (class, d) = sign_path(kind);
                    el!(tree, "path", "class" = class, "d" = d);
                });
            }
        });
        close(tree);
    });
}

/// What is open over the side column.
pub fn overlay(tree: &mut Tree, app: &App) {
    match app.open() {
        Open::Nothing => (),
        Open::Help => help(tree),
        Open::Legend => legend(tree),
        Open::View => view(tree, app),
        Open::Settings => {
            if let Some(draft) = app.draft() {
                settings(tree, app, draft);
            }
        }
        Open::Share => share(tree, app),
    }
    // The names of the kinds of messages are in the catalogue, so that filters and lists agree.
    const { assert!(text::KINDS.len() <= 8) };
}
