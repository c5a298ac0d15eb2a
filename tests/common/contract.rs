//! One contract for all executors: what holds for the mock, the native one and the page's alike.
//!
//! A *rig* is an executor with somebody who does its jobs and a way to let it run until a task has ended. Each check
//! is one sentence of the contract; none of them waits for time to pass but for a state to be reached.

use super::patience::Patience;
use raftwerk::executor::{DefaultEventExecutor, EventExecutor, Outcome, OutcomeOf, Phase, Rejected, TaskId, Work};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

/// What the executors under test carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Does nothing but leave its name.
    Run(&'static str),
    /// Gives a value.
    Value(u32),
    /// Fails.
    Fail(&'static str),
    /// Panics.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a page cannot catch a panic"))]
    Panic(&'static str),
    /// Submits another.
    Submit(&'static str),
    /// Cancels the task whose id is in [`Seen::target`]; gives 1 if that worked.
    Cancel,
    /// Fills the executor from inside: one submit, then another and a schedule.
    Fill,
    /// Submits a, b and a task without delay, schedules a late one, shuts down and submits again.
    ShutDown,
}

impl Work for Job {
    type Value = u32;
    type Error = &'static str;
}

/// What the worker leaves behind for the test.
#[derive(Clone, Default)]
pub struct Seen {
    names: Arc<Mutex<Vec<String>>>,
    target: Arc<Mutex<Option<TaskId>>>,
    ids: Arc<Mutex<VecDeque<TaskId>>>,
}

fn at<T>(cell: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Seen {
    /// What ran, in order.
    pub fn names(&self) -> Vec<String> {
        at(&self.names).clone()
    }

    fn note(&self, name: impl Into<String>) {
        at(&self.names).push(name.into());
    }

    /// Does one job.
    pub fn work<X: EventExecutor<Job>>(&self, executor: &mut X, job: Job) -> Result<u32, &'static str> {
        match job {
            Job::Run(name) => self.note(name),
            Job::Value(value) => return Ok(value),
            Job::Fail(why) => return Err(why),
            Job::Panic(why) => panic!("{why}"),
            Job::Submit(name) => {
                let id = executor.submit(Job::Run(name)).map_err(|_| "rejected")?;
                at(&self.ids).push_back(id);
            }
            Job::Cancel => {
                let target = at(&self.target).expect("a target");
                return Ok(u32::from(executor.cancel(target)));
            }
            Job::Fill => {
                self.note(format!("{}", executor.submit(Job::Run("first")).is_ok()));
                self.note(format!("{:?}", executor.submit(Job::Run("second")).err()));
                self.note(format!("{:?}", executor.schedule(Job::Run("third"), 1).err()));
            }
            Job::ShutDown => {
                for name in ["a", "b"] {
                    at(&self.ids).push_back(executor.submit(Job::Run(name)).map_err(|_| "rejected")?);
                }
                at(&self.ids).push_back(executor.schedule(Job::Run("due"), 0).map_err(|_| "rejected")?);
                at(&self.ids).push_back(executor.schedule(Job::Run("late"), HOUR_US).map_err(|_| "rejected")?);
                executor.shutdown();
                self.note(format!("{:?}", executor.phase()));
                self.note(format!("{:?}", executor.submit(Job::Run("never")).err()));
            }
        }
        Ok(0)
    }
}

/// Later than any test lasts.
pub const HOUR_US: u64 = 3_600_000_000;

/// An executor under test.
#[allow(async_fn_in_trait, reason = "used within one thread, without bounds on the future")]
pub trait Rig: Sized {
    /// Its type.
    type X: EventExecutor<Job>;

    /// A fresh one with that capacity, and a worker that leaves its traces in `seen`.
    fn new(capacity: usize, seen: &Seen) -> Self;

    /// The executor.
    fn x(&mut self) -> &mut Self::X;

    /// Lets it run until `is_reached`.
    async fn until(&mut self, is_reached: impl FnMut(&mut Self::X) -> bool);

    /// Lets it run until a task has ended; gives its outcome.
    async fn ended(&mut self, id: TaskId) -> OutcomeOf<Job> {
        self.until(|x| x.outcome(id) != Outcome::Pending).await;
        self.x().outcome(id)
    }
}

/// The default executor, natively or the page's.
pub struct DefaultRig<W> {
    executor: DefaultEventExecutor<Job>,
    patience: PhantomData<W>,
}

impl<W: Patience> Rig for DefaultRig<W> {
    type X = DefaultEventExecutor<Job>;

    fn new(capacity: usize, seen: &Seen) -> Self {
        let executor = DefaultEventExecutor::new(capacity);
        let (mut inner, seen) = (executor.clone(), seen.clone());
        executor.serve(move |job| seen.work(&mut inner, job));
        Self { executor, patience: PhantomData }
    }

    fn x(&mut self) -> &mut Self::X {
        &mut self.executor
    }

    async fn until(&mut self, mut is_reached: impl FnMut(&mut Self::X) -> bool) {
        while !is_reached(&mut self.executor) {
            W::a_little().await;
        }
    }
}

impl<W> Drop for DefaultRig<W> {
    fn drop(&mut self) {
        self.executor.shutdown();
    }
}

fn rig<R: Rig>(capacity: usize) -> (R, Seen) {
    let seen = Seen::default();
    (R::new(capacity, &seen), seen)
}

/// Checks everything.
pub async fn check<R: Rig>() {
    order::<R>().await;
    outcomes::<R>().await;
    cancelling::<R>().await;
    capacity::<R>().await;
    capacity_while_one_runs::<R>().await;
    cancelling_what_runs::<R>().await;
    submitting_from_inside::<R>().await;
    delays::<R>().await;
    shutdown_when_idle::<R>().await;
    shutdown_from_inside::<R>().await;
}

/// By due time, and among those of one time in the order in which they were given.
async fn order<R: Rig>() {
    let (mut rig, seen) = rig::<R>(9);
    let x = rig.x();
    for (name, delay_us) in [("late", 450_000), ("early", 150_000), ("tie 1", 300_000), ("tie 2", 300_000)] {
        x.schedule(Job::Run(name), delay_us).expect("room");
    }
    for name in ["now 1", "now 2", "now 3"] {
        x.submit(Job::Run(name)).expect("room");
    }
    rig.until(|x| x.pending() == 0).await;
    let last = rig.x().submit(Job::Value(0)).expect("room");
    rig.ended(last).await;
    assert_eq!(seen.names(), ["now 1", "now 2", "now 3", "early", "tie 1", "tie 2", "late"]);
}

/// Pending, then a value or an error; an error ends nothing but its task.
async fn outcomes<R: Rig>() {
    let (mut rig, _) = rig::<R>(9);
    let waits = rig.x().schedule(Job::Value(1), HOUR_US).expect("room");
    let value = rig.x().submit(Job::Value(42)).expect("room");
    let error = rig.x().submit(Job::Fail("on purpose")).expect("room");
    let after = rig.x().schedule(Job::Value(43), 1_000).expect("room");
    assert_eq!(rig.ended(value).await, Outcome::Value(42));
    assert_eq!(rig.ended(error).await, Outcome::Error("on purpose"));
    assert_eq!(rig.ended(after).await, Outcome::Value(43));
    assert_eq!(rig.x().outcome(waits), Outcome::Pending);
}

/// A cancelled task never runs; cancelling again does nothing.
async fn cancelling<R: Rig>() {
    let (mut rig, seen) = rig::<R>(9);
    let x = rig.x();
    let soon = x.schedule(Job::Run("cancelled"), 10_000).expect("room");
    let other = x.schedule(Job::Run("other"), 10_000).expect("room");
    assert!(x.cancel(soon));
    assert!(!x.cancel(soon));
    assert_eq!(x.outcome(soon), Outcome::Cancelled);
    rig.ended(other).await;
    assert_eq!(rig.x().outcome(soon), Outcome::Cancelled);
    assert!(!rig.x().cancel(other), "it has run");
    assert_eq!(seen.names(), ["other"]);
}

/// Exactly as many pending tasks as it may hold; a cancelled one frees its place.
async fn capacity<R: Rig>() {
    let (mut rig, seen) = rig::<R>(2);
    let x = rig.x();
    let first = x.schedule(Job::Run("first"), HOUR_US).expect("room");
    x.schedule(Job::Run("second"), 10_000).expect("room");
    assert_eq!(x.pending(), 2);
    assert_eq!(x.submit(Job::Run("third")), Err(Rejected::Capacity(2)));
    assert_eq!(x.schedule(Job::Run("third"), 5), Err(Rejected::Capacity(2)));
    assert!(x.cancel(first));
    assert_eq!(x.pending(), 1);
    let third = x.submit(Job::Run("third")).expect("room again");
    rig.ended(third).await;
    rig.until(|x| x.pending() == 0).await;
    let last = rig.x().submit(Job::Value(0)).expect("room");
    rig.ended(last).await;
    assert_eq!(seen.names(), ["third", "second"]);
}

/// The running task is not pending: with capacity 1 it may submit one, and not two.
async fn capacity_while_one_runs<R: Rig>() {
    let (mut rig, seen) = rig::<R>(1);
    let fill = rig.x().submit(Job::Fill).expect("room");
    assert_eq!(rig.ended(fill).await, Outcome::Value(0));
    rig.until(|x| x.pending() == 0).await;
    let last = rig.x().submit(Job::Value(0)).expect("room again");
    rig.ended(last).await;
    assert_eq!(seen.names(), ["true", "Some(Capacity(1))", "Some(Capacity(1))", "first"]);
}

/// Cancelling the running task changes nothing, not even the capacity.
async fn cancelling_what_runs<R: Rig>() {
    let (mut rig, seen) = rig::<R>(1);
    let id = rig.x().schedule(Job::Cancel, 30_000).expect("room");
    *at(&seen.target) = Some(id);
    assert_eq!(rig.ended(id).await, Outcome::Value(0), "it could not be cancelled, and gave its value");
    assert_eq!(rig.x().pending(), 0);
    rig.x().schedule(Job::Value(0), HOUR_US).expect("one has room");
    assert_eq!(rig.x().submit(Job::Value(0)), Err(Rejected::Capacity(1)), "and only one");
}

/// What a task submits runs after it, behind what waited already.
async fn submitting_from_inside<R: Rig>() {
    let (mut rig, seen) = rig::<R>(9);
    let id = rig.x().submit(Job::Submit("inner")).expect("room");
    rig.ended(id).await;
    let inner = at(&seen.ids).pop_front().expect("it submitted");
    assert_eq!(rig.ended(inner).await, Outcome::Value(0));
    assert_eq!(seen.names(), ["inner"]);
}

/// No delay is like a submit; the longest delay there is never comes. (A negative one cannot be written down.)
async fn delays<R: Rig>() {
    let (mut rig, seen) = rig::<R>(9);
    let x = rig.x();
    let never = x.schedule(Job::Run("never"), u64::MAX).expect("room");
    x.schedule(Job::Run("none"), 0).expect("room");
    let after = x.submit(Job::Run("submit")).expect("room");
    rig.ended(after).await;
    assert_eq!(seen.names(), ["none", "submit"]);
    assert_eq!(rig.x().outcome(never), Outcome::Pending);
}

/// Nothing to run: it finishes at once, drops what is not due, and rejects; doing it twice changes nothing.
async fn shutdown_when_idle<R: Rig>() {
    let (mut rig, seen) = rig::<R>(1);
    let late = rig.x().schedule(Job::Run("late"), HOUR_US).expect("room");
    assert_eq!(rig.x().phase(), Phase::Open);
    rig.x().shutdown();
    rig.until(|x| x.phase() == Phase::Finished).await;
    rig.x().shutdown();
    assert_eq!(rig.x().phase(), Phase::Finished);
    assert_eq!(rig.x().outcome(late), Outcome::NeverRan);
    assert_eq!(rig.x().pending(), 0);
    assert_eq!(rig.x().submit(Job::Run("x")), Err(Rejected::Shutdown), "asked before the capacity");
    assert_eq!(rig.x().schedule(Job::Run("x"), 1), Err(Rejected::Shutdown));
    assert!(!rig.x().cancel(late));
    assert!(seen.names().is_empty());
}

/// A task may shut its executor down: what is due still runs, then the executor finishes.
async fn shutdown_from_inside<R: Rig>() {
    let (mut rig, seen) = rig::<R>(9);
    let id = rig.x().submit(Job::ShutDown).expect("room");
    assert_eq!(rig.ended(id).await, Outcome::Value(0));
    rig.until(|x| x.phase() == Phase::Finished).await;
    assert_eq!(seen.names(), ["Draining", "Some(Shutdown)", "a", "b", "due"]);
    let outcomes: Vec<_> = at(&seen.ids).iter().map(|&id| rig.x().outcome(id)).collect();
    assert_eq!(outcomes, [Outcome::Value(0), Outcome::Value(0), Outcome::Value(0), Outcome::NeverRan]);
}
