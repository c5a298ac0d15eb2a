//! The schema of scenario files, walked.

use raftwerk::raft::ReplicaId;
use raftwerk::sim::{Stream, scale};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../docs/scenario.schema.json")).expect("a schema is JSON"));

fn resolve(schema: &'static Value) -> (&'static Value, Option<&'static str>) {
    match schema["$ref"].as_str() {
        Some(path) => {
            let name = path.strip_prefix("#/$defs/").expect("definitions are in one place");
            (&SCHEMA["$defs"][name], Some(name))
        }
        None => (schema, None),
    }
}

/// The ways in which a value may look, if there are several.
fn variants(schema: &'static Value) -> Option<&'static Vec<Value>> {
    schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())
}

/// Everything a scenario can say: a name for each field, each variant and each word.
pub fn all() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut done = BTreeSet::new();
    list(&SCHEMA, "Scenario", &mut names, &mut done);
    // These have one value each.
    for constant in ["Scenario.format", "Scenario.behaviour"] {
        assert!(names.remove(constant), "{constant} is there");
    }
    names
}

fn list(schema: &'static Value, at: &str, names: &mut BTreeSet<String>, done: &mut BTreeSet<&'static str>) {
    let (schema, name) = resolve(schema);
    if let Some(name) = name
        && !done.insert(name)
    {
        return;
    }
    let at = name.unwrap_or(at);
    for variant in variants(schema).into_iter().flatten() {
        if let Some(word) = variant["const"].as_str() {
            names.insert(format!("{at}:{word}"));
        } else if variant["type"] != "null" {
            list(variant, at, names, done);
        }
    }
    for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{at}.{field}");
        names.insert(path.clone());
        list(inner, &path, names, done);
    }
    let items = schema["prefixItems"].as_array().into_iter().flatten();
    for inner in items.chain(schema.get("items").filter(|items| items.is_object())) {
        list(inner, at, names, done);
    }
}

/// What a scenario says: those names of which it holds something that is not the default.
pub fn said(scenario: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    walk(&SCHEMA, scenario, "Scenario", &mut names);
    names
}

fn walk(schema: &'static Value, value: &Value, at: &str, names: &mut BTreeSet<String>) {
    let (schema, name) = resolve(schema);
    let at = name.unwrap_or(at);
    for variant in variants(schema).into_iter().flatten() {
        if let Some(word) = variant["const"].as_str() {
            if value == word {
                names.insert(format!("{at}:{word}"));
            }
        } else if variant["type"] != "null" {
            walk(variant, value, at, names);
        }
    }
    for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
        let Some(found) = value.get(field) else { continue };
        let path = format!("{at}.{field}");
        if inner.get("default") != Some(found) {
            names.insert(path.clone());
        }
        walk(inner, found, &path, names);
    }
    let items = value.as_array().into_iter().flatten();
    for (place, item) in items.enumerate() {
        let inner = schema["prefixItems"].get(place).or_else(|| schema.get("items"));
        if let Some(inner) = inner.filter(|inner| inner.is_object()) {
            walk(inner, item, at, names);
        }
    }
}

/// A scenario's fields with one changed, for each option that can be changed by itself: its name, and the fields to set.
pub fn options() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (root, name, wrap) in [
        ("KRaft", "kraft", &["protocol", "kraft"][..]),
        ("Classic", "classic", &["protocol", "classic"]),
        ("Links", "links", &["links"]),
        ("RaftClient", "raft_client", &["raft_client"]),
    ] {
        changes(&SCHEMA["$defs"][root], &mut |path, value| {
            let word = value.as_str().map_or_else(String::new, |word| format!("-{word}"));
            let mut inner = value;
            for field in path.iter().rev() {
                inner = json!({ *field: inner });
            }
            for field in wrap.iter().rev() {
                inner = json!({ *field: inner });
            }
            all.push((format!("{name}-{}{word}", path.join("-")), inner));
        });
    }
    all
}

