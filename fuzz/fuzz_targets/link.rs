//! What strangers may give the page, as a fuzzer makes it up.

#![no_main]

#[path = "../once.rs"]
mod once;

libfuzzer_sys::fuzz_target!(|data: &[u8]| once::once(data));
