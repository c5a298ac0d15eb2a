//! The paper's Raft, by its sections and by cases.
//!
//! | file | holds |
//! | --- | --- |
//! | `paper` | the rules, in the order of the paper's sections |
//! | `cases` | situations of other test suites, under their numbers |
//! | `scripts` | elections, replication and repair as golden scripts: what was done, and what was said |
//! | `random` | the five safety properties over random runs with every fault, and liveness after |
//! | `lab` | servers as values, with a test in the place of network and clock |
#![cfg(not(target_arch = "wasm32"))]

mod cases;
mod lab;
mod paper;
mod random;
mod scripts;
