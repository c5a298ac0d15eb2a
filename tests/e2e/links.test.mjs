// Links, files, sharing and embedding, as people use and misuse them. Numbers are those of the browser cases.
//
// Links are made with the package (`pkg/`), as a third person would.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { button, digests, launch, leaders, names, open, position, seal, serve, stepOnce, stepToLeader } from "./browser.mjs";
import { Simulation } from "../../pkg/node.js";

let server, browser;
before(async () => { server = await serve(); browser = await launch(); });
after(async () => { await browser.close(); await server.close(); });

const golden = readFileSync(new URL("../golden/links.txt", import.meta.url), "utf8").split("\n").filter((line) => line && !line.startsWith("#")).map((line) => {
  const [name, link, ...all] = line.split(" ");
  return { name, link, digests: all.join(" ") };
});
const classic = (more = {}) => ({ format: 1, protocol: { classic: {} }, ...more });
const fragment = (scenario, events = 0) => {
  const run = new Simulation(scenario);
  if (events > 0) run.run({ maxEvents: events });
  return run.link("").slice(1);
};
const says = (page) => page.getByRole("alert").getByRole("heading").textContent();
const goTo = (page, hash) => page.evaluate((it) => { location.hash = it; }, hash);
const at = (page, events) => page.waitForFunction((n) => Number(document.querySelector(".position")?.textContent.match(/event (\d+)/)[1]) === n, events);
const notice = (page, text) => page.getByText(text).first().waitFor();
const field = (page) => page.getByLabel(/^Link to|^Embed code/);
const linkNow = async (page) => { await button(page, "Share").click(); return field(page).inputValue(); };

/** Gives the page text, as pasting anywhere does. */
const paste = (page, text) => page.evaluate((it) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", it);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}, text);
const drop = (page, name, text) => page.evaluate(([called, it]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([it], called, { type: "application/json" }));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}, [name, text]);
async function download(page, press) {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8"), path: await file.path() };
}

test("B01 whatever is cut off or changed, nothing but the error is shown, and the next good link works", async () => {
  const good = fragment(classic({ title: "Good", commands: [] }), 30);
  const damaged = [1, 2, 5, 20, Math.floor(good.length / 2)].map((cut) => good.slice(0, -cut));
  const middle = Math.floor(good.length / 2);
  damaged.push(good.slice(0, middle) + good.slice(middle + 1), `${good.slice(0, middle)}${good[middle] === "A" ? "B" : "A"}${good.slice(middle + 1)}`);
  const it = await open(browser, `${server.address}#${good}`);
  const { page } = it;
  assert.equal((await names(page)).length, 5);
  for (const bad of damaged) {
    await goTo(page, bad);
    await page.getByRole("alert").waitFor();
    assert.equal(await says(page), "This link is incomplete or damaged", bad);
    assert.equal(await page.locator(".node").count(), 0, "no run is shown");
    assert.ok(page.url().endsWith(`#${bad}`), "the damaged text stays");
  }
  await goTo(page, good);
  await at(page, 30);
  await it.done();
});

test("B03 names of any kind come back exactly, whatever a relay does to the link", async () => {
  const odd = ["50% & up", "a+b=c?#/", "节点 ①", "👩‍👩‍👧‍👦"];
  const link = fragment(classic({ replicas: 4, names: odd, seed: "3" }));
  assert.match(link, /^1\.[A-Za-z0-9_-]+$/);
  const escaped = link.replace(/[^A-Za-z0-9]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  for (const form of [link, decodeURIComponent(link), escaped]) {
    const it = await open(browser, `${server.address}#${form}`);
    const shown = await names(it.page);
    odd.forEach((name, i) => assert.ok(shown[i].startsWith(`${name},`), `${shown[i]} is ${name}`));
    assert.equal(new URL(await linkNow(it.page)).hash.slice(1), link);
    await it.done();
  }
});

test("B05 what a mail or a chat adds behind a link does no harm; anything else does not pass", async () => {
  const link = fragment(classic({ seed: "5" }), 12);
  assert.match(link, /[A-Za-z0-9]$/);
  const it = await open(browser, `${server.address}#${link}`);
  const { page } = it;
  for (const tail of [").", ">", "\"", ",", "*", "%0A", "%20", "!?]", ";:'", "%0A%20.", " \n"]) {
    await goTo(page, fragment(classic({ seed: "6" })));
    await at(page, 0);
    await goTo(page, link + tail);
    await at(page, 12);
  }
  // Broken over two lines of a mail, too.
  const broken = `${link.slice(0, 30)}%0A${link.slice(30)}`;
  for (const tail of ["x", ")x", "&utm_source=chat", "%2", null]) {
    await goTo(page, tail === null ? broken : link + tail);
    await page.getByRole("alert").waitFor();
    assert.equal(await page.locator(".node").count(), 0, tail);
  }
  await it.done();
});

test("B06 every link that must open for ever does, to the same run; with a slash, a file's name or neither before the #", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  assert.ok(golden.length > 70);
  for (const { name, link, digests: expected } of golden) {
    await goTo(page, link);
    await page.waitForFunction((all) => document.querySelector(".page")?.getAttribute("data-digests") === all, expected, { timeout: 10_000 })
      .catch(async () => assert.fail(`${name}: ${await digests(page)} is not ${expected}`));
  }
  await it.done();
  const { link, digests: expected } = golden[0];
  for (const path of ["", "index.html", "?utm_source=mail"]) {
    const other = await open(browser, `${server.address}${path}#${link}`);
    await names(other.page);
    assert.equal(await digests(other.page), expected, path);
    await other.done();
  }
  const bare = await open(browser, `${server.address.slice(0, -1)}#${link}`);
  await names(bare.page);
  assert.equal(await digests(bare.page), expected);
  // Shared again it is the same run.
  const again = new URL(await linkNow(bare.page)).hash;
  assert.equal(await digests(bare.page), expected);
  await goTo(bare.page, again);
  assert.equal(await digests(bare.page), expected);
  await bare.done();
});

