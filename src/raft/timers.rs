//! The timers of one replica.
//!
//! One table of deadlines, indexed densely; both forms of a client's work read it. An arm gives a timer a new number,
//! by which commands and links name it (`timer 3 election #4`). Deadlines are in the replica's local microseconds.

use super::digest::Encoder;
use super::ids::ReplicaId;
use crate::executor::NEVER;

/// What a timer is for, in the order in which timers of one instant come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum TimerKind {
    /// Time to seek votes.
    Election = 0,
    /// A follower that has not fetched from its leader.
    Fetch = 1,
    /// A leader that a majority has not fetched from.
    CheckQuorum = 2,
    /// A leader's next BeginQuorumEpoch round.
    BeginQuorumEpoch = 3,
    /// A request to a peer that was not answered.
    Request = 4,
    /// A peer that may be asked again.
    RetryBackoff = 5,
    /// Fetches parked at a leader.
    LongPoll = 6,
    /// The time for a graceful shutdown.
    Shutdown = 7,
    /// What was appended at a leader waits for more to come with it.
    Linger = 8,
    /// A leader's next heartbeat in the paper's Raft.
    Heartbeat = 9,
}

/// One timer of a replica: its kind and, for those kept per peer, the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timer {
    /// What it is for.
    pub kind: TimerKind,
    /// The peer, for `Request` and `RetryBackoff`.
    pub peer: Option<ReplicaId>,
}

impl Timer {
    /// A timer that the replica has once.
    #[must_use]
    #[inline]
    pub const fn new(kind: TimerKind) -> Self {
        Self { kind, peer: None }
    }

    /// A timer kept for `peer`.
    #[must_use]
    #[inline]
    pub const fn of(kind: TimerKind, peer: ReplicaId) -> Self {
        Self { kind, peer: Some(peer) }
    }

