//! Three clients on three threads, in real time (`tests/web.rs` has the same in a browser).
#![cfg(not(target_arch = "wasm32"))]

#[path = "common/live.rs"]
mod live;
#[path = "common/patience.rs"]
mod patience;

use patience::{Blocks, ready};
use raftwerk::raft::{Family, Form};

#[test]
fn three_clients_elect_and_hand_over_as_separate_events() {
    for family in Family::ALL {
        ready(live::check::<Blocks>(family, Form::SeparateEvents));
    }
}

#[test]
fn three_clients_elect_and_hand_over_with_one_poll_event() {
    for family in Family::ALL {
        ready(live::check::<Blocks>(family, Form::OnePoll));
    }
}
