//! The stage as SVG.

use super::app::{App, Msg, Open};
use super::frame::translate;
use super::held;
use super::panels::opener;
use super::tree::{Tree, classes, el, say, truth};
use raftwerk::raft::{ReplicaId, RoleShape};
use raftwerk::sim::Command;
use raftwerk::text::en::Words;
use raftwerk::view::say;
use raftwerk::view::{Arrow, CLIENT, ClientView, LinkLine, NodeView, Px, StageView, between, shape_path};
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, PointerEvent};
use yew::virtual_dom::ListenerKind;

/// The class that gives an epoch its hue; see `epochs.css`.
pub fn epoch_class(epoch: u32) -> String {
    format!("e{}", epoch % 144)
}

/// The class of a role.
pub const fn role_class(role: Option<RoleShape>) -> &'static str {
    match role {
        None => "crashed",
        Some(RoleShape::Unattached) => "unattached",
        Some(RoleShape::Prospective) => "prospective",
        Some(RoleShape::Candidate) => "candidate",
        Some(RoleShape::Leader) => "leader",
        Some(RoleShape::Follower) => "follower",
        Some(RoleShape::Resigned) => "resigned",
    }
}

/// The head of an arrow, around the origin and to the right.
pub fn head(tree: &mut Tree, arrow: &Arrow) {
    let (class, d) = if arrow.is_lost {
        ("cross", "M-6 -6L6 6M-6 6L6 -6")
    } else if arrow.held.is_some() {
        ("pause", "M-4 -7V7M3 -7V7")
    } else {
        ("head", "M5 0L-7 -5L-4 0L-7 5Z")
    };
    el!(tree, "path", "class" = class, "d" = d);
    if arrow.is_copy {
        el!(tree, "path", "class" = "head", "d" = "M-7 0L-19 -5L-16 0L-19 5Z");
    }
    if arrow.is_refused && !arrow.is_lost {
        el!(tree, "path", "class" = "bar", "d" = "M9 -6V6");
    }
}

/// The class of an arrow.
pub fn arrow_class(arrow: &Arrow, is_chosen: bool) -> String {
    classes(
        "arrow",
        &[
            (&epoch_class(arrow.epoch), true),
            ("answer", arrow.is_answer),
            ("quiet", arrow.is_quiet),
            ("lost", arrow.is_lost),
            ("chosen", is_chosen),
        ],
    )
}

/// A message; what moves of it is set by `frame::draw` alone.
fn arrow(tree: &mut Tree, app: &App, arrow: &Arrow) {
    let is_chosen = arrow.name.is_some() && arrow.name == app.message_name();
    el!(tree, "g", "class" = arrow_class(arrow, is_chosen); {
        tree.key(&arrow.key);
        el!(tree, "g", "class" = "fly"; {
            head(tree, arrow);
        });
        if !arrow.is_bare {
            el!(tree, "line", "class" = "trail", "x1" = arrow.from.0, "y1" = arrow.from.1);
        }
    });
}

/// The label of a message, above all lines.
fn tag(tree: &mut Tree, app: &App, arrow: &Arrow) {
    let is_chosen = arrow.name.is_some() && arrow.name == app.message_name();
    let width = arrow.label_width();
    el!(tree, "g", "class" = classes("tag", &[("quiet", arrow.is_quiet), ("chosen", is_chosen)]); {
        tree.key(&arrow.key);
        el!(tree, "rect", "class" = "pill", "x" = -width / 2.0, "y" = "-9", "width" = width, "height" = "17", "rx" = "4");
        el!(tree, "text", "class" = "label", "y" = "3.5"; { tree.text(&arrow.label) });
    });
}

