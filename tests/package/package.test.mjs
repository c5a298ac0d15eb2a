// The npm package: its examples in Node and in a browser, its types under strict TypeScript, what it refuses, and that a run
// scripted by a third person opens in the page at its moment.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, leaders, names, open, position, seal, serve } from "../e2e/browser.mjs";

const inside = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const pkg = inside("pkg");

/** The examples of a text: what is run, and what it prints (if the text says so). */
function examples(path) {
  const text = readFileSync(inside(path), "utf8");
  return [...text.matchAll(/```js\n(.*?)```\n(?:\n```text\n(.*?)```\n)?/gs)].map(([, code, prints]) => ({ code, prints }));
}
const all = [...examples("docs/api.md"), ...examples("package/README.md")];

let folder, browser, server;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "raftwerk-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(pkg, join(folder, "node_modules/raftwerk"), "junction");
  browser = await launch();
  server = await serve();
});
after(async () => { rmSync(folder, { recursive: true }); await browser.close(); await server.close(); });

function inNode(code) {
  const file = join(folder, "example.mjs");
  writeFileSync(file, code);
  return execFileSync(process.execPath, [file], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

async function inBrowser(code) {
  const host = await serve(pkg);
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.addInitScript(() => {
    window.printed = "";
    const shown = (value) => (typeof value === "bigint" ? `${value}n` : String(value));
    console.log = (...values) => { window.printed += `${values.map(shown).join(" ")}\n`; };
  });
  const html = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">{"imports":{"raftwerk":"./browser.js"}}</script><script type="module">${code.replaceAll("</script", "<\\/script")}\nwindow.isDone = true;</script>`;
  await page.route("**/example.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.goto(`${host.address}example.html`);
  await page.waitForFunction(() => window.isDone || false).catch((problem) => faults.push(String(problem)));
  // Nothing but what was asked for is left in the page.
  const globals = await page.evaluate(() => Object.keys(globalThis).filter((name) => /raft|wasm|wbg|simulation/i.test(name)));
  const printed = await page.evaluate(() => window.printed);
  await context.close();
  await host.close();
  assert.deepEqual(faults, []);
  assert.deepEqual(globals, []);
  return printed;
}

test("the examples of docs/api.md and of the package print what stands there, in Node and in a browser", async () => {
  assert.ok(all.length >= 5, `${all.length} examples`);
  for (const { code, prints } of all) {
    const printed = inNode(code);
    assert.ok(printed.length > 10, code);
    if (prints !== undefined) assert.equal(printed, prints, code);
    assert.equal(await inBrowser(code), printed, code);
  }
});

test("the types compile under strict TypeScript", () => {
  writeFileSync(join(folder, "strict.ts"), readFileSync(inside("tests/package/strict.ts")));
  const compilerOptions = {
    strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noUnusedLocals: true, skipLibCheck: false,
    module: "nodenext", target: "esnext", lib: ["esnext", "dom"], types: [], noEmit: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["strict.ts"] }));
  const tsc = join(process.env.RAFTWERK_NPM, "typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", folder], { stdio: "inherit" });
});

