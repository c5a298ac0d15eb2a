//! The executors: the contract on the mock and on the native one, the rows of upstream's unit tests, and each line of
//! the table of differences in `docs/executors.md`. The page's executor runs the contract in `tests/web.rs`.
#![cfg(not(target_arch = "wasm32"))]

#[path = "common/contract.rs"]
mod contract;
#[path = "common/patience.rs"]
mod patience;

use contract::{DefaultRig, HOUR_US, Job, Rig, Seen};
use patience::{Blocks, ready};
use proptest::prelude::*;
use raftwerk::executor::{
    DefaultEventExecutor, EventExecutor, MockEventExecutor, MockTime, Outcome, Phase, Rejected, TaskId, Work, advance,
};
use std::sync::mpsc;
use std::time::Duration;

struct MockRig {
    time: MockTime,
    executors: [MockEventExecutor<Job>; 1],
    seen: Seen,
}

impl Rig for MockRig {
    type X = MockEventExecutor<Job>;

    fn new(capacity: usize, seen: &Seen) -> Self {
        let executors = [MockEventExecutor::with_capacity_limit(capacity)];
        Self { time: MockTime::at(0), executors, seen: seen.clone() }
    }

    fn x(&mut self) -> &mut Self::X {
        &mut self.executors[0]
    }

    async fn until(&mut self, mut is_reached: impl FnMut(&mut Self::X) -> bool) {
        while !is_reached(&mut self.executors[0]) {
            let seen = &self.seen;
            let polled = advance(&mut self.time, &mut self.executors, |_, executor, job| seen.work(executor, job));
            assert!(polled.is_some(), "nothing is left to run");
        }
    }
}

#[test]
fn the_mock_keeps_the_contract() {
    ready(contract::check::<MockRig>());
}

#[test]
fn the_native_default_keeps_the_contract() {
    ready(contract::check::<DefaultRig<Blocks>>());
}

/// Rows of `MockEventExecutorTest`, under their names.
mod mock_event_executor_test {
    use super::*;

    const MS_100: u64 = 100_000;

    struct Given {
        time: MockTime,
        executor: MockEventExecutor<Job>,
        seen: Seen,
    }

    fn fresh() -> Given {
        Given { time: MockTime::at(0), executor: MockEventExecutor::default(), seen: Seen::default() }
    }

    impl Given {
        fn poll(&mut self) -> bool {
            let seen = &self.seen;
            self.executor.poll(&self.time, |executor, job| seen.work(executor, job))
        }

        fn sleep(&mut self, us: u64) {
            self.time.sleep_us(us);
        }

        /// Polls at 0, 99 and 100 ms: false, false, true.
        fn poll_around_100_ms(&mut self, id: TaskId) {
            for sleep_us in [0, 99_000] {
                self.sleep(sleep_us);
                assert!(!self.poll());
                assert_eq!(self.executor.outcome(id), Outcome::Pending);
            }
            self.sleep(1_000);
            assert!(self.poll());
        }
    }

    #[test]
    fn test_submit_runnable() {
        let mut given = fresh();
        let id = given.executor.submit(Job::Run("flag")).expect("it is open");
        assert!(given.seen.names().is_empty());
        assert_eq!(given.executor.outcome(id), Outcome::Pending);
        assert!(given.poll());
        assert_eq!(given.seen.names(), ["flag"]);
        assert_eq!(given.executor.outcome(id), Outcome::Value(0));
    }

    #[test]
    fn test_submit_runnable_exception() {
        let mut given = fresh();
        let id = given.executor.submit(Job::Fail("RuntimeException")).expect("it is open");
        assert!(given.poll());
        assert_eq!(given.executor.outcome(id), Outcome::Error("RuntimeException"));
    }

    #[test]
    fn test_submit_callable() {
        let mut given = fresh();
        let id = given.executor.submit(Job::Value(42)).expect("it is open");
        assert!(given.poll());
        assert_eq!(given.executor.outcome(id), Outcome::Value(42));
    }

    #[test]
    fn test_schedule_runnable() {
        let mut given = fresh();
        let id = given.executor.schedule(Job::Run("flag"), MS_100).expect("it is open");
        given.poll_around_100_ms(id);
        assert_eq!(given.seen.names(), ["flag"]);
    }

