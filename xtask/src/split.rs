//! Cuts the page's wasm in two: what it needs at first, and what may come later (`src/ui/later.rs`).
//!
//! Trunk knows nothing of this, so it is given a `wasm-bindgen` that is this program under another name: it cuts first,
//! then has the real one work on the first half, and leaves the second, optimised, among the snippets, which Trunk
//! copies.

use crate::tools::{Outcome, root, run};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name under which this program stands in for wasm-bindgen.
const STAND_IN: &str = "wasm-bindgen";
/// Where the real one, the cutter and the optimiser are.
const REAL: &str = "RAFTWERK_WASM_BINDGEN";
const CUTTER: &str = "RAFTWERK_WASM_SPLIT";
const OPTIMISER: &str = "RAFTWERK_WASM_OPT";
/// Says so to the code, and what the linker must leave in the file for it to be cut.
const FLAGS: &str = "--cfg is_cut -Clink-args=--emit-relocs";

/// Whether this program runs as the stand-in.
pub(crate) fn is_stand_in() -> bool {
    env::args_os().next().is_some_and(|name| Path::new(&name).file_stem().is_some_and(|stem| stem == STAND_IN))
}

/// Puts the stand-in where `command` looks first; `path` is where it would look else.
pub(crate) fn stand_in(command: &mut Command, real: &Path, cutter: &Path, optimiser: &Path) -> Outcome {
    let folder = root().join("target/split/bin");
    let us = env::current_exe().map_err(|error| error.to_string())?;
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let ending = env::consts::EXE_SUFFIX;
    fs::copy(us, folder.join(format!("{STAND_IN}{ending}"))).map_err(|error| error.to_string())?;
    let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path.map(ToOwned::to_owned));
    let path = path.unwrap_or_default();
    let folders = [folder].into_iter().chain(env::split_paths(&path));
    command
        .env("PATH", env::join_paths(folders).map_err(|error| error.to_string())?)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS)
        .env(REAL, real)
        .env(CUTTER, cutter)
        .env(OPTIMISER, optimiser);
    Ok(())
}

fn tool(name: &str) -> Outcome<PathBuf> {
    env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("{name} is not set"))
}

/// What `index.html` says of the optimiser's work, so that both halves are treated alike.
fn optimiser_flags() -> Outcome<Vec<String>> {
    let page = fs::read_to_string(root().join("index.html")).map_err(|error| error.to_string())?;
    let value = |name: &str| page.split(&format!("{name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
    let level = value("data-wasm-opt").ok_or("index.html names no data-wasm-opt")?;
    let more = value("data-wasm-opt-params").ok_or("index.html names no data-wasm-opt-params")?;
    Ok([format!("-O{level}")].into_iter().chain(more.split_whitespace().map(str::to_owned)).collect())
}

/// Does wasm-bindgen's work, with the file cut before.
pub(crate) fn bind() -> Outcome {
    let args: Vec<String> = env::args().skip(1).collect();
    let real = tool(REAL)?;
    let Some(input) = args.iter().find(|arg| arg.ends_with(".wasm")).map(PathBuf::from) else {
        return run(Command::new(real).args(args));
    };
    let after = |name: &str| {
        let place = args.iter().position(|arg| arg == name)?;
        args.get(place + 1).cloned()
    };
    let out =
        args.iter().find_map(|arg| arg.strip_prefix("--out-dir=").map(str::to_owned)).or_else(|| after("--out-dir"));
    let out = PathBuf::from(out.ok_or("wasm-bindgen was not told where to write")?);
    let stem = input.file_stem().and_then(|stem| stem.to_str()).ok_or("the wasm file has no name")?;
    let halves = root().join("target/split/halves");
    let _ = fs::remove_dir_all(&halves);
    run(Command::new(tool(CUTTER)?).arg("--out-name").arg(stem).arg(&input).arg(&halves))?;
    let first = halves.join(format!("{stem}.wasm"));
    let for_first = args.iter().map(|arg| if Path::new(arg) == input { first.as_os_str() } else { arg.as_ref() });
    run(Command::new(real).args(for_first).arg("--keep-lld-exports"))?;
    let snippets = out.join("snippets");
    fs::create_dir_all(&snippets).map_err(|error| error.to_string())?;
    let second = snippets.join("later.wasm");
    // Its symbols, which the optimiser warns about, are not for readers.
    let work = Command::new(tool(OPTIMISER)?)
        .arg(halves.join("split_later.wasm"))
        .args(optimiser_flags()?)
        .arg("-o")
        .arg(second)
        .output()
        .map_err(|error| error.to_string())?;
    if work.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&work.stderr).into_owned()) }
}
