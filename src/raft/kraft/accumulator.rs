//! What clients have appended at a leader and what waits to be written (spec 5.6).
//!
//! The records of one call share a batch; calls share one too while it has room. The first append after a drain starts
//! the linger timer, and when it ends everything is drained. A batch that is complete does not wait for it.
//!
//! Left out: records that are prepared and scheduled in two calls, and what they hold back.

use crate::raft::digest::Encoder;
use crate::raft::log::{BATCH_ENTRIES, Entry, Payload, encode_entry};

/// Complete batches that may wait.
const BATCHES_MAX: usize = 10;

/// Records that are not in the log yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Accumulator {
    entries: Vec<Entry>,
    /// Entries in the last batch, which is still open; 0 with nothing pending.
    open: usize,
    complete: usize,
}

impl Accumulator {
    /// Takes the records of one call; false if ten complete batches wait already.
    pub(super) fn append(&mut self, epoch: u32, payloads: impl ExactSizeIterator<Item = Payload>) -> bool {
        let starts_batch = self.open == 0 || self.open + payloads.len() > BATCH_ENTRIES;
        if starts_batch && self.open > 0 {
            if self.complete >= BATCHES_MAX {
                return false;
            }
            self.complete += 1;
            self.open = 0;
        }
        for payload in payloads {
            self.entries.push(Entry { epoch, starts_batch: self.open == 0, payload });
            self.open += 1;
        }
        true
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a batch is complete and need not wait for more.
    pub(super) const fn has_complete(&self) -> bool {
        self.complete > 0
    }

    /// Everything that waits, in whole batches; [`clear`](Self::clear) it once written.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.open = 0;
        self.complete = 0;
    }

    pub(super) fn encode(&self, out: &mut Encoder) {
        out.u64(self.entries.len() as u64);
        for &entry in &self.entries {
            encode_entry(entry, out);
        }
    }
}
