//! A run being looked at: record, history, playhead, branches. Page and API use it alike.
//!
//! The *playhead* is a time between the last step and the next one; the picture is drawn for it. Position and playhead
//! together are the moment. Nothing here reads a real clock: whoever plays tells how far the playhead goes.
//!
//! | file | holds |
//! | --- | --- |
//! | `opening` | replaying a record, in pieces |
//! | `branches` | acting in the past, undo and redo, switching |
//! | `until` | going on until something is so |
//! | `recent` | the traces around here |

mod branches;
mod opening;
mod recent;
mod until;

pub use branches::{ActError, BRANCHES_MAX, BranchView, Edit, Fork};
pub use opening::{Difference, Opening};
pub use until::{Jump, Search, Until};

use crate::executor::NEVER;
use crate::raft::{Any, AnyDisk, Beginning, Log, Payload, Protocol, ProtocolSettings, ReplicaId};
use crate::scenario::{InputError, POSITION_MAX, Record, Start, plain_names};
use crate::sim::{
    CommandError, Compiled, Digests, Fate, History, Mark, Placed, Plan, Sim, SimSettings, TraceEvent, What,
};
use branches::{Branch, Kept};
use recent::Recent;
use std::rc::Rc;
use std::sync::Arc;

/// A message that was lost on its way and is still drawn.
#[derive(Clone, Copy, Debug)]
pub struct LostFlight {
    /// What was sent, as the trace has it.
    pub sent: TraceEvent<Any>,
    /// When it would have arrived, in global microseconds.
    pub at_us: u64,
}

/// A run being looked at.
#[derive(Clone, Debug)]
pub struct Session {
    record: Record,
    /// The names of its nodes, fit to be shown.
    names: Vec<String>,
    history: History<Any>,
    playhead_us: u64,
    lost: Vec<LostFlight>,
    last_trace: Vec<TraceEvent<Any>>,
    recent: Recent,
    /// The cluster before the last step, when it was taken to be looked at.
    before: Option<Arc<Sim<Any>>>,
    /// Which branch this is.
    head: branches::Head,
    /// The other branches.
    others: Vec<Rc<Branch>>,
    undo: Vec<Kept>,
    redo: Vec<Kept>,
    /// How many branches there ever were, for their numbers.
    branched: u32,
    difference: Option<Difference>,
}

/// The disk on which a replica starts. Each record of its log is a batch of its own that says where it stands, counted from 1.
fn disk(protocol: &ProtocolSettings, start: &Start) -> AnyDisk {
    let mut log = Log::default();
    for (offset, &epoch) in (0..).zip(&start.log) {
        log.append_batch(epoch, &[Payload::Set { key: 0, value: offset + 1 }]);
    }
    let Start { epoch, leader, voted, high_watermark: committed, .. } = *start;
    Any::disk_of(protocol, Beginning { epoch, leader, voted, committed, log })
}

fn sim_settings(record: &Record) -> SimSettings<Any> {
    SimSettings {
        replicas: record.replicas,
        seed: record.seed,
        links: record.links,
        client: record.client,
        protocol: record.protocol.clone(),
        disks: record.starts.iter().map(|start| disk(&record.protocol, start)).collect(),
    }
}

impl Session {
    /// Opens a record at the moment it names.
    ///
    /// # Errors
    /// [`InputError`] if the record is wrong or a command cannot be carried out where it stands.
    pub fn open(record: Record) -> Result<Self, InputError> {
        Opening::new(record)?.finish()
    }

    /// Where the run first differs from the one that was shared, if it does.
    #[must_use]
    pub const fn difference(&self) -> Option<Difference> {
        self.difference
    }

    /// What somebody sees who brings no link.
    #[must_use]
    pub fn newcomer() -> Self {
        let record = Record::newcomer();
        let history = History::new(sim_settings(&record), Vec::new(), Vec::new());
        Self::at(record, history)
    }

    /// A run where its history stands.
    fn at(record: Record, history: History<Any>) -> Self {
        let now_us = history.now().now_us();
        let playhead_us = record.playhead_us.clamp(now_us, history.next_due_us().max(now_us));
        let mut session = Self {
            names: plain_names(&record.names),
            record,
            history,
            playhead_us,
            lost: Vec::new(),
            last_trace: Vec::new(),
            recent: Recent::default(),
            before: None,
            head: branches::Head::default(),
            others: Vec::new(),
            undo: Vec::new(),
            redo: Vec::new(),
            branched: 1,
            difference: None,
        };
        session.look_back();
        session
    }

    /// The cluster as it is now.
    #[must_use]
    pub const fn sim(&self) -> &Sim<Any> {
        self.history.now()
    }

    /// Settings, seed and title.
    #[must_use]
    pub const fn settings(&self) -> &Record {
        &self.record
    }

