//! What building and testing need beside Rust and Node, and how to get it.
//!
//! Each tool is looked for where it would be used, then in the cache, then installed. The wasm target is, in this
//! order: there already; added by rustup; Debian's compiler with its sources, from which the standard library is built.

use crate::split::stand_in;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What went wrong, in a sentence.
pub(crate) type Outcome<T = ()> = Result<T, String>;

const TARGET: &str = "wasm32-unknown-unknown";
const TRUNK: &str = "0.21.14";
/// Must equal the crate's version in Cargo.toml.
const WASM_BINDGEN: &str = "0.2.130";
/// Cuts the page in two; must understand what the crate `wasm_split_helpers` of Cargo.toml leaves for it.
const WASM_SPLIT: &str = "0.2.4";
/// npm packages: the optimiser, the minifier, the compiler that checks the package's types, the browser driver, the accessibility checker, and what compares pictures.
const NPM: [(&str, &str); 7] = [
    ("binaryen", "132.0.0"),
    ("esbuild", "0.28.2"),
    ("typescript", "7.0.2"),
    ("playwright-core", "1.65.1"),
    ("axe-core", "4.14.1"),
    ("pixelmatch", "8.0.0"),
    ("pngjs", "7.0.0"),
];

/// How wasm is compiled here.
enum Wasm {
    /// The toolchain has the target.
    Rustup,
    /// Debian's compiler builds the standard library itself.
    Debian { linker: PathBuf },
}

/// Says what is being done and why, and how long it took.
pub(crate) fn step<T>(what: &str, run: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    eprintln!("» {what}");
    let start = Instant::now();
    let result = run();
    let seconds = start.elapsed().as_secs();
    if seconds >= 5 {
        eprintln!("  {seconds} s");
    }
    result
}

/// Runs a command; its output is shown.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = format!("{command:?}");
    let status = command.status().map_err(|error| format!("{shown}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} failed ({status})")) }
}