fn strip(tree: &mut Tree, node: &NodeView, is_small: bool) {
    let step = if is_small { 9.0 } else { 13.0 };
    let side = step - 2.0;
    let shown = if is_small { node.strip.len().min(4) } else { node.strip.len() };
    let entries = &node.strip[node.strip.len() - shown..];
    #[expect(clippy::cast_precision_loss, reason = "at most six boxes")]
    let at = |index: usize| (index as f64 - shown as f64 / 2.0) * step;
    let committed = entries.iter().filter(|(_, is_committed)| *is_committed).count();
    el!(tree, "g", "class" = "strip", "transform" = translate(0.0, node.radius + if is_small { 24.0 } else { 16.0 }); {
        for (index, (epoch, is_committed)) in entries.iter().enumerate() {
            let class = classes("entry", &[(&epoch_class(*epoch), true), ("open", !is_committed)]);
            el!(tree, "rect", "class" = class, "x" = at(index), "y" = "0", "width" = side, "height" = side, "rx" = "2");
        }
        if committed > 0 {
            el!(tree, "line", "class" = "commit", "x1" = at(0), "x2" = at(committed) - 2.0, "y1" = side + 4.0, "y2" = side + 4.0);
        }
    });
}

/// A replica around the origin.
pub fn figure(tree: &mut Tree, view: &NodeView) {
    let badge = format!("{}{}", view.tag, view.epoch);
    #[expect(clippy::cast_precision_loss, reason = "a badge is short")]
    let badge_width = badge.len() as f64 * 6.0 + 12.0;
    let corner = view.radius * 0.74;
    let is_small = view.is_small;
    el!(tree, "g", "aria-hidden" = "true"; {
        el!(tree, "path", "class" = "body", "d" = shape_path(view.role, view.radius));
        if view.is_observer && view.role.is_some() {
            el!(tree, "circle", "class" = "inner", "r" = view.radius - 4.0);
        }
        for vote in &view.votes {
            let (class, d) = match vote.answer {
                Some(true) => ("vote granted", "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0Z"),
                Some(false) => ("vote refused", "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5"),
                None => ("vote unheard", "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0Z"),
            };
            // As large as the ring has room for.
            let size = between(view.radius / 34.0, 0.36, 0.9);
            let place = format_args!("translate({} {}) scale({})", Px(vote.x), Px(vote.y), Px(size)).to_string();
            el!(tree, "path", "class" = class, "transform" = place, "d" = d);
        }
        if view.role.is_none() {
            el!(tree, "path", "class" = "cross", "d" = if is_small { "M-8 -8L8 8M-8 8L8 -8" } else { "M-14 -14L14 14M-14 14L14 -14" });
            el!(tree, "text", "class" = "word under", "y" = view.radius + if is_small { 20.0 } else { 16.0 }; { say!(tree, "{} · {}", view.number, view.word) });
        } else if is_small {
            el!(tree, "text", "class" = "number small", "y" = "5"; { tree.text(&view.number) });
            if view.shows_word {
                el!(tree, "text", "class" = "word under", "y" = view.radius + 20.0; { tree.text(view.word) });
            }
        } else {
            el!(tree, "text", "class" = "number", "y" = "2"; { tree.text(&view.number) });
            el!(tree, "text", "class" = "word", "y" = "17"; { tree.text(view.word) });
        }
        if view.is_paused {
            el!(tree, "path", "class" = "stands", "transform" = translate(-corner, -corner - 4.0), "d" = "M-4 -7V7M4 -7V7");
        }
        tree.group(|tree| {
            if let Some(clock) = &view.clock {
                el!(tree, "text", "class" = "word under", "x" = -corner, "y" = corner + 12.0; { say!(tree, "clock {clock}") });
            }
        });
        if view.role.is_some() {
            el!(tree, "g", "transform" = translate(corner, -corner - 4.0); {
                el!(tree, "rect", "class" = "badge", "x" = "-8", "y" = "-9", "width" = badge_width, "height" = "18", "rx" = "9");
                el!(tree, "text", "class" = "badge-text", "x" = badge_width / 2.0 - 8.0, "y" = "4"; { tree.text(&badge) });
            });
            if !view.strip.is_empty() && view.shows_word {
                strip(tree, view, is_small);
            }
        }
    });
}

