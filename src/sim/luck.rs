//! All randomness of a run.
//!
//! Each (seed, replica, purpose) and each (seed, directed link) has a PCG-32 stream of its own (`rand_pcg`, pinned;
//! reference values in a test). A stream's state is XXH64 of its key, seeded with the run's seed, and its increment is
//! the key. Every message takes the same [`DRAWS_PER_MESSAGE`] draws from its link's stream, whatever the settings, so
//! the n-th message of a link always meets the same luck and an intervention changes only what it causes.
//!
//! A bounded draw is `(draw * bound) >> 32`: one draw, no rejection, a bias below `bound / 2^32`.

use crate::raft::{Encoder, Luck, Purpose, ReplicaId};
use rand_pcg::Pcg32;
use rand_pcg::rand_core::Rng;

/// Draws a message takes from its link's stream.
pub const DRAWS_PER_MESSAGE: usize = 6;

/// Parts in a million: the unit of probabilities.
pub const PPM: u32 = 1_000_000;

/// One stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    pcg: Pcg32,
    drawn: u64,
}

impl Stream {
    #[inline]
    fn new(seed: u64, key: u64) -> Self {
        let mut bytes = Encoder::default();
        bytes.u64(key);
        Self { pcg: Pcg32::new(bytes.digest(seed), key), drawn: 0 }
    }

    /// The stream of a directed link.
    #[must_use]
    #[inline]
    pub fn of_link(seed: u64, from: ReplicaId, to: ReplicaId) -> Self {
        Self::new(seed, (1 << 32) | (u64::from(from.0) << 8) | u64::from(to.0))
    }

    /// The stream of a replica for a purpose.
    #[must_use]
    #[inline]
    pub fn of_replica(seed: u64, replica: ReplicaId, purpose: Purpose) -> Self {
        let purpose = match purpose {
            Purpose::Election => 0,
            Purpose::Bootstrap => 1,
        };
        Self::new(seed, (2 << 32) | (u64::from(replica.0) << 8) | purpose)
    }

    /// The next draw.
    #[inline]
    pub fn draw(&mut self) -> u32 {
        self.drawn += 1;
        self.pcg.next_u32()
    }

    /// How many draws were taken: with the seed, the whole state of the stream.
    #[must_use]
    #[inline]
    pub const fn drawn(&self) -> u64 {
        self.drawn
    }
}

/// `draw` brought into `0..bound`; 0 when `bound` is 0.
#[must_use]
pub fn scale(draw: u32, bound: u32) -> u32 {
    let scaled = (u64::from(draw) * u64::from(bound)) >> 32;
    u32::try_from(scaled).unwrap_or(0)
}

/// The luck of one replica, for all its lives.
#[derive(Clone, Debug)]
pub struct ReplicaLuck {
    election: Stream,
    bootstrap: Stream,
}

impl ReplicaLuck {
    /// The luck of `replica` in a run with `seed`.
    #[must_use]
    #[inline]
    pub fn new(seed: u64, replica: ReplicaId) -> Self {
        Self {
            election: Stream::of_replica(seed, replica, Purpose::Election),
            bootstrap: Stream::of_replica(seed, replica, Purpose::Bootstrap),
        }
    }

    /// Writes it for a state digest.
    #[inline]
    pub fn encode(&self, out: &mut Encoder) {
        out.u64(self.election.drawn());
        out.u64(self.bootstrap.drawn());
    }
}

impl Luck for ReplicaLuck {
    #[inline]
    fn below(&mut self, purpose: Purpose, bound: u32) -> u32 {
        let stream = match purpose {
            Purpose::Election => &mut self.election,
            Purpose::Bootstrap => &mut self.bootstrap,
        };
        scale(stream.draw(), bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pcg32_gives_its_reference_values() {
        // The first six values of the generator's reference program, `pcg32_srandom(42, 54)`.
        let mut pcg = Pcg32::new(42, 54);
        let got: Vec<u32> = (0..6).map(|_| pcg.next_u32()).collect();
        assert_eq!(got, [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e]);
    }

    #[test]
    fn streams_of_different_keys_and_seeds_differ() {
        let first = |mut s: Stream| (s.draw(), s.draw());
        let a = first(Stream::of_link(7, ReplicaId(0), ReplicaId(1)));
        assert_ne!(a, first(Stream::of_link(7, ReplicaId(1), ReplicaId(0))));
        assert_ne!(a, first(Stream::of_link(8, ReplicaId(0), ReplicaId(1))));
        assert_ne!(a, first(Stream::of_replica(7, ReplicaId(0), Purpose::Bootstrap)));
        assert_eq!(a, first(Stream::of_link(7, ReplicaId(0), ReplicaId(1))));
    }

    #[test]
    fn a_bounded_draw_stays_below_its_bound_and_reaches_both_ends() {
        assert_eq!(scale(0, 10), 0);
        assert_eq!(scale(u32::MAX, 10), 9);
        assert_eq!(scale(u32::MAX, 0), 0);
        assert_eq!(scale(u32::MAX, u32::MAX), u32::MAX - 1);
    }
}
