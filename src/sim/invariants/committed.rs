//! What was ever seen committed, for the properties that speak of it.
//!
//! A log of it is kept beside the run. *State Machine Safety* fills it, *Leader Completeness* and the two about high
//! watermarks read it.

use crate::raft::{Entry, Log};

/// Whether two entries are the same.
pub(super) fn is_same(one: Option<Entry>, other: Option<Entry>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.epoch == other.epoch && one.payload == other.payload,
        _ => false,
    }
}

/// Everything that was ever seen committed, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Committed {
    pub log: Log,
}
