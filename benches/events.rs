//! Checked events a second, natively: deliveries, timers and commands, with all invariants on.

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    native::main();
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use criterion::{BatchSize, Criterion, Throughput};
    use raftwerk::raft::ReplicaId;
    use raftwerk::raft::kraft::KRaft;
    use raftwerk::scenario::Record;
    use raftwerk::session::Session;
    use raftwerk::sim::{Compiled, Sim};

    #[expect(clippy::disallowed_types, reason = "this measures real time")]
    type Start = std::time::Instant;

    const EVENTS: u64 = 100_000;
    /// Twenty a second.
    const APPEND_EVERY_US: u64 = 50_000;

    /// A cluster that has had a leader for a while, and the leader.
    fn warm(replicas: u8) -> (Sim<KRaft>, ReplicaId) {
        let mut session = Session::open(Record { replicas, ..Record::default() }).expect("a good record");
        while session.sim().steps() < 20_000 {
            session.step();
        }
        let (leader, _) = session.leader().expect("it has a leader by now");
        (session.sim().clone(), leader)
    }

    fn events(c: &mut Criterion) {
        let mut group = c.benchmark_group("checked events");
        group.throughput(Throughput::Elements(EVENTS)).sample_size(10);
        for (replicas, append_every_us, name) in
            [(5, 0, "idle"), (25, 0, "idle"), (5, APPEND_EVERY_US, "at 20 appends a second")]
        {
            let (sim, leader) = warm(replicas);
            let run = |mut sim: Sim<KRaft>| {
                KRaft::run_events(&mut sim, EVENTS, leader, append_every_us);
                sim
            };
            let name = format!("{replicas} replicas {name}, {EVENTS} events");
            group.bench_function(name, |b| b.iter_batched(|| sim.clone(), run, BatchSize::LargeInput));
        }
        group.finish();
    }

    /// A million events, in quarters: the rate must not fall as the log grows.
    fn million() {
        for (append_every_us, name) in [(0, "idle"), (APPEND_EVERY_US, "at 20 appends a second")] {
            let (mut sim, leader) = warm(5);
            let mut rates = Vec::new();
            for _ in 0..4 {
                let start = Start::now();
                KRaft::run_events(&mut sim, 250_000, leader, append_every_us);
                rates.push(format!("{:.2}", 0.25 / start.elapsed().as_secs_f64()));
            }
            let records = sim.log(leader).map_or(0, raftwerk::raft::Log::end_offset);
            println!(
                "5 replicas {name}, a million events in quarters: {} million a second; {records} records at the end",
                rates.join(", ")
            );
        }
    }

    /// What live checking costs, in turns so that a noisy machine is noisy to both.
    fn checking() {
        for (append_every_us, name) in [(0, "idle"), (APPEND_EVERY_US, "at 20 appends a second")] {
            let (sim, leader) = warm(5);
            let (mut checked, mut unchecked) = (sim.clone(), sim);
            unchecked.stop_checking();
            let mut took = [0.0; 2];
            for _ in 0..10 {
                for (sim, took) in [&mut checked, &mut unchecked].into_iter().zip(&mut took) {
                    let start = Start::now();
                    KRaft::run_events(sim, 50_000, leader, append_every_us);
                    *took += start.elapsed().as_secs_f64();
                }
            }
            let share = (took[0] - took[1]) / took[0] * 100.0;
            println!("5 replicas {name}: live checking takes {share:.1} % of the run's time (aim at most 33 %)");
        }
    }

    pub fn main() {
        let mut criterion = Criterion::default().configure_from_args();
        events(&mut criterion);
        if !std::env::args().any(|arg| arg == "--test") {
            million();
            checking();
        }
        criterion.final_summary();
    }
}
