// The built page, used as people use it. Accessible names are those of the page's contract.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { button, digests, field, kraft, launch, leaders, load, names, open, position, seal, serve, stepOnce, stepToLeader } from "./browser.mjs";

let server;
let browser;
before(async () => { server = await serve(); browser = await launch(); });
after(async () => { await browser?.close(); await server?.close(); });

test("a newcomer steps to a leader, crashes it, plays to a new one, and shares", async () => {
  const first = await open(browser, server.address);
  const { page } = first;
  assert.equal((await names(page)).length, 5);
  assert.equal(await position(page), 0);
  assert.ok(await stepToLeader(page) <= 60);
  const [old] = await leaders(page);
  await page.getByRole("button", { name: old }).click();
  await button(page, "Crash").click();
  await page.waitForFunction((name) => ![...document.querySelectorAll(".node")].some((n) => n.getAttribute("aria-label") === name), old);
  assert.match((await names(page)).join(), /crashed/);
  await button(page, "Play").click();
  await page.waitForFunction(() => [...document.querySelectorAll(".node")].some((n) => n.getAttribute("aria-label").includes(", leader,")), undefined, { timeout: 40_000 });
  await button(page, "Pause").click();
  await button(page, "Share").click();
  const link = await page.getByLabel("Link to this moment").inputValue();
  assert.ok(link.startsWith(`${server.address}#1.`), link);
  const seen = { names: await names(page), digests: await digests(page), position: await position(page) };
  await first.done();

  const second = await open(browser, link);
  assert.deepEqual(await names(second.page), seen.names);
  assert.equal(await digests(second.page), seen.digests);
  assert.equal(await position(second.page), seen.position);
  await second.done();
});

test("stepping back and forward gives the same state", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  const seen = [];
  for (let i = 0; i < 15; i += 1) { seen.push(await digests(page)); await stepOnce(page); }
  for (let i = 14; i >= 0; i -= 1) {
    await button(page, "Step back").click();
    await page.waitForFunction((n) => document.querySelector(".position").textContent.startsWith(`event ${n} `), i);
    assert.equal(await digests(page), seen[i], `position ${i}`);
  }
  await stepOnce(page);
  assert.equal(await digests(page), seen[1]);
  await it.done();
});

test("after Play something is seen within 2 s and a leader within 15 s, and nothing moves before", async () => {
  const it = await open(browser, server.address, { reducedMotion: "no-preference" });
  const { page } = it;
  await names(page);
  const clock = await page.locator("#clock").textContent();
  await page.waitForTimeout(300); // nothing may happen meanwhile: there is no state to wait for
  assert.equal(await page.locator("#clock").textContent(), clock);
  await button(page, "Play").click();
  await page.locator(".arrow").first().waitFor({ timeout: 2_000, state: "attached" });
  await page.waitForFunction(() => [...document.querySelectorAll(".node")].some((n) => n.getAttribute("aria-label").includes(", leader,")), undefined, { timeout: 15_000 });
  await it.done();
});

test("a message flies in a single step, and its arrow moves", async () => {
  const it = await open(browser, server.address, { reducedMotion: "no-preference" });
  const { page } = it;
  await stepOnce(page);
  await page.locator(".arrow").first().waitFor({ state: "attached" });
  const tip = () => page.locator(".arrow .trail").first().getAttribute("x2");
  const before = await tip();
  const moved = page.waitForFunction((x) => document.querySelector(".arrow .trail")?.getAttribute("x2") !== x
    && document.querySelector(".position").textContent.startsWith("event 1 "), before);
  await button(page, "Step").click();
  await moved;
  await it.done();
});

test("a reload restores the run", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  for (let i = 0; i < 7; i += 1) await stepOnce(page);
  const seen = await digests(page);
  await page.reload();
  await names(page);
  assert.equal(await digests(page), seen);
  assert.equal(await position(page), 7);
  assert.ok(!page.url().includes("#"), "the address bar stays clean");
  await it.done();
});