test("B08 keys that poison are refused as unknown fields; nodes of such names are nodes like any other", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  const before = await digests(page);
  const good = { format: 1, protocol: { classic: {} } };
  const bad = [
    `{"format":1,"protocol":{"classic":{}},"__proto__":{"polluted":1}}`,
    `{"format":1,"protocol":{"classic":{"__proto__":{"polluted":1}}}}`,
    `{"format":1,"protocol":{"classic":{}},"links":{"constructor":{"prototype":{"polluted":1}}}}`,
    `{"format":1,"protocol":{"classic":{}},"starts":[{"prototype":{"polluted":1}}]}`,
    `{"format":1,"protocol":{"classic":{}},"view":{"__proto__":{"polluted":1}}}`,
  ];
  for (const text of bad) {
    await paste(page, text);
    await notice(page, /That cannot be opened: .*unknown field/);
    assert.equal(await digests(page), before);
    assert.deepEqual(await page.evaluate(() => [{}.polluted, Object.keys(Object.prototype), [].polluted]), [undefined, [], undefined]);
    await page.keyboard.press("ArrowRight");
    await at(page, 1);
    await page.keyboard.press("ArrowLeft");
    await at(page, 0);
  }
  const honest = ["__proto__", "constructor", "toString", "hasOwnProperty", "NaN", ""];
  await paste(page, JSON.stringify({ ...good, replicas: 6, names: honest, seed: "2" }));
  await page.waitForFunction(() => document.querySelectorAll(".replica .node").length === 6);
  const shown = await names(page);
  ["__proto__", "constructor", "toString", "hasOwnProperty", "NaN", "Node 6"].forEach((name, i) => assert.ok(shown[i].startsWith(`${name},`), shown[i]));
  await stepToLeader(page);
  const [leader] = await leaders(page);
  await page.getByRole("button", { name: leader, exact: true }).click();
  await button(page, "Crash").click();
  await page.getByRole("button", { name: /crashed/ }).first().waitFor();
  const seen = await digests(page);
  const link = await linkNow(page);
  const other = await open(browser, link);
  await names(other.page);
  assert.equal(await digests(other.page), seen);
  await other.done();
  await it.done();
});

const hostile = [
  "<img src=x onerror=\"window.hit=1\">",
  "</script><script>window.hit=1</script>",
  "javascript:window.hit=1",
  "data:text/html,<script>window.hit=1</script>",
  "<svg onload=window.hit=1><animate onbegin=window.hit=1></svg>",
  "\u202Egnorw\u202E\u2066 %%{init: {}}%% ;-->`|#quot;",
  "L".repeat(100_000),
];

