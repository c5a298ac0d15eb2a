//! Format 1: frozen. What is here opens every link and file that was ever written in it, and gives the same run.
//!
//! | file | holds |
//! | --- | --- |
//! | `wire` | the types, as JSON and the JavaScript package have them |
//! | `layout` | how they lie in a link |
//! | `convert` | from and to the simulation's own types |
//! | `bounds` | how long lists may be |
//!
//! What may still grow, and how: an option of a protocol is a variant at the end of its list in `layout` and a field with a
//! default in `wire`; a command is a variant at the end; whatever else a record gains is a section at the end. A page that
//! does not know what it reads says so. Everything else is a format of its own, in a module beside this one.

mod bounds;
mod convert;
mod layout;
#[cfg(test)]
mod schema;
mod wire;

pub use convert::shown;
pub(super) use convert::{command_in, command_out, into_record, out};
pub(super) use layout::{Unreadable, pack, unpack};
pub use wire::*;
