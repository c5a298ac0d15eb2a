//! What is drawn, as plain numbers and text: a pure projection of a session at its playhead.
//!
//! No web types, no state of its own; the same moment gives the same projection. Lengths are in the units of
//! the stage's own [`Extent`].

mod diagram;
pub mod inspect;
mod logs;
mod next;
mod stage;
mod turn;

pub use diagram::{Diagram, HEAD, LANE, Lane, Line, MARGIN, Span, Stretch, Tick, diagram};
pub use logs::{Cell, CellState, LogRow, LogTable, log_table};
pub use next::{PendingItem, QueuedTask, pending, tasks};
pub use stage::{
    Arrow, Extent, LinkLine, NARROW, NodeView, Px, StageView, Vote, WIDE, arc_path, between, shape_path, stage,
};
