//! The commands themselves.

use crate::tools::{Outcome, WebTools, browser, cargo, npm_tools, root, run, step, web_tools};
use std::io::Write;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the release site into `dist/`.
pub(crate) fn dist() -> Outcome {
    let tools = web_tools()?;
    build_site(&tools)?;
    eprintln!("dist/ is a static site: put it behind any web server, under any path.");
    Ok(())
}

fn build_site(tools: &WebTools) -> Outcome {
    step("building the page (release)", || {
        run(tools.trunk()?.args(["build", "--release", "--offline", "--log", "warn"]))
    })?;
    step("making its scripts and styles smaller", || {
        let dist = root().join("dist");
        let files = std::fs::read_dir(&dist).map_err(|error| error.to_string())?;
        let names = files.filter_map(Result::ok).map(|file| file.path());
        let texts = names.filter(|path| path.extension().is_some_and(|ending| ending == "js" || ending == "css"));
        let mut esbuild = tools.command("esbuild", false);
        esbuild.args(texts).args(["--minify", "--allow-overwrite", "--log-level=warning", "--outdir=dist"]);
        // Addresses in the styles stay as they are.
        run(esbuild.current_dir(root()))
    })
}

/// Builds the npm package into `pkg/`.
pub(crate) fn package() -> Outcome {
    let tools = web_tools()?;
    build_package(&tools)?;
    eprintln!("pkg/ is the npm package: `npm pack ./pkg`, or a path in somebody's package.json.");
    Ok(())
}

fn build_package(tools: &WebTools) -> Outcome {
    let pkg = root().join("pkg");
    step("building the package (release)", || {
        run(tools.command("cargo", false).args([
            "rustc",
            "--quiet",
            "--lib",
            "--crate-type",
            "cdylib",
            "--release",
            "--target",
            TARGET,
            "--features",
            "api",
        ]))
    })?;
    step("binding it to JavaScript", || {
        let _ = std::fs::remove_dir_all(&pkg);
        let wasm = root().join("target").join(TARGET).join("release/raftwerk.wasm");
        let mut bindgen = Command::new(tools.find("wasm-bindgen")?);
        run(bindgen.args(["--target", "web", "--out-name", "raftwerk", "--out-dir"]).arg(&pkg).arg(wasm))?;
        let wasm = pkg.join("raftwerk_bg.wasm");
        let mut optimiser = tools.command("wasm-opt", false);
        run(optimiser.args(["-Oz"]).args(WASM_FEATURES).arg(&wasm).arg("-o").arg(&wasm))?;
        let text = |error: std::io::Error| error.to_string();
        let version = include_str!("../../Cargo.toml").lines().find_map(|line| line.strip_prefix("version = \""));
        let version = version.and_then(|rest| rest.strip_suffix('"')).ok_or("Cargo.toml names no version")?;
        for entry in std::fs::read_dir(root().join("package")).map_err(text)? {
            let path = entry.map_err(text)?.path();
            let name = path.file_name().unwrap_or_default();
            let content = std::fs::read_to_string(&path).map_err(text)?;
            std::fs::write(pkg.join(name), content.replace("VERSION", version)).map_err(text)?;
        }
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            std::fs::copy(root().join(name), pkg.join(name)).map_err(text)?;
        }
        Ok(())
    })
}

/// What every browser takes.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

struct Stops(Child);

impl Drop for Stops {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Builds and serves the page, and builds it anew when a file changes.
pub(crate) fn serve(args: &[&str]) -> Outcome {
    let mut port = 8080_u16;
    let mut opens = true;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match *arg {
            "--no-open" => opens = false,
            "--port" => {
                let number = rest.next().and_then(|text| text.parse().ok());
                port = number.ok_or("--port needs a number from 1 to 65535")?;
            }
            other => return Err(format!("serve does not know {other}")),
        }
    }
    let tools = web_tools()?;
    eprintln!("» building the page, then serving it; it is built anew when a file changes");
    let mut trunk = tools.trunk()?;
    trunk.args(["serve", "--release", "--offline", "--address", "127.0.0.1", "--log", "warn", "--port"]);
    trunk.arg(port.to_string());
    let mut server = Stops(trunk.spawn().map_err(|error| error.to_string())?);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if let Ok(Some(status)) = server.0.try_wait() {
            return Err(format!("the server stopped ({status}); is port {port} taken?"));
        }
        thread::sleep(Duration::from_millis(100));
    }
    let address = format!("http://127.0.0.1:{port}/");
    println!("ready: {address}");
    let _ = std::io::stdout().flush();
    if opens {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let _ = Command::new(opener).arg(&address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    }
    let status = server.0.wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("the server stopped ({status})")) }
}

