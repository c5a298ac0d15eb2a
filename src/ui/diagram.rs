//! The space-time diagram below the stage: it is the timeline.

use super::app::{App, Msg};
use super::frame::translate;
use super::stage::{epoch_class, role_class};
use super::tree::{Tree, classes, el};
use raftwerk::text::en as text;
use raftwerk::view::{Diagram, HEAD, Lane, MARGIN, Part, Px, Sign, SignKind, between};
use std::fmt::Write;
use web_sys::{PointerEvent, WheelEvent};
use yew::virtual_dom::ListenerKind;

/// The lengths of time that can be shown, in microseconds, and how they are named. The last is everything.
pub const SPANS: [(Option<u64>, &str); 5] = [
    (Some(300_000), "0.3 s"),
    (Some(1_500_000), "1.5 s"),
    (Some(6_000_000), "6 s"),
    (Some(30_000_000), "30 s"),
    (None, "everything"),
];

const NOW: &str = "now-line";

/// Moves the line of the present, without rendering.
pub fn draw_now(diagram: &Diagram, playhead_us: u64) {
    if let Some(line) = super::gloo_document().get_element_by_id(NOW) {
        let x = between(diagram.x(playhead_us), MARGIN, diagram.size.0);
        let _ = line.set_attribute("transform", &translate(x, 0.0));
    }
}

fn lane(tree: &mut Tree, lane: &Lane) {
    el!(tree, "g", "class" = "lane"; {
        el!(tree, "text", "class" = "lane-name", "x" = "0", "y" = lane.y + 4.0; {
            tree.text(&lane.name);
        });
        for stretch in &lane.stretches {
            let class = classes("stretch", &[(role_class(stretch.role), true), (&epoch_class(stretch.epoch), true)]);
            el!(tree, "line", "class" = class, "x1" = stretch.x.0, "x2" = stretch.x.1, "y1" = lane.y, "y2" = lane.y);
        }
    });
}

/// All messages: those that look alike are one path, because there can be hundreds of them, anew several times a second.
fn lines(tree: &mut Tree, diagram: &Diagram) {
    let mut paths: Vec<(String, String)> = Vec::new();
    for line in &diagram.lines {
        let class = classes(
            "flight",
            &[
                (&epoch_class(line.epoch), true),
                ("answer", line.is_answer),
                ("lost", line.is_lost),
                ("quiet", line.is_quiet),
                ("pinned", line.part == Some(Part::Pinned)),
                ("cause", line.part == Some(Part::Cause)),
                ("consequence", line.part == Some(Part::Consequence)),
                ("aside", diagram.has_thread && line.part.is_none()),
            ],
        );
        let [x1, y1, x2, y2] = [line.from.0, line.from.1, line.to.0, line.to.1].map(Px);
        let place = paths.iter().position(|(known, _)| *known == class).unwrap_or_else(|| {
            paths.push((class, String::new()));
            paths.len() - 1
        });
        let _ = write!(paths[place].1, "M{x1} {y1}L{x2} {y2}");
    }
    for (class, d) in &paths {
        el!(tree, "path", "class" = class, "d" = d);
    }
}

/// The outline of a sign, around the origin.
pub const fn sign_path(kind: SignKind) -> (&'static str, &'static str) {
    match kind {
        SignKind::Elected => ("sign elected", "M0 3V-11L9 -8L0 -5"),
        SignKind::Committed => ("sign committed", "M-3 5L0 9L3 5Z"),
        SignKind::Command => ("sign command", "M0 -6L5 0L0 6L-5 0Z"),
        SignKind::Broken => ("sign broken", "M-6 5H6L0 -7ZM0 -3V1"),
        SignKind::Forked => ("sign forked", "M0 8V1L-5 -7M0 1L5 -7"),
    }
}

fn sign(tree: &mut Tree, sign: &Sign) {
    let (class, d) = sign_path(sign.kind);
    el!(tree, "path", "class" = class, "transform" = translate(sign.at.0, sign.at.1), "d" = d; {
        el!(tree, "title"; { tree.text(&sign.says) });
    });
}

