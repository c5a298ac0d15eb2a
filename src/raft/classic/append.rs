//! Log replication: AppendEntries and its answer (§5.3), and what is committed (§5.4.2).
//!
//! A leader first tries out where a follower's log agrees with its own, one AppendEntries at a time; from then on it
//! streams. The paper leaves both open. A follower that refuses names a place to go on from; the settings say how good a
//! hint that is.

use super::Classic;
use super::message::{AppendOutcome, ClassicMessage, Place};
use super::note::{Cause, Note};
use super::replica::{ClassicReplica, Cx};
use super::settings::Backtracking;
use super::state::Role;
use crate::raft::ids::ReplicaId;
use crate::raft::log::Entry;
use crate::raft::protocol::{Carries, Fault};

/// How many AppendEntries with entries are on their way to a follower at most, before one is acknowledged.
const WINDOW: u64 = 16;

impl ClassicReplica {
    /// Whether there are entries for a follower that need not wait.
    pub(super) fn has_more_for(&self, peer: ReplicaId, batch: u8) -> bool {
        let window = WINDOW * u64::from(batch);
        let Role::Leader { progress, .. } = &self.role else { return false };
        let it = progress[peer.index()];
        let may_go = if it.is_streaming { it.next - it.matched <= window } else { !it.is_waiting };
        it.next <= self.last_index() && may_go
    }

    /// Sends the next entries to a follower; none if it has them all.
    pub(super) fn send_append(&mut self, peer: ReplicaId, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let Role::Leader { progress, .. } = &mut self.role else { return };
        let it = &mut progress[peer.index()];
        let prev_index = it.next - 1;
        let records = self.log.read_at_most(prev_index, cx.settings.batch);
        if it.is_streaming {
            it.next += records.as_ref().map_or(0, |records| records.entries().len() as u64);
        } else {
            it.is_waiting = true;
        }
        let (term, commit) = (self.term, self.commit);
        let prev = (self.term_at(prev_index).unwrap_or(0), prev_index);
        cx.send(peer, ClassicMessage::AppendEntries { term, prev, records, commit });
    }

    /// Commits up to the largest index that a majority has, if it is of this term; what is before it goes with it.
    pub(super) fn advance_commit(&mut self, cx: &mut Cx<'_, impl Carries<Classic>>) {
        let Role::Leader { progress, .. } = &self.role else { return };
        let last = self.last_index();
        let held = |id: ReplicaId| if id == self.id { last } else { progress[id.index()].matched };
        let has_majority = |index: u64| {
            let holders = self.servers.iter().filter(|&id| held(id) >= index).count();
            holders >= self.servers.majority() as usize
        };
        let further = self.servers.iter().map(held).filter(|&index| index > self.commit && has_majority(index));
        let Some(index) = further.max() else { return };
        match self.term_at(index) {
            Some(term) if term == self.term => {
                self.commit = index;
                cx.note(Note::Committed { to: index, by_counting: true });
                cx.effects.notify = true;
            }
            term => cx.note(Note::OlderTerm { index, term: term.unwrap_or(0), current: self.term }),
        }
    }

    pub(super) fn on_append(
        &mut self,
        from: ReplicaId,
        term: u32,
        prev: Place,
        entries: &[Entry],
        commit: u64,
        cx: &mut Cx<'_, impl Carries<Classic>>,
    ) {
        let count = u8::try_from(entries.len()).unwrap_or(u8::MAX);
        let is_rival = term == self.term && matches!(self.role, Role::Leader { .. });
        if term < self.term || is_rival {
            cx.note(if is_rival { Note::Rival { from, term } } else { Note::Stale { from, term } });
            let outcome = AppendOutcome::Stale;
            cx.send(from, ClassicMessage::Appended { term: self.term, count, outcome });
            return;
        }
        if term > self.term {
            self.follow(term, Some(from), Cause::HigherTerm, cx);
        } else if self.leader() != Some(from) {
            self.follow(term, Some(from), Cause::LeaderSpoke, cx);
        }
        self.heard_us = Some(cx.now_us);
        self.arm_election(cx);
        let (prev_term, prev_index) = prev;
        let outcome = if self.term_at(prev_index) == Some(prev_term) {
            if !self.append(prev_index, entries, cx) {
                return;
            }
            let index = prev_index + entries.len() as u64;
            let to = commit.min(index);
            if to > self.commit {
                self.commit = to;
                cx.note(Note::Committed { to, by_counting: false });
                cx.effects.notify = true;
            }
            AppendOutcome::Matches { index }
        } else {
            cx.note(Note::Mismatch { prev, has: self.term_at(prev_index).unwrap_or(0) });
            AppendOutcome::Refused { prev: prev_index, hint: self.hint(prev, cx.settings.backtracking) }
        };
        cx.send(from, ClassicMessage::Appended { term: self.term, count, outcome });
    }

