//! What opens over the page: settings, view, share, help and the legend.

use super::app::{App, Msg, Open};
use super::diagram::sign_path;
use super::draft::{Draft, Kind, fields};
use super::keys::KEYS;
use super::panels::protocols;
use super::prefs::{NODE, PANELS, SIZES};
use super::stage::{kinds, role_class};
use super::tree::{Tree, classes, el, say, truth};
use super::{branches, clients, faults, go, safety, share};
use raftwerk::raft::RoleShape;
use raftwerk::view::{SignKind, shape_path};
use yew::virtual_dom::ListenerKind;

fn field(tree: &mut Tree, label: &str, draw: impl FnOnce(&mut Tree)) {
    el!(tree, "label", "class" = "field"; {
        tree.leaf("span", None, label);
        draw(tree);
    });
}

fn choice(tree: &mut Tree, label: &str, names: &[&str], chosen: usize, msg: fn(usize) -> Msg) {
    field(tree, label, |tree| tree.choose(None, names.iter().map(|&name| name.to_owned()), chosen, msg));
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
        el!(tree, "div", "class" = "field"; {
            tree.leaf("span", None, "Protocol");
            protocols(tree, app);
            tree.button("Side by side", "plain", Msg::CompareProtocols);
        });
        for (index, it) in fields(draft.family).enumerate() {
            let error = draft.error.as_ref().filter(|error| error.path == it.path);
            let typed = &draft.texts[index];
            field(tree, it.label, |tree| {
                match it.kind {
                    Kind::Number(..) | Kind::Seed => {
                        el!(tree, "input", "type" = "text", "inputmode" = "decimal", "autocomplete" = "off", "aria-invalid" = truth(error.is_some()); {
                            tree.value(typed);
                            tree.read(move |value| Msg::Edit(index, value));
                        });
                    }
                    Kind::Tick(..) => {
                        el!(tree, "input", "type" = "checkbox"; {
                            tree.ticked(typed == "true");
                            tree.read(move |value| Msg::Edit(index, value));
                        });
                    }
                    Kind::Choice(names, ..) => {
                        let names = names.iter().map(|&name| name.to_owned());
                        tree.choose(None, names, typed.parse().unwrap_or(0), move |chosen| Msg::Edit(index, chosen.to_string()));
                    }
                }
                tree.leaf("span", Some("unit"), it.unit);
                if let Some(error) = error {
                    el!(tree, "span", "class" = "notice", "role" = "alert"; { tree.text(&error.says) });
                }
            });
        }
        tree.group(|tree| {
            if let Some(error) = draft.error.as_ref().filter(|error| !fields(draft.family).any(|field| field.path == error.path)) {
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

/// A drawing of the legend, 60 by 34 around its middle.
enum Mark {
    /// A node in a role.
    Role(Option<RoleShape>),
    /// A message with these classes, and what its head is drawn of.
    Message(&'static str, &'static [(&'static str, &'static str)]),
    /// Outlines by class, within a group of a class.
    Paths(&'static str, &'static [(&'static str, &'static str)]),
    /// A sign of the diagram.
    Sign(SignKind),
    /// A lane of the diagram.
    Lane(&'static str),
    /// Letters in a group of a class.
    Letters(&'static str, &'static str),
}

use Mark::{Lane, Letters, Message, Paths, Role, Sign};

const HEAD: (&str, &str) = ("head", "M17 0L5 -5L8 0L5 5Z");
const BOX: &str = "M-12 -9H12V9H-12Z";
const DOT: &str = "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0Z";

/// Headings of the legend, and under each its marks. The marks are drawn by the classes of the page's own style.
const LEGEND: [(&str, &[(Mark, &str)]); 4] = [
    (
        "Nodes",
        &[
            (Role(Some(RoleShape::Follower)), "follower"),
            (Role(Some(RoleShape::Unattached)), "unattached (KRaft): it knows no leader and waits"),
            (Role(Some(RoleShape::Prospective)), "prospective, or pre-candidate: it asks whether it would win"),
            (Role(Some(RoleShape::Candidate)), "candidate"),
            (Role(Some(RoleShape::Leader)), "leader"),
            (Role(Some(RoleShape::Resigned)), "resigned leader (KRaft)"),
            (Role(None), "crashed, or shut down"),
            (Paths("", &[("stands", "M-4 -7V7M4 -7V7")]), "paused: it does nothing, and messages wait at its door"),
            (
                Paths("client", &[("node", "M-24 -12H24V12H-24Z")]),
                "client of the cluster: whom it asks, below its name",
            ),
            (Paths("", &[("region g1", "M-14 0H14")]), "group of a partition, with its letter"),
            (
                Paths(
                    "replica e1",
                    &[
                        ("body", "M-13 0A13 13 0 1 1 13 0A13 13 0 1 1 -13 0Z"),
                        ("inner", "M-9 0A9 9 0 1 1 9 0A9 9 0 1 1 -9 0Z"),
                    ],
                ),
                "observer (KRaft): it follows and has no vote",
            ),
            (Letters("replica e1 badged", "e1"), "the epoch (e) or term (t), by number and hue"),
            (
                Paths(
                    "",
                    &[("dial", "M-13 0A13 13 0 1 1 13 0A13 13 0 1 1 -13 0Z"), ("arc", "M0 -13A13 13 0 0 1 10.5 7.6")],
                ),
                "how much of its timeout is left",
            ),
            (Paths("", &[("vote granted", DOT)]), "a vote, at its voter's place on the ring: granted"),
            (Paths("", &[("vote unheard", DOT)]), "not heard of"),
            (Paths("", &[("vote refused", "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5")]), "refused"),
            (
                Paths(
                    "strip",
                    &[
                        ("entry e1", "M-20 -6H-8V6H-20Z"),
                        ("entry e1", "M-5 -6H7V6H-5Z"),
                        ("entry e2 open", "M10 -6H22V6H10Z"),
                        ("commit", "M-20 11H7"),
                    ],
                ),
                "the end of its log: hue by epoch or term, dashed while not committed; the rule runs under what is",
            ),
        ],
    ),
    (
        "Messages",
        &[
            (Message("arrow e1", &[HEAD]), "request"),
            (Message("arrow e1 answer", &[HEAD]), "answer"),
            (Message("arrow e1 answer", &[HEAD, ("bar", "M21 -6V6")]), "refusal"),
            (
                Message("arrow e1 quiet", &[HEAD]),
                "heartbeat, or fetch without records: the quiet traffic of a healthy cluster; in large clusters only its head",
            ),
            (Message("arrow e1 lost", &[("cross", "M6 -6L18 6M6 6L18 -6")]), "lost"),
            (Message("arrow e1", &[HEAD, ("head", "M5 0L-7 -5L-4 0L-7 5Z")]), "a second delivery of the same message"),
            (Message("arrow e1", &[("pause", "M8 -7V7M15 -7V7")]), "held"),
            (
                Paths(
                    "link cut",
                    &[("way", "M-28 0H28"), ("chevron", "M-4 -5L3 0L-4 5"), ("cross", "M11 -5L21 5M11 5L21 -5")],
                ),
                "cut link: what is sent that way is lost",
            ),
        ],
    ),
    (
        "Logs",
        &[
            (Paths("", &[("entry e1 applied", BOX)]), "applied: the state machine has it"),
            (Paths("", &[("entry e1", BOX)]), "committed, not applied yet"),
            (Paths("", &[("entry e1 open", BOX)]), "not known to be committed"),
            (Paths("", &[("entry e1 will-go", BOX)]), "not in the leader's log: it will be cut"),
            (
                Paths("", &[("entry e1", BOX), ("is-match", "M13 -11V11")]),
                "matchIndex: up to here the leader knows that the logs agree",
            ),
            (
                Paths("", &[("entry e1 open", BOX), ("is-next", "M-18 -6L-13 0L-18 6Z")]),
                "nextIndex: what the leader sends next",
            ),
            (Letters("", "↑7"), "KRaft: from where the leader saw the follower fetch"),
        ],
    ),
    (
        "Time",
        &[
            (Lane("stretch leader e1"), "leader"),
            (Lane("stretch candidate e1"), "candidate; dashed: prospective or pre-candidate"),
            (Lane("stretch e1"), "follower"),
            (Lane("stretch unattached e1"), "unattached (KRaft)"),
            (Lane("stretch crashed"), "down"),
            (Sign(SignKind::Elected), "elected"),
            (Sign(SignKind::Committed), "more is committed"),
            (Sign(SignKind::Command), "something done by hand"),
            (Sign(SignKind::Broken), "a safety property broken"),
            (Sign(SignKind::Forked), "another branch begins"),
        ],
    ),
];

fn paths(tree: &mut Tree, class: &'static str, paths: &[(&'static str, &'static str)]) {
    el!(tree, "g", "class" = class; {
        for &(class, d) in paths {
            el!(tree, "path", "class" = class, "d" = d);
        }
    });
}

fn drawing(tree: &mut Tree, mark: &Mark) {
    match *mark {
        Role(role) => {
            el!(tree, "g", "class" = classes("replica", &[(role_class(role), true), ("e1", true)]); {
                el!(tree, "path", "class" = "body", "d" = shape_path(role, 13.0));
                if role.is_none() {
                    el!(tree, "path", "class" = "cross", "d" = "M-6 -6L6 6M-6 6L6 -6");
                }
            });
        }
        Message(class, head) => {
            el!(tree, "g", "class" = class; {
                el!(tree, "path", "class" = "trail", "d" = "M-28 0H12");
                paths(tree, "", head);
            });
        }
        Paths(class, drawn) => paths(tree, class, drawn),
        Sign(kind) => paths(tree, "", &[sign_path(kind)]),
        Lane(class) => paths(tree, "", &[(class, "M-28 0H28")]),
        Letters(class, letters) => {
            el!(tree, "g", "class" = class; {
                el!(tree, "path", "class" = "badge", "d" = "M-5 -9H5A9 9 0 1 1 5 9H-5A9 9 0 1 1 -5 -9Z");
                el!(tree, "text", "class" = "badge-text", "y" = "4"; { tree.text(letters) });
            });
        }
    }
}

fn legend(tree: &mut Tree) {
    el!(tree, "section", "class" = "overlay legend", "aria-label" = "Legend", "tabindex" = "-1"; {
        for (heading, marks) in &LEGEND {
            tree.leaf("h2", None, heading);
            el!(tree, "dl"; {
                for (mark, says) in *marks {
                    el!(tree, "dt"; {
                        el!(tree, "svg", "viewBox" = "-30 -17 60 34", "aria-hidden" = "true"; { drawing(tree, mark) });
                    });
                    tree.leaf("dd", None, says);
                }
            });
        }
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
        Open::Share => share::share(tree, app),
        Open::Faults | Open::Clients | Open::Branches | Open::Go | Open::Safety => {
            let Some(session) = app.session() else { return };
            match app.open() {
                Open::Faults => faults::faults(tree, app, session),
                Open::Clients => clients::clients(tree, app, session),
                Open::Branches => branches::branches(tree, app, session),
                Open::Go => go::go(tree, app, session),
                _ => safety::safety(tree, session),
            }
        }
    }
}
