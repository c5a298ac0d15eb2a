//! Three clients in real time: no simulation, no mock.
//!
//! Each runs on a `DefaultEventExecutor` of its own, in-memory channels between them: sending is a submit on the
//! other's executor. The same code runs natively, on three threads, and in a browser, on its event loop.

use super::patience::Patience;
use raftwerk::executor::{DefaultEventExecutor, EventExecutor, Outcome, Phase};
use raftwerk::raft::classic::{self, ClassicSettings};
use raftwerk::raft::kraft::KRaftSettings;
use raftwerk::raft::{
    Any, AnyMessage, AppendError, ClientSettings, DriverState, Effects, Ended, Failure, Family, Form, LocalClock, Luck,
    Protocol, ProtocolSettings, Purpose, RaftClient, RaftClientDriver, Replica, ReplicaId, Request, RequestError,
    RoleShape, Surroundings, Task, TaskError,
};
use raftwerk::sim::{Stream, scale};
use std::sync::{Arc, Mutex, PoisonError};

type Executor = DefaultEventExecutor<Task<AnyMessage>>;

const MEMBERS: u8 = 3;
const RECORDS: u64 = 1_000;
const ELECTION_TIMEOUT_MS: u32 = 500;

struct Dice(Stream);

impl Luck for Dice {
    fn below(&mut self, _: Purpose, bound: u32) -> u32 {
        scale(self.0.draw(), bound)
    }
}

/// What the test sees of a client.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    role: RoleShape,
    epoch: u32,
    leader: Option<ReplicaId>,
    committed: u64,
    applied: u64,
    last_value: Option<u64>,
    state: DriverState,
    /// When the role or the state last changed.
    since_us: u64,
}

/// A client that runs.
struct Member {
    executor: Executor,
    seen: Arc<Mutex<Option<Seen>>>,
    failure: Arc<Mutex<Option<Failure>>>,
}