    /// Appends what is new of `entries`, which follow the entry at `prev`. What it has already is left alone; the first that
    /// differs cuts the rest. False if that would cut what is committed, which only a lost disk makes possible.
    fn append(&mut self, prev: u64, entries: &[Entry], cx: &mut Cx<'_, impl Carries<Classic>>) -> bool {
        let is_known =
            |&(offset, entry): &(u64, &Entry)| self.log.get(offset).is_some_and(|own| own.epoch == entry.epoch);
        let known = (prev..).zip(entries).take_while(is_known).count();
        let new = &entries[known..];
        let at = prev + known as u64;
        if new.is_empty() {
            cx.note(Note::InStep { last: self.last_index() });
            return true;
        }
        if at < self.commit {
            let fault = Fault::TruncationBelowHighWatermark { offset: at, high_watermark: self.commit };
            cx.effects.fault = Some(fault);
            return false;
        }
        let cut = self.log.end_offset().saturating_sub(at);
        self.log.truncate(at);
        for entry in new {
            self.log.append_batch(entry.epoch, &[entry.payload]);
        }
        cx.effects.persisted = true;
        let count = u8::try_from(new.len()).unwrap_or(u8::MAX);
        if cut > 0 {
            cx.note(Note::Overwrote { from: at + 1, cut, count });
        } else {
            cx.note(Note::Appended { count, last: self.last_index() });
        }
        true
    }

    /// What a follower says of its log where it differs from the leader's.
    fn hint(&self, (prev_term, prev): Place, how: Backtracking) -> Place {
        match how {
            Backtracking::OneByOne => (0, prev.saturating_sub(1)),
            Backtracking::TermHint => match self.term_at(prev) {
                None => (0, self.last_index()),
                // The first index of the term it has there.
                Some(term) => (term, self.log.end_offset_for_epoch(term - 1).end_offset + 1),
            },
            Backtracking::TwoSidedHint => self.last_not_above(prev.min(self.last_index()), prev_term),
        }
    }

    /// The last entry up to `index` whose term is not above `term`.
    fn last_not_above(&self, index: u64, term: u32) -> Place {
        let place = (0..=index).rev().find_map(|index| {
            let own = self.term_at(index)?;
            (own <= term).then_some((own, index))
        });
        place.unwrap_or((0, 0))
    }

    /// Up to where a leader next tries whether the logs agree.
    fn tried_next(&self, hint: Place, how: Backtracking) -> u64 {
        match (how, hint) {
            (Backtracking::OneByOne, (_, index)) | (Backtracking::TermHint, (0, index)) => index,
            (Backtracking::TermHint, (_, first)) => first.saturating_sub(1),
            (Backtracking::TwoSidedHint, (term, index)) => self.last_not_above(index.min(self.last_index()), term).1,
        }
    }

    pub(super) fn on_appended(
        &mut self,
        from: ReplicaId,
        term: u32,
        outcome: AppendOutcome,
        cx: &mut Cx<'_, impl Carries<Classic>>,
    ) {
        if term > self.term {
            self.follow(term, None, Cause::HigherTerm, cx);
            return;
        }
        if term < self.term || !matches!(self.role, Role::Leader { .. }) {
            cx.note(Note::Late { from });
            return;
        }
        let tried = match outcome {
            AppendOutcome::Refused { hint, .. } => self.tried_next(hint, cx.settings.backtracking),
            AppendOutcome::Matches { .. } | AppendOutcome::Stale => 0,
        };
        let last = self.last_index();
        let Role::Leader { progress, heard, .. } = &mut self.role else { return };
        heard.insert(from);
        let it = &mut progress[from.index()];
        it.heard_us = Some(cx.now_us);
        match outcome {
            AppendOutcome::Matches { index } if index > it.matched => {
                it.matched = index.min(last);
                it.next = it.next.max(it.matched + 1);
                (it.is_streaming, it.is_waiting) = (true, false);
                let index = it.matched;
                cx.note(Note::Matched { by: from, index });
                self.advance_commit(cx);
            }
            AppendOutcome::Matches { .. } => {
                it.is_waiting = false;
                // They agree up to the entry before the next, so what follows need not be tried out.
                it.is_streaming |= it.matched + 1 == it.next;
                cx.note(Note::NothingNew { by: from });
            }
            // About what is known to agree by now: it was on its way too long. Or the follower has lost its disk, against which
            // Raft has no remedy as long as this server leads.
            AppendOutcome::Refused { prev, .. } if prev <= it.matched => {
                it.is_waiting = false;
                cx.note(Note::Contradicts { by: from, matched: it.matched });
            }
            // Not what was asked last.
            AppendOutcome::Refused { prev, .. } if !it.is_streaming && prev + 1 != it.next => {
                cx.note(Note::NothingNew { by: from });
            }
            AppendOutcome::Refused { prev, .. } => {
                let to = if it.is_streaming { it.matched } else { tried.min(prev - 1).max(it.matched) };
                it.next = to + 1;
                (it.is_streaming, it.is_waiting) = (false, false);
                cx.note(Note::Back { by: from, next: to + 1 });
                self.send_append(from, cx);
            }
            AppendOutcome::Stale => cx.note(Note::NothingNew { by: from }),
        }
    }
}
