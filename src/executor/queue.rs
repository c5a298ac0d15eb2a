//! A priority queue whose entries can be taken out from the middle.
//!
//! A binary heap of slot numbers over a slab of entries; each slot knows its place in the heap, so that taking out any
//! entry costs O(log n), like adding one. Once the queue has held n entries, holding n again allocates nothing. Two
//! entries with equal keys come out in an unspecified (but deterministic) order: callers put a sequence number into
//! the key.

/// Names one entry of a queue until it leaves it; afterwards it names nothing, even when its slot is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    slot: u32,
    generation: u32,
}

impl Handle {
    /// Names no entry of any queue.
    pub(super) const ELSEWHERE: Self = Self { slot: u32::MAX, generation: 0 };
}

#[derive(Clone, Debug)]
struct Slot<K, T> {
    generation: u32,
    /// Place in the heap while occupied.
    place: u32,
    entry: Option<(K, T)>,
}

/// Entries ordered by key, least first.
#[derive(Clone, Debug)]
pub struct OrderedQueue<K, T> {
    heap: Vec<u32>,
    slots: Vec<Slot<K, T>>,
    free: Vec<u32>,
}

impl<K, T> Default for OrderedQueue<K, T> {
    #[inline]
    fn default() -> Self {
        Self { heap: Vec::new(), slots: Vec::new(), free: Vec::new() }
    }
}

impl<K: Ord + Copy, T> OrderedQueue<K, T> {
    /// How many entries it holds.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether it holds none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Adds an entry.
    ///
    /// # Panics
    /// If it would hold more than 2^32 entries.
    #[inline]
    pub fn push(&mut self, key: K, value: T) -> Handle {
        let place = u32::try_from(self.heap.len()).expect("a queue holds fewer than 2^32 entries");
        let slot = if let Some(slot) = self.free.pop() {
            let s = &mut self.slots[slot as usize];
            s.place = place;
            s.entry = Some((key, value));
            slot
        } else {
            let slot = u32::try_from(self.slots.len()).expect("a queue holds fewer than 2^32 entries");
            self.slots.push(Slot { generation: 0, place, entry: Some((key, value)) });
            slot
        };
        self.heap.push(slot);
        self.sift_up(place as usize);
        Handle { slot, generation: self.slots[slot as usize].generation }
    }

    /// The least key.
    #[inline]
    #[must_use]
    pub fn first_key(&self) -> Option<K> {
        let slot = *self.heap.first()?;
        self.slots[slot as usize].entry.as_ref().map(|(key, _)| *key)
    }

    /// The least key and its value.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<(K, &T)> {
        let slot = *self.heap.first()?;
        self.slots[slot as usize].entry.as_ref().map(|(k, v)| (*k, v))
    }

    /// Takes out the entry with the least key.
    #[inline]
    pub fn pop(&mut self) -> Option<(K, T)> {
        if self.heap.is_empty() { None } else { Some(self.take_place(0)) }
    }

    /// The entry that `handle` names, if it is still here.
    #[must_use]
    #[inline]
    pub fn get(&self, handle: Handle) -> Option<(K, &T)> {
        let slot = self.slots.get(handle.slot as usize)?;
        if slot.generation != handle.generation {
            return None;
        }
        slot.entry.as_ref().map(|(k, v)| (*k, v))
    }

    /// The value of the entry that `handle` names, if it is still here.
    #[inline]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        let slot = self.slots.get_mut(handle.slot as usize)?;
        if slot.generation != handle.generation {
            return None;
        }
        slot.entry.as_mut().map(|(_, value)| value)
    }

    /// Takes out the entry that `handle` names, if it is still here.
    #[inline]
    pub fn remove(&mut self, handle: Handle) -> Option<(K, T)> {
        self.get(handle)?;
        let place = self.slots[handle.slot as usize].place;
        Some(self.take_place(place as usize))
    }

    /// Puts another entry into the place of the one that `handle` names, which must still be here.
    #[inline]
    pub fn replace(&mut self, handle: Handle, key: K, value: T) -> Handle {
        let slot = &mut self.slots[handle.slot as usize];
        assert_eq!(slot.generation, handle.generation, "the entry is still here");
        slot.generation = slot.generation.wrapping_add(1);
        slot.entry = Some((key, value));
        let (generation, place) = (slot.generation, slot.place as usize);
        self.sift_down(place);
        self.sift_up(self.slots[handle.slot as usize].place as usize);
        Handle { slot: handle.slot, generation }
    }

    /// All entries, in no particular order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Handle, K, &T)> {
        self.heap.iter().filter_map(|&slot| {
            let s = &self.slots[slot as usize];
            s.entry.as_ref().map(|(k, v)| (Handle { slot, generation: s.generation }, *k, v))
        })
    }

    #[inline]
    fn take_place(&mut self, place: usize) -> (K, T) {
        let slot = self.heap.swap_remove(place);
        if place < self.heap.len() {
            let moved = self.heap[place];
            self.slots[moved as usize].place = index(place);
            self.sift_down(place);
            self.sift_up(self.slots[moved as usize].place as usize);
        }
        let s = &mut self.slots[slot as usize];
        s.generation = s.generation.wrapping_add(1);
        self.free.push(slot);
        s.entry.take().expect("a slot in the heap is occupied")
    }

    #[inline]
    fn key(&self, place: usize) -> K {
        self.slots[self.heap[place] as usize].entry.as_ref().expect("a slot in the heap is occupied").0
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.slots[self.heap[a] as usize].place = index(a);
        self.slots[self.heap[b] as usize].place = index(b);
    }

    #[inline]
    fn sift_up(&mut self, mut place: usize) {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.key(place) >= self.key(parent) {
                break;
            }
            self.swap(place, parent);
            place = parent;
        }
    }

    #[inline]
    fn sift_down(&mut self, mut place: usize) {
        loop {
            let left = 2 * place + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let child = if right < self.heap.len() && self.key(right) < self.key(left) { right } else { left };
            if self.key(child) >= self.key(place) {
                break;
            }
            self.swap(place, child);
            place = child;
        }
    }
}

fn index(place: usize) -> u32 {
    u32::try_from(place).expect("a queue holds fewer than 2^32 entries")
}
