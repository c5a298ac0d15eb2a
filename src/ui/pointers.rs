//! Pointers: nodes dragged on the stage, and the diagram scrubbed, pinched and pressed.
//!
//! Holds always: a drag that is broken off leaves everything where it was.

use super::app::App;
use super::diagram::SPANS;
use super::{browser, later};
use raftwerk::raft::ReplicaId;
use raftwerk::sim::EventName;

/// A node that is being dragged.
pub(super) struct Dragged {
    pub(super) id: ReplicaId,
    /// Where the pointer was, and how far the node was moved, when it was taken.
    pub(super) from: (i32, i32),
    pub(super) was: (f64, f64),
    pub(super) has_moved: bool,
}

/// A pointer on the diagram: its number, where it went down, and where it is.
pub(super) struct Pointer {
    pub(super) id: i32,
    pub(super) down: (i32, i32),
    pub(super) at: (i32, i32),
    pub(super) has_moved: bool,
}

/// How far a key moves a node, in the units of the stage.
pub(super) const NUDGE: f64 = 12.0;
/// How far a pointer must go to drag something, on the screen.
const SLACK: i32 = 4;
/// How much farther apart two fingers must be for the next zoom.
const PINCH: f64 = 1.3;

impl App {
    pub(super) fn move_to(&mut self, id: ReplicaId, by: (f64, f64)) {
        if let Some(moved) = self.moved.get_mut(id.index()) {
            *moved = by;
        }
        self.project();
    }

    pub(super) fn drag(&mut self, x: i32, y: i32) -> bool {
        let (Some(dragged), Some([_, _, width, height])) = (&mut self.dragged, browser::place_of(".stage svg")) else {
            return false;
        };
        let (dx, dy) = (x - dragged.from.0, y - dragged.from.1);
        if !dragged.has_moved && dx.abs() < SLACK && dy.abs() < SLACK {
            return false;
        }
        dragged.has_moved = true;
        let scale = (self.extent.width / width).max(self.extent.height / height);
        let (id, (was_x, was_y)) = (dragged.id, dragged.was);
        self.move_to(id, (was_x + f64::from(dx) * scale, was_y + f64::from(dy) * scale));
        true
    }

    pub(super) fn move_pointer(&mut self, id: i32, at: (i32, i32)) -> bool {
        let spread = |pointers: &[Pointer]| match pointers {
            [a, b] => {
                let (dx, dy) = (f64::from(a.at.0 - b.at.0), f64::from(a.at.1 - b.at.1));
                (dx * dx + dy * dy).sqrt()
            }
            _ => 0.0,
        };
        let from_down = |pointers: &[Pointer]| match pointers {
            [a, b] => {
                let (dx, dy) = (f64::from(a.down.0 - b.down.0), f64::from(a.down.1 - b.down.1));
                (dx * dx + dy * dy).sqrt()
            }
            _ => 0.0,
        };
        let Some(pointer) = self.pointers.iter_mut().find(|pointer| pointer.id == id) else { return false };
        pointer.at = at;
        let dx = at.0 - pointer.down.0;
        pointer.has_moved |= dx.abs() >= SLACK;
        let has_moved = pointer.has_moved;
        if self.pointers.len() == 2 {
            let (was, is) = (from_down(&self.pointers), spread(&self.pointers));
            let by = if is > was * PINCH {
                -1
            } else if is * PINCH < was {
                1
            } else {
                return false;
            };
            for pointer in &mut self.pointers {
                (pointer.down, pointer.has_moved) = (pointer.at, true);
            }
            self.span = self.span.saturating_add_signed(by).min(SPANS.len() - 1);
            self.look_anew();
            return true;
        }
        has_moved && self.scrub(at.0)
    }

    pub(super) fn lift_pointer(&mut self, id: i32, is_meant: bool) -> bool {
        let Some(index) = self.pointers.iter().position(|pointer| pointer.id == id) else { return false };
        let pointer = self.pointers.remove(index);
        if !is_meant || pointer.has_moved || !self.pointers.is_empty() {
            return false;
        }
        let near = match (&self.diagram, browser::place_of(".diagram")) {
            (Some(diagram), Some([left, top, width, _])) => {
                let scale = diagram.size.0 / width;
                let (x, y) = (f64::from(pointer.at.0) - left, f64::from(pointer.at.1) - top);
                diagram.near(x * scale, y * scale)
            }
            _ => None,
        };
        match near {
            Some((from, to, number)) => {
                let name = EventName::Delivery { from, to, number, is_copy: false };
                let view = self.session.as_ref().and_then(|session| later::message(session, name));
                self.halt();
                self.choose_nothing();
                self.message = Some((name, view));
                self.look_anew();
                true
            }
            None => self.scrub(pointer.at.0),
        }
    }

    /// Goes to the time under a place of the window.
    pub(super) fn scrub(&mut self, client_x: i32) -> bool {
        self.halt();
        if let (Some(diagram), Some(session), Some([left, _, width, _])) =
            (&self.diagram, &mut self.session, browser::place_of(".diagram"))
        {
            session.seek_time(diagram.at_us((f64::from(client_x) - left) / width * diagram.size.0));
        }
        self.changed();
        true
    }
}