test("B01 a damaged link and one of an unknown version are told apart, and nothing else runs", async () => {
  const good = readFileSync(new URL("../../scenarios/newcomer.link", import.meta.url), "utf8");
  const cases = [
    [good.slice(0, -1), "This link is incomplete or damaged"],
    [good.slice(0, good.length / 2), "This link is incomplete or damaged"],
    [`${good.slice(0, 20)}${good[20] === "A" ? "B" : "A"}${good.slice(21)}`, "This link is incomplete or damaged"],
    ["%E0%A4%A", "This link is incomplete or damaged"],
    ["7.AAAA6BMqMg", null],
  ];
  for (const [fragment, heading] of cases) {
    const it = await open(browser, `${server.address}#${fragment}`);
    const shown = await it.page.getByRole("alert").getByRole("heading").textContent();
    if (heading) assert.equal(shown, heading, fragment);
    assert.equal(await it.page.locator(".node").count(), 0);
    assert.ok(it.page.url().endsWith(`#${fragment}`), "the damaged text stays in the address bar");
    await it.page.evaluate((hash) => { location.hash = hash; }, good);
    assert.equal((await names(it.page)).length, 5);
    await it.done();
  }
});

test("an unknown version says so", async () => {
  const it = await open(browser, `${server.address}#${seal("7.AAAA")}`);
  assert.equal(await it.page.getByRole("alert").getByRole("heading").textContent(), "This link is of an unknown version");
  await it.done();
});

for (const detail of ["free", "borrowed"]) {
  test(`a panic with the session ${detail} shows the panic page with a link, and starting again works`, async () => {
    const it = await open(browser, server.address);
    const { page, faults } = it;
    await stepToLeader(page);
    const seen = await names(page);
    const [leader] = await leaders(page);
    await page.getByRole("button", { name: leader }).click();
    await button(page, "Crash").click();
    await page.getByRole("button", { name: /crashed/ }).first().waitFor();
    const crashed = await names(page);
    assert.notDeepEqual(crashed, seen);
    await page.evaluate((how) => document.dispatchEvent(new CustomEvent("raftwerk:test-panic", { detail: how })), detail);
    await page.getByRole("heading", { name: "Raftwerk stopped: a mistake in this page" }).waitFor();
    assert.match(await page.locator("#panic pre").textContent(), new RegExp(`deliberate panic, with the session ${detail}`));
    const href = await page.getByRole("link", { name: "The run, as a link" }).getAttribute("href");
    await button(page, "Start again").click();
    assert.equal((await names(page)).length, 5);
    await stepOnce(page);
    faults.length = 0; // the trap itself may be reported
    await it.done();

    const other = await open(browser, `${server.address}${href}`);
    assert.deepEqual(await names(other.page), crashed);
    await other.done();
  });
}

test("the first load, all that is needed to step and play, is at most 250 kB gzipped, and nothing comes from elsewhere", async () => {
  const it = await open(browser, server.address, { isWhole: false, without: "**/later.wasm*" });
  await it.page.getByText("Part of this page could not be loaded").waitFor();
  await stepToLeader(it.page);
  await button(it.page, "Play").click();
  await button(it.page, "Pause").click();
  const size = await it.transferred();
  assert.ok(size > 50_000 && size <= 250_000, `${size} bytes`);
  // It is tried again by whoever does something.
  await it.page.unroute("**/later.wasm*");
  await it.page.locator(".node").first().click();
  await it.page.locator("html[data-whole]").waitFor();
  await it.context.close();
});

test("the second load, what comes after the first drawing, is at most 220 kB gzipped", async () => {
  const first = await open(browser, server.address, { isWhole: false, without: "**/later.wasm*" });
  await names(first.page);
  const whole = await open(browser, server.address);
  const size = await whole.transferred() - await first.transferred();
  assert.ok(size > 10_000 && size <= 220_000, `${size} bytes`);
  await first.context.close();
  await whole.done();
});

