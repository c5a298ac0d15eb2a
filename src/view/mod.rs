//! What is drawn, as plain numbers and text: a pure projection of a session at its playhead.
//!
//! No web types, no state of its own; the same moment gives the same projection. Lengths are in the units of
//! the stage's own [`Extent`].

mod diagram;
mod events;
pub mod export;
pub mod inspect;
mod logs;
mod next;
pub mod say;
mod stage;
mod thread;
mod turn;

pub use diagram::{Diagram, HEAD, Lane, Line, MARGIN, Sign, SignKind, Span, Stretch, Tick, diagram};
pub use events::{EventLine, Sieve, events};
pub use logs::{Cell, CellState, LogRow, LogTable, log_table};
pub use next::{PendingItem, QueuedTask, pending, tasks};
pub use stage::{
    Arrow, CLIENT, ClientView, Extent, Kinds, LinkLine, Looks, NodeView, Px, Region, StageView, Vote, arc_path,
    between, kind, shape_path, stage,
};
pub use thread::{MessageId, Part, Thread};