test("B09 hostile text is text: on the page, in its title, in errors and in everything that is saved", async () => {
  for (const text of hostile) {
    const scenario = classic({
      title: text, replicas: 3, seed: "4", names: [text, `${text}2`, "ok"],
      chapters: [{ position: "0", text }, { position: "5", text, selection: { node: 1 } }],
    });
    const it = await open(browser, `${server.address}#${fragment(scenario, 8)}`);
    const { page } = it;
    page.on("dialog", () => it.faults.push("a dialog"));
    assert.equal((await names(page)).length, 3);
    const begins = text.slice(0, 5).replace(/\u202E|\u2066/g, "");
    if (!text.startsWith("\u202E")) assert.ok((await names(page))[0].includes(begins), (await names(page))[0]);
    for (const key of ["l", "e"]) await page.keyboard.press(key);
    await page.locator(".replica .node").first().click();
    await page.keyboard.press("PageDown");
    // Nothing is wider than the page, and nothing turns its neighbours round.
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the layout holds");
    const seen = await page.evaluate(() => document.body.innerText + document.title + [...document.querySelectorAll("*")].flatMap((it) => [...it.attributes].map(({ value }) => value)).join(""));
    assert.doesNotMatch(seen, /[\u202A-\u202E\u2066\u2067]/);
    assert.ok((await page.title()).length < 120);
    assert.equal(await page.locator("img, script:not([src]):not([data-wasm])").count(), 0);
    await button(page, "Share").click();
    const take = (name) => download(page, () => page.getByRole("button", { name, exact: true }).click());
    const svg = await take("Save the stage as SVG");
    assert.match(svg.name, /^[a-z0-9-]{1,60}\.svg$/);
    // Opened by itself it does nothing either.
    const viewer = await it.context.newPage();
    await viewer.route("**/*", (route) => (route.request().url().endsWith("/drawn.svg") ? route.fulfill({ contentType: "image/svg+xml", body: svg.text }) : it.faults.push(route.request().url())));
    await viewer.goto("http://drawn.example/drawn.svg");
    assert.equal(await viewer.evaluate(() => window.hit), undefined);
    const parsed = await viewer.evaluate((it) => {
      const drawn = new DOMParser().parseFromString(it, "image/svg+xml");
      const all = [...drawn.querySelectorAll("*")];
      return { names: [...new Set(all.map(({ localName }) => localName))], on: all.flatMap((node) => [...node.attributes].map(({ name }) => name)).filter((name) => name.startsWith("on") || name.includes("href")) };
    }, svg.text);
    await viewer.close();
    assert.deepEqual(parsed.on, []);
    for (const name of ["parsererror", "script", "img", "animate", "foreignObject"]) assert.ok(!parsed.names.includes(name), name);
    const mermaid = await take("Save these events as a Mermaid sequence diagram");
    assert.match(mermaid.text, /^sequenceDiagram\n/);
    for (const line of mermaid.text.split("\n")) assert.doesNotMatch(line.replace(/#\d+;/g, "").replace(/^ {2}\w+--?[>x)]+\w+: /, ""), /[<>;%`|"{}]|javascript:w/, line);
    const lines = await take("Save these events as JSON lines");
    for (const line of lines.text.trim().split("\n")) assert.ok(JSON.parse(line).step > 0 || JSON.parse(line).step.length > 0);
    const plain = await take("Save these events as text");
    assert.ok(plain.text.split("\n").every((line) => line.length < 2_000));
    const file = await take("Save the scenario as a file");
    assert.deepEqual(JSON.parse(file.text).names, [text, `${text}2`, "ok"], "the file has it as it was");
    await page.getByLabel("Opens at").selectOption({ index: 2 });
    const code = await field(page).inputValue();
    const frames = await page.evaluate((it) => {
      const box = new DOMParser().parseFromString(it, "text/html").body;
      return [box.children.length, box.children[0].localName, box.querySelectorAll("*").length, box.children[0].title];
    }, code);
    assert.deepEqual(frames.slice(0, 3), [1, "iframe", 1]);
    // In an error too.
    await page.keyboard.press("Escape");
    await paste(page, JSON.stringify({ format: 1, protocol: { classic: {} }, [text]: 1 }));
    await notice(page, "That cannot be opened");
    const wrong = await page.evaluate(() => document.body.innerText);
    assert.doesNotMatch(wrong, /[\u202A-\u202E\u2066\u2067]|L{2000}/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the layout holds");
    assert.equal(await page.evaluate(() => window.hit), undefined);
    await it.done();
  }
});

test("B12 addresses that do not decode are an error, not a crash; a bare # is the start page", async () => {
  const good = fragment(classic({ seed: "8" }), 9);
  for (const [hash, isStart] of [["", true], ["#", true], ["##", false], ["#%", false], ["#%E0%A4%A", false], ["#abc%abc", false], ["#%00", false], ["#%FF%FE", false]]) {
    const it = await open(browser, `${server.address}?x=%${hash}`);
    if (isStart) assert.equal((await names(it.page)).length, 5);
    else assert.equal(await says(it.page), "This link is incomplete or damaged", hash);
    await goTo(it.page, good);
    await at(it.page, 9);
    await it.done();
  }
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  for (const hash of ["%", "%E0%A4%A", "abc%abc", "%00", "%FF%FE", "\ud800"]) {
    await goTo(page, hash);
    await page.getByRole("alert").waitFor();
    assert.equal(await says(page), "This link is incomplete or damaged", hash);
    await goTo(page, good);
    await at(page, 9);
  }
  await it.done();
});

test("B14 sharing twice gives the same link, also after a reload; event 137 with node 3 chosen opens there", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  assert.equal(new URL(page.url()).hash, "", "the address is clean");
  while (await position(page) < 137) await stepOnce(page);
  await page.getByRole("button", { name: /^Node 3,/ }).click();
  const seen = await digests(page);
  const first = await linkNow(page);
  await page.keyboard.press("Escape");
  assert.equal(await linkNow(page), first);
  assert.equal(page.url(), first, "the address bar holds the permalink");
  await page.reload();
  await page.locator("html[data-whole]").waitFor();
  await at(page, 137);
  assert.equal(await linkNow(page), first);
  await it.done();

  const other = await open(browser, first);
  await at(other.page, 137);
  assert.equal(await digests(other.page), seen);
  assert.match(await other.page.locator(".replica .node[aria-pressed=true]").getAttribute("aria-label"), /^Node 3,/);
  assert.equal(await button(other.page, "Play").count(), 1, "it is still");
  assert.equal(await linkNow(other.page), first);
  // From the start it opens there, with the same future.
  await other.page.getByLabel("Opens at").selectOption("The start");
  const start = await other.page.getByLabel("Link to the start").inputValue();
  await other.done();
  const begun = await open(browser, start);
  await at(begun.page, 0);
  await begun.done();
});

test("B15 the address is replaced seldom and never added to: Back leaves at once", async () => {
  const script = () => {
    window.calls = [];
    for (const name of ["pushState", "replaceState"]) {
      const real = history[name].bind(history);
      history[name] = (...all) => { window.calls.push(name); return real(...all); };
    }
  };
  const it = await open(browser, `${server.address}icon.svg`.replace("icon.svg", "index.html?search"), { script });
  const { page } = it;
  await names(page);
  await page.goto(server.address);
  await page.locator("html[data-whole]").waitFor();
  await stepToLeader(page);
  const slider = page.getByRole("slider", { name: "Event", exact: true });
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + 1, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 0; i < 500; i += 1) await page.mouse.move(box.x + 1 + ((i * 7) % (box.width - 2)), box.y + box.height / 2);
  await page.mouse.up();
  // At top speed for a while.
  await page.getByRole("slider", { name: "Speed" }).focus();
  await page.keyboard.press("End");
  await button(page, "Play").click();
  await page.waitForTimeout(15_000); // what must not happen meanwhile has no state to wait for
  assert.ok(await position(page) > 500, `${await position(page)} events`);
  await button(page, "Pause").click();
  await button(page, "Share").click();
  await page.getByLabel("Title").pressSequentially("A name of thirty letters, typed");
  await page.keyboard.press("Tab");
  const calls = await page.evaluate(() => window.calls);
  assert.ok(calls.length <= 10, calls.join());
  assert.ok(!calls.includes("pushState"), calls.join());
  await page.goBack();
  assert.ok(page.url().endsWith("?search"), page.url());
  await it.done();
});

test("B15 when the browser refuses a history call, all goes on; Back works link by link", async () => {
  const script = () => { history.replaceState = () => { throw new DOMException("too many calls", "SecurityError"); }; };
  const it = await open(browser, server.address, { script });
  const { page } = it;
  await stepToLeader(page);
  const link = await linkNow(page);
  assert.ok(link.includes("#1."));
  await page.keyboard.press("Escape");
  await stepOnce(page);
  const here = await position(page);
  await button(page, "Play").click();
  await page.waitForFunction((n) => Number(document.querySelector(".position").textContent.match(/event (\d+)/)[1]) > n, here + 3);
  await it.done();

  const [one, two] = [3, 6].map((events) => fragment(classic({ seed: "21" }), events));
  const other = await open(browser, `${server.address}#${one}`);
  await at(other.page, 3);
  await goTo(other.page, two);
  await at(other.page, 6);
  await other.page.goBack();
  await at(other.page, 3);
  await other.page.goForward();
  await at(other.page, 6);
  await other.done();
});

test("B17 copied is said only when it was copied; else the whole link is selected", async () => {
  // (a) It can be copied.
  const good = await open(browser, server.address, { permissions: ["clipboard-read", "clipboard-write"] });
  await names(good.page);
  // (f) By keyboard, and the focus comes back.
  await button(good.page, "Share").focus();
  await good.page.keyboard.press("Enter");
  await good.page.getByRole("status").getByText("Copied.").waitFor();
  const link = await field(good.page).inputValue();
  assert.equal(await good.page.evaluate(() => navigator.clipboard.readText()), link);
  await good.page.keyboard.press("Escape");
  assert.equal(await good.page.evaluate(() => document.activeElement.textContent.trim()), "Share");
  await good.done();
  const without = {
    "no clipboard, as on plain http": () => Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined }),
    "no permission": () => { Clipboard.prototype.writeText = () => Promise.reject(new DOMException("Write permission denied.", "NotAllowedError")); },
    "it throws": () => { Clipboard.prototype.writeText = () => { throw new TypeError("no"); }; },
    "it never answers": () => { Clipboard.prototype.writeText = () => new Promise(() => {}); },
  };
  for (const [why, script] of Object.entries(without)) {
    const it = await open(browser, server.address, { script });
    const { page } = it;
    await names(page);
    await button(page, "Share").click();
    await page.getByText("Copy it with your copy keys: it is selected.").waitFor({ timeout: 2_000 });
    await page.waitForFunction(() => {
      const it = document.activeElement;
      return it.readOnly && it.value.length > 20 && it.selectionStart === 0 && it.selectionEnd === it.value.length;
    }, undefined, { timeout: 1_000 }).catch(() => assert.fail(why));
    assert.equal(await page.getByText(/^Copied/).count(), 0, why);
    await it.done();
  }
});

