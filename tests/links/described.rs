//! `docs/link-format.md` says how a link lies in bytes; what it says is so.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use raftwerk::scenario::{link, to_json};
use serde_json::Value;

const TEXT: &str = include_str!("../../docs/link-format.md");

/// The rows of the table that begins with a heading; its cells.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let start = TEXT.find(heading).unwrap_or_else(|| panic!("there is a table {heading}"));
    let rows: Vec<&str> = TEXT[start..].lines().take_while(|line| line.starts_with('|')).collect();
    // Behind the heading and its rule.
    rows[2..].iter().map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn hex(cell: &str) -> Vec<u8> {
    let bytes = cell.trim_matches('`').split(' ');
    bytes.map(|byte| u8::from_str_radix(byte, 16).expect("two digits")).collect()
}

#[test]
fn the_example_has_the_bytes_that_it_is_said_to_have() {
    let start = TEXT.find("## An example").expect("an example");
    let fragment = TEXT[start..].split('`').nth(1).expect("a link");
    let said: Vec<u8> = table("| Bytes | Meaning |").iter().flat_map(|row| hex(row[0])).collect();
    let payload = URL_SAFE_NO_PAD.decode(&fragment[2..fragment.len() - 6]).expect("base64url");
    assert_eq!(said, payload);
    let record = link::decode(fragment).expect("it is good").expect("it is a link");
    assert_eq!(link::encode(&record), fragment);
    let json: Value = serde_json::from_str(&to_json(&record)).expect("JSON");
    assert_eq!(json["title"], "Two");
    assert_eq!(json["protocol"]["classic"]["heartbeat_ms"], 200);
    assert_eq!(json["commands"][0]["command"]["crash"]["replica"], 3);
    assert_eq!(json["commands"][1]["command"]["set_cut"]["to"], 3);
    assert_eq!(json["view"]["digest"], 3_841_666_533_u32);
    let session = raftwerk::session::Session::open(record).expect("it opens");
    assert_eq!(session.difference(), None, "and it is the run that was shared");
}

/// Words in the order of their numbers.
fn words(schema: &Value, name: &str) -> Vec<String> {
    let variants = schema["$defs"][name]["oneOf"].as_array().unwrap_or_else(|| panic!("{name} is a choice"));
    let word = |variant: &Value| match variant["const"].as_str() {
        Some(word) => word.to_owned(),
        None => variant["properties"].as_object().expect("a field").keys().next().expect("a name").clone(),
    };
    variants.iter().map(word).collect()
}

#[test]
fn commands_and_words_have_the_numbers_that_they_are_said_to_have() {
    let schema: Value = serde_json::from_str(include_str!("../../docs/scenario.schema.json")).expect("JSON");
    let commands = words(&schema, "Command");
    let said = table("| | Command | Fields, in order |");
    assert_eq!(said.len(), commands.len());
    for (number, (row, command)) in said.iter().zip(&commands).enumerate() {
        assert_eq!((row[0], row[1]), (number.to_string().as_str(), format!("`{command}`").as_str()));
        let variants = &schema["$defs"]["Command"]["oneOf"][number]["properties"][command.as_str()]["properties"];
        let known: Vec<&String> = variants.as_object().map_or_else(Vec::new, |fields| fields.keys().collect());
        for field in known {
            let is_pair = matches!(field.as_str(), "one" | "other");
            assert!(is_pair || row[2].contains(&format!("`{field}`")), "{command} has {field}");
        }
    }
    let text = TEXT.split_whitespace().collect::<Vec<_>>().join(" ");
    for name in ["TimerKind", "Alarm", "Panel", "Backtracking", "Refused", "Bootstrap", "Form"] {
        let numbered: Vec<String> =
            words(&schema, name).iter().enumerate().map(|(number, word)| format!("{number} {word}")).collect();
        assert!(text.contains(&numbered.join(", ")), "{name}: {}", numbered.join(", "));
    }
}