    /// The names of its nodes as they are shown, empty where a node has only its number; or no names at all.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The record as it stands, at this moment.
    #[must_use]
    pub fn record(&self) -> Record {
        Record {
            commands: self.history.commands().to_vec(),
            plans: self.history.all_plans(),
            position: self.sim().steps(),
            tasks: self.sim().tasks_into(),
            playhead_us: self.playhead_us,
            digest: Some(self.sim().short_digest()),
            ..self.record.clone()
        }
    }

    /// The position, in steps.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.history.now().steps()
    }

    /// The furthest position reached.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.history.end()
    }

    /// The playhead, in global microseconds.
    #[must_use]
    pub const fn playhead_us(&self) -> u64 {
        self.playhead_us
    }

    /// When the next step is, in global microseconds; [`NEVER`] if nothing is left to do.
    #[must_use]
    pub fn next_due_us(&self) -> u64 {
        self.history.next_due_us()
    }

    /// What happened in the last step.
    #[must_use]
    pub fn last_step(&self) -> &[TraceEvent<Any>] {
        &self.last_trace
    }

    /// Messages that were lost on their way and have not ended.
    #[must_use]
    pub fn lost(&self) -> &[LostFlight] {
        &self.lost
    }

    /// The position after the last step that has at least begun.
    #[must_use]
    pub fn begun(&self) -> u64 {
        self.position() + u64::from(self.is_open())
    }

    /// The steps around here that are remembered, by the position after them, with their traces; also those that come
    /// after where one stands, as far as they are known.
    pub fn recent(&self) -> impl DoubleEndedIterator<Item = (u64, &[TraceEvent<Any>])> {
        self.recent.iter()
    }

    /// What was sent in the steps up to here that are remembered, in order.
    pub fn sent(&self) -> impl Iterator<Item = &TraceEvent<Any>> {
        let here = self.begun();
        let past = self.recent().take_while(move |&(step, _)| step <= here);
        past.flat_map(|(_, trace)| trace).filter(|event| matches!(event.what, What::Sent { .. }))
    }

    /// The cluster before the last step; not while playing.
    #[must_use]
    pub fn before(&self) -> Option<&Sim<Any>> {
        self.before.as_deref()
    }

    /// The cluster right after a step, replayed; `None` if the run has not come so far.
    #[must_use]
    pub fn after_step(&self, step: u64) -> Option<Sim<Any>> {
        let mut found = None;
        Any::visit(&self.history, step, step, &mut |sim, _| found = Some(sim.clone()));
        found
    }

    /// Replays the steps from one position to another (by the position after each), as far as the run is known, and gives
    /// each one's trace; the run stays where it is.
    pub fn visit(&self, first: u64, last: u64, each: &mut dyn FnMut(u64, &[TraceEvent<Any>])) {
        let last = last.min(self.length());
        Any::visit(&self.history, first.max(1), last, &mut |sim, trace| each(sim.steps(), trace));
    }

    /// Calls the run something.
    pub fn set_title(&mut self, title: String) {
        self.record.title = title;
    }

    /// What was done in this run, in order; also what is still to come on record.
    #[must_use]
    pub fn commands(&self) -> &[Placed] {
        self.history.commands()
    }

    /// What waits for its time, rising by it.
    #[must_use]
    pub fn plans(&self) -> &[Plan] {
        self.history.plans()
    }

    /// What was planned and could not be done when its time came, and why.
    pub fn missed(&self) -> impl Iterator<Item = (Plan, CommandError)> {
        self.history.missed()
    }

    /// What is worth a mark in the whole run, in order.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        self.history.marks()
    }

    /// Goes to the last position at or before a time, as far as the run has come.
    pub fn seek_time(&mut self, at_us: u64) {
        let _ = Any::seek_time(&mut self.history, at_us);
        self.playhead_us = self.sim().now_us();
        self.look_around();
        self.set_playhead(at_us);
    }

    /// The digests here.
    #[must_use]
    pub fn digests(&self) -> Digests {
        self.sim().digests()
    }

    /// Whether anything flies.
    #[must_use]
    pub fn is_anything_flying(&self) -> bool {
        let now_us = self.playhead_us;
        let flies = |held: Option<(u64, u64)>, door_us: Option<u64>| {
            held.is_none() && door_us.is_none_or(|at_us| at_us > now_us)
        };
        self.sim().flights().any(|(_, flight)| flies(flight.held, flight.door_us)) || !self.lost.is_empty()
    }

    /// Who leads: the leader with the highest epoch.
    #[must_use]
    pub fn leader(&self) -> Option<(ReplicaId, u32)> {
        self.sim().leader()
    }

    /// Moves the playhead within the gap before the next step.
    pub fn set_playhead(&mut self, at_us: u64) {
        self.playhead_us = at_us.clamp(self.sim().now_us(), self.next_due_us().max(self.sim().now_us()));
        if self.playhead_us == NEVER {
            self.playhead_us = self.sim().now_us();
        }
    }

    /// Whether the run is as long as a record may be; it takes no more steps.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.position() >= POSITION_MAX
    }

    /// Whether the last step is not complete: some of its executor tasks have not run.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.sim().tasks_into() > 0
    }

    /// Takes the next step; false if nothing is left to do or the run [is full](Self::is_full).
    pub fn step(&mut self) -> bool {
        self.before = None;
        self.go_on(Any::step)
    }

    /// Takes the next step and keeps what was [before](Self::before) it.
    pub fn step_and_look(&mut self) -> bool {
        self.before = Some(Arc::new(self.sim().clone()));
        self.go_on(Any::step)
    }

    /// Runs one executor task of the next step; false if nothing is left to do or the run [is full](Self::is_full).
    pub fn step_task(&mut self) -> bool {
        self.before = Some(Arc::new(self.sim().clone()));
        self.go_on(Any::step_task)
    }

    fn go_on(&mut self, go: impl FnOnce(&mut History<Any>) -> Result<bool, CommandError>) -> bool {
        // A command on record was checked when the record was opened.
        if self.is_full() || !go(&mut self.history).unwrap_or(false) {
            return false;
        }
        self.playhead_us = self.sim().now_us();
        let now_us = self.playhead_us;
        self.lost.retain(|lost| lost.at_us > now_us);
        self.take_in();
        true
    }

    /// Takes in the trace of the last step.
    fn take_in(&mut self) {
        self.last_trace.clear();
        self.last_trace.extend_from_slice(self.history.now().last_step());
        collect_lost(&mut self.lost, &self.last_trace);
        self.recent.put(self.begun(), &self.last_trace);
    }

    /// Goes to a position.
    pub fn seek(&mut self, step: u64) {
        self.seek_task(step, 0);
    }

    /// Goes to a position within a step: after so many of its tasks.
    pub fn seek_task(&mut self, step: u64, tasks: u32) {
        let _ = Any::seek(&mut self.history, step, tasks);
        self.playhead_us = self.sim().now_us();
        self.look_around();
    }

    /// Takes one step back; within a step, goes to its start.
    pub fn step_back(&mut self) {
        self.seek(if self.is_open() { self.position() } else { self.position().saturating_sub(1) });
    }

    /// Takes over what the history knows of this position; looks back only where what is remembered does not reach.
    fn look_around(&mut self) {
        let here = self.position();
        if self.is_open() || !self.recent.covers(here.saturating_sub(LOST_STEPS), here) {
            self.look_back();
            return;
        }
        let now_us = self.sim().now_us();
        let before = self.history.before().filter(|before| before.steps() + 1 == here);
        self.before = before.cloned().or_else(|| self.after_step(here.checked_sub(1)?)).map(Arc::new);
        self.lost.clear();
        let near = self.recent.iter().filter(|&(step, _)| step + LOST_STEPS > here && step <= here);
        for (_, trace) in near {
            collect_lost(&mut self.lost, trace);
        }
        self.last_trace = self.history.now().last_step().to_vec();
        self.lost.retain(|flight| flight.at_us > now_us);
    }

    /// Looks at the steps around here again, for what is drawn of them.
    pub fn look_back(&mut self) {
        let here = self.position();
        let now_us = self.sim().now_us();
        let mut lost = Vec::new();
        let mut recent = Recent::default();
        let mut before = None;
        let is_open = self.is_open();
        let last = if is_open { here } else { self.length().min(here + LOOK_AHEAD) };
        Any::visit(&self.history, here.saturating_sub(LOOK_BACK), last, &mut |sim, trace| {
            let step = sim.steps();
            if step + LOST_STEPS > here && step <= here {
                collect_lost(&mut lost, trace);
            }
            if step + u64::from(!is_open) == here {
                before = Some(Arc::new(sim.clone()));
            }
            if step > 0 {
                recent.put(step, trace);
            }
        });
        self.recent = recent;
        self.before = before;
        self.lost = lost;
        if is_open {
            self.take_in();
        } else {
            self.last_trace = self.sim().last_step().to_vec();
        }
        self.lost.retain(|flight| flight.at_us > now_us);
    }
}

/// Steps looked back for lost messages: more than any cluster has in one flight time.
const LOST_STEPS: u64 = 200;
/// Steps looked back, and ahead where the run is known to go on, for lists and drawings.
const LOOK_BACK: u64 = 800;
const LOOK_AHEAD: u64 = 200;

fn collect_lost(lost: &mut Vec<LostFlight>, trace: &[TraceEvent<Any>]) {
    for event in trace {
        if let What::Sent { at_us, fate: Fate::Lost | Fate::Cut, .. } = event.what {
            lost.push(LostFlight { sent: *event, at_us });
        }
    }
}
