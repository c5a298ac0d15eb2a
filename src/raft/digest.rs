//! Bytes for digests, in an explicit little-endian layout.
//!
//! A digest is XXH64 over what an [`Encoder`] collected. The layouts are frozen per version of the behaviour; nothing
//! here depends on the platform, on derives or on hash maps.

use xxhash_rust::xxh64::xxh64;

/// Collects bytes; keeps its buffer between uses.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// Forgets what was collected.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Adds one byte.
    #[inline]
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Adds four bytes, least first.
    #[inline]
    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Adds eight bytes, least first.
    #[inline]
    pub fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Adds a signed number as its two's complement.
    #[inline]
    pub fn i64(&mut self, value: i64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Adds a flag as one byte.
    #[inline]
    pub fn bool(&mut self, value: bool) {
        self.u8(u8::from(value));
    }

    /// Adds an optional number as a flag and, if there is one, its eight bytes.
    #[inline]
    pub fn option(&mut self, value: Option<u64>) {
        self.bool(value.is_some());
        if let Some(value) = value {
            self.u64(value);
        }
    }

    /// The digest of what was collected, chained to `previous`.
    #[must_use]
    #[inline]
    pub fn digest(&self, previous: u64) -> u64 {
        xxh64(&self.bytes, previous)
    }
}