test("the policy is strict: no inline script, no inline style", async () => {
  const it = await open(browser, server.address);
  await names(it.page);
  const policy = await it.page.locator("meta[http-equiv]").getAttribute("content");
  assert.ok(policy.includes("default-src 'none'") && !policy.includes("unsafe-inline") && !/'unsafe-eval'/.test(policy), policy);
  assert.equal(await it.page.locator("script:not([src]), style, [style]").count(), 0);
  await it.done();
});

test("an election by keyboard alone", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  for (let i = 1; (await leaders(page)).length === 0; i += 1) {
    assert.ok(i < 200);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((n) => document.querySelector(".position").textContent.startsWith(`event ${n} `), i);
  }
  await page.locator(".node[aria-label*='leader']").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: /^Node \d$/ }).waitFor();
  await button(page, "Crash").focus();
  await page.keyboard.press("Enter");
  await page.locator(".node[aria-label*='crashed']").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("region", { name: "Help" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("region", { name: "Help" }).count(), 0);
  await it.done();
});

test("any pending event can be run now, a message can be dropped, a node restarted", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  await names(page);
  await page.getByRole("button", { name: "Fire now: Node 4: election timeout" }).click();
  await page.getByRole("button", { name: "Node 4, prospective, epoch 0" }).waitFor();
  const first = page.getByRole("button", { name: /^Drop PreVote e0, 4 → 1$/ });
  await first.click();
  await first.waitFor({ state: "detached" });
  assert.match(await page.locator(".sentence p").first().textContent(), /is lost, by hand/);
  await page.getByRole("button", { name: "Node 2, unattached, epoch 0" }).click();
  await button(page, "Crash").click();
  await page.getByRole("button", { name: "Node 2, crashed" }).waitFor();
  await button(page, "Restart").click();
  await page.getByRole("button", { name: "Node 2, unattached, epoch 0" }).waitFor();
  await button(page, "Time out now").click();
  await page.getByRole("button", { name: "Node 2, prospective, epoch 0" }).waitFor();
  await it.done();
});

const executor = (page, id) => page.getByRole("region", { name: `Executor of node ${id}`, exact: true });
const tasks = (page, id) => executor(page, id).getByRole("listitem").evaluateAll((items) => items.map((item) => item.getAttribute("aria-label")));
const whole = (page) => page.locator(".position").textContent();

test("an executor is stepped task by task, and the moment between two tasks is a link", async () => {
  const first = await open(browser, server.address);
  const { page } = first;
  for (let i = 0; i < 3; i += 1) await stepOnce(page);
  const before = { digests: await digests(page), position: await position(page) };
  // The key takes one task of the next step and opens the executor it ran on.
  await page.keyboard.press("e");
  await page.waitForFunction(() => /\+ 1 task/.test(document.querySelector(".position").textContent));
  const id = (await page.getByRole("region", { name: /^Executor of node/ }).getAttribute("aria-label")).match(/\d+/)[0];
  assert.match(await executor(page, id).textContent(), /Ran last: /);
  assert.match(await page.getByRole("region", { name: "What happened and why" }).textContent(), /more to run at this instant/);
  const queue = await tasks(page, id);
  assert.ok(queue.length > 0 && queue.every((line) => line.startsWith(`task ${id} #`)), queue.join());
  await button(page, "Share").click();
  const link = await page.getByLabel("Link to this moment").inputValue();
  const seen = { digests: await digests(page), whole: await whole(page) };
  const second = await open(browser, link);
  await names(second.page);
  assert.deepEqual({ digests: await digests(second.page), whole: await whole(second.page) }, seen);
  await second.done();
  await page.keyboard.press("Escape");
  // Back goes to the start of the step; a whole step from there ends where the tasks one by one do.
  await button(page, "Step back").click();
  await page.waitForFunction((n) => document.querySelector(".position").textContent.startsWith(`event ${n} of`), before.position);
  assert.equal(await digests(page), before.digests);
  await stepOnce(page);
  const after = await digests(page);
  await button(page, "Step back").click();
  await page.waitForFunction((n) => document.querySelector(".position").textContent.startsWith(`event ${n} of`), before.position);
  for (let i = 0; await position(page) === before.position; i += 1) {
    assert.ok(i < 20);
    const at = await whole(page);
    await page.keyboard.press("e");
    await page.waitForFunction((text) => document.querySelector(".position").textContent !== text, at);
  }
  assert.equal(await digests(page), after);
  await first.done();
});

