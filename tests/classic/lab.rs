//! Servers as values, with a test in the place of the network and the clock.
//!
//! Servers have the paper's numbers, from 1. What they send waits in order until the test delivers or drops it; whenever
//! one was touched it looks at its state until nothing more is to be done. Time stands still unless the test moves it.

use raftwerk::executor::{MICROS_PER_MILLI, NEVER};
use raftwerk::raft::classic::{
    AppendOutcome, Classic, ClassicMessage, ClassicReplica, ClassicSettings, Disk, Note, Place, Refused, Rules,
};
use raftwerk::raft::{
    Context, Driven, Effects, Log, Luck, Payload, Purpose, Replica, ReplicaId, Request, RequestError, RoleShape, Timer,
    TimerKind,
};

/// The same random part for every election timeout, in milliseconds.
struct Part(u32);

impl Luck for Part {
    fn below(&mut self, _: Purpose, bound: u32) -> u32 {
        self.0.min(bound.saturating_sub(1))
    }
}

/// What the cases of a push protocol assume unless they say otherwise: a start-of-term entry, and a candidate that steps
/// down once a majority has refused it.
pub fn settings() -> ClassicSettings {
    ClassicSettings {
        refused: Refused::StepsDown,
        rules: Rules { no_op: true, ..Rules::default() },
        ..ClassicSettings::default()
    }
}

/// A message on its way.
pub struct Flight {
    pub from: u8,
    pub to: u8,
    pub message: ClassicMessage,
}

/// The servers.
pub struct Lab {
    pub settings: ClassicSettings,
    /// How much longer than the shortest election timeouts are, in milliseconds.
    pub part: u32,
    now_us: u64,
    servers: Vec<Result<ClassicReplica, Disk>>,
    flights: Vec<Flight>,
    /// Pairs (from, to) on which everything is lost.
    cut: Vec<(u8, u8)>,
    pub notes: Vec<(u8, Note)>,
}

/// A log with entries of these terms.
pub fn log(terms: &[u32]) -> Log {
    let mut log = Log::default();
    for (value, &term) in (0..).zip(terms) {
        log.append_batch(term, &[Payload::Set { key: 0, value: u64::from(term) * 100 + value }]);
    }
    log
}

/// A disk.
pub fn disk(term: u32, voted: Option<u8>, terms: &[u32]) -> Disk {
    Disk { term, voted: voted.map(|shown| ReplicaId(shown - 1)), log: log(terms), commit: 0 }
}

impl Lab {
    /// Servers that start from these disks.
    pub fn of(settings: ClassicSettings, disks: Vec<Disk>) -> Self {
        let servers = disks.into_iter().map(Err).collect();
        let mut lab =
            Self { settings, part: 0, now_us: 0, servers, flights: Vec::new(), cut: Vec::new(), notes: Vec::new() };
        for shown in 1..=lab.count() {
            lab.restart(shown);
        }
        lab
    }

    /// So many servers with nothing on disk.
    pub fn empty(settings: ClassicSettings, count: usize) -> Self {
        Self::of(settings, vec![Disk::default(); count])
    }

    pub fn count(&self) -> u8 {
        u8::try_from(self.servers.len()).expect("few")
    }

    /// A running server.
    pub fn at(&self, shown: u8) -> &ClassicReplica {
        self.servers[usize::from(shown) - 1].as_ref().expect("it runs")
    }