test("B17 (c) in another page's frame without permission the link is selected", async () => {
  const html = `<!doctype html><title>Host</title><link rel="icon" href="data:,"><iframe src="${server.address}" width="1200" height="700" title="Raft"></iframe>`;
  const host = createServer((_, response) => { response.writeHead(200, { "content-type": "text/html" }).end(html); });
  await new Promise((done) => host.listen(0, "127.0.0.1", done));
  after(() => host.close());
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  // Another host than the frame's: its policy gives the frame no clipboard.
  await page.goto(`http://localhost:${host.address().port}/`);
  const frame = page.frameLocator("iframe");
  await frame.locator("html[data-whole]").waitFor();
  await frame.getByRole("button", { name: "Share", exact: true }).click();
  await frame.getByText("Copy it with your copy keys: it is selected.").waitFor({ timeout: 2_000 });
  const selected = () => frame.getByLabel("Link to this moment").evaluate((it) => document.activeElement === it && it.selectionEnd === it.value.length && it.value.length > 20);
  for (let tries = 0; !(await selected()); tries += 1) assert.ok(tries < 20, "it is selected");
  assert.equal(await frame.getByText(/^Copied/).count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("B19 seeds of 64 bits are shown, shared and reopened digit for digit; bad ones are refused with a reason", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  const form = page.getByRole("form", { name: "Settings" });
  const runs = new Set();
  const good = ["0", "9007199254740991", "9007199254740992", "9007199254740993", "18446744073709551615"];
  for (const seed of good) {
    await button(page, "Settings").click();
    await form.getByLabel("Seed").fill(seed);
    await button(page, "Start a new run").click();
    for (let i = 0; i < 12; i += 1) await stepOnce(page);
    const seen = await digests(page);
    runs.add(seen);
    const own = new Simulation({ ...new Simulation().scenario(), seed });
    own.run({ maxEvents: 12 });
    const { state, protocol, run } = own.digest();
    assert.equal(seen, `${state} ${protocol} ${run}`, "as the package's");
    const other = await open(browser, await linkNow(page));
    await names(other.page);
    assert.equal(await digests(other.page), seen);
    await button(other.page, "Settings").click();
    assert.equal(await other.page.getByRole("form", { name: "Settings" }).getByLabel("Seed").inputValue(), seed);
    await other.done();
    await page.keyboard.press("Escape");
  }
  assert.equal(runs.size, good.length);
  assert.equal(await page.locator("input[type=number]").count(), 0);
  const seen = await digests(page);
  await button(page, "Settings").click();
  for (const seed of ["18446744073709551616", "-1", "1e3", "0x10", "1 000", "", "007"]) {
    await form.getByLabel("Seed").fill(seed);
    await button(page, "Start a new run").click();
    assert.match(await form.getByRole("alert").first().textContent(), /whole number/, seed);
    assert.equal(await digests(page), seen, seed);
  }
  await it.done();
});

test("opening a link never destroys one's own run", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  const own = await digests(page);
  await goTo(page, fragment(classic({ seed: "31", replicas: 3 }), 7));
  await page.waitForFunction(() => document.querySelectorAll(".replica .node").length === 3);
  await stepOnce(page);
  await page.reload();
  await page.locator("html[data-whole]").waitFor();
  assert.equal((await names(page)).length, 3, "the link is what the address says");
  await button(page, "Back to your own run").click();
  await page.waitForFunction(() => document.querySelectorAll(".replica .node").length === 5);
  assert.equal(await digests(page), own);
  assert.equal(new URL(page.url()).hash, "");
  // A bad one does not either.
  await goTo(page, "1.AAAA");
  await page.getByRole("alert").waitFor();
  await button(page, "Back to your own run").click();
  await page.waitForFunction((all) => document.querySelector(".page").getAttribute("data-digests") === all, own);
  await page.reload();
  await page.locator("html[data-whole]").waitFor();
  assert.equal(await digests(page), own);
  await it.done();
});

const isThere = (page, all) => page.waitForFunction((it) => document.querySelector(".page")?.getAttribute("data-digests") === it, all);
const whole = (page) => page.locator("html[data-whole]").waitFor();

/** Opens the newest of the earlier runs at a position. */
async function openEarlier(page, events) {
  await page.keyboard.press("b");
  await page.getByRole("button", { name: new RegExp(`: Raft, event ${events}(, \\d+ done by hand)?$`) }).first().click();
}

test("whatever is done in a run that came with a link, one's own is among the earlier ones, also after a reload", async () => {
  const link = fragment(classic({ seed: "31", replicas: 3 }), 7);
  const deeds = {
    "a crash": async (page) => { await page.getByRole("button", { name: /^Node 2,/ }).click(); await button(page, "Crash").click(); },
    "the other protocol": (page) => button(page, "KRaft").click(),
    "another seed": (page) => button(page, "Another seed").click(),
    "a file": (page) => paste(page, JSON.stringify(classic({ seed: "99", replicas: 3 }))),
    "two visits": async (page) => {
      await deeds["a crash"](page);
      await page.goto("about:blank");
      await page.goto(`${server.address}#${link}`);
      await whole(page);
      await at(page, 7);
      await deeds["a crash"](page);
    },
    "undoing": async (page) => {
      await button(page, "Another seed").click();
      await at(page, 0);
      // Back to the run of the link, which is a guest again; there undo goes no further.
      for (let i = 0; i < 6; i += 1) await page.keyboard.press("u");
      await at(page, 7);
      await button(page, "Back to your own run").waitFor();
      await deeds["a crash"](page);
    },
  };
  for (const [what, deed] of Object.entries(deeds)) {
    const it = await open(browser, server.address);
    const { page } = it;
    const events = await stepToLeader(page);
    const own = await digests(page);
    // In a new visit, so that one's own run is only in storage.
    await page.goto("about:blank");
    await page.goto(`${server.address}#${link}`);
    await whole(page);
    await at(page, 7);
    const guest = await digests(page);
    await deed(page);
    await page.waitForFunction((all) => document.querySelector(".page").getAttribute("data-digests") !== all, guest);
    await page.goto("about:blank");
    await page.goto(server.address);
    await whole(page);
    assert.notEqual(await digests(page), own, what);
    await page.keyboard.press("u");
    await notice(page, "There is nothing to undo.");
    await openEarlier(page, events);
    await isThere(page, own);
    await it.done();
  }
});

test("another tab's work is not lost either, and undo within a visit goes through one's own runs", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  const events = await stepToLeader(page);
  const own = await digests(page);
  const tab = await it.context.newPage();
  await tab.goto(server.address);
  await whole(tab);
  await tab.getByRole("button", { name: /^Node 2,/ }).click();
  await button(tab, "Crash").click();
  await tab.getByRole("button", { name: /^Node 2, crashed/ }).waitFor();
  await stepOnce(page);
  await page.reload();
  await whole(page);
  await openEarlier(page, events + 1);
  await page.getByRole("button", { name: /^Node 2, crashed/ }).waitFor();
  // A run of one's own, a link, another seed: undo goes back through both.
  await tab.close();
  await button(page, "Another seed").click();
  await at(page, 0);
  const mine = await digests(page);
  await goTo(page, fragment(classic({ seed: "31", replicas: 3 }), 7));
  await at(page, 7);
  await button(page, "Another seed").click();
  await at(page, 0);
  await page.keyboard.press("u");
  await at(page, 7);
  await button(page, "Back to your own run").click();
  await at(page, 0);
  await page.keyboard.press("u");
  await isThere(page, mine);
  assert.notEqual(own, mine);
  await it.done();
});