test("a task is cancelled, another is run now, and both are in the link", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  const [name] = await names(page);
  await page.getByRole("button", { name }).click();
  const [election] = await tasks(page, 1);
  assert.match(election, /^task 1 #\d+: election timeout$/);
  const pending = page.getByRole("listitem", { name: "Node 1: election timeout", exact: true });
  assert.equal(await pending.count(), 1);
  // Cancelled: nobody tells the node, and its timeout is not to come any more.
  await button(page, `Cancel ${election}`).click();
  await page.waitForFunction(() => document.querySelector(".position").textContent.startsWith("event 1 of"));
  assert.deepEqual(await tasks(page, 1), []);
  assert.equal(await pending.count(), 0);
  await page.getByRole("button", { name: (await names(page))[1] }).click();
  const [other] = await tasks(page, 2);
  await button(page, `Run this one now: ${other}`).click();
  await page.waitForFunction(() => document.querySelector(".position").textContent.startsWith("event 2 of"));
  assert.match((await names(page))[1], /Node 2, prospective/);
  await button(page, "Share").click();
  const link = await page.getByLabel("Link to this moment").inputValue();
  const seen = await digests(page);
  const again = await open(browser, link);
  await names(again.page);
  assert.equal(await digests(again.page), seen);
  await again.done();
  await it.done();
});

test("with one poll event the list says what the poll will find, and the same things happen", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  const separate = [];
  for (let i = 0; i < 25; i += 1) { await stepOnce(page); separate.push((await names(page)).join()); }
  await button(page, "Settings").click();
  await page.getByLabel("Work on executors").selectOption("one poll event");
  await button(page, "Start a new run").click();
  await page.waitForFunction(() => document.querySelector(".position").textContent.startsWith("event 0 of"));
  const next = page.getByRole("list", { name: "What can happen next, in order" });
  assert.match(await next.textContent(), /Node \d: poll: will find election timeout/);
  await page.getByRole("button", { name: (await names(page))[0] }).click();
  assert.equal((await tasks(page, 1)).length, 1, "one poll and nothing else");
  for (const names25 of separate) { await stepOnce(page); assert.equal((await names(page)).join(), names25); }
  await it.done();
});

test("a leader that shuts down gracefully hands over, and says so", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  await stepToLeader(page);
  for (let i = 0; i < 40; i += 1) await stepOnce(page);
  const [old] = await leaders(page);
  const id = old.match(/\d+/)[0];
  await page.getByRole("button", { name: old }).click();
  await button(page, "Shut down").click();
  await page.waitForFunction((n) => [...document.querySelectorAll(".node")].some((x) => x.getAttribute("aria-label").startsWith(`Node ${n}, resigned`)), id);
  for (let i = 0; !(await names(page)).includes(`Node ${id}, shut down`); i += 1) { assert.ok(i < 80); await stepOnce(page); }
  assert.equal((await leaders(page)).length, 1);
  await button(page, "Restart").click();
  await page.waitForFunction((n) => [...document.querySelectorAll(".node")].some((x) => x.getAttribute("aria-label").startsWith(`Node ${n}, `) && !x.getAttribute("aria-label").includes("shut down")), id);
  await it.done();
});

