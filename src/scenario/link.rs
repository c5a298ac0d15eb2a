//! The link: a record as the fragment of an address.
//!
//! The envelope is frozen for ever: version, `.`, then base64url without padding, whose last six characters are a
//! CRC-32 (big-endian, as base64url) over every character before them, version and point included. A wrong sum means
//! *damaged*; a right sum with a version this code does not know means *unknown*. Non-zero spare bits are refused, so
//! no two texts mean the same bytes. What is inside version 1 is format 1 ([`super::v1`]). Version 0 was a preview, and is
//! not known any more.
//!
//! The loader ignores what chats and mails add behind an address (case B05), and takes back what an address bar or a relay
//! escapes (B03).

use super::record::Record;
use super::v1;
use super::validate::{Code, InputError, validate};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The longest fragment that is looked at.
const FRAGMENT_MAX: usize = 2_000_000;
/// Characters of the checksum.
const SUM_LEN: usize = 6;
/// The version this code writes.
const VERSION: &str = "1";
/// The checksum: the common CRC-32, with one small table, because what a page loads is counted.
const CRC_32: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

/// What is wrong with a link.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// Characters are missing, added or changed.
    #[error("the link is incomplete or damaged")]
    Damaged,
    /// It is whole, but of a version this page does not know.
    #[error("the link was made by a version of this page that is not known here (version {0})")]
    Unknown(String),
    /// It is whole, but what it says cannot be.
    #[error("the link says something that cannot be: {0}")]
    Invalid(#[from] InputError),
}

impl LinkError {
    /// Its code, for programs: `damaged`, `version`, or what is wrong with the scenario.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Unknown(_) => Code::Version.name(),
            Self::Invalid(error) => error.code.name(),
        }
    }
}

fn sum(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(CRC_32.checksum(text.as_bytes()).to_be_bytes())
}

/// The fragment of a record, without `#`.
#[must_use]
pub fn encode(record: &Record) -> String {
    let bytes = v1::pack(v1::out(record));
    let text = format!("{VERSION}.{}", URL_SAFE_NO_PAD.encode(bytes));
    let sum = sum(&text);
    text + &sum
}

/// What stands behind the `#` of an address; a text without one is a fragment, unless it is an address all the same.
#[must_use]
pub fn fragment_of(text: &str) -> &str {
    text.split_once('#').map_or(if text.contains('/') { "" } else { text }, |(_, fragment)| fragment)
}

/// What a fragment says: nothing (there is none), or a record.
///
/// # Errors
/// [`LinkError`]; nothing else is ever shown in place of a bad link.
pub fn decode(fragment: &str) -> Result<Option<Record>, LinkError> {
    let text = fragment.strip_prefix('#').unwrap_or(fragment);
    if text.is_empty() {
        return Ok(None);
    }
    let text = &unescape(trim_tail(text));
    if text.len() > FRAGMENT_MAX || !text.is_ascii() {
        return Err(LinkError::Damaged);
    }
    let (version, body) = text.split_once('.').ok_or(LinkError::Damaged)?;
    let is_version = !version.is_empty() && version.len() <= 9 && version.bytes().all(|b| b.is_ascii_digit());
    if !is_version || body.len() < SUM_LEN {
        return Err(LinkError::Damaged);
    }
    let (before, said) = text.split_at(text.len() - SUM_LEN);
    if sum(before) != said {
        return Err(LinkError::Damaged);
    }
    if version != VERSION {
        return Err(LinkError::Unknown(version.to_owned()));
    }
    let payload = &body[..body.len() - SUM_LEN];
    let bytes = URL_SAFE_NO_PAD.decode(payload).map_err(|_| LinkError::Damaged)?;
    let wire = v1::unpack(&bytes).map_err(|error| match error {
        v1::Unreadable::Unknown => LinkError::Unknown(version.to_owned()),
        v1::Unreadable::Senseless => {
            InputError::new(Code::Shape, "record", "it has no meaning in this version of the page").into()
        }
        v1::Unreadable::TooMuch => InputError::new(Code::TooMuch, "record", "it is larger than a run may be").into(),
    })?;
    let record = v1::into_record(wire)?;
    validate(&record)?;
    Ok(Some(record))
}

