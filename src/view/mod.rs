//! What is drawn, as plain numbers and text: a pure projection of a session at its playhead.
//!
//! No web types, no state of its own; the same moment gives the same projection. Lengths are in the units of a stage
//! that is [`WIDTH`] by [`HEIGHT`].

mod next;
mod stage;

pub use next::{PendingItem, pending};
pub use stage::{Arrow, HEIGHT, LinkLine, NodeView, RADIUS, StageView, Vote, WIDTH, arc_path, shape_path, stage};