fn changes(schema: &'static Value, each: &mut dyn FnMut(&[&'static str], Value)) {
    for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
        let usual = inner.get("default").cloned().unwrap_or(Value::Null);
        let (definition, _) = resolve(inner);
        if let Some(words) = variants(definition) {
            let words = words.iter().map(|word| word["const"].clone()).filter(|word| *word != usual);
            words.for_each(|word| each(&[field], word));
        } else if definition["properties"].is_object() {
            changes(definition, &mut |path, value| each(&[&[field.as_str()], path].concat(), value));
        } else if definition["type"] == "boolean" {
            each(&[field], Value::Bool(usual == Value::Bool(false)));
        } else if definition["type"] == "array" {
            each(&[field], json!([5]));
        } else {
            let number = usual.as_u64().expect("an option is a number, a word, a list or yes or no");
            each(&[field], json!(if number < 2 { 50_000 } else { number / 2 }));
        }
    }
}

/// A scenario that says anything, as far as it can be.
pub fn anything(seed: u64) -> Value {
    let mut any = Anything { luck: Stream::of_link(seed, ReplicaId(3), ReplicaId(4)), replicas: 1 };
    any.replicas = 1 + any.draw(25);
    let mut scenario = any.value(&SCHEMA, "");
    any.mend(&mut scenario);
    scenario
}

struct Anything {
    luck: Stream,
    replicas: u32,
}

impl Anything {
    fn draw(&mut self, bound: u32) -> u32 {
        scale(self.luck.draw(), bound)
    }

    fn node(&mut self) -> u32 {
        1 + self.draw(self.replicas)
    }

    fn text(&mut self) -> String {
        const LETTERS: [&str; 14] =
            ["a", "Z", "5", " ", "<b>", "&", "%", "\"", "\u{202e}", "节", "👩‍👩‍👧", "\n", "__proto__", "\\"];
        let count = self.draw(12);
        (0..count).map(|_| LETTERS[self.draw(14) as usize]).collect()
    }

    fn number(&mut self, field: &str) -> u64 {
        let most = match field {
            "format" | "behaviour" => return 1,
            "replicas" => return self.replicas.into(),
            "replica" | "voted" | "leader" | "observers" | "peer" | "from" | "to" | "link" | "node" | "groups" => {
                return self.node().into();
            }
            "client" => 9,
            "check" => 256,
            "count" | "batch" => 16,
            "attempts" => 100,
            "tasks" => 50,
            "key" => 65_536,
            "rate_ppm" => return u64::from(100_000 + self.draw(9_900_000)),
            "every_us" => return u64::from(1_000 + self.draw(1_000_000)),
            "latency_max_us" => return u64::from(60_000 + self.draw(1_000_000)),
            "latency_min_us" => 60_000,
            "election_max_ms" => return u64::from(5_000 + self.draw(10_000)),
            "election_min_ms" => 5_000,
            name if name.ends_with("_ms") => 10_000,
            name if name.ends_with("_ppm") => 1_000_001,
            _ => 600_000_000,
        };
        let number = self.draw(most);
        u64::from(if matches!(field, "client" | "count" | "batch" | "attempts") || field.ends_with("_ms") {
            1 + number.min(most - 1)
        } else {
            number
        })
    }