    /// Its place in dense tables.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        match (self.kind, self.peer) {
            (TimerKind::Request, Some(peer)) => 8 + 2 * peer.index(),
            (TimerKind::RetryBackoff, Some(peer)) => 9 + 2 * peer.index(),
            (TimerKind::LongPoll, _) => 4,
            (TimerKind::Shutdown, _) => 5,
            (TimerKind::Linger, _) => 6,
            (TimerKind::Heartbeat, _) => 7,
            (kind, _) => kind as usize,
        }
    }

    /// The timer at a place of dense tables.
    #[must_use]
    #[inline]
    pub fn at_index(index: usize) -> Self {
        match index {
            0 => Self::new(TimerKind::Election),
            1 => Self::new(TimerKind::Fetch),
            2 => Self::new(TimerKind::CheckQuorum),
            3 => Self::new(TimerKind::BeginQuorumEpoch),
            4 => Self::new(TimerKind::LongPoll),
            5 => Self::new(TimerKind::Shutdown),
            6 => Self::new(TimerKind::Linger),
            7 => Self::new(TimerKind::Heartbeat),
            per_peer => {
                let peer = ReplicaId(u8::try_from((per_peer - 8) / 2).expect("at most 25 peers"));
                let kind = if per_peer % 2 == 0 { TimerKind::Request } else { TimerKind::RetryBackoff };
                Self::of(kind, peer)
            }
        }
    }

    /// The size of dense tables for `replicas` peers.
    #[must_use]
    #[inline]
    pub const fn table_len(replicas: u8) -> usize {
        8 + 2 * replicas as usize
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Armed {
    /// When it is due, in local microseconds; [`NEVER`] while disarmed.
    pub at_us: u64,
    /// How long it was armed for, for drawing; decides nothing.
    pub length_us: u64,
    /// How often it has been armed.
    pub number: u32,
}

/// All timers of one replica.
#[derive(Clone, Debug)]
pub struct TimerTable {
    lines: Vec<Armed>,
}

impl TimerTable {
    /// A table with every timer disarmed.
    #[must_use]
    #[inline]
    pub fn new(replicas: u8) -> Self {
        Self { lines: vec![Armed { at_us: NEVER, length_us: 0, number: 0 }; Timer::table_len(replicas)] }
    }

    /// The line of `timer`.
    #[must_use]
    #[inline]
    pub fn get(&self, timer: Timer) -> Armed {
        self.lines[timer.index()]
    }

    /// When `timer` is due, in local microseconds.
    #[must_use]
    #[inline]
    pub fn deadline_us(&self, timer: Timer) -> u64 {
        self.lines[timer.index()].at_us
    }

    /// Whether `timer` is armed and its time has come: a timer of T set at t is expired at t + T exactly.
    #[must_use]
    #[inline]
    pub fn is_expired(&self, timer: Timer, now_us: u64) -> bool {
        self.lines[timer.index()].at_us <= now_us
    }

    /// Sets `timer` to go off at `at_us`, under a new number.
    #[inline]
    pub fn arm(&mut self, timer: Timer, now_us: u64, at_us: u64) {
        let line = &mut self.lines[timer.index()];
        line.at_us = at_us;
        line.length_us = at_us.saturating_sub(now_us);
        line.number = line.number.wrapping_add(1);
    }

    /// Brings the deadline of an armed timer forward to `now_us`, under the same number.
    #[inline]
    pub fn hurry(&mut self, timer: Timer, now_us: u64) {
        let line = &mut self.lines[timer.index()];
        if line.at_us != NEVER {
            line.at_us = line.at_us.min(now_us);
        }
    }

    /// Lets an armed timer go off `by_us` later, under the same number.
    #[inline]
    pub fn push_back(&mut self, timer: Timer, by_us: u64) {
        let line = &mut self.lines[timer.index()];
        if line.at_us != NEVER {
            line.at_us = line.at_us.saturating_add(by_us).min(NEVER - 1);
            line.length_us = line.length_us.saturating_add(by_us);
        }
    }

    /// Sets the deadline of an armed timer, under the same number.
    #[inline]
    pub fn set_deadline(&mut self, timer: Timer, at_us: u64) {
        let line = &mut self.lines[timer.index()];
        if line.at_us != NEVER {
            line.length_us = line.length_us.saturating_add(at_us).saturating_sub(line.at_us);
            line.at_us = at_us;
        }
    }

    /// Stops `timer`; whether it was armed.
    #[inline]
    pub fn disarm(&mut self, timer: Timer) -> bool {
        let line = &mut self.lines[timer.index()];
        let was_armed = line.at_us != NEVER;
        line.at_us = NEVER;
        was_armed
    }

    /// All armed timers.
    #[inline]
    pub fn armed(&self) -> impl Iterator<Item = (Timer, Armed)> {
        self.lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.at_us != NEVER)
            .map(|(index, line)| (Timer::at_index(index), *line))
    }

    /// The earliest deadline, in local microseconds; [`NEVER`] with none armed.
    #[must_use]
    #[inline]
    pub fn first_deadline_us(&self) -> u64 {
        self.lines.iter().map(|line| line.at_us).min().unwrap_or(NEVER)
    }

    /// Writes the table for a state digest.
    #[inline]
    pub fn encode(&self, out: &mut Encoder) {
        for line in &self.lines {
            out.u64(line.at_us);
            out.u32(line.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_timer_has_its_own_place() {
        for index in 0..Timer::table_len(25) {
            assert_eq!(Timer::at_index(index).index(), index);
        }
    }

    #[test]
    fn timers_of_one_instant_come_in_the_order_of_their_kinds() {
        let mut table = TimerTable::new(3);
        table.arm(Timer::new(TimerKind::LongPoll), 0, 5);
        table.arm(Timer::of(TimerKind::Request, ReplicaId(2)), 0, 5);
        table.arm(Timer::new(TimerKind::Fetch), 0, 5);
        table.arm(Timer::new(TimerKind::Election), 0, 6);
        assert_eq!(table.first_deadline_us(), 5);
        let first = table.armed().min_by_key(|(timer, line)| (line.at_us, *timer));
        assert_eq!(first.map(|(timer, _)| timer.kind), Some(TimerKind::Fetch));
    }
}
