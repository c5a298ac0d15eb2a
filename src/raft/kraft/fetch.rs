//! Fetch: how followers get records and how a leader learns how far they are (spec 4.4).
//!
//! A fetch with nothing to bring is *parked* at the leader until records come, the high watermark moves, leadership
//! ends, or its wait is over; in the last case the answer computed at its arrival is sent (KAFKA-15100).

use super::KRaft;
use super::message::{Address, Body, ErrorCode, FetchOutcome, KRaftMessage};
use super::note::Note;
use super::replica::{CHECK_QUORUM, Cx, FETCH, KRaftReplica, LONG_POLL};
use super::state::Role;
use crate::executor::MICROS_PER_MILLI;
use crate::raft::digest::Encoder;
use crate::raft::ids::{ReplicaId, ReplicaSet};
use crate::raft::protocol::{Carries, Fault};

/// A fetch request and, once parked, when its wait is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParkedFetch {
    from: ReplicaId,
    correlation: u32,
    epoch: i32,
    offset: i64,
    last_epoch: i32,
    high_watermark: i64,
    /// When its wait is over, in local microseconds.
    until_us: u64,
    /// The leader's high watermark at its arrival.
    arrival_high_watermark: i64,
}

impl ParkedFetch {
    pub(super) const fn new(
        from: ReplicaId,
        correlation: u32,
        epoch: i32,
        offset: i64,
        last_epoch: i32,
        high_watermark: i64,
    ) -> Self {
        Self { from, correlation, epoch, offset, last_epoch, high_watermark, until_us: 0, arrival_high_watermark: -1 }
    }

    pub(super) fn encode(&self, out: &mut Encoder) {
        out.u8(self.from.0);
        out.u32(self.correlation);
        out.i64(i64::from(self.epoch));
        out.i64(self.offset);
        out.i64(i64::from(self.last_epoch));
        out.i64(self.high_watermark);
        out.u64(self.until_us);
        out.i64(self.arrival_high_watermark);
    }
}

impl KRaftReplica {
    pub(super) fn send_fetch(&mut self, to: ReplicaId, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let (last_epoch, end) = self.log_position();
        let body = Body::FetchRequest {
            epoch: self.signed_epoch(),
            offset: signed(end),
            last_epoch: i32::try_from(last_epoch).unwrap_or(i32::MAX),
            high_watermark: self.high_watermark.map_or(-1, signed),
            max_wait_ms: i32::try_from(cx.settings.fetch_max_wait_ms).unwrap_or(i32::MAX),
        };
        self.ask(to, body, cx);
    }

