//! A million payloads from strangers: random, cut, and changed before the checksum is made anew. None makes a panic, takes
//! longer than a second or more than 64 MB, and enough of them come far: one in ten to the validator, one in a hundred to a
//! replay.
#![cfg(not(target_arch = "wasm32"))]
#![expect(clippy::disallowed_types, reason = "how long a stranger can hold the page is real time")]

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec;
use peak_alloc::PeakAlloc;
use raftwerk::raft::ReplicaId;
use raftwerk::scenario::link::{self, LinkError};
use raftwerk::scenario::{Code, Record, from_json};
use raftwerk::session::Opening;
use raftwerk::sim::{Command, Plan, Stream, scale};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The allocator counts for the whole process, so the tests of this file run one after another.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const PAYLOADS: u64 = 1_000_000;
/// Steps of a replay here, of most and of some; a longer one can be cut anywhere, as the page does. Most commands of the
/// list stand before the second.
const STEPS: u64 = 30;
const STEPS_OF_SOME: u64 = 500;

struct Lot {
    luck: Stream,
    /// Unpacked records of the list of links.
    plain: Vec<Vec<u8>>,
    links: Vec<String>,
}

impl Lot {
    fn new() -> Self {
        let list = include_str!("golden/links.txt").lines().filter(|line| !line.starts_with('#'));
        let links: Vec<String> = list.filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect();
        let plain = links.iter().map(|link| v1_plain(link));
        Self { luck: Stream::of_link(8, ReplicaId(0), ReplicaId(1)), plain: plain.collect(), links }
    }

