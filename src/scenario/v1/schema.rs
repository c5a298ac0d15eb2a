//! The JSON schema of a scenario file, made from the types: `docs/scenario.schema.json`.

use super::wire::{self, Big};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::{env, fs};

impl JsonSchema for Big {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Big".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^(0|[1-9][0-9]{0,19})$" })
    }
}

/// The schema.
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<wire::Scenario>()
}

#[test]
fn the_schema_in_docs_is_that_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenario.schema.json");
    let wanted = serde_json::to_string_pretty(&schema()).expect("a schema is JSON") + "\n";
    if env::var_os("RAFTWERK_WRITE").is_some() {
        fs::write(path, &wanted).expect("docs can be written");
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(found == wanted, "docs/scenario.schema.json is not that of the types: cargo xtask fix writes it");
}