    #[test]
    fn test_schedule_callable() {
        let mut given = fresh();
        let id = given.executor.schedule(Job::Value(42), MS_100).expect("it is open");
        given.poll_around_100_ms(id);
        assert_eq!(given.executor.outcome(id), Outcome::Value(42));
    }

    #[test]
    fn test_schedule_callable_exception() {
        let mut given = fresh();
        let id = given.executor.schedule(Job::Fail("RuntimeException"), MS_100).expect("it is open");
        given.poll_around_100_ms(id);
        assert_eq!(given.executor.outcome(id), Outcome::Error("RuntimeException"));
    }

    #[test]
    fn test_cancel_submit() {
        let mut given = fresh();
        let id = given.executor.submit(Job::Run("flag")).expect("it is open");
        assert!(given.executor.cancel(id));
        assert!(given.poll(), "its turn is left");
        assert!(given.seen.names().is_empty());
        assert_eq!(given.executor.outcome(id), Outcome::Cancelled);
        assert!(!given.poll());
    }

    #[test]
    fn test_cancel_schedule() {
        let mut given = fresh();
        let id = given.executor.schedule(Job::Run("flag"), MS_100).expect("it is open");
        given.sleep(99_000);
        assert!(!given.poll());
        assert!(given.executor.cancel(id));
        given.sleep(1_000);
        assert!(given.poll(), "its turn is left");
        assert!(given.seen.names().is_empty());
        assert_eq!(given.executor.outcome(id), Outcome::Cancelled);
    }

    #[test]
    fn test_shutdown() {
        let mut given = fresh();
        let a = given.executor.schedule(Job::Run("A"), MS_100).expect("it is open");
        let b = given.executor.schedule(Job::Run("B"), 2 * MS_100).expect("it is open");
        let c = given.executor.submit(Job::Run("C")).expect("it is open");
        given.sleep(MS_100);
        assert!(given.poll());
        given.executor.shutdown();
        assert_eq!(given.executor.phase(), Phase::Draining);
        assert!(given.poll());
        assert_eq!(given.seen.names(), ["C", "A"]);
        assert_eq!(given.executor.outcome(c), Outcome::Value(0));
        assert_eq!(given.executor.outcome(a), Outcome::Value(0));
        // Upstream leaves this future open for ever; here the task's end has a name.
        assert_eq!(given.executor.outcome(b), Outcome::NeverRan);
        assert_eq!(given.executor.phase(), Phase::Finished);
        given.sleep(MS_100);
        assert!(!given.poll());
    }

    #[test]
    fn test_no_op_poll() {
        let mut given = fresh();
        assert!(!given.poll());
    }
}

/// Rows of `DefaultEventExecutorTest`, under their names. Each ends by a shutdown that finishes.
mod default_event_executor_test {
    use super::*;

    const SECOND_US: u64 = 1_000_000;

    struct Given {
        executor: DefaultEventExecutor<Job>,
        seen: Seen,
        /// Lets a `Run("blocker")` go on.
        latch: mpsc::Sender<()>,
        /// Says that a blocker has begun.
        begun: mpsc::Receiver<()>,
    }

    fn given(capacity: usize) -> Given {
        let executor = DefaultEventExecutor::new(capacity);
        let seen = Seen::default();
        let (latch, wait) = mpsc::channel();
        let (begin, begun) = mpsc::channel();
        let (mut inner, worker_seen) = (executor.clone(), seen.clone());
        executor.serve(move |job| {
            if job == Job::Run("blocker") {
                begin.send(()).map_err(|_| "the test is gone")?;
                wait.recv().map_err(|_| "the test is gone")?;
            }
            worker_seen.work(&mut inner, job)
        });
        Given { executor, seen, latch, begun }
    }

    impl Given {
        fn release(&self) {
            self.latch.send(()).expect("the worker lives");
        }

        fn is_running(&self) {
            self.begun.recv_timeout(Duration::from_secs(10)).expect("the blocker begins");
        }

        fn ends(mut self) {
            self.executor.shutdown();
            self.executor.wait_finished();
            assert_eq!(self.executor.phase(), Phase::Finished);
        }
    }

    #[test]
    fn test_submit_runnable() {
        let mut given = given(1);
        let id = given.executor.submit(Job::Run("flag")).expect("room");
        assert_eq!(given.executor.wait(id), Outcome::Value(0));
        assert_eq!(given.seen.names(), ["flag"]);
        given.ends();
    }