/// The class of a replica.
pub fn figure_class(view: &NodeView, is_selected: bool) -> String {
    classes("replica", &[(role_class(view.role), true), (&epoch_class(view.epoch), true), ("selected", is_selected)])
}

fn node(tree: &mut Tree, app: &App, view: &NodeView) {
    let id = view.id;
    let is_selected = app.selected() == Some(id);
    el!(tree, "g", "class" = figure_class(view, is_selected), "transform" = translate(view.x, view.y); {
        tree.key(&view.number);
        figure(tree, view);
        el!(tree, "circle", "class" = "node", "r" = view.radius + 15.0, "role" = "button", "tabindex" = "0",
            "aria-label" = &view.name, "aria-pressed" = truth(is_selected); {
            tree.click(Msg::Click(id));
            tree.hear(ListenerKind::onkeydown, move |event: &KeyboardEvent| {
                let key = event.key();
                let msg = match key.as_str() {
                    "Enter" | " " => Msg::Select(Some(id)),
                    "ArrowLeft" if event.shift_key() => Msg::Nudge(id, -1, 0),
                    "ArrowRight" if event.shift_key() => Msg::Nudge(id, 1, 0),
                    "ArrowUp" if event.shift_key() => Msg::Nudge(id, 0, -1),
                    "ArrowDown" if event.shift_key() => Msg::Nudge(id, 0, 1),
                    _ => return None,
                };
                event.prevent_default();
                event.stop_propagation();
                Some(msg)
            });
            // A finger that begins on a node drags it and does not scroll; `touch-action` is heeded on whole drawings only.
            tree.hear(ListenerKind::ontouchmove, |event: &web_sys::Event| {
                event.prevent_default();
                None
            });
            tree.hear(ListenerKind::onpointerdown, move |event: &PointerEvent| {
                event.is_primary().then(|| Msg::Grab(id, event.client_x(), event.client_y()))
            });
        });
    });
}

/// The groups of a partition.
pub fn regions(tree: &mut Tree, view: &StageView) {
    el!(tree, "g"; {
        for (index, region) in view.regions.iter().enumerate() {
            let class = format_args!("region g{}", index % 4);
            el!(tree, "path", "class" = class, "d" = &region.path, "stroke-width" = region.width);
        }
        for region in &view.regions {
            el!(tree, "text", "class" = "region-letter", "x" = region.at.0, "y" = region.at.1; { tree.text(&region.letter) });
        }
    });
}

/// The words in a client.
pub fn client_words(tree: &mut Tree, view: &ClientView) {
    el!(tree, "g", "aria-hidden" = "true"; {
        el!(tree, "text", "class" = "name", "y" = "-3"; { tree.text(&view.label) });
        el!(tree, "text", "class" = "word", "y" = "10"; { tree.text(&view.word) });
    });
}

/// A client of the cluster.
fn client(tree: &mut Tree, app: &App, view: &ClientView, (x, y): (f64, f64)) {
    let id = view.id;
    let is_selected = app.selected() == Some(id);
    let (half_width, half_height) = CLIENT;
    el!(tree, "g", "class" = classes("client", &[("selected", is_selected)]), "transform" = translate(x, y); {
        tree.key(&id.to_string());
        el!(tree, "rect", "class" = "node", "x" = -half_width, "y" = -half_height, "width" = half_width * 2.0, "height" = half_height * 2.0, "rx" = "10",
            "role" = "button", "tabindex" = "0", "aria-label" = &view.name, "aria-pressed" = truth(is_selected); {
            tree.click(Msg::Click(id));
            tree.hear(ListenerKind::onkeydown, move |event: &KeyboardEvent| {
                let key = event.key();
                if key != "Enter" && key != " " {
                    return None;
                }
                event.prevent_default();
                event.stop_propagation();
                Some(Msg::Select(Some(id)))
            });
        });
        client_words(tree, view);
    });
}