/// Whether a command runs and succeeds, silently.
fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn output(command: &mut Command) -> Option<String> {
    let out = command.stderr(Stdio::null()).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The project's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Where tools are kept between clones.
fn cache() -> Outcome<PathBuf> {
    let folder = env::var_os("RAFTWERK_TOOLS")
        .map(PathBuf::from)
        .or_else(|| env::var_os("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("raftwerk/tools")))
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/raftwerk/tools")))
        .or_else(|| env::var_os("LOCALAPPDATA").map(|folder| PathBuf::from(folder).join("raftwerk/tools")))
        .ok_or("no home folder to keep tools in; set RAFTWERK_TOOLS")?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// A cargo that is not told by this process's cargo which toolchain to use.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root());
    command
}

/// A program from crates.io: the one on PATH if its version fits, else the cache's, else built now.
fn cargo_tool(name: &str, program: &str, version: &str, extra: &[&str]) -> Outcome<PathBuf> {
    let fits = |path: &Path| {
        if name == "wasm_split_cli_support" {
            // It tells no version; the folder's name does.
            return path.starts_with(cache().unwrap_or_default()) && path.is_file();
        }
        let said = output(Command::new(path).arg("--version")).unwrap_or_default();
        said.split_whitespace().any(|word| word == version)
    };
    if let Some(path) = on_path(program).filter(|path| fits(path)) {
        return Ok(path.parent().map(Path::to_path_buf).unwrap_or_default());
    }
    let folder = cache()?.join(format!("{name}-{version}"));
    let bin = folder.join("bin");
    if fits(&bin.join(program)) {
        return Ok(bin);
    }
    step(&format!("building {name} {version} (once; kept in {})", folder.display()), || {
        let build = folder.join("build");
        run(cargo()
            .args(["install", name, "--version", version, "--debug", "--no-default-features", "--root"])
            .arg(&folder)
            .args(extra)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_TARGET_DIR", &build))?;
        let _ = fs::remove_dir_all(build);
        Ok(())
    })?;
    Ok(bin)
}

/// The folder with npm's tools installed.
pub(crate) fn npm_tools() -> Outcome<PathBuf> {
    let wanted: Vec<String> = NPM.iter().map(|(name, version)| format!("{name}@{version}")).collect();
    let folder = cache()?.join(format!("npm-{}", wanted.join("-")));
    if folder.join("done").is_file() {
        return Ok(folder);
    }
    if on_path("npm").is_none() {
        return Err("npm is needed (it comes with Node.js): https://nodejs.org".into());
    }
    step(&format!("fetching {} (once)", wanted.join(", ")), || {
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        fs::write(folder.join("package.json"), "{\"private\":true}\n").map_err(|error| error.to_string())?;
        run(Command::new("npm")
            .current_dir(&folder)
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"])
            .args(&wanted)
            .stdout(Stdio::null()))?;
        fs::write(folder.join("done"), "").map_err(|error| error.to_string())
    })?;
    Ok(folder)
}

fn apt(packages: &[&str], why: &str) -> Outcome {
    if on_path("apt-get").is_none() {
        return Err(format!("{why}; install it by hand (tried Debian packages: {})", packages.join(", ")));
    }
    step(&format!("installing Debian packages {}: {why}", packages.join(", ")), || {
        let get = |args: &[&str]| {
            let is_root = output(Command::new("id").arg("-u")).is_some_and(|id| id == "0");
            let mut command = if is_root { Command::new("apt-get") } else { Command::new("sudo") };
            if !is_root {
                command.arg("apt-get");
            }
            command.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
            run(&mut command)
        };
        get(&["update"])?;
        let mut args = vec!["install", "-y", "--no-install-recommends"];
        args.extend(packages);
        get(&args)
    })
}

fn sysroot() -> Outcome<PathBuf> {
    output(Command::new("rustc").args(["--print", "sysroot"]))
        .map(PathBuf::from)
        .ok_or_else(|| "rustc is needed: https://rustup.rs".to_owned())
}

fn wasm() -> Outcome<Wasm> {
    let sysroot = sysroot()?;
    // So that the fallback can be tried where it is not needed.
    let wants_fallback = env::var_os("RAFTWERK_WASM").is_some_and(|way| way == "debian");
    if !wants_fallback {
        if sysroot.join("lib/rustlib").join(TARGET).is_dir() {
            return Ok(Wasm::Rustup);
        }
        if on_path("rustup").is_some() && works(Command::new("rustup").args(["target", "add", TARGET])) {
            return Ok(Wasm::Rustup);
        }
    }
    let needed =
        ["/usr/bin/rustc", "/usr/bin/cargo", "/usr/bin/clippy-driver", "/usr/lib/rustlib/src/rust/library/std"];
    if !needed.iter().all(|path| Path::new(path).exists()) {
        let packages = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy"];
        apt(&packages, &format!("rustup could not add the target {TARGET}"))?;
    }
    let host = output(Command::new("rustc").args(["--print", "host-tuple"])).unwrap_or_default();
    let linker = sysroot.join("lib/rustlib").join(host).join("bin/rust-lld");
    if !linker.is_file() {
        return Err(format!("{} is missing: the Rust toolchain has no linker for wasm", linker.display()));
    }
    Ok(Wasm::Debian { linker })
}

/// All that is needed to build wasm.
pub(crate) struct WebTools {
    wasm: Wasm,
    path: OsString,
}

/// Sets up the wasm target, Trunk, wasm-bindgen and wasm-opt.
pub(crate) fn web_tools() -> Outcome<WebTools> {
    let wasm = wasm()?;
    let trunk = cargo_tool("trunk", "trunk", TRUNK, &["--locked"])?;
    let bindgen = cargo_tool("wasm-bindgen-cli", "wasm-bindgen", WASM_BINDGEN, &[])?;
    let npm = npm_tools()?.join("node_modules/.bin");
    let split = cargo_tool("wasm_split_cli_support", "wasm-split-cli", WASM_SPLIT, &["--features", "build-binary"])?;
    let mut folders = vec![trunk, bindgen, npm, split];
    if matches!(wasm, Wasm::Debian { .. }) {
        folders.push(PathBuf::from("/usr/bin"));
    }
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let path = env::join_paths(folders).map_err(|error| error.to_string())?;
    Ok(WebTools { wasm, path })
}

impl WebTools {
    /// `program` with everything set that a wasm build needs.
    pub(crate) fn command(&self, program: &str, unwinds: bool) -> Command {
        let path = env::split_paths(&self.path).map(|folder| folder.join(program)).find(|file| file.is_file());
        let mut command = Command::new(path.unwrap_or_else(|| PathBuf::from(program)));
        command.current_dir(root()).env("PATH", &self.path);
        // What this process's own cargo set must not leak into the other toolchain.
        for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC", "NO_COLOR"] {
            command.env_remove(name);
        }
        if let Wasm::Debian { linker } = &self.wasm {
            let parts = if unwinds { "std,panic_unwind,panic_abort" } else { "std,panic_abort" };
            command
                .env("RUSTC", "/usr/bin/rustc")
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_UNSTABLE_BUILD_STD", parts)
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        command
    }

    /// Trunk, by which the page is built, cut in two.
    pub(crate) fn trunk(&self) -> Outcome<Command> {
        let mut trunk = self.command("trunk", false);
        let [real, cutter, optimiser] = ["wasm-bindgen", "wasm-split-cli", "wasm-opt"].map(|name| self.find(name));
        stand_in(&mut trunk, &real?, &cutter?, &optimiser?)?;
        Ok(trunk)
    }

    /// The folder of wasm-bindgen's programs.
    pub(crate) fn find(&self, program: &str) -> Outcome<PathBuf> {
        env::split_paths(&self.path)
            .map(|folder| folder.join(program))
            .find(|file| file.is_file())
            .ok_or_else(|| format!("{program} is missing"))
    }
}

/// The browser and its driver.
pub(crate) fn browser() -> Outcome<(PathBuf, PathBuf)> {
    let find = || {
        let browser = env::var_os("CHROME_PATH")
            .map(PathBuf::from)
            .or_else(|| ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| on_path(name)));
        let driver = env::var_os("CHROMEDRIVER").map(PathBuf::from).or_else(|| on_path("chromedriver"));
        browser.zip(driver)
    };
    if let Some(found) = find() {
        return Ok(found);
    }
    apt(&["chromium", "chromium-driver"], "a browser is needed for the tests")?;
    find().ok_or_else(|| "chromium and chromedriver are needed; set CHROME_PATH and CHROMEDRIVER".into())
}