    /// Answers a fetch, or parks it and answers nothing yet.
    pub(super) fn on_fetch_request(
        &mut self,
        mut fetch: ParkedFetch,
        max_wait_ms: i32,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> Option<Body> {
        if max_wait_ms < 0 || fetch.offset < 0 || fetch.last_epoch < 0 || fetch.last_epoch > fetch.epoch {
            return Some(self.fetch_error(ErrorCode::InvalidRequest));
        }
        let before = self.high_watermark;
        let body = self.serve_fetch(&fetch, cx);
        let is_empty = matches!(
            body,
            Body::FetchResponse {
                answer: super::Answer { error: ErrorCode::None, .. },
                outcome: FetchOutcome::Records(None),
                ..
            }
        );
        let ours = self.high_watermark.map_or(-1, signed);
        let parks = is_empty && max_wait_ms > 0 && ours <= fetch.high_watermark;
        if parks {
            let wait_us = u64::from(max_wait_ms.unsigned_abs()) * MICROS_PER_MILLI;
            fetch.until_us = cx.now_us.saturating_add(wait_us);
            fetch.arrival_high_watermark = ours;
            cx.note(Note::Parked { from: fetch.from, offset: fetch.offset.unsigned_abs() });
        }
        if self.high_watermark != before {
            self.complete_all_parked(cx);
        }
        if parks {
            self.parked.push(fetch);
            self.arm_long_poll(cx);
            return None;
        }
        Some(body)
    }

    pub(super) fn fetch_error(&self, error: ErrorCode) -> Body {
        Body::FetchResponse { answer: self.answer(error), high_watermark: -1, outcome: FetchOutcome::Records(None) }
    }

    /// Steps 3 to 6 of the leader's part: checks, position, read, high watermark.
    fn serve_fetch(&mut self, fetch: &ParkedFetch, cx: &mut Cx<'_, impl Carries<KRaft>>) -> Body {
        // The order of these checks is part of the protocol (spec 4.0).
        if fetch.epoch < self.signed_epoch() {
            cx.note(Note::Fenced { from: fetch.from, epoch: fetch.epoch.unsigned_abs() });
            return self.fetch_error(ErrorCode::FencedLeaderEpoch);
        }
        if fetch.epoch > self.signed_epoch() {
            return self.fetch_error(ErrorCode::UnknownLeaderEpoch);
        }
        if !matches!(self.role, Role::Leader { .. }) {
            cx.note(Note::NotLeader { from: fetch.from, leader: self.leader() });
            return self.fetch_error(ErrorCode::NotLeaderOrFollower);
        }
        if self.is_shutting_down() {
            return self.fetch_error(ErrorCode::BrokerNotAvailable);
        }
        let offset = fetch.offset.unsigned_abs();
        let last_epoch = fetch.last_epoch.unsigned_abs();
        if let Some(known) = self.log.diverges(offset, last_epoch) {
            cx.note(Note::ToldDiverging { to: fetch.from, epoch: known.epoch, end_offset: known.end_offset });
            return Body::FetchResponse {
                answer: self.answer(ErrorCode::None),
                high_watermark: self.high_watermark.map_or(-1, signed),
                outcome: FetchOutcome::Diverging(known),
            };
        }
        let records = self.log.read(offset);
        // A read begins with a whole batch, and that is the position it tells of (spec 4.4).
        self.note_fetch(fetch.from, self.log.batch_start(offset), cx);
        let count = records.as_ref().map_or(0, |records| records.entries().len());
        if count > 0 {
            let records = u8::try_from(count).unwrap_or(u8::MAX);
            cx.note(Note::Served { to: fetch.from, offset, records });
        }
        Body::FetchResponse {
            answer: self.answer(ErrorCode::None),
            high_watermark: self.high_watermark.map_or(-1, signed),
            outcome: FetchOutcome::Records(records),
        }
    }

    /// What a valid fetch tells the leader of its sender.
    fn note_fetch(&mut self, from: ReplicaId, offset: u64, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let needed = self.voters.majority().saturating_sub(1);
        let (me, voters, leader_end) = (self.id, self.voters, self.log.end_offset());
        let Role::Leader { followers, fetched, .. } = &mut self.role else {
            return;
        };
        if from == me {
            return;
        }
        let Some(follower) = followers.get_mut(from.index()) else {
            return;
        };
        follower.end_offset = Some(offset);
        if offset >= leader_end {
            follower.caught_up_us = Some(cx.now_us);
        } else if follower.leader_end > 0 && offset >= follower.leader_end {
            follower.caught_up_us = follower.last_fetch_us;
        }
        follower.last_fetch_us = Some(cx.now_us);
        follower.leader_end = leader_end;
        if !voters.contains(from) {
            return;
        }
        fetched.insert(from);
        if fetched.len() >= needed {
            *fetched = ReplicaSet::default();
            if cx.settings.rules.check_quorum {
                cx.arm(&mut self.timers, CHECK_QUORUM, cx.settings.check_quorum_us());
            }
        }
        self.update_high_watermark(cx);
    }

    /// The high watermark is what a majority holds, once that includes this leader's first record (KAFKA-12619).
    pub(super) fn update_high_watermark(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let Role::Leader { epoch_start, followers, .. } = &self.role else {
            return;
        };
        // The n/2-th largest of the known end offsets, unknown ones last: among at most 25 numbers, the largest that a
        // majority has reached.
        let mut ends = [0_u64; crate::raft::ids::REPLICAS_MAX as usize];
        let mut count = 0;
        for voter in self.voters.iter() {
            // 0 stands for unknown; it never exceeds an epoch's start.
            ends[count] = followers[voter.index()].end_offset.unwrap_or(0);
            count += 1;
        }
        let ends = &ends[..count];
        let reached = |end: u64| ends.iter().filter(|&&other| other >= end).count();
        let majority = ends.iter().copied().filter(|&end| reached(end) > count / 2).max().unwrap_or(0);
        if majority <= *epoch_start {
            if majority > 0 && self.high_watermark.is_none() {
                cx.note(Note::HighWatermarkWaits { majority, epoch_start: *epoch_start });
            }
            return;
        }
        match self.high_watermark {
            Some(known) if majority <= known => {
                if known < self.log.end_offset() {
                    let have = ends.iter().filter(|&&end| end > known).count();
                    let small = |count: usize| u8::try_from(count).unwrap_or(u8::MAX);
                    cx.note(Note::HighWatermarkStays { at: known, have: small(have), need: small(count / 2 + 1) });
                }
            }
            _ => {
                self.high_watermark = Some(majority);
                cx.effects.notify = true;
                cx.note(Note::HighWatermark { to: majority });
            }
        }
    }

    fn arm_long_poll(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        match self.parked.iter().map(|fetch| fetch.until_us).min() {
            None => cx.disarm(&mut self.timers, LONG_POLL),
            Some(until_us) if until_us == self.timers.deadline_us(LONG_POLL) => {}
            Some(until_us) => cx.arm(&mut self.timers, LONG_POLL, until_us.saturating_sub(cx.now_us)),
        }
    }

    fn answer_parked(&mut self, fetch: &ParkedFetch, body: Body, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        cx.send(fetch.from, KRaftMessage { address: Address::default(), correlation: fetch.correlation, body });
    }

    /// The wait of some fetches is over: they get the answer computed when they came.
    pub(super) fn expire_parked(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        if !self.timers.is_expired(LONG_POLL, cx.now_us) {
            return;
        }
        // A timer fired by hand ends the wait of the first fetch early.
        let hurried_us = self.parked.iter().map(|fetch| fetch.until_us).min().unwrap_or(cx.now_us).max(cx.now_us);
        let mut place = 0;
        while place < self.parked.len() {
            if self.parked[place].until_us <= hurried_us {
                let fetch = self.parked.remove(place);
                let body = Body::FetchResponse {
                    answer: self.answer(ErrorCode::None),
                    high_watermark: fetch.arrival_high_watermark,
                    outcome: FetchOutcome::Records(None),
                };
                cx.note(Note::WaitOver { to: fetch.from });
                self.answer_parked(&fetch, body, cx);
            } else {
                place += 1;
            }
        }
        cx.disarm(&mut self.timers, LONG_POLL);
        self.arm_long_poll(cx);
    }

    /// New records: fetches from below the new end are evaluated again.
    pub(super) fn complete_parked_below_end(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        let end = signed(self.log.end_offset());
        self.complete_parked(cx, |fetch| fetch.offset <= end);
    }

    /// The high watermark moved: every parked fetch is evaluated again.
    pub(super) fn complete_all_parked(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        self.complete_parked(cx, |_| true);
    }

    fn complete_parked(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>, is_complete: impl Fn(&ParkedFetch) -> bool) {
        let mut place = 0;
        while place < self.parked.len() {
            if is_complete(&self.parked[place]) {
                let fetch = self.parked.remove(place);
                let body = self.serve_fetch(&fetch, cx);
                self.answer_parked(&fetch, body, cx);
            } else {
                place += 1;
            }
        }
        self.arm_long_poll(cx);
    }

    /// Leadership ended: parked fetches fail at once (KAFKA-10677).
    pub(super) fn fail_parked(&mut self, cx: &mut Cx<'_, impl Carries<KRaft>>) {
        while !self.parked.is_empty() {
            let fetch = self.parked.remove(0);
            let body = self.fetch_error(ErrorCode::NotLeaderOrFollower);
            self.answer_parked(&fetch, body, cx);
        }
        self.arm_long_poll(cx);
    }

    /// Takes what a fetch brought. True: the connection is ready.
    pub(super) fn on_fetch_answer(
        &mut self,
        from: ReplicaId,
        high_watermark: i64,
        outcome: FetchOutcome,
        cx: &mut Cx<'_, impl Carries<KRaft>>,
    ) -> bool {
        if !matches!(self.role, Role::Follower { .. }) {
            cx.note(Note::LateAnswer { from });
            return true;
        }
        match outcome {
            FetchOutcome::Diverging(known) => {
                let to = self.log.truncation_point(known);
                let committed = self.high_watermark.unwrap_or(0);
                if known.end_offset < committed || to < committed {
                    cx.effects.fault =
                        Some(Fault::TruncationBelowHighWatermark { offset: to, high_watermark: committed });
                    return true;
                }
                self.log.truncate(to);
                self.flushed = self.flushed.min(to);
                cx.note(Note::Truncated { end_offset: to });
            }
            FetchOutcome::Records(records) => {
                let mut count = 0_u8;
                if let Some(records) = records
                    && records.base() == self.log.end_offset()
                {
                    // Stop before the first batch of an epoch above our own (KAFKA-18723).
                    let usable = records.entries().iter().take_while(|entry| entry.epoch <= self.epoch).count();
                    self.log.append_entries(&records.entries()[..usable]);
                    count = u8::try_from(usable).unwrap_or(u8::MAX);
                }
                if self.is_voter() || cx.settings.observers_flush {
                    self.flushed = self.log.end_offset();
                }
                let end_offset = self.log.end_offset();
                cx.note(if count == 0 { Note::UpToDate { end_offset } } else { Note::Appended { count, end_offset } });
                if let Ok(theirs) = u64::try_from(high_watermark) {
                    let to = theirs.min(end_offset);
                    if let Some(from) = self.high_watermark.filter(|&known| to < known) {
                        cx.effects.fault = Some(Fault::HighWatermarkBack { from, to });
                        return true;
                    }
                    if self.high_watermark.is_none_or(|known| to > known) {
                        self.high_watermark = Some(to);
                        cx.effects.notify = true;
                        cx.note(Note::HighWatermark { to });
                    }
                }
            }
        }
        if let Role::Follower { has_fetched, leader_resigned, .. } = &mut self.role {
            *has_fetched = true;
            *leader_resigned = false;
        }
        cx.arm(&mut self.timers, FETCH, cx.settings.fetch_timeout_us());
        true
    }
}

/// An offset as the schemas carry it.
fn signed(offset: u64) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}
