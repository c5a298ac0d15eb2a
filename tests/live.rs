//! Three clients on three threads, in real time (`tests/web.rs` has the same in a browser).
#![cfg(not(target_arch = "wasm32"))]

#[path = "common/live.rs"]
mod live;

use raftwerk::raft::Form;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

struct Parks;

impl live::Patience for Parks {
    async fn a_little() {
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

fn run(form: Form) {
    match pin!(live::check::<Parks>(form)).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(()) => {}
        Poll::Pending => panic!("natively it blocks instead of waiting"),
    }
}

#[test]
fn three_clients_elect_and_hand_over_as_separate_events() {
    run(Form::SeparateEvents);
}

#[test]
fn three_clients_elect_and_hand_over_with_one_poll_event() {
    run(Form::OnePoll);
}
