//! Moving what flies between two steps, without rendering anything anew.
//!
//! The message layer and the timer layer have one child per arrow and per replica, in the order of the projection.

use raftwerk::view::{Arrow, Px, StageView, arc_path};
use yew::NodeRef;

fn set(element: &web_sys::Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// The transform of an arrow's head.
pub fn head_transform(arrow: &Arrow, playhead_us: u64) -> String {
    let (x, y, _) = arrow.head(playhead_us);
    {
        let (along, across) = arrow.direction();
        format!("matrix({} {} {} {} {} {})", Px(along), Px(across), Px(-across), Px(along), Px(x), Px(y))
    }
}

/// The transform of an arrow's label: beside the head, on the right of its flight.
pub fn label_transform(arrow: &Arrow, playhead_us: u64) -> String {
    let (x, y, _) = arrow.head(playhead_us);
    format!("translate({} {})", Px(x), Px(y + 17.0))
}

/// Puts everything where it belongs at the playhead.
pub fn draw(stage: &StageView, playhead_us: u64, messages: &NodeRef, timers: &NodeRef) {
    if let Some(layer) = messages.cast::<web_sys::Element>() {
        let mut child = layer.first_element_child();
        for arrow in &stage.arrows {
            let Some(group) = child else { break };
            let (x, y, _) = arrow.head(playhead_us);
            if let Some(trail) = group.first_element_child() {
                set(&trail, "x2", &Px(x).to_string());
                set(&trail, "y2", &Px(y).to_string());
                if let Some(head) = trail.next_element_sibling() {
                    set(&head, "transform", &head_transform(arrow, playhead_us));
                    if let Some(label) = head.next_element_sibling() {
                        set(&label, "transform", &label_transform(arrow, playhead_us));
                    }
                }
            }
            child = group.next_element_sibling();
        }
    }
    if let Some(layer) = timers.cast::<web_sys::Element>() {
        let mut child = layer.first_element_child();
        for node in &stage.nodes {
            let Some(arc) = child else { break };
            set(&arc, "d", &arc_path(node.radius + 9.0, node.timer_left(playhead_us)));
            child = arc.next_element_sibling();
        }
    }
}
