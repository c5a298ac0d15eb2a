//! A Raft cluster, its network and its clock inside one browser page.
//!
//! Rooms and the directions in which they may look are in `ARCHITECTURE.md`; a test holds the code to them.

pub mod executor;
pub mod explain;
pub mod raft;
pub mod scenario;
pub mod session;
pub mod sim;
pub mod text;
pub mod view;