pub fn link(tree: &mut Tree, app: &App, line: &LinkLine) {
    let at =
        |part: f64| (line.from.0 + (line.to.0 - line.from.0) * part, line.from.1 + (line.to.1 - line.from.1) * part);
    let (from, to) = line.ends;
    let class = classes("link cut", &[("chosen", app.chosen_link() == Some(line.ends))]);
    el!(tree, "g", "class" = class; {
        tree.key(&line.key);
        el!(tree, "line", "class" = "hit", "x1" = line.from.0, "y1" = line.from.1, "x2" = line.to.0, "y2" = line.to.1; {
            tree.click(Msg::SelectLink(from, to));
        });
        el!(tree, "line", "class" = "way", "x1" = line.from.0, "y1" = line.from.1, "x2" = line.to.0, "y2" = line.to.1);
        let (dx, dy) = (line.to.0 - line.from.0, line.to.1 - line.from.1);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let (x, y) = at(0.68);
        let turn = |(x, y): (f64, f64)| {
            format!("matrix({} {} {} {} {} {})", Px(ux), Px(uy), Px(-uy), Px(ux), Px(x), Px(y))
        };
        el!(tree, "path", "class" = "cross", "transform" = turn((x, y)), "d" = "M-5 -5L5 5M-5 5L5 -5");
        el!(tree, "path", "class" = "chevron", "transform" = turn(at(0.5)), "d" = "M-4 -5L3 0L-4 5");
    });
}

/// The text alternative of the drawing.
fn table(tree: &mut Tree, words: &Words, view: &StageView) {
    el!(tree, "div", "class" = "unseen"; {
        el!(tree, "table"; {
            tree.leaf("caption", None, "The nodes");
            el!(tree, "thead"; {
                el!(tree, "tr"; {
                    let [state, epoch, .., end, committed] = words.fields;
                    for head in ["node", state, epoch, end, committed] {
                        el!(tree, "th", "scope" = "col"; { tree.text(head) });
                    }
                });
            });
            el!(tree, "tbody"; {
                for node in &view.nodes {
                    el!(tree, "tr"; {
                        el!(tree, "th", "scope" = "row"; { tree.text(&node.number) });
                        tree.leaf("td", None, node.word);
                        tree.leaf("td", None, &node.epoch.to_string());
                        tree.leaf("td", None, &node.end_offset.to_string());
                        tree.leaf("td", None, &node.committed.map_or_else(|| "unknown".to_owned(), |hw| hw.to_string()));
                    });
                }
            });
        });
    });
}

/// Which messages are drawn, and where nodes stand.
fn tools(tree: &mut Tree, app: &App) {
    let hidden = app.prefs().kinds;
    el!(tree, "div", "class" = "stage-tools"; {
        el!(tree, "details"; {
            el!(tree, "summary"; { tree.text(if hidden.0 == 0 { "Messages" } else { "Messages: some hidden" }) });
            kinds(tree, app);
        });
        tree.when(app.is_rearranged(), |tree| tree.button("Tidy", "", Msg::Tidy));
        tree.when(app.is_still(), |tree| {
            el!(tree, "span", "class" = "still"; { tree.text("Reduced motion: nothing flies.") });
            tree.button("Show flight", "plain", Msg::Motion(1));
        });
    });
}

/// What opens from the stage.
fn opens(tree: &mut Tree, app: &App) {
    el!(tree, "div", "class" = "stage-opens"; {
        if app.is_parting() {
            tree.button("Heal all", "", Msg::Act(Command::Heal));
            tree.button("Groups are chosen", "play", Msg::Parting);
        } else {
            opener(tree, app, "Faults", "plain opens faults", Open::Faults);
            opener(tree, app, "Clients", "plain opens clients", Open::Clients);
            opener(tree, app, "Branches", "plain opens branches", Open::Branches);
        }
    });
}

/// A box for each kind of message.
pub fn kinds(tree: &mut Tree, app: &App) {
    let Some(session) = app.session() else { return };
    let parts = say::words(session).traffic;
    for (kind, name) in parts.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let is_shown = !app.prefs().kinds.has(kind);
        tree.tick(name, is_shown, move |_| Msg::Kinds(kind));
    }
}

