//! Checked events a second, natively: deliveries, timers and commands, with all invariants on.

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    native::main();
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use criterion::{BatchSize, Criterion, Throughput};
    use raftwerk::scenario::Record;
    use raftwerk::session::Session;
    use raftwerk::sim::Sim;

    const EVENTS: u64 = 100_000;

    fn idle(c: &mut Criterion) {
        let mut group = c.benchmark_group("idle");
        group.throughput(Throughput::Elements(EVENTS)).sample_size(10);
        for replicas in [5, 25] {
            let session = Session::open(Record { replicas, ..Record::default() }).expect("a good record");
            let mut sim = session.sim().clone();
            for _ in 0..20_000 {
                sim.step();
            }
            let run = |mut sim: Sim<_>| {
                for _ in 0..EVENTS {
                    sim.step();
                }
                sim
            };
            let name = format!("{replicas} replicas, {EVENTS} checked events");
            group.bench_function(name, |b| b.iter_batched(|| sim.clone(), run, BatchSize::LargeInput));
        }
        group.finish();
    }

    pub fn main() {
        let mut criterion = Criterion::default().configure_from_args();
        idle(&mut criterion);
        criterion.final_summary();
    }
}