    fn draw(&mut self, bound: usize) -> usize {
        scale(self.luck.draw(), u32::try_from(bound).expect("small")) as usize
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.draw(256)).expect("a byte")
    }

    /// Changes some bytes: to near ones, to any, to the largest; takes some out, and puts some in.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.draw(3) {
            if bytes.is_empty() {
                return;
            }
            let place = self.draw(bytes.len());
            match self.draw(7) {
                0 => bytes[place] ^= 1 << self.draw(8),
                1 | 2 => bytes[place] = bytes[place].wrapping_add(1),
                3 => bytes[place] = self.byte(),
                4 => bytes[place] = 0xff,
                5 => drop(bytes.remove(place)),
                _ => {
                    let byte = self.byte();
                    bytes.insert(place, byte);
                }
            }
        }
    }

    fn payload(&mut self, turn: u64) -> String {
        let place = self.draw(self.plain.len());
        match turn % 8 {
            // The checksum is right: changed records as they are, or deflated, and changed deflated bytes.
            0 | 2 | 4 => {
                let mut plain = self.plain[place].clone();
                self.mutate(&mut plain);
                plain.insert(0, 0);
                seal(&plain)
            }
            6 => {
                let mut packed = compress_to_vec(&self.plain[place], 1);
                if self.draw(2) == 0 {
                    self.mutate(&mut packed);
                }
                packed.insert(0, 1);
                seal(&packed)
            }
            // It is not.
            1 | 3 => {
                let mut text = self.links[place].clone().into_bytes();
                self.mutate(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
            5 => {
                let end = self.draw(self.links[place].len());
                self.links[place][..end].to_owned()
            }
            _ => {
                let length = self.draw(300);
                (0..length).map(|_| char::from(self.byte())).collect()
            }
        }
    }
}

/// A link of bytes, with the right checksum.
fn seal(bytes: &[u8]) -> String {
    let text = format!("1.{}", URL_SAFE_NO_PAD.encode(bytes));
    let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(text.as_bytes());
    text + &URL_SAFE_NO_PAD.encode(sum.to_be_bytes())
}

#[path = "../fuzz/once.rs"]
mod once;

/// What the fuzzer does, done some thousand times.
#[test]
fn what_is_read_is_written_and_read_again_as_the_same() {
    let _alone = alone();
    let mut lot = Lot::new();
    for turn in 0..6_000_u32 {
        let place = lot.draw(lot.plain.len());
        let mut bytes = lot.plain[place].clone();
        bytes.insert(0, 0);
        if turn % 3 > 0 {
            lot.mutate(&mut bytes);
        }
        if turn % 64 == 1 {
            bytes = lot.links[place].clone().into_bytes();
        }
        once::once(&bytes);
    }
    once::once(include_bytes!("../scenarios/figure-7.json"));
    once::once(b"");
}

/// A run that says the most that a short link can: each may take a second at most, and 64 MB.
#[test]
fn little_that_asks_for_much_is_refused_or_done_in_time() {
    let _alone = alone();
    // Plans that all come due at once, and cannot be carried out.
    let mut record = Record::default();
    let command = Command::Resume { replica: ReplicaId(0) };
    record.plans = vec![Plan { at_us: 0, command }; 100_000];
    let link = link::encode(&record);
    assert!(link.len() < 1_000, "{} characters", link.len());
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage_as_mb();
    let start = Instant::now();
    let record = link::decode(&link).expect("it is good").expect("it is a link");
    let mut opening = Opening::new(record).expect("it opens");
    assert!(opening.go_on(1).is_ok());
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert!(ALLOCATOR.peak_usage_as_mb() - before < 64.0);
    // The same section twenty times.
    let once = v1_plain(&link);
    let mut many = once.clone();
    // format, behaviour, protocol with two empty lists, replicas, seed, one section.
    assert_eq!(many[..7], [1, 1, 0, 0, 0, 5, 1]);
    many[7] = 20;
    for _ in 1..20 {
        many.extend_from_slice(&once[8..]);
    }
    let mut packed = compress_to_vec(&many, 9);
    packed.insert(0, 1);
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage_as_mb();
    assert!(link::decode(&seal(&packed)).is_err());
    assert!(ALLOCATOR.peak_usage_as_mb() - before < 64.0);
}

/// The unpacked record of a link.
fn v1_plain(link: &str) -> Vec<u8> {
    let bytes = URL_SAFE_NO_PAD.decode(&link[2..link.len() - 6]).expect("a good link");
    if bytes[0] == 0 { bytes[1..].to_vec() } else { decompress_to_vec(&bytes[1..]).expect("a good link") }
}

#[test]
fn a_million_payloads_do_no_harm() {
    let _alone = alone();
    let mut lot = Lot::new();
    let (mut validated, mut replayed, mut finished) = (0_u64, 0_u64, 0_u64);
    let (mut longest, mut most) = (Duration::ZERO, 0.0_f32);
    for turn in 0..PAYLOADS {
        let payload = lot.payload(turn);
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage_as_mb();
        let start = Instant::now();
        match link::decode(&payload) {
            Ok(None) => assert!(payload.trim_start_matches('#').is_empty(), "{payload}"),
            Ok(Some(record)) => {
                validated += 1;
                let steps = if turn % 32 == 0 { STEPS_OF_SOME } else { STEPS };
                if let Ok(mut opening) = Opening::new(record) {
                    let is_done = opening.go_on(steps);
                    // Some end before their first step.
                    replayed += u64::from(opening.progress().0 > 0 || is_done == Ok(true));
                    if is_done == Ok(true) && opening.finish().is_ok() {
                        finished += 1;
                    }
                }
            }
            Err(LinkError::Invalid(error)) if error.code == Code::Shape && error.path == "record" => {}
            Err(LinkError::Invalid(_)) => validated += 1,
            Err(LinkError::Damaged | LinkError::Unknown(_)) => {}
        }
        longest = longest.max(start.elapsed());
        most = most.max(ALLOCATOR.peak_usage_as_mb() - before);
    }
    println!(
        "{validated} came to the validator, {replayed} to a replay, {finished} to its end; at most {longest:?} and {most} MB"
    );
    assert!(validated >= PAYLOADS / 10, "{validated} came to the validator");
    assert!(replayed >= PAYLOADS / 100, "{replayed} came to a replay");
    assert!(finished >= PAYLOADS / 1_000, "{finished} came to their end");
    assert!(longest < Duration::from_secs(1), "one took {longest:?}");
    assert!(most < 64.0, "one took {most} MB");
}

/// Little that says it is much.
#[test]
fn what_unpacks_to_more_than_a_run_may_be_is_refused() {
    let _alone = alone();
    let mut packed = compress_to_vec(&vec![0; 200_000_000], 9);
    assert!(packed.len() < 300_000);
    packed.insert(0, 1);
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage_as_mb();
    let error = link::decode(&seal(&packed)).expect_err("it is too much");
    assert!(matches!(error, LinkError::Invalid(error) if error.code == Code::TooMuch));
    assert!(ALLOCATOR.peak_usage_as_mb() - before < 64.0);
}

#[test]
fn json_of_any_kind_is_an_error_or_a_scenario() {
    let _alone = alone();
    let good = include_str!("../scenarios/figure-7.json");
    let mut lot = Lot::new();
    for _ in 0..20_000 {
        let mut bytes = good.as_bytes().to_vec();
        lot.mutate(&mut bytes);
        let _ = from_json(&String::from_utf8_lossy(&bytes));
    }
    assert_eq!(from_json(&"[".repeat(100_000)).expect_err("it is deep").code, Code::Shape);
}
