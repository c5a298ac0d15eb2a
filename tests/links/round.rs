//! Encode and decode are each other's inverse, and links are short.

use crate::{common, schema};
use proptest::prelude::*;
use raftwerk::raft::ReplicaId;
use raftwerk::scenario::{Record, from_json, link, to_json};
use raftwerk::session::Session;
use raftwerk::sim::{Command, EventName};

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// B14: what comes back is what was shared, in a link as in a file, and sharing twice gives the same text.
    #[test]
    fn b14_any_scenario_comes_back_as_it_was(seed: u64) {
        let text = schema::anything(seed).to_string();
        let record = from_json(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let fragment = link::encode(&record);
        prop_assert_eq!(link::decode(&fragment), Ok(Some(record.clone())));
        let again = from_json(&to_json(&record));
        prop_assert_eq!(again.as_ref(), Ok(&record));
        prop_assert_eq!(link::encode(&record), fragment);
    }

    /// B03: nothing in a link needs escaping, and what escapes it anyway does no harm. B05: it ends in a letter or digit.
    #[test]
    fn b03_b05_a_link_is_made_of_letters_that_nothing_eats(seed: u64) {
        let record = from_json(&schema::anything(seed).to_string()).expect("a good scenario");
        let fragment = link::encode(&record);
        prop_assert!(fragment.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter)));
        prop_assert!(fragment.ends_with(|letter: char| letter.is_ascii_alphanumeric()));
        let escape = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_string() } else { format!("%{:02X}", u32::from(letter)) };
        let escaped: String = fragment.chars().map(escape).collect();
        prop_assert_eq!(link::decode(&escaped), Ok(Some(record)));
    }
}

/// All that can be said is said by some scenario of those that are tried.
#[test]
fn any_scenario_is_any() {
    let mut said = std::collections::BTreeSet::new();
    for seed in 0..300 {
        said.extend(schema::said(&schema::anything(seed)));
    }
    let missing: Vec<String> = schema::all().difference(&said).cloned().collect();
    assert!(missing.is_empty(), "never said: {missing:?}");
}

#[test]
fn b03_b08_names_come_back_exactly() {
    let names =
        ["50% & up", "a+b=c?#/", "节点 ①", "👩‍👩‍👧‍👦", "__proto__", "constructor", "toString", "hasOwnProperty", "NaN", ""];
    let record = Record { replicas: 10, names: names.map(str::to_owned).to_vec(), ..Record::default() };
    let again = link::decode(&link::encode(&record)).expect("a good link").expect("a link");
    assert_eq!(again.names, names);
    assert_eq!(from_json(&to_json(&record)).expect("a good file").names, names);
}

/// Fifty things done by hand, as somebody does who clicks while events pass.
fn by_hand(seed: u64) -> Session {
    let mut session = Session::open(common::record(seed * 2)).expect("it opens");
    let mut done = 0;
    let mut turn = 0_u64;
    while done < 50 {
        turn += 1;
        for _ in 0..turn % 7 {
            session.step();
        }
        let gap_us = session.next_due_us() - session.sim().now_us();
        session.set_playhead(session.sim().now_us() + gap_us / 2);
        let count = session.sim().replicas();
        let id = |n: u64| ReplicaId(u8::try_from(n % u64::from(count)).expect("small"));
        let (one, other) = (id(turn), id(turn / 3 + 1));
        let flying = session.sim().pending().into_iter().map(|event| event.name);
        let flying = flying.filter_map(|name| match name {
            EventName::Delivery { from, to, number, is_copy } => Some((from, to, number, is_copy)),
            _ => None,
        });
        let first = flying.into_iter().next();
        let command = match (turn % 8, first) {
            (0, _) => Command::Crash { replica: one, keep_unflushed: false },
            (1, _) => Command::Restart { replica: id(turn - 1), is_wiped: false },
            (2, Some((from, to, number, is_copy))) => Command::Drop { from, to, number, is_copy },
            (3, _) => Command::SetCut { from: one, to: other, is_cut: true },
            (4, _) => Command::Heal,
            (5, Some((from, to, number, is_copy))) => Command::Delay { from, to, number, is_copy, by_us: 250_000 },
            (6, Some((from, to, number, is_copy))) => {
                Command::RunNow { event: EventName::Delivery { from, to, number, is_copy } }
            }
            _ => Command::Append { replica: one, key: 1, value: turn, count: 1 },
        };
        done += u32::from(session.act(command).is_ok());
    }
    session
}

#[test]
fn fifty_commands_by_hand_stay_under_600_characters() {
    let lengths: Vec<usize> = (0..20).map(|seed| link::encode(&by_hand(seed).record()).len()).collect();
    assert!(lengths.iter().all(|&length| length < 600), "{lengths:?}");
}

/// B19: seeds that JavaScript would round are different runs.
#[test]
fn b19_seeds_are_kept_digit_for_digit() {
    let digest = |seed: u64| {
        let record = Record { seed, ..Record::default() };
        let again = from_json(&to_json(&record)).expect("a good file");
        assert_eq!(again.seed, seed);
        let mut session = Session::open(again).expect("it opens");
        session.seek(200);
        session.digests().run
    };
    let all: std::collections::BTreeSet<u64> =
        [0, 9_007_199_254_740_991, 9_007_199_254_740_992, 9_007_199_254_740_993, u64::MAX].map(digest).into();
    assert_eq!(all.len(), 5);
}