fn at<T>(cell: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Member {
    fn seen(&self) -> Option<Seen> {
        *at(&self.seen)
    }

    fn leads(&self) -> bool {
        self.seen().is_some_and(|seen| seen.role == RoleShape::Leader)
    }
}

fn settings(family: Family) -> ProtocolSettings {
    let kraft = KRaftSettings {
        election_timeout_ms: ELECTION_TIMEOUT_MS,
        fetch_timeout_ms: 1_000,
        election_backoff_max_ms: 1_000,
        request_timeout_ms: 1_000,
        fetch_max_wait_ms: 100,
        ..KRaftSettings::default()
    };
    let classic = ClassicSettings {
        election_min_ms: ELECTION_TIMEOUT_MS,
        election_max_ms: 2 * ELECTION_TIMEOUT_MS,
        heartbeat_ms: 50,
        rules: classic::Rules { no_op: true, ..classic::Rules::default() },
        ..ClassicSettings::default()
    };
    match family {
        Family::KRaft => ProtocolSettings::KRaft(kraft),
        Family::Classic => ProtocolSettings::Classic(classic),
    }
}

fn start(family: Family, form: Form) -> Vec<Member> {
    let settings = settings(family);
    let executors: Vec<Executor> = (0..MEMBERS).map(|_| Executor::new(10_000)).collect();
    let member = |id: u8| {
        let executor = executors[usize::from(id)].clone();
        let (peers, settings) = (executors.clone(), settings.clone());
        let mut luck = Dice(Stream::of_link(2026, ReplicaId(id), ReplicaId(id)));
        let mut effects: Effects<Any> = Effects::default();
        let mut around = Surroundings { settings: &settings, luck: &mut luck, effects: &mut effects };
        let client_settings = ClientSettings { form, poll_state_max_age_ms: 0 };
        let (disk, clock) = (Any::empty_disk(&settings), LocalClock::default());
        let client =
            RaftClient::new(ReplicaId(id), MEMBERS, disk, executor.clone(), client_settings, clock, &mut around);
        let mut driver = RaftClientDriver::new(client);
        driver.start(&mut around);
        let member = Member { executor, seen: Arc::default(), failure: Arc::default() };
        let (seen, failure) = (Arc::clone(&member.seen), Arc::clone(&member.failure));
        member.executor.serve(move |task| {
            let mut around = Surroundings { settings: &settings, luck: &mut luck, effects: &mut effects };
            let result = driver.run(task, &mut around, &mut *at(&failure));
            for (to, message) in effects.sends.drain(..) {
                // A peer that has shut down hears nothing.
                let _ = peers[to.index()].clone().submit(Task::Arrival(ReplicaId(id), message));
            }
            effects.notes.clear();
            effects.persisted = false;
            let standing = driver.client().replica().standing();
            let mut seen = at(&seen);
            let before = *seen;
            let since_us = before
                .filter(|seen| seen.role == standing.role && seen.state == driver.state())
                .map_or_else(|| peers[0].now_us(), |seen| seen.since_us);
            *seen = Some(Seen {
                role: standing.role,
                epoch: standing.epoch,
                leader: standing.leader,
                committed: standing.committed.unwrap_or(0),
                applied: driver.client().replica().listener().next_offset(),
                last_value: driver.client().replica().listener().map().first().map(|&(_, value)| value),
                state: driver.state(),
                since_us,
            });
            result
        });
        member
    };
    (0..MEMBERS).map(member).collect()
}

async fn until<W: Patience>(clock: &Executor, what: &str, mut is_so: impl FnMut() -> bool) {
    let give_up_us = clock.now_us() + 30_000_000;
    while !is_so() {
        assert!(clock.now_us() < give_up_us, "not within 30 s: {what}");
        W::a_little().await;
    }
}

/// Three clients elect a leader and commit a thousand records; the leader shuts down gracefully; a successor takes over, in
/// KRaft at once, in the paper's Raft after its election timeout.
pub async fn check<W: Patience>(family: Family, form: Form) {
    let members = start(family, form);
    let clock = members[0].executor.clone();
    let follows = |member: &Member, leader: ReplicaId, epoch: u32| {
        member.seen().is_some_and(|seen| seen.leader == Some(leader) && seen.epoch == epoch)
    };

    let led = |members: &[Member]| {
        let leads = members.iter().position(Member::leads)?;
        let leader = ReplicaId(u8::try_from(leads).expect("three"));
        let epoch = members[leads].seen().map(|seen| seen.epoch)?;
        members.iter().all(|member| follows(member, leader, epoch)).then_some((leader, epoch))
    };
    until::<W>(&clock, "a leader that all follow", || led(&members).is_some()).await;
    let (leader, epoch) = led(&members).expect("just seen");
    let old = &members[leader.index()];

    // A thousand records, ten at a time, in the order in which they are given.
    let start_us = clock.now_us();
    for round in 0..RECORDS / 10 {
        let append = Request::Append { epoch, key: 7, value: round * 10, count: 10 };
        // What does not fit at once is given again: the executor and the accumulator are bounded.
        loop {
            let id = old.executor.clone().submit(Task::Request(append)).expect("it has room");
            until::<W>(&clock, "an append is taken or refused", || old.executor.outcome(id) != Outcome::Pending).await;
            match old.executor.outcome(id) {
                Outcome::Value(_) => break,
                Outcome::Error(TaskError::Refused(RequestError::Append(AppendError::Full))) => W::a_little().await,
                other => panic!("{other:?}"),
            }
        }
    }
    let has_all =
        |member: &Member| member.seen().is_some_and(|seen| seen.committed > RECORDS && seen.applied > RECORDS);
    until::<W>(&clock, "all have committed all", || members.iter().all(has_all)).await;
    for member in &members {
        assert_eq!(member.seen().and_then(|seen| seen.last_value), Some(RECORDS - 1));
    }
    let took_ms = (clock.now_us() - start_us) / 1_000;
    assert!(took_ms < 30_000, "{RECORDS} records took {took_ms} ms");

    // Gracefully: it goes on until another leads, and only then its executor ends.
    let task = Task::Request(Request::Shutdown { timeout_us: 5_000_000 });
    let asked_us = clock.now_us();
    old.executor.clone().submit(task).expect("it is open");
    until::<W>(&clock, "the end of the old leader", || old.executor.phase() == Phase::Finished).await;
    let ended = old.seen().expect("it ran");
    assert_eq!(ended.state, DriverState::Ended(Ended::Completed), "{ended:?}");

    let others: Vec<&Member> = members.iter().filter(|member| !std::ptr::eq(*member, old)).collect();
    until::<W>(&clock, "a new leader", || others.iter().any(|member| member.leads())).await;
    let new = others.iter().find(|member| member.leads()).expect("just seen").seen().expect("it ran");
    assert!(new.epoch > epoch);
    let took_us = new.since_us.saturating_sub(asked_us);
    if family == Family::KRaft {
        assert!(took_us < u64::from(ELECTION_TIMEOUT_MS) * 1_000, "a successor does not wait: {took_us} µs");
    }

    for member in &members {
        assert_eq!(*at(&member.failure), None);
        member.executor.clone().shutdown();
    }
    until::<W>(&clock, "the end of all", || members.iter().all(|member| member.executor.phase() == Phase::Finished))
        .await;
}