    #[test]
    fn test_submit_runnable_exception() {
        let mut given = given(1);
        let id = given.executor.submit(Job::Fail("RuntimeException")).expect("room");
        assert_eq!(given.executor.wait(id), Outcome::Error("RuntimeException"));
        given.ends();
    }

    #[test]
    fn test_submit_callable() {
        let mut given = given(1);
        let id = given.executor.submit(Job::Value(42)).expect("room");
        assert_eq!(given.executor.wait(id), Outcome::Value(42));
        given.ends();
    }

    fn after_a_second(job: Job, expected: &Outcome<u32, &'static str>) {
        let mut given = given(1);
        let before_us = given.executor.now_us();
        let id = given.executor.schedule(job, SECOND_US).expect("room");
        assert_eq!(given.executor.wait(id), *expected);
        assert!(given.executor.now_us() - before_us >= SECOND_US);
        given.ends();
    }

    #[test]
    fn test_schedule_runnable() {
        after_a_second(Job::Run("flag"), &Outcome::Value(0));
    }

    #[test]
    fn test_schedule_callable() {
        after_a_second(Job::Value(42), &Outcome::Value(42));
    }

    #[test]
    fn test_schedule_callable_exception() {
        after_a_second(Job::Fail("RuntimeException"), &Outcome::Error("RuntimeException"));
    }

    fn cancel_behind_a_blocker(delay_us: Option<u64>) {
        let mut given = given(2);
        let blocker = given.executor.submit(Job::Run("blocker")).expect("room");
        let second = match delay_us {
            None => given.executor.submit(Job::Run("second")),
            Some(delay_us) => given.executor.schedule(Job::Run("second"), delay_us),
        };
        let second = second.expect("room");
        assert!(given.executor.cancel(second));
        given.release();
        assert_eq!(given.executor.wait(blocker), Outcome::Value(0));
        assert_eq!(given.executor.outcome(second), Outcome::Cancelled);
        assert_eq!(given.seen.names(), ["blocker"]);
        given.ends();
    }

    #[test]
    fn test_cancel_submit() {
        cancel_behind_a_blocker(None);
    }

    #[test]
    fn test_cancel_schedule() {
        cancel_behind_a_blocker(Some(100_000));
    }

    fn capacity_behind(blocker: Result<TaskId, Rejected>, mut given: Given, delay_us: Option<u64>) {
        let blocker = blocker.expect("room");
        given.is_running();
        let second = match delay_us {
            None => given.executor.submit(Job::Value(7)),
            Some(delay_us) => given.executor.schedule(Job::Value(7), delay_us),
        };
        let second = second.expect("the running task does not count");
        assert_eq!(given.executor.submit(Job::Value(8)), Err(Rejected::Capacity(1)));
        assert_eq!(given.executor.schedule(Job::Value(8), 1), Err(Rejected::Capacity(1)));
        given.release();
        assert_eq!(given.executor.wait(blocker), Outcome::Value(0));
        assert_eq!(given.executor.wait(second), Outcome::Value(7));
        let third = given.executor.submit(Job::Value(9)).expect("room again");
        assert_eq!(given.executor.wait(third), Outcome::Value(9));
        given.ends();
    }

    #[test]
    fn test_capacity_submit() {
        let mut given = given(1);
        let blocker = given.executor.submit(Job::Run("blocker"));
        capacity_behind(blocker, given, None);
    }

    #[test]
    fn test_capacity_schedule() {
        let mut given = given(1);
        // Upstream's delay is one nanosecond; ours count microseconds.
        let blocker = given.executor.schedule(Job::Run("blocker"), 1);
        capacity_behind(blocker, given, Some(1_000));
    }

    #[test]
    fn test_shutdown() {
        let mut given = given(1);
        let late = given.executor.schedule(Job::Run("late"), 1_000 * SECOND_US).expect("room");
        given.executor.shutdown();
        assert_eq!(given.executor.submit(Job::Run("more")), Err(Rejected::Shutdown));
        given.executor.wait_finished();
        assert!(given.seen.names().is_empty());
        // Upstream leaves this future open for ever; here the task's end has a name.
        assert_eq!(given.executor.outcome(late), Outcome::NeverRan);
        given.executor.shutdown();
        assert_eq!(given.executor.phase(), Phase::Finished);
        given.ends();
    }
}

/// The lines of `docs/executors.md`: what differs between the executors, and on purpose from upstream.
mod differences {
    use super::*;