/// Runs the tests.
pub(crate) fn test(part: Option<&str>) -> Outcome {
    let wants = |name| part.is_none_or(|part| part == name);
    if wants("native") {
        step("native tests", || run(cargo().args(["test", "--quiet", "--lib", "--tests"])))?;
    }
    if wants("web") || wants("e2e") {
        let tools = web_tools()?;
        let (_, driver) = browser()?;
        if wants("web") {
            step("wasm tests in headless Chromium", || {
                run(tools
                    .command("cargo", true)
                    .args(["test", "--target", TARGET, "--test", "web"])
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools.find("wasm-bindgen-test-runner")?)
                    .env("CHROMEDRIVER", driver))
            })?;
        }
        if wants("e2e") {
            build_package(&tools)?;
            build_site(&tools)?;
            let files = ["--test", "--test-reporter=spec", "tests/e2e/", "tests/package/"];
            drive("the package, and the built page in headless Chromium", &files, false)?;
        }
    }
    Ok(())
}

/// Checks everything and changes nothing, fast checks first.
pub(crate) fn check() -> Outcome {
    step("format", || run(cargo().args(["fmt", "--all", "--check"])))?;
    step("architecture", || run(cargo().args(["test", "--quiet", "--test", "architecture"])))?;
    step("clippy, native", || {
        run(cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    })?;
    step("docs", || run(cargo().args(["doc", "--quiet", "--no-deps", "--lib"]).env("RUSTDOCFLAGS", "-D warnings")))?;
    let tools = web_tools()?;
    step("clippy, wasm", || {
        run(tools.command("cargo", true).args([
            "clippy",
            "--quiet",
            "--target",
            TARGET,
            "--features",
            "api",
            "--lib",
            "--bins",
            "--test",
            "web",
            "--",
            "-D",
            "warnings",
        ]))
    })
}

/// Formats, and writes generated files anew.
pub(crate) fn fix() -> Outcome {
    run(cargo().args(["fmt", "--all"]))?;
    let makers = ["generated", "links", "partial_connectivity", "figures", "classic"];
    let made = ["test", "--quiet", "--lib"].into_iter().chain(makers.into_iter().flat_map(|name| ["--test", name]));
    run(cargo().args(made).env("RAFTWERK_WRITE", "1"))
}

/// Takes the pictures anew with which screenshots are compared.
pub(crate) fn fix_pictures() -> Outcome {
    let tools = web_tools()?;
    build_site(&tools)?;
    drive("taking the pictures anew", &["--test", "--test-reporter=spec", "tests/e2e/pictures.test.mjs"], true)
}

/// Runs Node.js on the built page and a headless Chromium.
fn drive(what: &str, args: &[&str], writes: bool) -> Outcome {
    let (chrome, _) = browser()?;
    step(what, || {
        let mut node = Command::new("node");
        node.current_dir(root()).args(args).env("CHROME_PATH", chrome);
        node.env("RAFTWERK_NPM", npm_tools()?.join("node_modules"));
        if writes {
            node.env("RAFTWERK_WRITE", "1");
        }
        run(&mut node)
    })
}

/// Runs the benchmarks: of events natively and in Chromium, or of the page.
pub(crate) fn bench(part: Option<&str>) -> Outcome {
    if part.is_none_or(|part| part == "events") {
        step("native", || {
            run(cargo().args(["bench", "--bench", "events", "--bench", "history", "--bench", "executors"]))
        })?;
    }
    build_site(&web_tools()?)?;
    if part.is_none_or(|part| part == "events") {
        drive("events in Chromium", &["tests/e2e/bench-events.mjs"], false)?;
        drive("a history in Chromium", &["tests/e2e/bench-history.mjs"], false)?;
    }
    if part.is_none_or(|part| part == "page") {
        drive("the page in Chromium", &["tests/e2e/bench-page.mjs"], false)?;
    }
    Ok(())
}
