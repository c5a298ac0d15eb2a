//! In a browser: the same links give the same digests as natively.
//!
//! The expected values are written by the native half of this test (`cargo xtask fix`), so both halves hold the code to
//! one file.

const GOLDEN: &str = include_str!("golden/digests.txt");

fn check_all() -> usize {
    let mut count = 0;
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        let (fragment, expected) = line.split_once(' ').expect("a link and three digests");
        assert_eq!(digests(fragment), expected, "{fragment}");
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
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    wasm_bindgen_test_configure!(run_in_browser);

    #[wasm_bindgen_test]
    fn links_give_the_native_digests_in_wasm() {
        assert!(super::check_all() >= 20);
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod common;

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn links_give_the_digests_on_file() {
    if std::env::var_os("RAFTWERK_WRITE").is_some() {
        let mut lines = vec!["# Runs with faults: link, then state, protocol and run digest.".to_owned()];
        for seed in 1_000..1_030 {
            let fragment = raftwerk::scenario::link::encode(&common::faulty_run(seed, 500).record());
            lines.push(format!("{fragment} {}", digests(&fragment)));
        }
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/digests.txt");
        std::fs::write(path, lines.join("\n") + "\n").expect("the file can be written");
        return;
    }
    assert!(check_all() >= 20);
}
