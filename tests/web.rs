//! In a browser: the same links give the same digests as natively, the page's executor keeps the contract of all
//! executors, and three clients run on browser timers.
//!
//! The expected digests are written by the native half of this test (`cargo xtask fix`), so both halves hold the code
//! to one file.

#[cfg(target_arch = "wasm32")]
#[path = "common/contract.rs"]
mod contract;
#[cfg(target_arch = "wasm32")]
#[path = "common/live.rs"]
mod live;
#[cfg(target_arch = "wasm32")]
#[path = "common/patience.rs"]
mod patience;

const GOLDEN: &str = include_str!("golden/links.txt");

fn check_all() -> usize {
    let mut count = 0;
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_once(' ').expect("a name");
        let (fragment, expected) = rest.split_once(' ').expect("a link and three digests");
        assert_eq!(digests(fragment), expected, "{name}");
        count += 1;
    }
    count
}

fn digests(fragment: &str) -> String {
    let record = raftwerk::scenario::link::decode(fragment).expect("a good link").expect("a link");
    let session = raftwerk::session::Session::open(record).expect("it opens");
    let digests = session.digests();
    format!("{:016x} {:016x} {:016x}", digests.state, digests.protocol, digests.run)
}

#[cfg(target_arch = "wasm32")]
mod browser {
    use super::contract::{self, DefaultRig, Job, Rig, Seen};
    use super::live;
    use super::patience::Timers;
    use raftwerk::executor::{EventExecutor, Outcome};
    use raftwerk::raft::{Family, Form};
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    wasm_bindgen_test_configure!(run_in_browser);

    #[wasm_bindgen_test]
    fn links_give_the_native_digests_in_wasm() {
        assert!(super::check_all() >= 20);
    }

    #[wasm_bindgen_test]
    async fn the_pages_default_keeps_the_contract() {
        contract::check::<DefaultRig<Timers>>().await;
    }

    #[wasm_bindgen_test]
    async fn a_delay_is_never_cut_short() {
        let seen = Seen::default();
        let mut rig = DefaultRig::<Timers>::new(1, &seen);
        for delay_us in [1, 999, 1_000, 25_300, 100_000] {
            let before_us = rig.x().now_us();
            let id = rig.x().schedule(Job::Value(42), delay_us).expect("room");
            assert_eq!(rig.ended(id).await, Outcome::Value(42));
            assert!(rig.x().now_us() - before_us >= delay_us, "{delay_us} µs");
        }
    }

    #[wasm_bindgen_test]
    async fn three_clients_elect_and_hand_over_as_separate_events() {
        for family in Family::ALL {
            live::check::<Timers>(family, Form::SeparateEvents).await;
        }
    }

    #[wasm_bindgen_test]
    async fn three_clients_elect_and_hand_over_with_one_poll_event() {
        for family in Family::ALL {
            live::check::<Timers>(family, Form::OnePoll).await;
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn links_give_the_digests_on_file() {
    assert!(check_all() >= 75);
}
