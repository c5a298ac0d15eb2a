//! Moving what flies between two steps, without rendering anything anew.
//!
//! The message layer and the timer layer have one child per arrow and per replica, in the order of the projection; the
//! labels follow the message layer, one per arrow that is not bare.

use raftwerk::view::{Arrow, Px, StageView, arc_path};
use yew::NodeRef;

fn set(element: &web_sys::Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// A move within a drawing.
#[inline(never)]
pub fn translate(x: f64, y: f64) -> String {
    format!("translate({} {})", Px(x), Px(y))
}

/// The transform of an arrow's head.
#[inline(never)]
pub fn head_transform(arrow: &Arrow, (x, y): (f64, f64)) -> String {
    let (along, across) = arrow.direction();
    format!("matrix({} {} {} {} {} {})", Px(along), Px(across), Px(-across), Px(along), Px(x), Px(y))
}

/// Puts everything where it belongs at the playhead. `arcs` are the parts of the dials as they are drawn; one that has not
/// moved by what can be seen is left alone, if `is_new` does not say that others may be drawn.
pub fn draw(
    stage: &StageView,
    playhead_us: u64,
    messages: &NodeRef,
    timers: &NodeRef,
    arcs: &mut Vec<u16>,
    is_new: bool,
) {
    if let Some(layer) = messages.cast::<web_sys::Element>() {
        let mut child = layer.first_element_child();
        let mut tag = layer.next_element_sibling().and_then(|tags| tags.first_element_child());
        for (arrow, place) in stage.arrows.iter().zip(stage.labels(playhead_us)) {
            let Some(group) = child else { break };
            let (x, y) = stage.head(arrow, playhead_us);
            if let Some(head) = group.first_element_child() {
                set(&head, "transform", &head_transform(arrow, (x, y)));
                if let Some(trail) = head.next_element_sibling() {
                    set(&trail, "x2", &Px(x).to_string());
                    set(&trail, "y2", &Px(y).to_string());
                }
            }
            if !arrow.is_bare
                && let Some(label) = tag
            {
                if let Some((x, y)) = place {
                    set(&label, "transform", &translate(x, y));
                }
                set(&label, "visibility", if place.is_some() { "visible" } else { "hidden" });
                tag = label.next_element_sibling();
            }
            child = group.next_element_sibling();
        }
    }
    if let Some(layer) = timers.cast::<web_sys::Element>() {
        arcs.resize(stage.nodes.len(), 0);
        let mut child = layer.first_element_child();
        for (node, drawn) in stage.nodes.iter().zip(arcs) {
            let Some(group) = child else { break };
            let left = node.timer_left(playhead_us);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a circle")]
            let part = (left * ARC_PARTS) as u16;
            if is_new || part != *drawn {
                *drawn = part;
                if let Some(arc) = group.last_element_child() {
                    set(&arc, "d", &arc_path(node.radius + 9.0, f64::from(part) / ARC_PARTS));
                }
            }
            child = group.next_element_sibling();
        }
    }
}

/// Into how many parts a dial is divided: each less than two pixels.
const ARC_PARTS: f64 = 180.0;
