//! Records as JSON: for files, the gallery and people.

use super::frozen;
use super::record::Record;
use super::validate::{InputError, validate};

/// Reads a record.
///
/// # Errors
/// [`InputError`] if it is not JSON, misses a field, has one too many, or says something that cannot be.
pub fn from_json(text: &str) -> Result<Record, InputError> {
    let wire: frozen::RecordV0 =
        serde_json::from_str(text).map_err(|error| InputError::new("file", error.to_string()))?;
    let record = frozen::into_record(wire)?;
    validate(&record)?;
    Ok(record)
}

/// Writes a record, for people to read.
///
/// # Panics
/// Never: every record has a JSON form.
#[must_use]
pub fn to_json(record: &Record) -> String {
    serde_json::to_string_pretty(&frozen::out(record)).expect("every record has a JSON form")
}
