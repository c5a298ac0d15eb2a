//! The record of a run, and the forms in which it travels.
//!
//! A [`Record`] is all that is needed to have the same run again: settings, seed and commands; with it the moment to
//! look at. It travels as a [`link`] and as JSON ([`from_json`], [`to_json`]). Whatever comes from outside passes
//! [`validate`] once, here, and nowhere else; errors name the field.
//!
//! The types in `frozen` are the wire's own: nothing of the simulation is serialised, everything is converted by hand.

mod frozen;
mod json;
pub mod link;
mod record;
mod validate;

pub use json::{from_json, to_json};
pub use record::{Record, Start};
pub use validate::{InputError, POSITION_MAX, validate, validate_command};
