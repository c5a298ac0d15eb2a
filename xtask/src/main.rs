//! Everything around the code: setting up tools, building, serving, testing, checking.
//!
//! `cargo xtask` without arguments lists the commands. Tools go into a per-user cache keyed by name and version, so a
//! second clone uses them; nothing is installed system-wide except, where rustup cannot add the wasm target, Debian's
//! packages for it.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "xtask runs in real time")]

mod commands;
mod split;
mod tools;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask serve [--port N] [--no-open]   build the page, serve it, print its address
cargo xtask test [native|web|e2e]          run all tests, or one part of them
cargo xtask check                          format, lints for both targets, docs, architecture; changes nothing
cargo xtask fix                            format, and write generated files anew
cargo xtask fix pictures                   take the pictures anew with which screenshots are compared
cargo xtask dist                           the static release site in dist/
cargo xtask package                        the npm package in pkg/
cargo xtask bench [events|page]            the benchmarks, or one part of them
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        _ if split::is_stand_in() => split::bind(),
        ["serve", rest @ ..] => commands::serve(rest),
        ["test"] => commands::test(None),
        ["test", part @ ("native" | "web" | "e2e")] => commands::test(Some(part)),
        ["check"] => commands::check(),
        ["fix"] => commands::fix(),
        ["fix", "pictures"] => commands::fix_pictures(),
        ["dist"] => commands::dist(),
        ["package"] => commands::package(),
        ["bench"] => commands::bench(None),
        ["bench", part @ ("events" | "page")] => commands::bench(Some(part)),
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}
