//! Checked events a second, natively: deliveries, timers and commands, with all invariants on.

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    native::main();
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use criterion::{BatchSize, Criterion, Throughput};
    use raftwerk::raft::classic::Classic;
    use raftwerk::raft::kraft::KRaft;
    use raftwerk::raft::{Any, Family, ProtocolSettings, ReplicaId};
    use raftwerk::scenario::Record;
    use raftwerk::session::Session;
    use raftwerk::sim::{Compiled, Sim, SimSettings};

    #[expect(clippy::disallowed_types, reason = "this measures real time")]
    type Start = std::time::Instant;

    const EVENTS: u64 = 100_000;
    /// Twenty a second.
    const APPEND_EVERY_US: u64 = 50_000;

    const FAMILIES: [(Family, &str); 2] = [(Family::KRaft, "KRaft"), (Family::Classic, "Raft")];

    /// A cluster that has had a leader for a while, and the leader.
    fn warm(family: Family, replicas: u8) -> (Sim<Any>, ReplicaId) {
        let mut session = Session::open(Record { replicas, ..Record::of(family) }).expect("a good record");
        while session.sim().steps() < 20_000 {
            session.step();
        }
        let (leader, _) = session.leader().expect("it has a leader by now");
        (session.sim().clone(), leader)
    }

    fn events(c: &mut Criterion) {
        let mut group = c.benchmark_group("checked events");
        group.throughput(Throughput::Elements(EVENTS)).sample_size(10);
        for (family, protocol) in FAMILIES {
            for (replicas, append_every_us, name) in
                [(5, 0, "idle"), (25, 0, "idle"), (5, APPEND_EVERY_US, "at 20 appends a second")]
            {
                let (sim, leader) = warm(family, replicas);
                let run = |mut sim: Sim<Any>| {
                    Any::run_events(&mut sim, EVENTS, leader, append_every_us);
                    sim
                };
                let name = format!("{protocol}, {replicas} replicas {name}, {EVENTS} events");
                group.bench_function(name, |b| b.iter_batched(|| sim.clone(), run, BatchSize::LargeInput));
            }
        }
        group.finish();
    }

    fn cases() -> impl Iterator<Item = ((Family, &'static str), (u64, &'static str))> {
        let loads = [(0, "idle"), (APPEND_EVERY_US, "at 20 appends a second")];
        FAMILIES.into_iter().flat_map(move |family| loads.into_iter().map(move |load| (family, load)))
    }

    /// A protocol by itself, warmed up like the other.
    fn alone<P: Compiled>(protocol: P::Settings, like: &Sim<Any>) -> Sim<P> {
        let &SimSettings { replicas, seed, links, client, .. } = like.settings();
        let mut sim = Sim::new(SimSettings { replicas, seed, links, client, protocol, disks: Vec::new() });
        P::run_events(&mut sim, like.steps(), ReplicaId(0), 0);
        sim
    }

    fn compare<P: Compiled>(name: &str, mut any: Sim<Any>, mut own: Sim<P>, leader: ReplicaId) {
        let mut took = [0.0; 2];
        for _ in 0..10 {
            let start = Start::now();
            Any::run_events(&mut any, 50_000, leader, APPEND_EVERY_US);
            took[0] += start.elapsed().as_secs_f64();
            let start = Start::now();
            P::run_events(&mut own, 50_000, leader, APPEND_EVERY_US);
            took[1] += start.elapsed().as_secs_f64();
        }
        let more = (took[0] / took[1] - 1.0) * 100.0;
        println!("{name}, 5 replicas at 20 appends a second: as one of several protocols {more:+.1} % of its own time");
    }

    /// What it costs to run a protocol as one of several, in turns.
    fn housing() {
        for (family, name) in FAMILIES {
            let (any, leader) = warm(family, 5);
            match any.settings().protocol.clone() {
                ProtocolSettings::KRaft(settings) => {
                    let own = alone::<KRaft>(settings, &any);
                    compare(name, any, own, leader);
                }
                ProtocolSettings::Classic(settings) => {
                    let own = alone::<Classic>(settings, &any);
                    compare(name, any, own, leader);
                }
            }
        }
    }

    /// A million events, in quarters: the rate must not fall as the log grows.
    fn million() {
        for ((family, protocol), (append_every_us, name)) in cases() {
            let (mut sim, leader) = warm(family, 5);
            let mut rates = Vec::new();
            for _ in 0..4 {
                let start = Start::now();
                Any::run_events(&mut sim, 250_000, leader, append_every_us);
                rates.push(format!("{:.2}", 0.25 / start.elapsed().as_secs_f64()));
            }
            let records = sim.log(leader).map_or(0, raftwerk::raft::Log::end_offset);
            println!(
                "{protocol}, 5 replicas {name}, a million events in quarters: {} million a second; {records} records at the end",
                rates.join(", ")
            );
        }
    }

    /// What live checking costs, in turns so that a noisy machine is noisy to both.
    fn checking() {
        for ((family, protocol), (append_every_us, name)) in cases() {
            let (sim, leader) = warm(family, 5);
            let (mut checked, mut unchecked) = (sim.clone(), sim);
            unchecked.stop_checking();
            let mut took = [0.0; 2];
            for _ in 0..10 {
                for (sim, took) in [&mut checked, &mut unchecked].into_iter().zip(&mut took) {
                    let start = Start::now();
                    Any::run_events(sim, 50_000, leader, append_every_us);
                    *took += start.elapsed().as_secs_f64();
                }
            }
            let share = (took[0] - took[1]) / took[0] * 100.0;
            println!(
                "{protocol}, 5 replicas {name}: live checking takes {share:.1} % of the run's time (aim at most 33 %)"
            );
        }
    }

    pub fn main() {
        let mut criterion = Criterion::default().configure_from_args();
        events(&mut criterion);
        if !std::env::args().any(|arg| arg == "--test") {
            million();
            checking();
            housing();
        }
        criterion.final_summary();
    }
}