    #[test]
    fn only_the_mock_polls_a_cancelled_task_once() {
        let mut mock = MockEventExecutor::<Job>::default();
        let id = mock.submit(Job::Value(1)).expect("it is open");
        mock.cancel(id);
        assert_eq!(mock.pending(), 0);
        assert!(mock.poll(&MockTime::at(0), |_, _| panic!("it was cancelled")));
        assert!(!mock.poll(&MockTime::at(0), |_, _| panic!("it was cancelled")));

        let mut plain = MockEventExecutor::<Job>::for_simulation();
        let id = plain.submit(Job::Value(1)).expect("it is open");
        plain.cancel(id);
        assert!(!plain.poll(&MockTime::at(0), |_, _| panic!("it was cancelled")));
    }

    #[test]
    fn mock_time_stands_still_and_real_time_passes() {
        let mut mock = MockEventExecutor::<Job>::default();
        mock.schedule(Job::Value(1), 1).expect("it is open");
        for _ in 0..1_000 {
            assert!(!mock.poll(&MockTime::at(0), |_, _| Ok(0)));
        }
        let mut native = DefaultEventExecutor::<Job>::new(1);
        native.serve(|_| Ok(0));
        let id = native.schedule(Job::Value(1), 1).expect("room");
        assert_eq!(native.wait(id), Outcome::Value(0));
        native.shutdown();
    }

    #[test]
    fn mock_delays_are_microseconds_not_whole_milliseconds() {
        let mut mock = MockEventExecutor::<Job>::default();
        mock.schedule(Job::Value(1), 999).expect("it is open");
        assert!(!mock.poll(&MockTime::at(998), |_, _| Ok(0)));
        assert!(mock.poll(&MockTime::at(999), |_, _| Ok(0)));
    }

    #[test]
    fn the_native_executor_outlives_a_panic_and_the_mock_passes_it_on() {
        let mut native = DefaultEventExecutor::<Job>::new(9);
        let (mut inner, seen) = (native.clone(), Seen::default());
        native.serve(move |job| seen.work(&mut inner, job));
        let id = native.submit(Job::Panic("on purpose")).expect("room");
        assert_eq!(native.wait(id), Outcome::Panicked("on purpose".into()));
        let id = native.submit(Job::Value(42)).expect("room");
        assert_eq!(native.wait(id), Outcome::Value(42));
        native.shutdown();

        let mut mock = MockEventExecutor::<Job>::default();
        mock.submit(Job::Panic("on purpose")).expect("it is open");
        let poll = std::panic::AssertUnwindSafe(|| mock.poll(&MockTime::at(0), |x, job| Seen::default().work(x, job)));
        assert!(std::panic::catch_unwind(poll).is_err());
    }

    #[test]
    fn nothing_runs_before_somebody_serves() {
        let mut native = DefaultEventExecutor::<Job>::new(9);
        let id = native.submit(Job::Value(42)).expect("room");
        assert_eq!(native.outcome(id), Outcome::Pending);
        native.serve(|_| Ok(42));
        assert_eq!(native.wait(id), Outcome::Value(42));
        native.shutdown();
    }

    #[test]
    fn equal_deadlines_are_first_in_first_out() {
        // Upstream's mock runs five of them in the order A, E, D, C, B.
        let mut mock = MockEventExecutor::<Job>::default();
        for name in ["A", "B", "C", "D", "E"] {
            mock.schedule(Job::Run(name), 100).expect("it is open");
        }
        let seen = Seen::default();
        while mock.poll(&MockTime::at(100), |x, job| seen.work(x, job)) {}
        assert_eq!(seen.names(), ["A", "B", "C", "D", "E"]);
    }

    #[test]
    fn a_delayed_task_that_was_due_before_a_submit_runs_before_it() {
        // As with upstream's default executor; its mock would run submit 3 before the delayed one.
        let mut mock = MockEventExecutor::<Job>::default();
        mock.submit(Job::Run("submit 1")).expect("it is open");
        mock.schedule(Job::Run("delay 20"), 20).expect("it is open");
        mock.submit(Job::Run("submit 2")).expect("it is open");
        let time = MockTime::at(30);
        mock.see(&time);
        mock.submit(Job::Run("submit 3")).expect("it is open");
        let seen = Seen::default();
        while mock.poll(&time, |x, job| seen.work(x, job)) {}
        assert_eq!(seen.names(), ["submit 1", "submit 2", "delay 20", "submit 3"]);
    }

