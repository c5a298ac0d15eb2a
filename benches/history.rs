//! A run of a million events, natively: how long it takes to go anywhere in it, and how much memory it needs.

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    native::main();
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use raftwerk::raft::ReplicaId;
    use raftwerk::scenario::Record;
    use raftwerk::session::Session;
    use raftwerk::sim::{ClientOptions, Command, Stream, scale};

    #[expect(clippy::disallowed_types, reason = "this measures real time")]
    type Start = std::time::Instant;

    const EVENTS: u64 = 1_000_000;
    const TRIES: usize = 300;

    /// What this process has in memory, in bytes; 0 where that is not told.
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4_096
    }

    fn spread(mut ms: Vec<f64>) -> String {
        ms.sort_by(f64::total_cmp);
        format!("95th percentile {:.2} ms, median {:.2} ms", ms[ms.len() * 95 / 100], ms[ms.len() / 2])
    }

    fn measure(name: &str, every_us: u32) {
        let before = resident();
        let mut session = Session::open(Record::default()).expect("a good record");
        if every_us > 0 {
            session.act(Command::AddClient { options: ClientOptions::default() }).expect("there is room");
            session.act(Command::SetRate { client: 0, every_us }).expect("it is there");
        }
        while session.position() < EVENTS && session.step() {}
        let memory = (resident() - before) / 1_000_000;
        let mut luck = Stream::of_link(1, ReplicaId(1), ReplicaId(2));
        let mut seeks = Vec::new();
        let mut backs = Vec::new();
        for _ in 0..TRIES {
            let place = u64::from(scale(luck.draw(), u32::try_from(EVENTS).expect("it fits")));
            let start = Start::now();
            session.seek(place);
            seeks.push(start.elapsed().as_secs_f64() * 1_000.0);
            for _ in 0..3 {
                let start = Start::now();
                session.step_back();
                backs.push(start.elapsed().as_secs_f64() * 1_000.0);
            }
        }
        println!(
            "a million events, 5 replicas {name}, natively: seek to a random moment: {} (aim 5); step back: {} (aim 2); {memory} MB (aim 200)",
            spread(seeks),
            spread(backs)
        );
    }

    pub fn main() {
        if std::env::args().any(|arg| arg == "--test") {
            return;
        }
        measure("idle", 0);
        measure("with a client that sends 20 requests a second", 50_000);
    }
}