test("a long link that is refused, and a run of the last visit that is not waited for, take nothing away", async () => {
  const long = new Simulation(classic({ replicas: 3, seed: "1" }));
  for (let turn = 0; turn < 5; turn += 1) long.run({ maxEvents: 450_000 });
  const link = long.link("").slice(1);
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  const own = await digests(page);
  await page.goto("about:blank");
  await page.goto(`${server.address}#${link}`);
  await whole(page);
  await button(page, "Do not open it").click();
  await isThere(page, own);
  await page.reload();
  await whole(page);
  await isThere(page, own);
  // Now the long one is one's own, and is not waited for.
  const keep = async (text) => {
    // From beside the page, which keeps its own run when it goes.
    await page.route("**/favicon.ico", (route) => route.fulfill({ body: "" }));
    await page.goto(`${server.address}__wasm_split.js`);
    await page.evaluate((it) => localStorage.setItem("raftwerk.run.1", it), text);
    await page.goto(server.address);
    await whole(page);
  };
  await keep(link);
  await button(page, "Do not open it").click();
  await notice(page, "Not opened. Nothing has changed.");
  assert.equal(await page.evaluate(() => localStorage.getItem("raftwerk.run.1")), link);
  await button(page, "Back to your own run").waitFor();
  // What cannot be read stays too, until something else is done.
  await keep("0.AAAA");
  await notice(page, /cannot be opened by this one/);
  assert.equal(await page.evaluate(() => localStorage.getItem("raftwerk.run.1")), "0.AAAA");
  await it.done();
});