test("a script of 15 lines builds a partition, runs to two leaders and prints a link, which opens the page at that moment", async () => {
  const [{ code }] = examples("docs/api.md");
  assert.ok(code.trimEnd().split("\n").length <= 15);
  const link = inNode(code).match(/https:\/\/raftwerk\.example\/(#\S+)/)[1];
  const it = await open(browser, server.address + link);
  const { page } = it;
  assert.equal((await leaders(page)).length, 2, (await names(page)).join());
  const terms = new Set((await leaders(page)).map((name) => name.match(/term (\d+)/)[1]));
  assert.equal(terms.size, 2, "in different terms");
  assert.ok(await position(page) > 20);
  assert.equal(await page.title(), "Two leaders · Raftwerk");
  assert.match(await page.locator(".sentence > p").first().textContent(), /is the leader of term 2/);
  await it.done();
});

test("what is wrong is refused with its code and its field, and nothing has changed", async () => {
  const { Simulation } = await import(join(pkg, "node.js"));
  const run = new Simulation({ format: 1, protocol: { classic: {} }, replicas: 3, seed: "7" });
  run.run({ condition: { role: { role: "leader" } } });
  const before = [run.digest().run, run.length(), run.link()];
  const circle = {};
  circle.circle = circle;
  const deep = JSON.parse("[".repeat(1000) + "]".repeat(1000));
  const bad = [
    [() => new Simulation({ format: 1 }), "shape", "scenario"],
    [() => new Simulation({ format: 1, protocol: { classic: {} }, sed: "3" }), "shape", "sed"],
    [() => new Simulation({ format: 1, protocol: { classic: {} }, seed: 7 }), "shape", "seed"],
    [() => new Simulation({ format: 1, protocol: { classic: {} }, seed: "18446744073709551616" }), "shape", "seed"],
    [() => new Simulation({ format: 2, protocol: { classic: {} } }), "version", "format"],
    [() => new Simulation({ format: 1, protocol: { classic: {} }, replicas: 26 }), "range", "replicas"],
    [() => new Simulation(circle), "shape", "scenario"],
    [() => new Simulation(deep), "shape", "[0]"],
    [() => new Simulation(() => 1), "shape", "scenario"],
    [() => Simulation.fromLink(""), "empty", ""],
    [() => Simulation.fromLink("#"), "empty", ""],
    [() => Simulation.fromLink("https://raftwerk.example/"), "empty", ""],
    [() => Simulation.fromLink(`${before[2]}A`), "damaged", ""],
    [() => Simulation.fromLink(seal("9.AAAA")), "version", ""],
    [() => run.apply({ crash: { replica: 4 } }), "no_such", "command.replica"],
    [() => run.apply({ crash: { replica: 1, twice: true } }), "shape", "crash.twice"],
    [() => run.apply("heal"), "cannot_be_done", ""],
    [() => run.apply(), "shape", "command"],
    [() => run.step("timer 9"), "no_such", "name"],
    [() => run.seek(-1), "shape", "position"],
    [() => run.seek(1.5), "shape", "position"],
    [() => run.seek(2 ** 60), "shape", "position"],
    [() => run.seek(2n ** 64n), "shape", "position"],
    [() => run.run({ until: NaN }), "shape", "options"],
    [() => new Simulation({ format: 1, protocol: { classic: {} }, commands: [{ step: "0", at_us: "0", command: { crash: { replica: 9 } } }] }), "no_such", "commands[0].command.replica"],
    [() => new Simulation({ format: 1, protocol: { classic: {} }, ["\u202e".repeat(10_000)]: 1 }), "shape", ""],
    [() => run.run({ until: "soon" }), "shape", "until"],
    [() => run.run({ condition: { role: { node: 7, role: "leader" } } }), "no_such", "condition.role.node"],
    [() => run.trace(0, 100_000), "too_much", "to"],
    [() => run.explain(1_000_000), "range", "position"],
    [() => run.ask({ why_not_elected: { node: 0 } }), "no_such", "node"],
  ];
  for (const [attempt, code, path] of bad) {
    assert.throws(attempt, (error) => {
      assert.ok(error instanceof Error && error.name === "RaftwerkError", `${attempt}: ${error}`);
      assert.deepEqual([error.code, error.path], [code, path], `${attempt}: ${error.message}`);
      assert.ok(error.message.length > 10 && error.message.length < 400, error.message);
      return true;
    }, String(attempt));
  }
  assert.deepEqual([run.digest().run, run.length(), run.link()], before);
});

test("time stands where a run stops, and never goes back by running", async () => {
  const { Simulation } = await import(join(pkg, "node.js"));
  const run = new Simulation();
  assert.deepEqual(run.run({ until: 3_000_000 }).reason, "time");
  const seen = [run.now(), run.position(), run.digest().run];
  assert.equal(seen[0], 3_000_000n);
  assert.deepEqual(run.run({ until: "3" }), { reason: "time", events: "0" });
  assert.deepEqual(run.run({ maxEvents: 0 }), { reason: "events", events: "0" });
  assert.deepEqual([run.now(), run.position(), run.digest().run], seen);
  assert.deepEqual(run.run({ until: 9_000_000n, maxEvents: 2, condition: "two_leaders" }), { reason: "events", events: "2" });
  run.stepBack();
  assert.equal(run.position(), seen[1] + 1n);
  assert.equal(run.length(), seen[1] + 2n);
  run.seek(10n ** 9n);
  assert.equal(run.position(), run.length());
});

test("acting in the past as often as one likes: there is one future", async () => {
  const { Simulation } = await import(join(pkg, "node.js"));
  const run = new Simulation();
  run.run({ maxEvents: 40 });
  for (let turn = 0; turn < 120; turn += 1) {
    run.seek(20);
    run.apply({ set_cut: { from: 1, to: 2, is_cut: true } });
    run.run({ maxEvents: 10 });
  }
  assert.equal(run.scenario().commands.length, 1);
});

test("64-bit seeds, hostile names and a run of a million events", async () => {
  const { Simulation } = await import(join(pkg, "node.js"));
  const seeds = ["0", "9007199254740991", "9007199254740992", "9007199254740993", "18446744073709551615"];
  const runs = seeds.map((seed) => {
    const run = new Simulation({ format: 1, protocol: { classic: {} }, replicas: 3, seed });
    run.run({ maxEvents: 50 });
    const again = Simulation.fromLink(run.link());
    assert.equal(again.scenario().seed, seed);
    assert.equal(again.difference(), null);
    return run.digest().run;
  });
  assert.equal(new Set(runs).size, seeds.length);
  const odd = ["__proto__", "constructor", "toString", "NaN", ""];
  const run = new Simulation({ format: 1, protocol: { classic: {} }, replicas: 5, names: odd });
  assert.deepEqual(Simulation.fromLink(run.link()).scenario().names, odd);
  assert.equal({}.polluted, undefined);
  assert.deepEqual(run.run({ maxEvents: 1_000_000 }), { reason: "events", events: "1000000" });
  assert.deepEqual(run.violations(), []);
});
