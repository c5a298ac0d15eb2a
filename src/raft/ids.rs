//! Replica ids and sets of them.
//!
//! Replicas are numbered densely from 0; people see them counted from 1. A set is one machine word.

use std::fmt;

/// The most replicas a cluster may have.
pub const REPLICAS_MAX: u8 = 25;

/// The dense index of a replica, 0-based. Shown 1-based ("node 1").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicaId(pub u8);

impl ReplicaId {
    /// The index for tables.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ReplicaId {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", u16::from(self.0) + 1)
    }
}

/// A set of replicas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplicaSet(pub u32);

impl ReplicaSet {
    /// The set of the first `count` replicas.
    #[must_use]
    #[inline]
    pub const fn first(count: u8) -> Self {
        Self((1 << count) - 1)
    }

    /// The set of `id` alone.
    #[must_use]
    #[inline]
    pub const fn only(id: ReplicaId) -> Self {
        Self(1 << id.0)
    }

    /// Whether `id` is in it.
    #[must_use]
    #[inline]
    pub const fn contains(self, id: ReplicaId) -> bool {
        id.0 < 32 && self.0 & (1 << id.0) != 0
    }

    /// Puts `id` in.
    #[inline]
    pub const fn insert(&mut self, id: ReplicaId) {
        self.0 |= 1 << id.0;
    }

    /// Takes `id` out.
    #[inline]
    pub const fn remove(&mut self, id: ReplicaId) {
        self.0 &= !(1 << id.0);
    }

    /// How many are in it.
    #[must_use]
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether none is in it.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those in it and not in `other`.
    #[must_use]
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The smallest number of members that is more than half: n/2 + 1.
    #[must_use]
    #[inline]
    pub const fn majority(self) -> u32 {
        self.len() / 2 + 1
    }

    /// The members in ascending order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = ReplicaId> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            // At most 31: a u32 has no higher bit.
            #[expect(clippy::cast_possible_truncation, reason = "a bit number of a u32 fits a u8")]
            let index = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            Some(ReplicaId(index))
        })
    }
}