test("where a bad link is shown, files and links can still be given, and errors are seen", async () => {
  const it = await open(browser, `${server.address}#1.AAAA`);
  const { page } = it;
  await page.getByRole("alert").waitFor();
  await paste(page, "{");
  await notice(page, "That cannot be opened");
  await paste(page, fragment(classic({ seed: "4" }), 11));
  await at(page, 11);
  await it.done();
});

test("a link that chooses what is not there opens all the same", async () => {
  const scenario = { ...classic({ seed: "4", replicas: 3 }), view: { position: "3", selection: { link: [1, 109] } }, chapters: [{ position: "0", text: "A client's link", selection: { link: [105, 2] } }, { position: "5", text: "A message", selection: { message: { from: 1, to: 2, number: 900 } } }] };
  const it = await open(browser, `${server.address}#${fragment(scenario)}`);
  const { page } = it;
  await at(page, 3);
  await page.keyboard.press("PageUp");
  await at(page, 0);
  await page.keyboard.press("PageDown");
  await at(page, 5);
  assert.throws(() => new Simulation({ ...scenario, view: { selection: { link: [101, 102] } } }), { code: "contradiction", path: "view.selection" });
  await it.done();
});

test("a long replay asks first, can be refused, and goes on when asked to", async () => {
  const run = new Simulation(classic({ replicas: 3, seed: "1" }));
  for (let turn = 0; turn < 5; turn += 1) run.run({ maxEvents: 450_000 });
  const link = run.link("").slice(1);
  const { state, protocol, run: whole } = run.digest();
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  const own = await digests(page);
  await goTo(page, link);
  await page.getByRole("alert").getByText("This run has 2250000 events to replay").waitFor();
  await button(page, "Do not open it").click();
  await notice(page, "Not opened. Nothing has changed.");
  assert.equal(await digests(page), own);
  await goTo(page, link);
  await button(page, "Go on").click();
  await button(page, "Cancel").waitFor();
  await page.waitForFunction((all) => document.querySelector(".page").getAttribute("data-digests") === all, `${state} ${protocol} ${whole}`, { timeout: 60_000 });
  await it.done();
});

test("a replay that differs from what was shared says between which commands, and is shown as another run", async () => {
  const run = new Simulation(classic({ replicas: 3, seed: "9" }));
  run.run({ condition: { role: { role: "leader" } } });
  run.apply({ crash: { replica: run.state().leader } });
  run.run({ maxEvents: 5 });
  run.apply({ set_cut: { from: 1, to: 2, is_cut: true } });
  run.run({ maxEvents: 20 });
  const scenario = run.scenario();
  const change = (index) => ({ ...scenario, commands: scenario.commands.map((placed, i) => (i === index ? { ...placed, check: placed.check ^ 1 } : placed)) });
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await paste(page, JSON.stringify(scenario));
  await at(page, Number(run.position()));
  assert.equal(await page.getByText("This is not the run that was shared").count(), 0);
  await paste(page, JSON.stringify(change(1)));
  await notice(page, /This is not the run that was shared: its replay first differs between command 1 .* and command 2/);
  await paste(page, JSON.stringify(change(0)));
  await notice(page, /first differs between the start and command 1/);
  await paste(page, JSON.stringify({ ...scenario, view: { ...scenario.view, digest: scenario.view.digest === 0 ? 1 : scenario.view.digest - 1 } }));
  await notice(page, /first differs between command 2 .* and the moment that was shared/);
  await it.done();
  // In a link too: one byte of the record, and the checksum made anew.
  const plain = Buffer.from(run.link("").slice(3, -6), "base64url");
  const found = [...plain.keys()].map((i) => {
    const bytes = Buffer.from(plain);
    bytes[i] ^= 1;
    return seal(`1.${bytes.toString("base64url")}`);
  }).find((link) => { try { return Simulation.fromLink(link).difference()?.command === 1; } catch { return false; } });
  const other = await open(browser, `${server.address}#${found}`);
  await notice(other.page, /first differs between command 1/);
  await other.done();
});