    fn value(&mut self, schema: &'static Value, field: &str) -> Value {
        let (schema, _) = resolve(schema);
        if let Some(variants) = variants(schema) {
            let chosen = self.draw(u32::try_from(variants.len()).expect("few")) as usize;
            return self.value(&variants[chosen], field);
        }
        if let Some(word) = schema.get("const") {
            return word.clone();
        }
        let kind = &schema["type"];
        let is_optional = kind.as_array().is_some_and(|kinds| kinds.contains(&json!("null")));
        if is_optional && self.draw(2) == 0 {
            return Value::Null;
        }
        let kind = kind.as_str().or_else(|| kind[0].as_str()).unwrap_or("null");
        match kind {
            "object" => {
                let mut map = Map::new();
                for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
                    map.insert(name.clone(), self.value(inner, name));
                }
                Value::Object(map)
            }
            "array" if schema["prefixItems"].is_array() => {
                let items = schema["prefixItems"].as_array().expect("it is one");
                Value::Array(items.iter().map(|inner| self.value(inner, field)).collect())
            }
            "array" => {
                let count = match field {
                    "names" | "starts" => self.draw(2) * self.replicas,
                    "observers" | "groups" | "" => self.draw(self.replicas.min(4)),
                    _ => self.draw(12),
                };
                Value::Array((0..count).map(|_| self.value(&schema["items"], field)).collect())
            }
            "boolean" => Value::Bool(self.draw(2) == 0),
            "integer" => self.number(field).into(),
            "string" if schema["pattern"].is_string() => match field {
                "seed" | "value" => self.luck.draw().to_string().into(),
                "position" => self.draw(1_000_001).to_string().into(),
                _ => self.draw(u32::MAX).to_string().into(),
            },
            "string" => self.text().into(),
            _ => Value::Null,
        }
    }

    /// Brings into accord what is said in two places.
    fn mend(&mut self, scenario: &mut Value) {
        let rising = |list: &mut Value, field: &str, apart: u64| {
            let list = list.as_array_mut().expect("a list");
            let mut sum = 0;
            for item in list {
                let number: u64 = item[field].as_str().and_then(|text| text.parse().ok()).expect("a number");
                sum += number % 90_000 + apart;
                item[field] = sum.to_string().into();
            }
        };
        rising(&mut scenario["commands"], "step", 1);
        rising(&mut scenario["commands"], "at_us", 0);
        rising(&mut scenario["plans"], "at_us", 0);
        rising(&mut scenario["chapters"], "position", 0);
        for (place, name) in scenario["names"].as_array_mut().expect("a list").iter_mut().enumerate() {
            let text = name.as_str().expect("a name").trim().to_owned();
            *name = if text.is_empty() { text } else { format!("{text}-{place}") }.into();
        }
        // Logs that agree: all are the beginning of one.
        let half = self.draw(15);
        let leads = scenario["protocol"].get("kraft").is_some() && self.draw(2) == 0;
        for (place, start) in scenario["starts"].as_array_mut().expect("a list").iter_mut().enumerate() {
            let length = self.draw(30);
            let runs = [(1, length.min(half)), (3, length.saturating_sub(half))];
            let log: Vec<(u32, u32)> = runs.into_iter().filter(|run| run.1 > 0).collect();
            let (epoch, voted, leader) = match (leads, place) {
                (true, 0) => (4, Value::Null, Value::Null),
                (true, _) => (4, Value::Null, json!(1)),
                (false, _) => (3 + self.draw(4), json!(1), Value::Null),
            };
            *start = json!({ "log": log, "epoch": epoch, "voted": voted, "leader": leader, "high_watermark": "0" });
        }
        for list in ["commands", "plans"] {
            for item in scenario[list].as_array_mut().expect("a list") {
                self.mend_command(&mut item["command"]);
            }
        }
        if let Some(kraft) = scenario["protocol"].get_mut("kraft") {
            // Somebody is a voter.
            let mut observers: Vec<u64> =
                kraft["observers"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
            observers.sort_unstable();
            observers.dedup();
            observers.retain(|&id| id != 1);
            kraft["observers"] = json!(observers);
        }
    }

    fn mend_command(&mut self, command: &mut Value) {
        for kind in ["run_timer", "push_back_timer"] {
            if let Some(timer) = command.get_mut(kind) {
                let per_peer = matches!(timer["kind"].as_str(), Some("request" | "retry_backoff"));
                timer["peer"] = if per_peer { self.node().into() } else { Value::Null };
            }
        }
        if let Some(partition) = command.get_mut("partition") {
            let mut left: Vec<u32> = (1..=self.replicas).collect();
            let groups = 1 + self.draw(3);
            let groups: Vec<Vec<u32>> =
                (0..groups).map(|_| left.split_off(left.len() / 2)).filter(|group| !group.is_empty()).collect();
            partition["groups"] = json!(groups);
        }
    }
}
