//! Once warm, an event allocates nothing.

use raftwerk::raft::{Any, ClientSettings, Family, Form, ProtocolSettings};
use raftwerk::sim::{LinkConditions, Sim, SimSettings};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn a_warm_idle_cluster_allocates_nothing() {
    for form in [Form::SeparateEvents, Form::OnePoll] {
        for family in Family::ALL {
            allocates_nothing(ProtocolSettings::of(family), ClientSettings { form, ..ClientSettings::default() });
        }
    }
}

fn allocates_nothing(protocol: ProtocolSettings, client: ClientSettings) {
    let settings =
        SimSettings { replicas: 5, seed: 1, links: LinkConditions::default(), client, protocol, disks: Vec::new() };
    let mut sim = Sim::<Any>::new(settings);
    for _ in 0..20_000 {
        sim.step();
    }
    let region = Region::new(ALLOCATOR);
    for _ in 0..20_000 {
        sim.step();
    }
    let change = region.change();
    assert_eq!((change.allocations, change.reallocations), (0, 0), "{change:?}");
    // The counter counts.
    let region = Region::new(ALLOCATOR);
    let boxed = std::hint::black_box(Box::new(7));
    assert_eq!(region.change().allocations, 1, "{boxed}");
}
