//! The virtual clock.
//!
//! Time is a `u64` count of microseconds from the start of a run, everywhere in this crate. The clock never goes back
//! and never moves by itself.

/// Microseconds in a millisecond: protocol timeouts are whole milliseconds, everything else is microseconds.
pub const MICROS_PER_MILLI: u64 = 1_000;

/// A deadline that does not come.
pub const NEVER: u64 = u64::MAX;

/// A clock that is moved by hand, shared by all executors that are polled with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MockTime {
    now_us: u64,
}

impl MockTime {
    /// A clock that shows `now_us` microseconds.
    #[must_use]
    #[inline]
    pub const fn at(now_us: u64) -> Self {
        Self { now_us }
    }

    /// What the clock shows, in microseconds.
    #[must_use]
    #[inline]
    pub const fn now_us(&self) -> u64 {
        self.now_us
    }

    /// Lets `us` microseconds pass; saturates just before [`NEVER`].
    #[inline]
    pub fn sleep_us(&mut self, us: u64) {
        self.now_us = self.now_us.saturating_add(us).min(NEVER - 1);
    }

    /// Sets the clock forward to `at_us`.
    ///
    /// # Panics
    /// If that would take it back: time going back is our own mistake, never an input's.
    #[inline]
    pub fn set_us(&mut self, at_us: u64) {
        assert!(at_us >= self.now_us, "the clock would go back from {} to {at_us}", self.now_us);
        self.now_us = at_us;
    }
}
