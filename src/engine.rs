//! The engine: executors, protocol and simulation; nothing that is shown.
//!
//! A package of its own for its compiler settings alone; the library takes it in as if its rooms were its own.

pub mod executor;
pub mod raft;
pub mod sim;
