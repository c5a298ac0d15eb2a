//! A Raft cluster, its network and its clock inside one browser page.
//!
//! Rooms and the directions in which they may look are in `ARCHITECTURE.md`; a test holds the code to them.

pub use raftwerk_engine::{executor, raft, sim};

#[cfg(all(feature = "api", target_arch = "wasm32"))]
pub mod api;
pub mod explain;
pub mod scenario;
pub mod session;
pub mod text;
pub mod view;