    #[test]
    fn a_delayed_task_that_was_due_at_the_shutdown_runs() {
        // Upstream's mock drops it unless a poll came between.
        let mut mock = MockEventExecutor::<Job>::default();
        let due = mock.schedule(Job::Value(1), 100).expect("it is open");
        let late = mock.schedule(Job::Value(2), 101).expect("it is open");
        mock.see(&MockTime::at(100));
        mock.shutdown();
        assert_eq!(mock.phase(), Phase::Draining);
        assert!(mock.poll(&MockTime::at(999), |x, job| Seen::default().work(x, job)));
        assert_eq!(mock.outcome(due), Outcome::Value(1));
        assert_eq!(mock.outcome(late), Outcome::NeverRan);
        assert_eq!(mock.phase(), Phase::Finished);
    }

    #[test]
    fn outcomes_are_forgotten_after_a_thousand_others() {
        let mut mock = MockEventExecutor::<Job>::default();
        let first = mock.submit(Job::Value(1)).expect("it is open");
        let time = MockTime::at(0);
        assert!(mock.poll(&time, |_, _| Ok(1)));
        for _ in 0..1_023 {
            mock.submit(Job::Value(2)).expect("it is open");
            mock.poll(&time, |_, _| Ok(2));
        }
        assert_eq!(mock.outcome(first), Outcome::Value(1));
        mock.submit(Job::Value(2)).expect("it is open");
        mock.poll(&time, |_, _| Ok(2));
        assert_eq!(mock.outcome(first), Outcome::Forgotten);
    }

    #[test]
    fn one_clock_moves_several_mocks() {
        let mut time = MockTime::at(0);
        let mut all = [MockEventExecutor::<Job>::default(), MockEventExecutor::default()];
        all[0].schedule(Job::Run("late"), 50).expect("it is open");
        all[1].schedule(Job::Run("early"), 20).expect("it is open");
        all[1].schedule(Job::Run("tie"), 50).expect("it is open");
        let mut copy = (time, all.clone());
        let (seen, again) = (Seen::default(), Seen::default());
        while advance(&mut time, &mut all, |_, x, job| seen.work(x, job)).is_some() {}
        assert_eq!(seen.names(), ["early", "late", "tie"]);
        assert_eq!(time.now_us(), 50);
        // A clone taken before has the same future.
        while advance(&mut copy.0, &mut copy.1, |_, x, job| again.work(x, job)).is_some() {}
        assert_eq!(again.names(), seen.names());
    }
}

/// The simplest executor one can think of: a list, searched from the front each time.
#[derive(Default)]
struct Model {
    now_us: u64,
    /// (number, due, name)
    waiting: Vec<(u64, u64, u32)>,
    outcomes: Vec<Outcome<u32, &'static str>>,
    capacity: usize,
    is_shut: bool,
    ran: Vec<u32>,
}

impl Model {
    fn add(&mut self, name: u32, delay_us: u64) -> Result<u64, Rejected> {
        if self.is_shut {
            return Err(Rejected::Shutdown);
        }
        if self.waiting.len() >= self.capacity {
            return Err(Rejected::Capacity(self.capacity));
        }
        let number = self.outcomes.len() as u64;
        self.outcomes.push(Outcome::Pending);
        self.waiting.push((number, self.now_us + delay_us, name));
        Ok(number)
    }

    fn end(&mut self, number: u64, outcome: Outcome<u32, &'static str>) {
        self.outcomes[usize::try_from(number).expect("small")] = outcome;
    }

    fn cancel(&mut self, number: u64) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|&(n, ..)| n != number);
        if self.waiting.len() < before {
            self.end(number, Outcome::Cancelled);
        }
        self.waiting.len() < before
    }

    fn shutdown(&mut self) {
        if self.is_shut {
            return;
        }
        self.is_shut = true;
        for (number, due_us, _) in self.waiting.clone() {
            if due_us > self.now_us {
                self.end(number, Outcome::NeverRan);
            }
        }
        self.waiting.retain(|&(_, due_us, _)| due_us <= self.now_us);
    }

    fn earliest(&self) -> Option<(u64, u64, u32)> {
        self.waiting.iter().copied().min_by_key(|&(number, due_us, _)| (due_us, number))
    }

    fn run(&mut self, (number, _, name): (u64, u64, u32)) {
        self.waiting.retain(|&(n, ..)| n != number);
        self.ran.push(name);
        self.end(number, Outcome::Value(name));
    }

    fn poll(&mut self) -> bool {
        match self.earliest().filter(|&(_, due_us, _)| due_us <= self.now_us) {
            Some(first) => {
                self.run(first);
                true
            }
            None => false,
        }
    }

    fn advance(&mut self) -> bool {
        let Some(first) = self.earliest() else { return false };
        self.now_us = self.now_us.max(first.1);
        self.run(first);
        true
    }
}