fn tools(tree: &mut Tree, app: &App) {
    let (position, length, time) =
        app.session().map_or_else(Default::default, |it| (it.position(), it.length(), text::time(it.playhead_us())));
    el!(tree, "p", "class" = "time-tools"; {
        el!(tree, "label"; {
            tree.text("event ");
            el!(tree, "input", "type" = "range", "class" = "scrub", "min" = "0", "max" = length,
                "aria-label" = "Event", "aria-valuetext" = format_args!("{time}, event {position} of {length}"); {
                tree.value(&position.to_string());
                tree.read(|value| Msg::Seek(value.parse().unwrap_or(0)));
            });
        });
        el!(tree, "span", "class" = "unit hint-once"; {
            if app.is_wheel_hint() {
                tree.text("Ctrl and wheel, or two fingers, zoom");
            }
        });
        el!(tree, "span", "class" = "space");
        tree.icon("+", "Zoom in", Msg::Zoom(-1));
        tree.leaf("span", Some("unit"), SPANS[app.span()].1);
        tree.icon("−", "Zoom out", Msg::Zoom(1));
        tree.icon("↔", "Fit the whole run", Msg::Zoom(i8::MAX));
        tree.hide(super::prefs::TIME);
    });
}

/// The diagram with its scrubber.
pub fn diagram(tree: &mut Tree, app: &App, diagram: &Diagram) {
    let (width, height) = diagram.size;
    tools(tree, app);
    let size = format!("0 0 {} {}", Px(width), Px(height));
    let bottom = height - 4.0;
    // The line of the present is a drawing of its own, so that its moving does not make the rest be painted again.
    el!(tree, "div", "class" = "layers"; {
    el!(tree, "svg", "class" = "diagram", "viewBox" = &size, "role" = "img",
        "aria-label" = "Messages and roles over time; the slider above goes to any event"; {
        tree.hear(ListenerKind::onpointerdown, |event: &PointerEvent| {
            Some(Msg::TimeDown(event.pointer_id(), event.client_x(), event.client_y()))
        });
        tree.hear(ListenerKind::onpointermove, |event: &PointerEvent| {
            (event.buttons() & 1 == 1).then(|| Msg::TimeMove(event.pointer_id(), event.client_x(), event.client_y()))
        });
        tree.hear(ListenerKind::onpointerup, |event: &PointerEvent| {
            Some(Msg::TimeUp(event.pointer_id(), true))
        });
        tree.hear(ListenerKind::onpointercancel, |event: &PointerEvent| Some(Msg::TimeUp(event.pointer_id(), false)));
        tree.hear(ListenerKind::onwheel, |event: &WheelEvent| {
            if !event.ctrl_key() && !event.meta_key() {
                return Some(Msg::WheelHint);
            }
            event.prevent_default();
            Some(Msg::Zoom(if event.delta_y() < 0.0 { -1 } else { 1 }))
        });
        el!(tree, "g"; {
            for tick in &diagram.ticks {
                el!(tree, "g"; {
                    el!(tree, "line", "class" = "tick", "x1" = tick.x, "x2" = tick.x, "y1" = HEAD, "y2" = bottom);
                    el!(tree, "text", "class" = "tick-label", "x" = tick.x, "y" = "12"; { tree.text(&tick.label) });
                });
            }
        });
        el!(tree, "g"; {
            for it in &diagram.lanes {
                lane(tree, it);
            }
        });
        el!(tree, "g"; {
            lines(tree, diagram);
        });
        el!(tree, "g"; {
            for it in &diagram.signs {
                sign(tree, it);
            }
        });
    });
    el!(tree, "svg", "class" = "layer", "viewBox" = size, "aria-hidden" = "true"; {
        el!(tree, "g", "id" = NOW; {
            el!(tree, "line", "class" = "now", "x1" = "0", "x2" = "0", "y1" = "14", "y2" = bottom);
            el!(tree, "path", "class" = "now-head", "d" = "M-6 6H6L0 15Z");
        });
    });
    });
}
