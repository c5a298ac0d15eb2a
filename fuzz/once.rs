//! Bytes as the payload of a link with a right checksum, as a fragment, and as a scenario file. Nothing may panic; what is read
//! is written and read again as the same; and its replay may be cut short anywhere. The fuzzer calls this, and so does a test.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use raftwerk::scenario::{Record, from_json, link, to_json};
use raftwerk::session::Opening;

/// Steps of a replay.
const STEPS: u64 = 500;

fn sealed(payload: &[u8]) -> String {
    let text = format!("1.{}", URL_SAFE_NO_PAD.encode(payload));
    let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(text.as_bytes());
    text + &URL_SAFE_NO_PAD.encode(sum.to_be_bytes())
}

fn go_on(record: Record) {
    assert_eq!(link::decode(&link::encode(&record)).as_ref(), Ok(&Some(record.clone())));
    assert_eq!(from_json(&to_json(&record)).as_ref(), Ok(&record));
    if let Ok(mut opening) = Opening::new(record) {
        let _ = opening.go_on(STEPS);
    }
}

/// Tries some bytes.
pub fn once(data: &[u8]) {
    if let Ok(Some(record)) = link::decode(&sealed(data)) {
        go_on(record);
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(Some(record)) = link::decode(text) {
        go_on(record);
    }
    if let Ok(record) = from_json(text) {
        go_on(record);
    }
}
