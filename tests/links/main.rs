//! Links and files: what is written is read again, links of the list open for ever, and nothing from outside does harm.
//!
//! | file | holds |
//! | --- | --- |
//! | `schema` | the schema of scenario files, walked: what a scenario says, and scenarios that say anything |
//! | `golden` | `tests/golden/links.txt`: every option and every command has a link that must give the same run for ever |
//! | `round` | encode and decode are each other's inverse; how long links are |
#![cfg(not(target_arch = "wasm32"))]

#[path = "../common/mod.rs"]
mod common;
mod described;
mod golden;
mod round;
mod schema;
