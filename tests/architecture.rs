//! Rooms and directions: who may look at whom. The table is ARCHITECTURE.md's; this test holds the code to it.
//!
//! Paths are read with `syn`: `use` trees and every path in code that starts with `crate`, `super`, `self` or
//! `raftwerk`. A re-export (`pub use`) of another room is an error too.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::Visit;

/// Room, and the rooms it may look at.
const ALLOWED: [(&str, &[&str]); 11] = [
    ("executor", &[]),
    ("raft", &["executor"]),
    ("sim", &["raft", "executor"]),
    ("scenario", &["sim", "raft", "executor"]),
    ("explain", &["sim", "raft"]),
    ("text", &["explain", "sim", "raft"]),
    ("session", &["sim", "scenario", "raft", "executor"]),
    ("view", &["session", "text", "explain", "sim", "raft", "executor"]),
    ("api", &["session", "view", "explain", "text", "scenario", "sim", "raft", "executor"]),
    ("ui", &["session", "view", "explain", "text", "scenario", "sim", "raft", "executor"]),
    ("main", &["ui"]),
];

/// Words that belong above `view` only.
const WEB: [&str; 8] =
    ["web_sys", "js_sys", "wasm_bindgen", "serde_wasm_bindgen", "tsify", "yew", "gloo_events", "gloo_timers"];

/// Rooms in which floating-point numbers would end up in a run.
const EXACT: [&str; 6] = ["executor", "raft", "sim", "scenario", "explain", "session"];

/// The only files that may name a protocol, with all below them: its own folder, the list of protocols, and what is written
/// anew for each: how its runs are compiled, its part of the record, its section of the catalogue, its settings in the
/// form. Everybody else looks at `raft::Any`.
const NAMES_PROTOCOLS: [&[&str]; 10] = [
    &["raft", "kraft"],
    &["raft", "classic"],
    &["raft", "any"],
    &["sim", "compiled"],
    &["scenario", "v1"],
    &["scenario", "validate"],
    &["scenario", "record"],
    &["text", "en", "kraft"],
    &["text", "en", "classic"],
    &["ui", "draft"],
];

/// Files that say where those are.
const DECLARES_PROTOCOLS: [&[&str]; 2] = [&["raft"], &["text", "en"]];

fn is_protocol(name: &str) -> bool {
    matches!(name, "kraft" | "classic") || name.starts_with("KRaft") || name.starts_with("Classic")
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    let is_it = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    };
    attributes.iter().any(is_it)
}

/// The protocols that a file names outside its tests.
#[derive(Default)]
struct Protocols(BTreeSet<String>);

impl Protocols {
    /// Names within a macro, which is not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => self.visit_ident(&ident),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Protocols {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(item.tokens.clone());
        syn::visit::visit_macro(self, item);
    }

    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        let name = ident.to_string();
        if is_protocol(&name) {
            self.0.insert(name);
        }
    }
}

struct Paths {
    /// The module path of the file, from the crate's root.
    here: Vec<String>,
    /// (room or crate, whether re-exported).
    found: BTreeSet<(String, bool)>,
    floats: usize,
}

impl Paths {
    fn note(&mut self, segments: &[String], is_public: bool) {
        let mut at: Vec<String> = match segments.first().map(String::as_str) {
            Some("crate" | "raftwerk") => Vec::new(),
            Some("self") => self.here.clone(),
            Some("super") => self.here.clone(),
            Some(other) => {
                self.found.insert((other.to_owned(), is_public));
                return;
            }
            None => return,
        };
        for segment in segments.iter().skip(usize::from(segments[0] != "super")) {
            if segment == "super" {
                at.pop();
            } else {
                at.push(segment.clone());
            }
        }
        if let Some(room) = at.first() {
            self.found.insert((room.clone(), is_public));
        }
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, is_public: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before, is_public);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                for item in &group.items {
                    self.tree(item, before, is_public);
                }
            }
            syn::UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.note(before, is_public);
                before.pop();
            }
            syn::UseTree::Rename(name) => {
                before.push(name.ident.to_string());
                self.note(before, is_public);
                before.pop();
            }
            syn::UseTree::Glob(_) => self.note(before, is_public),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_public = matches!(item.vis, syn::Visibility::Public(_));
        self.tree(&item.tree, &mut Vec::new(), is_public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let starts = matches!(segments[0].as_str(), "crate" | "super" | "self" | "raftwerk");
        if segments.len() > 1 && (starts || WEB.contains(&segments[0].as_str())) {
            self.note(&segments, false);
        }
        if matches!(segments[0].as_str(), "f32" | "f64") {
            self.floats += 1;
        }
        syn::visit::visit_path(self, path);
    }
}

