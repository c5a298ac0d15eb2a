//! What is typed into the small fields beside buttons: how long, how often, when.
//!
//! Text until it is used; then it becomes a number of the smallest unit, or an error that names the field and keeps what
//! was typed.

use raftwerk::scenario::{Code, InputError};

/// A small field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Small {
    /// What it is called.
    pub label: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What stands in it at first.
    pub first: &'static str,
    /// How many of the smallest unit (µs, parts in a million, or one) a whole one is.
    scale: u32,
}

const fn small(label: &'static str, unit: &'static str, first: &'static str, scale: u32) -> Small {
    Small { label, unit, first, scale }
}

/// All small fields.
pub const SMALL: [Small; 18] = [
    small("At", "s; empty: now", "", 1_000_000),
    small("Delay by", "ms", "100", 1_000),
    small("Second arrival after", "ms", "20", 1_000),
    small("Push back by", "ms", "500", 1_000),
    small("Apart by", "ms", "300", 1_000),
    small("Shortest latency", "ms", "60", 1_000),
    small("Longest latency", "ms", "120", 1_000),
    small("Lost", "%", "0", 10_000),
    small("Delivered twice", "%", "0", 10_000),
    small("May overtake", "%", "0", 10_000),
    small("Waits for an answer", "ms", "1500", 1),
    small("Pause before it asks again", "ms", "250", 1),
    small("Sends at most", "times", "5", 1),
    small("Something to set every", "ms", "500", 1_000),
    small("Offset or index", "", "1", 1),
    small("Clock at", "%", "100", 10_000),
    small("From event", "", "1", 1),
    small("To event", "", "1", 1),
];

/// Places in [`SMALL`].
pub const AT: usize = 0;
/// See [`AT`].
pub const DELAY: usize = 1;
/// See [`AT`].
pub const AGAIN: usize = 2;
/// See [`AT`].
pub const PUSH: usize = 3;
/// See [`AT`].
pub const APART: usize = 4;
/// The first of the five that describe a link.
pub const LINK: usize = 5;
/// The first of the three that describe a client.
pub const CLIENT: usize = 10;
/// See [`AT`].
pub const EVERY: usize = 13;
/// See [`AT`].
pub const OFFSET: usize = 14;
/// See [`AT`].
pub const CLOCK: usize = 15;
/// See [`AT`].
pub const FROM: usize = 16;
/// See [`AT`].
pub const TO: usize = 17;

/// What is typed.
pub struct Typed([String; SMALL.len()]);

impl Default for Typed {
    fn default() -> Self {
        Self(SMALL.map(|small| small.first.to_owned()))
    }
}

impl Typed {
    /// The text of a field.
    pub fn text(&self, field: usize) -> &str {
        &self.0[field]
    }

    /// Somebody typed.
    pub fn put(&mut self, field: usize, text: String) {
        self.0[field] = text;
    }

    /// A field as a number of its smallest unit.
    ///
    /// # Errors
    /// [`InputError`] that names the field.
    pub fn number(&self, field: usize) -> Result<u32, InputError> {
        let Small { label, scale, .. } = SMALL[field];
        unscaled(label, &self.0[field], scale)
    }

    /// Fills the fields of a link with numbers of their smallest units.
    pub fn fill(&mut self, first: usize, numbers: &[u32]) {
        for (field, &number) in (first..).zip(numbers) {
            self.0[field] = scaled(number, SMALL[field].scale);
        }
    }

    /// When something is to happen, in microseconds; `None`: now.
    ///
    /// # Errors
    /// [`InputError`] that names the field.
    pub fn at_us(&self) -> Result<Option<u64>, InputError> {
        if self.0[AT].trim().is_empty() { Ok(None) } else { self.number(AT).map(|us| Some(us.into())) }
    }
}

/// A number in units, as people write it.
pub fn scaled(value: u32, unit: u32) -> String {
    let (whole, rest) = (value / unit, value % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let digits = unit.ilog10() as usize;
    format!("{whole}.{rest:0digits$}").trim_end_matches('0').to_owned()
}

/// A number that somebody wrote in units, without them.
///
/// # Errors
/// [`InputError`] for the field at `path`.
pub fn unscaled(path: &str, text: &str, unit: u32) -> Result<u32, InputError> {
    let bad = || InputError::new(Code::Shape, path, format!("“{text}” is not a number that fits here"));
    let text = text.trim();
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    let digits = unit.ilog10() as usize;
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(rest) || rest.len() > digits.max(1) {
        return Err(bad());
    }
    let rest: u32 = format!("{rest:0<digits$}").parse().map_err(|_| bad())?;
    if unit == 1 && rest != 0 {
        return Err(bad());
    }
    whole.parse::<u32>().ok().and_then(|whole| whole.checked_mul(unit)?.checked_add(rest)).ok_or_else(bad)
}