/// Takes back what a relay escapes that escapes everything but letters and digits.
fn unescape(text: &str) -> String {
    let mut text = text.to_owned();
    for (escaped, letter) in [("%2E", "."), ("%2e", "."), ("%2D", "-"), ("%2d", "-"), ("%5F", "_"), ("%5f", "_")] {
        if text.contains(escaped) {
            text = text.replace(escaped, letter);
        }
    }
    text
}

/// Takes off what programs add behind an address; an address bar escapes some of it.
fn trim_tail(text: &str) -> &str {
    let is_added = |letter: char| letter.is_whitespace() || ".,;:!?)]>'\"*".contains(letter);
    let mut text = text;
    loop {
        let shorter = text.trim_end_matches(is_added);
        let escaped = shorter.rfind('%').filter(|&place| place + 3 == shorter.len());
        let digits =
            escaped.map(|place| &shorter[place + 1..]).filter(|all| all.bytes().all(|b| b.is_ascii_hexdigit()));
        let letter = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (escaped, letter) {
            (Some(place), Some(letter)) if is_added(char::from(letter)) => text = &shorter[..place],
            _ => return shorter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_fragment_is_no_link() {
        assert_eq!(decode(""), Ok(None));
        assert_eq!(decode("#"), Ok(None));
    }

    #[test]
    fn b01_cutting_or_changing_any_character_is_noticed() {
        let link = encode(&Record { title: "a title".into(), seed: u64::MAX, ..Record::default() });
        assert_eq!(decode(&link).map(|r| r.map(|r| r.seed)), Ok(Some(u64::MAX)));
        for cut in 1..link.len() {
            assert!(decode(&link[..link.len() - cut]).is_err(), "cut {cut}");
            assert_eq!(decode(&link[cut..]).err(), Some(LinkError::Damaged), "cut {cut} in front");
        }
        for place in 0..link.len() {
            for with in ["A", "b", "_", "9", ".", "%"] {
                let mut changed = link.clone();
                changed.replace_range(place..=place, with);
                assert!(changed == link || decode(&changed).is_err(), "{with} at {place}");
            }
        }
    }

    #[test]
    fn b01_an_unknown_version_is_told_apart_from_damage() {
        let text = "7.AAAA";
        assert_eq!(decode(&format!("{text}{}", sum(text))), Err(LinkError::Unknown("7".into())));
        assert_eq!(decode("7.AAAAAAAAAA"), Err(LinkError::Damaged));
    }

    #[test]
    fn b03_the_payload_needs_no_escaping_and_b05_ends_in_a_letter_or_digit() {
        for seed in 0..500 {
            let link = encode(&Record { title: "50% & up 节点 ①".into(), seed, ..Record::default() });
            let (_, payload) = link.split_once('.').expect("an envelope");
            assert!(payload.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            assert!(link.ends_with(|c: char| c.is_ascii_alphanumeric()), "{link}");
        }
    }

    #[test]
    fn b05_what_programs_add_behind_an_address_is_ignored() {
        let link = encode(&Record::default());
        for tail in [".", ").", ">", "\"", ",", "*", "%0A", "%20", " \n", "!?", "%22", "%3E).", "%0a%20.%2C"] {
            assert!(matches!(decode(&format!("{link}{tail}")), Ok(Some(_))), "{tail:?}");
        }
        for tail in ["&x=1", "%41", "%2", "%", "%0", "%+d", "%é", "é%20"] {
            assert_eq!(decode(&format!("{link}{tail}")), Err(LinkError::Damaged), "{tail:?}");
        }
    }

    #[test]
    fn b12_malformed_fragments_are_damaged_links() {
        for text in ["#%", "#%E0%A4%A", "#abc%abc", "#%00", "#%FF%FE", "##"] {
            assert_eq!(decode(text), Err(LinkError::Damaged), "{text}");
        }
    }
}