/// What is wrong with a file.
fn faults(room: &str, here: &[&str], source: &str) -> Vec<String> {
    let file = syn::parse_file(source).expect("the file parses");
    // The executor of a page: its clock and its timers are the browser's, and no run looks at them.
    let is_real_time = here == ["executor", "default", "browser"];
    let place = here;
    let here = here.iter().map(|part| (*part).to_owned()).collect();
    let mut paths = Paths { here, found: BTreeSet::new(), floats: 0 };
    paths.visit_file(&file);
    let allowed = ALLOWED.iter().find(|(name, _)| *name == room).map_or(&[][..], |(_, allowed)| allowed);
    let mut faults = Vec::new();
    for (name, is_public) in paths.found {
        let is_room = ALLOWED.iter().any(|(known, _)| *known == name);
        if is_room && name != room && !allowed.contains(&name.as_str()) {
            faults.push(format!("{room} may not look at {name}"));
        }
        if is_room && name != room && is_public {
            faults.push(format!("{room} re-exports {name}"));
        }
        if WEB.contains(&name.as_str()) && !matches!(room, "ui" | "api" | "main") && !is_real_time {
            faults.push(format!("{room} may not know of {name}"));
        }
    }
    let mut protocols = Protocols::default();
    protocols.visit_file(&file);
    let is_under = |known: &&[&str]| place.starts_with(known);
    if !NAMES_PROTOCOLS.iter().any(is_under) && !DECLARES_PROTOCOLS.contains(&place) {
        faults.extend(protocols.0.iter().map(|name| format!("{room} names the protocol {name}")));
    }
    if paths.floats > 0 && EXACT.contains(&room) && !is_real_time {
        faults.push(format!("{room} uses floating-point numbers"));
    }
    faults
}

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            sources(&entry, all);
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            all.push(entry);
        }
    }
}

#[test]
fn every_room_looks_only_where_it_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    sources(&src, &mut all);
    assert!(all.len() > 30, "the sources are found");
    let mut wrong = Vec::new();
    for path in all {
        let inside = path.strip_prefix(&src).expect("below src").with_extension("");
        let mut parts: Vec<&str> = inside.iter().filter_map(|part| part.to_str()).collect();
        if parts == ["lib"] || parts == ["engine"] {
            continue;
        }
        let room = parts[0].to_owned();
        if parts.last() == Some(&"mod") {
            parts.pop();
        }
        let source = fs::read_to_string(&path).expect("a source");
        wrong.extend(faults(&room, &parts, &source).into_iter().map(|fault| format!("{}: {fault}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_planted_violation_is_seen() {
    let seen = |room: &str, here: &[&str], source: &str| !faults(room, here, source).is_empty();
    assert!(seen("executor", &["executor", "queue"], "use crate::raft::Log;"));
    assert!(seen("raft", &["raft", "log"], "use super::super::sim::Sim;"));
    assert!(seen("raft", &["raft", "log"], "fn f() { crate::sim::Sim::new(); }"));
    assert!(seen("sim", &["sim", "network"], "use crate::{executor::NEVER, view::stage};"));
    assert!(seen("session", &["session"], "pub use crate::sim::Sim;"));
    assert!(seen("view", &["view", "stage"], "use web_sys::Element;"));
    assert!(seen("session", &["session"], "use wasm_bindgen::prelude::*;"));
    assert!(seen("view", &["view", "export"], "use crate::api::Simulation;"));
    assert!(seen("api", &["api"], "use crate::ui::App;"));
    assert!(!seen("api", &["api"], "use wasm_bindgen::prelude::*; use crate::session::Session;"));
    assert!(seen("executor", &["executor", "mock"], "use gloo_timers::callback::Timeout;"));
    assert!(seen("sim", &["sim", "luck"], "fn f(x: f64) {}"));
    assert!(seen("view", &["view", "logs"], "use crate::raft::kraft::Role;"));
    assert!(seen("session", &["session"], "fn f(x: Family) -> bool { x == Family::Classic }"));
    assert!(seen("view", &["view", "logs"], "fn f() { assert!(matches!(x, Family::Classic)); }"));
    assert!(seen("sim", &["sim", "trace"], "use crate::raft::classic::ClassicSettings;"));
    assert!(!seen("sim", &["sim", "trace"], "#[cfg(test)] mod tests { use crate::raft::kraft::KRaft; }"));
    assert!(!seen("scenario", &["scenario", "v1"], "use crate::raft::kraft::KRaftSettings;"));
    assert!(!seen("sim", &["sim", "luck"], "use super::network::Network; use crate::raft::Luck;"));
}