test("a record is appended at the leader, committed, and seen in every state machine", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  await stepToLeader(page);
  for (let i = 0; i < 60; i += 1) await stepOnce(page);
  const [name] = await leaders(page);
  const id = name.match(/\d+/)[0];
  await page.getByRole("button", { name }).click();
  const inspector = page.getByRole("region", { name: `Node ${id}`, exact: true });
  assert.equal(await field(page, inspector, "state machine"), "empty");
  assert.equal(await field(page, inspector, "epoch start offset"), "0");
  await button(page, "Append").click();
  await page.getByRole("region", { name: "What happened and why" }).getByText(/A client appends 1 command at node/).waitFor();
  const rows = inspector.getByRole("table", { name: `What node ${id} knows of the others` }).getByRole("row");
  assert.equal(await rows.count(), 5);
  for (let i = 0; !(await field(page, inspector, "state machine")).startsWith("1 = "); i += 1) { assert.ok(i < 120); await stepOnce(page); }
  const map = await field(page, inspector, "state machine");
  assert.equal(await field(page, inspector, "high watermark"), "2");
  for (const other of ["1", "2", "3", "4", "5"].filter((n) => n !== id)) {
    await page.getByRole("button", { name: new RegExp(`^Node ${other},`) }).first().click();
    const region = page.getByRole("region", { name: `Node ${other}`, exact: true });
    for (let i = 0; await field(page, region, "state machine") !== map; i += 1) { assert.ok(i < 60); await stepOnce(page); }
  }
  await it.done();
});

test("a message is looked into while it flies, field by field", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  for (let i = 0; i < 200 && await page.getByRole("button", { name: /^Look into PreVote/ }).count() === 0; i += 1) await stepOnce(page);
  await page.getByRole("button", { name: /^Look into PreVote/ }).first().click();
  const inspector = page.getByRole("region", { name: "Message", exact: true });
  for (const [name, value] of [["replicaEpoch", "0"], ["lastOffset", "0"], ["preVote", "yes"]]) assert.equal(await field(page, inspector, name), value);
  // The answer has fields of its own, by Kafka's names.
  for (let i = 0; i < 200 && await page.getByRole("button", { name: /^Look into (granted|refused)/ }).count() === 0; i += 1) await stepOnce(page);
  await page.getByRole("button", { name: /^Look into (granted|refused)/ }).first().click();
  assert.equal(await field(page, inspector, "errorCode"), "NONE");
  assert.match(await field(page, inspector, "voteGranted"), /yes|no/);
  await it.done();
});

test("observers follow and never campaign; a bad number of them says so", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  await button(page, "Settings").click();
  await page.getByLabel("Observers among them").fill("5");
  await button(page, "Start a new run").click();
  assert.match(await page.getByRole("form", { name: "Settings" }).textContent(), /somebody must be a voter/);
  await page.getByLabel("Observers among them").fill("2");
  await button(page, "Start a new run").click();
  await page.waitForFunction(() => document.querySelector(".position").textContent.startsWith("event 0 of"));
  await stepToLeader(page);
  await page.getByRole("button", { name: /^Node 5,/ }).first().click();
  assert.equal(await field(page, page.getByRole("region", { name: "Node 5", exact: true }), "membership"), "observer");
  assert.match((await leaders(page))[0], /^Node [123],/);
  await it.done();
});