#[derive(Clone, Debug)]
struct Numbered(u32);

impl Work for Numbered {
    type Value = u32;
    type Error = &'static str;
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Submit,
    Schedule(u64),
    Cancel(prop::sample::Index),
    Sleep(u64),
    Poll,
    Advance,
    Shutdown,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![
        4 => Just(Call::Submit),
        6 => (0_u64..50).prop_map(Call::Schedule),
        3 => any::<prop::sample::Index>().prop_map(Call::Cancel),
        2 => (0_u64..30).prop_map(Call::Sleep),
        4 => Just(Call::Poll),
        4 => Just(Call::Advance),
        1 => Just(Call::Shutdown),
    ];
    prop::collection::vec(call, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_mock_agrees_with_a_simple_model(capacity in 1_usize..12, calls in calls(), keeps_turns in any::<bool>()) {
        let mut time = MockTime::at(0);
        let mut all = [if keeps_turns {
            MockEventExecutor::<Numbered>::with_capacity_limit(capacity)
        } else {
            MockEventExecutor::for_simulation()
        }];
        let mut model = Model { capacity: if keeps_turns { capacity } else { usize::MAX }, ..Model::default() };
        let mut ids = Vec::new();
        let mut ran = Vec::new();
        for (name, call) in (0..).zip(calls) {
            match call {
                Call::Submit | Call::Schedule(_) => {
                    let delay_us = if let Call::Schedule(delay_us) = call { delay_us } else { 0 };
                    all[0].see(&time);
                    let given = match call {
                        Call::Submit => all[0].submit(Numbered(name)),
                        _ => all[0].schedule(Numbered(name), delay_us),
                    };
                    prop_assert_eq!(given.map(|id| id.number), model.add(name, delay_us));
                    ids.extend(given);
                }
                Call::Cancel(index) if !ids.is_empty() => {
                    let id = ids[index.index(ids.len())];
                    prop_assert_eq!(all[0].cancel(id), model.cancel(id.number));
                }
                Call::Cancel(_) => {}
                Call::Sleep(us) => {
                    time.sleep_us(us);
                    model.now_us += us;
                }
                // A poll or an advance that meets a cancelled task's turn goes on to the next.
                Call::Poll => {
                    let before = ran.len();
                    while all[0].poll(&time, |_, Numbered(name)| { ran.push(name); Ok(name) }) && ran.len() == before {}
                    prop_assert_eq!(ran.len() > before, model.poll());
                }
                Call::Advance => {
                    let before = ran.len();
                    // Without a live task a turn may still move the clock; the model has none, so leave it.
                    if model.earliest().is_some() {
                        while ran.len() == before {
                            advance(&mut time, &mut all, |_, _, Numbered(name)| { ran.push(name); Ok(name) });
                        }
                    }
                    prop_assert_eq!(ran.len() > before, model.advance());
                }
                Call::Shutdown => {
                    all[0].see(&time);
                    all[0].shutdown();
                    model.shutdown();
                }
            }
            prop_assert_eq!(time.now_us(), model.now_us);
            prop_assert_eq!(all[0].pending(), model.waiting.len());
            prop_assert_eq!(all[0].phase() != Phase::Open, model.is_shut);
            if keeps_turns {
                for id in &ids {
                    prop_assert_eq!(&all[0].outcome(*id), &model.outcomes[usize::try_from(id.number).expect("small")]);
                }
            }
        }
        prop_assert_eq!(ran, model.ran);
    }
}

#[test]
fn a_task_an_hour_away_waits_without_a_thread_being_awake() {
    let mut native = DefaultEventExecutor::<Job>::new(1);
    native.serve(|_| Ok(0));
    let id = native.schedule(Job::Value(1), HOUR_US).expect("room");
    assert_eq!(native.outcome(id), Outcome::Pending);
    assert!(native.cancel(id));
    native.shutdown();
    native.wait_finished();
}
