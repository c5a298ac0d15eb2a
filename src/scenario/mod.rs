//! The record of a run, and the forms in which it travels.
//!
//! A [`Record`] is all that is needed to have the same run again: settings, seed and commands; with it the moment to
//! look at. It travels as a [`link`] and as JSON ([`from_json`], [`to_json`]). Whatever comes from outside passes
//! [`validate`] once, here, and nowhere else; errors name the field.
//!
//! Each format is frozen in a module of its own, with types of its own: nothing of the simulation is serialised, everything
//! is converted by hand.

mod json;
pub mod link;
mod plain;
mod record;
pub mod v1;
mod validate;

pub use json::{command_from_json, command_to_wire, from_json, into_command, into_record, read_json, to_json, to_wire};
pub use plain::{plain, plain_names};
pub use record::{Chapter, Panel, Record, Selection, Shown, Start};
pub use validate::{Code, InputError, POSITION_MAX, validate, validate_command};