test("files: saved, chosen, dropped and pasted; a bad one says what is wrong and changes nothing", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  const seen = await digests(page);
  await button(page, "Share").click();
  const press = (name) => page.getByRole("button", { name, exact: true }).click();
  const file = await download(page, () => press("Save the scenario as a file"));
  assert.equal(file.name, "a-first-election.json");
  assert.equal(new Simulation(JSON.parse(file.text)).digest().run, seen.split(" ")[2]);
  for (let i = 0; i < 3; i += 1) await page.keyboard.press("Escape");
  const bad = [["{", "it is no JSON"], ["{\"format\":1}", "protocol"], [JSON.stringify(classic({ replicas: 99 })), "replicas"], [JSON.stringify(classic({ seed: 3 })), "seed"], ["hello", "damaged"]];
  await stepOnce(page);
  const here = await digests(page);
  for (const [text, word] of bad) {
    for (const give of [() => paste(page, text), () => drop(page, "scenario.json", text)]) {
      await give();
      await notice(page, new RegExp(`That cannot be opened: .*${word}.*Nothing has changed`));
      assert.equal(await digests(page), here);
    }
  }
  for (const give of [() => paste(page, file.text), () => drop(page, "scenario.json", file.text), async () => {
    await button(page, "Share").click();
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press("Open a scenario file")]);
    await chooser.setFiles({ name: "scenario.json", mimeType: "application/json", buffer: Buffer.from(file.text) });
  }]) {
    await stepOnce(page);
    await give();
    await page.waitForFunction((all) => document.querySelector(".page").getAttribute("data-digests") === all, seen);
  }
  // What was there before comes back with undo.
  await page.keyboard.press("u");
  await page.waitForFunction((all) => document.querySelector(".page").getAttribute("data-digests") !== all, seen);
  await it.done();
});

test("exports: events as text, JSON lines and Mermaid; the stage as SVG and PNG", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  const count = await position(page);
  await button(page, "Share").click();
  const take = (name) => download(page, () => page.getByRole("button", { name, exact: true }).click());
  const own = new Simulation();
  own.run({ maxEvents: count });
  const lines = (await take("Save these events as JSON lines")).text.trim().split("\n").map((line) => JSON.parse(line));
  const trace = own.trace(1, count);
  assert.deepEqual(lines.map(({ text }) => text), trace.map(({ text }) => text));
  const text = (await take("Save these events as text")).text;
  for (const line of trace) assert.ok(text.includes(line.text), line.text);
  assert.equal((await take("Save these events as a Mermaid sequence diagram")).text, own.mermaid(1, count));
  const svg = await take("Save the stage as SVG");
  assert.equal(svg.name, "a-first-election.svg");
  for (let node = 1; node <= 5; node += 1) assert.ok(svg.text.includes(`Node ${node}`) || svg.text.includes(`>${node}<`), `node ${node}`);
  assert.doesNotMatch(svg.text, /https?:\/\/(?!www\.w3\.org)/);
  const png = readFileSync((await take("Save the stage as PNG")).path);
  assert.equal(png.toString("latin1", 1, 4), "PNG");
  assert.ok(png.readUInt32BE(16) >= 1_900, `${png.readUInt32BE(16)} wide`);
  assert.ok(png.length > 20_000, `${png.length} bytes`);
  await it.done();
});

test("a long link warns, and the panel says where each kind opens", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await button(page, "Share").click();
  assert.match(await page.locator(".sharing .unit").first().textContent(), /^\d+ characters$/);
  await page.getByLabel("Opens at").selectOption("The start");
  await page.getByLabel("Link to the start").waitFor();
  await page.keyboard.press("Escape");
  const letters = Array.from({ length: 25 }, (_, i) => Array.from({ length: 120 }, (_, k) => String.fromCodePoint(0x4e00 + ((i * 7919 + k * 104_729) % 20_000))).join(""));
  await paste(page, JSON.stringify(classic({ replicas: 25, names: letters })));
  await page.waitForFunction(() => document.querySelectorAll(".replica .node").length === 25);
  await button(page, "Share").click();
  assert.match(await page.locator(".sharing .unit").first().textContent(), /characters: some programs cut links longer than 2,000/);
  await it.done();
});

test("chapters lead through a run, by button and by key", async () => {
  const chapters = [{ position: "0", text: "Nobody leads." }, { position: "6", text: "Look at node 2.", selection: { node: 2 } }, { position: "40", text: "The end.", panel: "logs" }];
  const it = await open(browser, `${server.address}#${fragment(classic({ title: "A lesson", chapters }))}`);
  const { page } = it;
  const chapter = page.getByRole("region", { name: "Chapter" });
  await chapter.getByText("Nobody leads.").waitFor();
  await button(page, "Next chapter").click();
  await chapter.getByText("Look at node 2.").waitFor();
  await at(page, 6);
  assert.match(await page.locator(".replica .node[aria-pressed=true]").getAttribute("aria-label"), /^Node 2,/);
  await page.keyboard.press("PageDown");
  await chapter.getByText("The end.").waitFor();
  await at(page, 40);
  await page.keyboard.press("PageUp");
  await at(page, 6);
  await it.done();
});

test("embedded it takes no storage, no focus and no time, fits 400 by 300, and opens in full", async () => {
  const lines = "A chapter of some length, so that it has more than one line in a figure that is small, and then some more of it, and at last so much that it has four lines or five.";
  const link = fragment(classic({ title: "Figure", seed: "12", chapters: [{ position: "0", text: lines, panel: "faults" }] }), 20);
  for (const [width, height] of [[400, 300], [640, 460], [1280, 720]]) {
    const it = await open(browser, `${server.address}?embed#${link}`, { viewport: { width, height }, reducedMotion: "no-preference" });
    const { page } = it;
    await at(page, 20);
    for (const part of [page.getByRole("region", { name: "Stage" }), page.locator(".sentence"), button(page, "Step"), button(page, "Play")]) {
      const box = await part.boundingBox();
      assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1, `${width}x${height}: ${JSON.stringify(box)}`);
    }
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true, "no focus");
    const clock = await page.locator("#clock").textContent().catch(() => "");
    await page.waitForTimeout(300); // nothing may happen meanwhile: there is no state to wait for
    assert.equal(await position(page), 20);
    assert.equal(await page.locator("#clock").textContent().catch(() => ""), clock);
    await stepOnce(page);
    assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, ""]);
    const full = page.getByRole("link", { name: /open in full/i });
    const opened = new URL(await full.getAttribute("href"), page.url());
    assert.ok(!opened.search.includes("embed"));
    const other = await open(browser, opened.href);
    await at(other.page, 21);
    assert.equal(await digests(other.page), await digests(page));
    await other.done();
    await it.done();
  }
  // A bad link takes no focus either.
  const bad = await open(browser, `${server.address}?embed#1.AAAA`, { viewport: { width: 400, height: 300 } });
  assert.equal(await says(bad.page), "This link is incomplete or damaged");
  assert.equal(await bad.page.evaluate(() => document.activeElement === document.body), true);
  await bad.done();
});

