//! Moving what flies between two steps, without rendering anything anew.
//!
//! The message layer and the timer layer have one child per arrow and per replica, in the order of the projection.

use raftwerk::view::{Arrow, Px, StageView, arc_path};
use yew::NodeRef;

fn set(element: &web_sys::Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// The transform of an arrow's head.
#[inline(never)]
pub fn head_transform(arrow: &Arrow, (x, y): (f64, f64)) -> String {
    let (along, across) = arrow.direction();
    format!("matrix({} {} {} {} {} {})", Px(along), Px(across), Px(-across), Px(along), Px(x), Px(y))
}

/// The transform of an arrow's label, and whether it is seen.
pub fn label_place(place: Option<(f64, f64)>) -> (String, &'static str) {
    place.map_or_else(|| (String::new(), "hidden"), |(x, y)| (translate(x, y), "visible"))
}

/// A move within a drawing.
#[inline(never)]
pub fn translate(x: f64, y: f64) -> String {
    format!("translate({} {})", Px(x), Px(y))
}

/// Puts everything where it belongs at the playhead.
pub fn draw(stage: &StageView, playhead_us: u64, messages: &NodeRef, timers: &NodeRef) {
    if let Some(layer) = messages.cast::<web_sys::Element>() {
        let mut child = layer.first_element_child();
        for (arrow, place) in stage.arrows.iter().zip(stage.labels(playhead_us)) {
            let Some(group) = child else { break };
            let (x, y) = stage.head(arrow, playhead_us);
            if let Some(trail) = group.first_element_child() {
                set(&trail, "x2", &Px(x).to_string());
                set(&trail, "y2", &Px(y).to_string());
                if let Some(head) = trail.next_element_sibling() {
                    set(&head, "transform", &head_transform(arrow, (x, y)));
                    if let Some(label) = head.next_element_sibling() {
                        let (transform, visibility) = label_place(place);
                        set(&label, "transform", &transform);
                        set(&label, "visibility", visibility);
                    }
                }
            }
            child = group.next_element_sibling();
        }
    }
    if let Some(layer) = timers.cast::<web_sys::Element>() {
        let mut child = layer.first_element_child();
        for node in &stage.nodes {
            let Some(group) = child else { break };
            if let Some(arc) = group.last_element_child() {
                set(&arc, "d", &arc_path(node.radius + 9.0, node.timer_left(playhead_us)));
            }
            child = group.next_element_sibling();
        }
    }
}
