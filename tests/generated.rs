//! Files that are made from code are what the code makes. `cargo xtask fix` writes them anew.

use std::fmt::Write;
use std::path::Path;

/// The hues of epochs: a golden angle apart, so that neighbours never look alike; 137.5 degrees repeat after 144.
fn epochs_css() -> String {
    let mut css = String::from("/* Made by tests/generated.rs: hue n = 25 + 137.5 n degrees. */\n");
    for epoch in 0..144_u32 {
        let tenths = (250 + 1375 * epoch) % 3600;
        let hue = if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) };
        writeln!(css, ".e{epoch}{{--h:{hue}}}").expect("a string takes everything");
    }
    css
}

fn check(name: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("RAFTWERK_WRITE").is_some() {
        std::fs::write(&path, wanted).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&path).expect("the file is there");
    assert!(found == wanted, "{name} is old; run `cargo xtask fix`");
}

#[test]
fn the_epoch_hues_are_what_the_formula_gives() {
    check("www/epochs.css", &epochs_css());
}

#[test]
fn the_links_on_file_are_their_scenarios() {
    for name in ["newcomer", "kraft", "figure-7", "figure-8d"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{name}.json"));
        let text = std::fs::read_to_string(path).expect("the file is there");
        let record = raftwerk::scenario::from_json(&text).expect("a good scenario");
        check(&format!("scenarios/{name}.link"), &raftwerk::scenario::link::encode(&record));
        assert!(name != "newcomer" || record == raftwerk::scenario::Record::newcomer(), "the page's own newcomer");
    }
}

/// A cluster of 25 with a leader, and a client that appends twenty records a second for half a minute.
#[test]
fn the_busy_link_is_what_the_page_is_measured_with() {
    use raftwerk::scenario::Record;
    use raftwerk::session::Session;
    use raftwerk::sim::Command;
    let record = Record { replicas: 25, title: "Twenty records a second".into(), ..Record::default() };
    let mut session = Session::open(record).expect("a good record");
    while session.sim().now_us() < 5_000_000 {
        assert!(session.step());
    }
    let (leader, _) = session.leader().expect("it has a leader by now");
    let begins = session.position();
    for value in 0..600 {
        let at_us = 5_000_000 + value * 50_000;
        while session.next_due_us() < at_us {
            assert!(session.step());
        }
        session.set_playhead(at_us);
        session.act(Command::Append { replica: leader, key: 1, value, count: 1 }).expect("it leads");
    }
    let record = Record { position: begins, playhead_us: 0, ..session.record() };
    check("tests/e2e/busy.link", &raftwerk::scenario::link::encode(&record));
}