test("the log table shows who has what, and why a record is not committed", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  await stepToLeader(page);
  for (let i = 0; i < 60; i += 1) await stepOnce(page);
  const [name] = await leaders(page);
  const id = name.match(/\d+/)[0];
  await page.getByRole("button", { name }).click();
  for (let i = 0; i < 9; i += 1) {
    await button(page, "Append").click();
    await page.waitForFunction((n) => document.querySelector(".position").textContent.startsWith(`event ${n} `), await position(page));
    await stepOnce(page);
  }
  const logs = page.getByRole("region", { name: "Logs", exact: true });
  const row = logs.getByRole("row", { name: new RegExp(`^Node ${id} `) });
  assert.ok(await row.locator(".record.open").count() > 0, "uncommitted records are told apart");
  const slider = logs.getByRole("slider", { name: "First offset shown" });
  await slider.fill("0");
  await logs.getByRole("button", { name: "Record 0: is it committed, and why" }).click();
  await page.locator(".sentence .answer", { hasText: "Record 0 is committed" }).waitFor();
  assert.ok(await row.locator(".record.committed, .record.applied").count() > 0);
  await slider.fill(await slider.getAttribute("max"));
  await logs.getByRole("button", { name: /^Record \d+: is it committed/ }).last().click();
  await page.locator(".sentence .answer", { hasText: /It takes 3 voters to commit record/ }).waitFor();
  // Escape closes the answer; a follower says why it does not lead.
  await page.keyboard.press("Escape");
  await page.locator(".sentence .answer").waitFor({ state: "detached" });
  const other = ["1", "2", "3"].find((n) => n !== id);
  await page.getByRole("button", { name: new RegExp(`^Node ${other},`) }).first().click();
  await button(page, "Why is it not leader?").click();
  await page.locator(".sentence .answer", { hasText: /would refuse/ }).waitFor();
  await it.done();
});

test("the diagram shows roles and messages over time, and is the scrubber", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  for (let i = 0; i < 30; i += 1) await stepOnce(page);
  const end = await position(page);
  const seen = await digests(page);
  const time = page.getByRole("region", { name: "Time", exact: true });
  assert.equal(await time.locator(".lane").count(), 5);
  assert.ok(await time.locator(".stretch.leader").count() === 1, "one lane is thick");
  assert.ok((await time.locator(".flight").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")).join(""))).split("M").length > 10);
  // The slider goes to any event, and back to this very state.
  const slider = time.getByRole("slider", { name: "Event" });
  await slider.fill("3");
  await page.waitForFunction(() => document.querySelector(".position").textContent.startsWith("event 3 of"));
  assert.equal(await time.locator(".stretch.leader").count(), 0, "what is to come is not drawn");
  await slider.fill(String(end));
  await page.waitForFunction((n) => document.querySelector(".position").textContent.startsWith(`event ${n} of`), end);
  assert.equal(await digests(page), seen);
  // So does a click: to the left of the first message nothing has happened yet.
  const box = await time.locator(".diagram").boundingBox();
  await page.mouse.click(box.x + box.width * 0.08, box.y + box.height / 2);
  await page.waitForFunction(() => document.querySelector(".position").textContent.startsWith("event 0 of"));
  await slider.fill(String(end));
  const ticks = () => time.locator(".tick-label").allTextContents();
  const before = await ticks();
  await button(page, "Zoom in").click();
  await page.waitForFunction((text) => [...document.querySelectorAll(".tick-label")].map((t) => t.textContent).join() !== text, before.join());
  for (let i = 0; i < 5; i += 1) await button(page, "Zoom out").click();
  await time.locator(".time-tools .unit", { hasText: "everything" }).waitFor();
  assert.equal((await ticks())[0], "0.000 s");
  await it.done();
});

test("settings: a bad field says what is wrong and keeps the run; good ones start a new run", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await button(page, "Settings").click();
  const form = page.getByRole("form", { name: "Settings" });
  await form.getByLabel("Seed").fill("18446744073709551616");
  await button(page, "Start a new run").click();
  assert.match(await form.getByRole("alert").textContent(), /whole number from 0 to 18446744073709551615/);
  assert.equal((await names(page)).length, 5);
  await form.getByLabel("Seed").fill("18446744073709551615");
  await form.getByLabel("Nodes").fill("9");
  await button(page, "Start a new run").click();
  await page.waitForFunction(() => document.querySelectorAll(".node").length === 9);
  await button(page, "Settings").click();
  assert.equal(await form.getByLabel("Seed").inputValue(), "18446744073709551615");
  await it.done();
});
