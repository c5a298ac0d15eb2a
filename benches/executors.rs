//! What an executor costs by how much waits on it, and what the two forms of a client's work cost against each other.

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    native::main();
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use criterion::{BatchSize, BenchmarkId, Criterion};
    use raftwerk::executor::{EventExecutor, MockEventExecutor, MockTime, Work};
    use raftwerk::raft::Any;
    use raftwerk::raft::{ClientSettings, Form};
    use raftwerk::scenario::Record;
    use raftwerk::session::Session;
    use raftwerk::sim::Sim;
    use std::time::Duration;

    #[expect(clippy::disallowed_types, reason = "this measures real time")]
    type Start = std::time::Instant;

    #[derive(Clone, Debug)]
    struct Nothing;

    impl Work for Nothing {
        type Value = ();
        type Error = ();
    }

    /// An executor on which so many tasks wait, spread over a million microseconds from a second on.
    fn filled(pending: u64) -> MockEventExecutor<Nothing> {
        let mut executor = MockEventExecutor::for_simulation();
        for n in 0..pending {
            let spread_us = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1_000_000;
            executor.schedule(Nothing, 1_000_000 + spread_us).expect("it is open");
        }
        executor
    }

    fn one_task(c: &mut Criterion) {
        let mut group = c.benchmark_group("one task with so many pending");
        for pending in [10, 1_000, 100_000] {
            let time = MockTime::at(0);
            group.bench_function(BenchmarkId::new("submit and poll", pending), |b| {
                let mut executor = filled(pending);
                b.iter(|| {
                    executor.submit(Nothing).expect("it is open");
                    assert!(executor.poll(&time, |_, Nothing| Ok(())));
                });
            });
            group.bench_function(BenchmarkId::new("schedule and poll", pending), |b| {
                let mut executor = filled(pending);
                // Time goes on to whatever is due first, so as many wait after each turn as before it.
                let mut now = MockTime::at(0);
                b.iter(|| {
                    executor.schedule(Nothing, 1_500_000).expect("it is open");
                    let due_us = executor.next_due_us();
                    now.set_us(due_us.max(now.now_us()));
                    assert!(executor.poll(&now, |_, Nothing| Ok(())));
                });
            });
            group.bench_function(BenchmarkId::new("schedule and cancel", pending), |b| {
                let mut executor = filled(pending);
                b.iter(|| {
                    let id = executor.schedule(Nothing, 1_500_000).expect("it is open");
                    assert!(executor.cancel(id));
                });
            });
        }
        group.finish();
    }

    fn warm(replicas: u8, form: Form) -> Sim<Any> {
        let client = ClientSettings { form, poll_state_max_age_ms: 0 };
        let record = Record { replicas, client, ..Record::default() };
        let session = Session::open(record).expect("a good record");
        let mut sim = session.sim().clone();
        run_until(&mut sim, 20_000_000);
        sim
    }

    fn run_until(sim: &mut Sim<Any>, until_us: u64) {
        while sim.next_due_us() <= until_us && sim.step() {}
    }

    const VIRTUAL_US: u64 = 60_000_000;

    fn forms(c: &mut Criterion) {
        let mut group = c.benchmark_group("a virtual minute");
        group.sample_size(10);
        for replicas in [3, 5, 9, 25] {
            for (form, name) in [(Form::OnePoll, "one poll event"), (Form::SeparateEvents, "separate events")] {
                let sim = warm(replicas, form);
                let until_us = sim.now_us() + VIRTUAL_US;
                group.bench_function(BenchmarkId::new(name, replicas), |b| {
                    b.iter_batched(|| sim.clone(), |mut sim| run_until(&mut sim, until_us), BatchSize::LargeInput);
                });
            }
        }
        group.finish();
    }

    /// The ratio of both forms, taken in turns so that a noisy machine is noisy for both.
    fn ratio() {
        for replicas in [3, 5, 9, 25] {
            let sims = [warm(replicas, Form::OnePoll), warm(replicas, Form::SeparateEvents)];
            let mut ratios: Vec<f64> = (0..25)
                .map(|_| {
                    let [one_poll, separate] = [0, 1].map(|form: usize| {
                        let mut sim = sims[form].clone();
                        let until_us = sim.now_us() + VIRTUAL_US;
                        let start = Start::now();
                        run_until(&mut sim, until_us);
                        start.elapsed()
                    });
                    seconds(separate) / seconds(one_poll)
                })
                .collect();
            ratios.sort_by(f64::total_cmp);
            println!(
                "{replicas:>2} replicas: separate events cost {:.2} times one poll event (aim: at most 1.2; {:.2} to {:.2})",
                ratios[ratios.len() / 2],
                ratios[4],
                ratios[ratios.len() - 5]
            );
        }
    }

    fn seconds(duration: Duration) -> f64 {
        duration.as_secs_f64().max(1e-9)
    }

    pub fn main() {
        let mut criterion = Criterion::default().configure_from_args().warm_up_time(Duration::from_secs(1));
        one_task(&mut criterion);
        forms(&mut criterion);
        if !std::env::args().any(|arg| arg == "--test") {
            ratio();
        }
        criterion.final_summary();
    }
}