test("the example page has a figure in it and drives it", async () => {
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 800, height: 560 } });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });
  await page.route("**/favicon.ico", (route) => route.fulfill({ body: "" }));
  await page.goto(`${server.address}embed.html`);
  const frame = page.frameLocator("iframe");
  await frame.locator("html[data-whole]").waitFor();
  assert.equal(await frame.locator(".replica .node[aria-label*=', leader,']").count(), 2);
  // Whoever scrolls the article scrolls it over the figure too (B24).
  const figure = await page.locator("iframe").boundingBox();
  await page.mouse.move(figure.x + figure.width / 2, figure.y + 120);
  await page.mouse.wheel(0, 200);
  await page.waitForFunction(() => scrollY > 50);
  await page.getByRole("button", { name: "Heal the partition" }).click();
  for (let i = 0; i < 3; i += 1) await page.getByRole("button", { name: "Step", exact: true }).click();
  await page.locator("output", { hasText: /^Event 40: ./ }).waitFor();
  await page.getByRole("button", { name: "Heal the partition" }).click();
  await page.locator("output", { hasText: "Refused: " }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("a host page of another origin drives an embedded run, and is refused what the validator refuses", async () => {
  const link = fragment(classic({ seed: "12" }), 20);
  const html = `<!doctype html><title>Host</title><link rel="icon" href="data:,"><iframe src="${server.address}?embed#${link}" width="640" height="460" title="A figure"></iframe>`;
  const host = createServer((_, response) => { response.writeHead(200, { "content-type": "text/html" }).end(html); });
  await new Promise((done) => host.listen(0, "127.0.0.1", done));
  after(() => host.close());
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });
  await page.addInitScript(() => {
    if (window !== top) return;
    window.heard = new Map();
    window.isReady = new Promise((done) => addEventListener("message", ({ data, source }) => {
      if (data?.raftwerk !== 1 || source !== document.querySelector("iframe").contentWindow) return;
      if (data.ready) done(true);
      else window.heard.get(data.id)?.(data);
    }));
    window.ask = (id, request) => new Promise((done) => {
      window.heard.set(id, done);
      document.querySelector("iframe").contentWindow.postMessage({ raftwerk: 1, id, do: request }, "*");
    });
  });
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  await page.evaluate(() => window.isReady);
  let id = 0;
  const ask = (request) => { id += 1; return page.evaluate(([n, it]) => window.ask(n, it), [id, request]); };
  assert.equal((await ask("state")).position, "20");
  const stepped = await ask("step");
  assert.equal(stepped.position, "21");
  assert.ok(stepped.sentence.length > 20);
  assert.equal((await ask("step_back")).position, "20");
  assert.equal((await ask({ seek: "5" })).position, "5");
  const cut = await ask({ apply: { set_cut: { from: 1, to: 2, is_cut: true } } });
  assert.equal(Simulation.fromLink(cut.link).scenario().commands.length, 1);
  assert.equal((await ask("play")).is_playing, true);
  assert.equal((await ask("pause")).is_playing, false);
  const before = await ask("state");
  const refused = [
    [{ apply: { crash: { replica: 9 } } }, "no_such", "command.replica"],
    [{ apply: { crash: { replica: 1, hard: true } } }, "shape", "crash.hard"],
    [{ scenario: classic({ replicas: 0 }) }, "range", "replicas"],
    [{ scenario: { format: 1 } }, "shape", "scenario"],
    [{ scenario: classic({ view: { position: "300000" } }) }, "too_much", "view.position"],
    [{ open: "1.AAAA" }, "damaged", ""],
    [{ open: "" }, "empty", ""],
    [{ seek: 5 }, "shape", "do"],
    [{ seek: "-5" }, "shape", "seek"],
    [{ step: 1, play: 1 }, "shape", "do"],
    ["fly", "shape", "do"],
    [undefined, "shape", "do"],
  ];
  for (const [request, code, path] of refused) {
    const { error } = await ask(request);
    assert.deepEqual([error?.code, error?.path], [code, path], `${JSON.stringify(request)}: ${JSON.stringify(error)}`);
    assert.ok(error.message.length > 5);
  }
  assert.deepEqual({ ...(await ask("state")), id: 0 }, { ...before, id: 0 });
  const other = await ask({ scenario: classic({ replicas: 3, seed: "77" }) });
  assert.equal(other.position, "0");
  assert.equal((await ask({ open: `https://elsewhere.example/#${link}` })).position, "20");
  // What is not for it is not heard.
  await page.evaluate(() => document.querySelector("iframe").contentWindow.postMessage("step", "*"));
  await page.evaluate(() => document.querySelector("iframe").contentWindow.postMessage({ raftwerk: 2, do: "step" }, "*"));
  assert.equal((await ask("state")).position, "20");
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  assert.deepEqual(faults, []);
  await context.close();
});