    fn touch<T>(&mut self, shown: u8, act: impl FnOnce(&mut ClassicReplica, &mut Context<'_, Classic>) -> T) -> T {
        let mut effects = Effects::default();
        let server = self.servers[usize::from(shown) - 1].as_mut().expect("it runs");
        let mut cx = Context {
            now_us: self.now_us,
            settings: &self.settings,
            luck: &mut Part(self.part),
            effects: &mut effects,
        };
        let result = act(server, &mut cx);
        while server.poll_state(&mut cx) {}
        server.poll_listeners(&mut cx);
        assert!(effects.fault.is_none(), "{:?}", effects.fault);
        self.notes.extend(effects.notes.into_iter().map(|note| (shown, note)));
        for (to, message) in effects.sends {
            if !self.cut.contains(&(shown, to.0 + 1)) {
                self.flights.push(Flight { from: shown, to: to.0 + 1, message });
            }
        }
        result
    }

    /// Its election timeout runs out now.
    pub fn campaign(&mut self, shown: u8) {
        self.touch(shown, |server, cx| server.fire(Timer::new(TimerKind::Election), cx));
    }

    /// Its next heartbeat is due now.
    pub fn beat(&mut self, shown: u8) {
        self.touch(shown, |server, cx| server.fire(Timer::new(TimerKind::Heartbeat), cx));
    }

    /// Lets a client append one entry there; where it stands.
    pub fn append(&mut self, shown: u8) -> Result<Option<u64>, RequestError> {
        self.touch(shown, |server, cx| {
            let epoch = server.term();
            server.request(Request::Append { epoch, key: 1, value: 1, count: 1 }, cx)
        })
    }

    /// Time passes; timers that are over go off when their servers are touched.
    pub fn pass(&mut self, ms: u32) {
        self.now_us += u64::from(ms) * MICROS_PER_MILLI;
    }

    /// A server looks at its state.
    pub fn look(&mut self, shown: u8) {
        self.touch(shown, |_, _| ());
    }

    /// Brings a message to a server, whoever made it.
    pub fn bring(&mut self, from: u8, to: u8, message: ClassicMessage) {
        if self.servers[usize::from(to) - 1].is_ok() {
            self.touch(to, |server, cx| server.handle(ReplicaId(from - 1), message, cx));
        }
    }

    /// What flies.
    pub fn flights(&self) -> &[Flight] {
        &self.flights
    }

    /// Takes the first message from one to another out of the air.
    pub fn take(&mut self, from: u8, to: u8) -> ClassicMessage {
        let place = self.flights.iter().position(|flight| (flight.from, flight.to) == (from, to));
        self.flights.remove(place.unwrap_or_else(|| panic!("nothing flies from {from} to {to}"))).message
    }

    /// Delivers the first message from one to another.
    pub fn deliver(&mut self, from: u8, to: u8) {
        let message = self.take(from, to);
        self.bring(from, to, message);
    }

    /// Loses everything in the air that `is_lost` says.
    pub fn lose(&mut self, is_lost: impl Fn(&Flight) -> bool) {
        self.flights.retain(|flight| !is_lost(flight));
    }

    /// Delivers everything, and what comes of it, until nothing flies.
    pub fn deliver_all(&mut self) {
        let mut delivered = 0;
        while !self.flights.is_empty() {
            let Flight { from, to, message } = self.flights.remove(0);
            self.bring(from, to, message);
            delivered += 1;
            assert!(delivered < 10_000, "it never ends");
        }
    }

    /// Delivers everything, but only among these servers; the rest is lost.
    pub fn deliver_among(&mut self, some: &[u8]) {
        loop {
            self.lose(|flight| !some.contains(&flight.from) || !some.contains(&flight.to));
            if self.flights.is_empty() {
                return;
            }
            let Flight { from, to, message } = self.flights.remove(0);
            self.bring(from, to, message);
        }
    }

    /// From now on everything that is sent between two is lost, or is not.
    pub fn cut(&mut self, one: u8, other: u8, is_cut: bool) {
        self.cut.retain(|&link| link != (one, other) && link != (other, one));
        if is_cut {
            self.cut.extend([(one, other), (other, one)]);
        }
    }

    /// Stops a server; what is on its disk stays, and what flies too.
    pub fn crash(&mut self, shown: u8) {
        let server = &mut self.servers[usize::from(shown) - 1];
        let stopped = std::mem::replace(server, Err(Disk::default())).expect("it runs");
        *server = Err(stopped.stop(false));
    }

    /// Loses a stopped server's disk.
    pub fn wipe(&mut self, shown: u8) {
        self.servers[usize::from(shown) - 1] = Err(Disk::default());
    }

    /// Starts a server from its disk.
    pub fn restart(&mut self, shown: u8) {
        let place = usize::from(shown) - 1;
        let disk = self.servers[place].as_ref().expect_err("it is down").clone();
        let mut effects: Effects<Classic> = Effects::default();
        let mut cx = Context {
            now_us: self.now_us,
            settings: &self.settings,
            luck: &mut Part(self.part),
            effects: &mut effects,
        };
        let count = self.count();
        self.servers[place] = Ok(ClassicReplica::start(ReplicaId(shown - 1), count, disk, &mut cx));
        self.look(shown);
    }

    // What can be said of them.

    pub fn role(&self, shown: u8) -> RoleShape {
        self.at(shown).role().shape()
    }

    pub fn leads(&self, shown: u8, term: u32) -> bool {
        (self.role(shown), self.at(shown).term()) == (RoleShape::Leader, term)
    }

    pub fn voted(&self, shown: u8) -> Option<u8> {
        self.at(shown).voted().map(|id| id.0 + 1)
    }

    /// The terms of a server's log.
    pub fn terms(&self, shown: u8) -> Vec<u32> {
        let server = self.at(shown);
        (1..=server.last_index()).filter_map(|index| server.term_at(index)).collect()
    }

    pub fn commit(&self, shown: u8) -> u64 {
        self.at(shown).commit_index()
    }

    pub fn commits(&self) -> Vec<u64> {
        (1..=self.count()).map(|shown| self.commit(shown)).collect()
    }

    /// (nextIndex, matchIndex) that a leader keeps for a server.
    pub fn progress(&self, leader: u8, shown: u8) -> (u64, u64) {
        let peers = self.at(leader).peers().expect("it leads");
        let peer = peers[usize::from(shown) - 1];
        (peer.next.expect("it pushes") + 1, peer.matched.expect("it pushes"))
    }

    /// How long until a server's election timeout runs out, in milliseconds.
    pub fn left_ms(&self, shown: u8) -> Option<u64> {
        let at_us = self.at(shown).timers().deadline_us(Timer::new(TimerKind::Election));
        (at_us != NEVER).then(|| at_us.saturating_sub(self.now_us) / MICROS_PER_MILLI)
    }

    /// How often a server has refused an AppendEntries for its log.
    pub fn mismatches(&self, shown: u8) -> usize {
        self.notes.iter().filter(|(id, note)| *id == shown && matches!(note, Note::Mismatch { .. })).count()
    }
}

pub fn request_vote(term: u32, last: Place) -> ClassicMessage {
    ClassicMessage::RequestVote { term, last, pre_vote: false }
}

pub fn pre_vote(term: u32, last: Place) -> ClassicMessage {
    ClassicMessage::RequestVote { term, last, pre_vote: true }
}

/// AppendEntries with the entries of a log of these terms that follow `prev`.
pub fn append(term: u32, prev: Place, entries: &[u32], commit: u64) -> ClassicMessage {
    let mut full = Log::default();
    for index in 1..=prev.1 {
        full.append_batch(1.min(prev.0), &[Payload::Set { key: 9, value: index }]);
    }
    for (value, &term) in (0..).zip(entries) {
        full.append_batch(term, &[Payload::Set { key: 0, value }]);
    }
    ClassicMessage::AppendEntries { term, prev, records: full.read_at_most(prev.1, 64), commit }
}

/// Whether a message says yes: a vote that is granted, entries that match.
pub fn is_yes(message: &ClassicMessage) -> bool {
    match message {
        ClassicMessage::Vote { granted, .. } => *granted,
        ClassicMessage::Appended { outcome, .. } => matches!(outcome, AppendOutcome::Matches { .. }),
        ClassicMessage::RequestVote { .. } | ClassicMessage::AppendEntries { .. } => panic!("{message:?} asks"),
    }
}