/// The whole stage: three drawings over each other, so that what flies does not make the nodes be painted again.
pub fn stage(tree: &mut Tree, app: &App, view: &StageView) {
    let extent = app.extent();
    let size = format!("0 0 {} {}", Px(extent.width), Px(extent.height));
    let (parts, stamp) = app.part(super::prefs::NODE);
    el!(tree, "section", "class" = "stage", "aria-label" = "Stage"; {
        el!(tree, "svg", "class" = "back", "viewBox" = &size, "aria-hidden" = "true"; {
            regions(tree, view);
            el!(tree, "g"; {
                for line in &view.links {
                    link(tree, app, line);
                }
            });
            el!(tree, "g", "class" = "timers"; {
                tree.found(app.timer_layer());
                for line in &view.nodes {
                    el!(tree, "g", "transform" = translate(line.x, line.y); {
                        tree.key(&line.number);
                        el!(tree, "circle", "class" = if line.role.is_some() { "dial" } else { "dial off" }, "r" = line.radius + 9.0);
                        el!(tree, "path", "class" = "arc");
                    });
                }
            });
        });
        el!(tree, "svg", "class" = "layer", "viewBox" = &size, "aria-hidden" = "true"; {
            el!(tree, "g", "class" = "messages"; {
                tree.found(app.message_layer());
                // One listener for all: there are many, and they are gone soon.
                tree.hear(ListenerKind::onclick, |event: &web_sys::Event| {
                    let target = event.target()?.dyn_into::<web_sys::Element>().ok()?;
                    let mut before = target.closest(".arrow").ok()??.previous_element_sibling();
                    let mut index = 0;
                    while let Some(element) = before {
                        index += 1;
                        before = element.previous_element_sibling();
                    }
                    Some(Msg::SelectArrow(index))
                });
                for line in &view.arrows {
                    arrow(tree, app, line);
                }
            });
            el!(tree, "g", "class" = "tags"; {
                for line in view.arrows.iter().filter(|line| !line.is_bare) {
                    tag(tree, app, line);
                }
            });
        });
        el!(tree, "svg", "class" = "layer", "viewBox" = &size, "role" = "group", "aria-label" = "Cluster",
            "data-chosen" = app.selected().map(|id| id.to_string()); {
            tree.hear(ListenerKind::onpointermove, |event: &PointerEvent| {
                (event.buttons() & 1 == 1).then(|| Msg::Drag(event.client_x(), event.client_y()))
            });
            tree.hear(ListenerKind::onpointerup, |_: &PointerEvent| Some(Msg::LetGo(true)));
            tree.hear(ListenerKind::onpointercancel, |_: &PointerEvent| Some(Msg::LetGo(false)));
            // Whoever chooses groups draws across the whole stage.
            tree.when(app.is_parting(), |tree| {
                el!(tree, "rect", "class" = "ground", "width" = extent.width, "height" = extent.height; {
                    tree.hear(ListenerKind::onpointerdown, |event: &PointerEvent| {
                        event.is_primary().then(|| Msg::Grab(ReplicaId(0), event.client_x(), event.client_y()))
                    });
                    tree.hear(ListenerKind::ontouchmove, |event: &web_sys::Event| {
                        event.prevent_default();
                        None
                    });
                });
            });
            tree.group(|tree| {
                for (line, at) in &view.clients {
                    client(tree, app, line, *at);
                }
            });
            for line in &view.nodes {
                let number = held::NODES + line.id.index();
                tree.part(parts, number, app.node_stamp(line.id), |tree| node(tree, app, line));
            }
            tree.group(|tree| {
                if let Some([x, y, width, height]) = app.lasso() {
                    el!(tree, "rect", "class" = "lasso", "x" = x, "y" = y, "width" = width, "height" = height);
                }
            });
        });
        tree.part(parts, held::TOOLS, app.calm_stamp(), |tree| {
            tools(tree, app);
            opens(tree, app);
        });
        tree.part(parts, held::TABLE, stamp, |tree| {
            if let Some(session) = app.session() {
                table(tree, say::words(session), view);
            }
        });
    });
}
