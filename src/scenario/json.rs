//! Records as JSON: for files, the gallery and people.

use super::plain::plain;
use super::record::Record;
use super::v1;
use super::validate::{Code, InputError, validate};
use crate::sim::Command;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// The longest text that is read, in bytes.
const TEXT_MAX: usize = 8_000_000;
/// The longest path and the longest sentence of an error, in characters.
const PATH_SHOWN: usize = 120;
const SAYS_SHOWN: usize = 600;

/// Reads a record.
///
/// # Errors
/// [`InputError`] if it is not JSON, misses a field, has one too many, or says something that cannot be.
pub fn from_json(text: &str) -> Result<Record, InputError> {
    into_record(read_json("file", text)?)
}

/// Reads a command. Whether its cluster has whom it names, whoever carries it out says.
///
/// # Errors
/// As with [`from_json`].
pub fn command_from_json(text: &str) -> Result<Command, InputError> {
    into_command(&read_json("command", text)?)
}

/// Reads anything that has a JSON form. Errors that are of no field carry the name `what`.
///
/// # Errors
/// As with [`from_json`].
pub fn read_json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, InputError> {
    if text.len() > TEXT_MAX {
        return Err(InputError::new(Code::TooMuch, what, format!("it is longer than {TEXT_MAX} bytes")));
    }
    let mut source = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut source).map_err(|error| {
        let mut says = error.inner().to_string();
        if error.inner().classify() != Category::Data {
            return InputError::new(Code::Shape, what, format!("it is no JSON: {says}"));
        }
        // Where a field is, its path says.
        says.truncate(says.rfind(" at line ").unwrap_or(says.len()));
        let path = error.path().to_string();
        let path = if path == "." { what } else { &path };
        // It quotes what it was given.
        InputError::new(Code::Shape, plain(path, PATH_SHOWN), plain(&says, SAYS_SHOWN))
    })?;
    source.end().map_err(|_| InputError::new(Code::Shape, what, "there is more behind it"))?;
    Ok(value)
}

/// Reads a record from the types that JSON and the JavaScript package have.
///
/// # Errors
/// [`InputError`] if it says something that cannot be.
pub fn into_record(wire: v1::Scenario) -> Result<Record, InputError> {
    let record = v1::into_record(wire)?;
    validate(&record)?;
    Ok(record)
}

/// Reads a command from the types that JSON and the JavaScript package have. Whether its cluster has whom it names, whoever
/// carries it out says.
///
/// # Errors
/// [`InputError`] if it says something that cannot be.
pub fn into_command(wire: &v1::Command) -> Result<Command, InputError> {
    v1::command_in("command", wire)
}

/// A record as the types that JSON and the JavaScript package have.
#[must_use]
pub fn to_wire(record: &Record) -> v1::Scenario {
    v1::out(record)
}

/// A command as the types that JSON and the JavaScript package have.
#[must_use]
pub fn command_to_wire(command: Command) -> v1::Command {
    v1::command_out(command)
}

/// Writes a record, for people to read.
///
/// # Panics
/// Never: every record has a JSON form.
#[must_use]
pub fn to_json(record: &Record) -> String {
    serde_json::to_string_pretty(&v1::out(record)).expect("every record has a JSON form")
}
