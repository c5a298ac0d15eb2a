// The page as a screen: its panels, marks and lists, and the browser cases about motion, scrolling and speech.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { button, digests, field, kraft, launch, leaders, names, open, position, serve, stepOnce, stepToLeader } from "./browser.mjs";

let server;
let browser;
before(async () => { server = await serve(); browser = await launch(); });
after(async () => { await browser?.close(); await server?.close(); });

const region = (page, name) => page.getByRole("region", { name, exact: true });
const at = (page, n) => page.waitForFunction((n) => document.querySelector(".position").textContent.startsWith(`event ${n} `), n);
const start = async (page, fields) => {
  await button(page, "Settings").click();
  for (const [name, value] of Object.entries(fields)) await page.getByLabel(name).first().fill(value);
  await button(page, "Start a new run").click();
  await page.waitForFunction(() => document.querySelector(".position").textContent.startsWith("event 0 of"));
};
/** Counts frames and timers asked for from now on. */
const count = (page) => page.evaluate(() => {
  globalThis.asked = { frames: 0, timers: 0 };
  const { requestAnimationFrame, setTimeout } = globalThis;
  globalThis.requestAnimationFrame = (f) => { globalThis.asked.frames += 1; return requestAnimationFrame(f); };
  globalThis.setTimeout = (...args) => { globalThis.asked.timers += 1; return setTimeout(...args); };
});

for (const [width, height] of [[1280, 720], [1920, 1080]]) {
  test(`everything is on one screen of ${width} x ${height}`, async () => {
    const it = await open(browser, server.address, { viewport: { width, height } });
    await stepToLeader(it.page);
    const size = await it.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    assert.deepEqual(size, [width, height]);
    const inside = async (what, locator) => {
      const box = await locator.boundingBox();
      assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, what);
    };
    for (const name of ["Step", "Step back", "Play", "Share", "Reset", "Another seed"]) await inside(name, button(it.page, name));
    for (const name of ["Stage", "What happened and why", "Playback", "Next", "Logs", "Time", "Events"]) await inside(name, region(it.page, name));
    await it.done();
  });
}

test("panels are hidden and resized, and stay so", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  const width = async () => (await region(page, "Next").boundingBox()).width;
  const height = async () => (await region(page, "Time").boundingBox()).height;
  const was = [await width(), await height()];
  await button(page, "Hide Logs").click();
  await region(page, "Logs").waitFor({ state: "hidden" });
  await page.keyboard.press("v");
  await page.getByLabel("Width of the side").fill("6");
  await page.getByLabel("Height below").fill("4");
  await region(page, "View").getByLabel("Events").uncheck();
  await page.waitForFunction(() => document.querySelector("#panel-3").hidden);
  const now = [await width(), await height()];
  assert.ok(now[0] > was[0] && now[1] > was[1], `${was} to ${now}`);
  await page.reload();
  await names(page);
  assert.deepEqual([await width(), await height()], now);
  assert.equal(await region(page, "Logs").count() + await region(page, "Events").count(), 0);
  await page.keyboard.press("v");
  await button(page, "As at first").click();
  await region(page, "Logs").waitFor();
  assert.deepEqual([await width(), await height()], was);
  await it.done();
});

test("the legend is one key away and explains every mark", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await page.keyboard.press("l");
  const legend = region(page, "Legend");
  await legend.waitFor();
  for (const mark of [
    "follower", "unattached", "prospective", "candidate", "leader", "resigned", "crashed",
  ]) assert.ok(await legend.locator(`.replica.${mark}`).count() > 0, mark);
  for (const mark of [
    ".inner", ".badge", ".arc", ".vote.granted", ".vote.unheard", ".vote.refused", ".strip .entry", ".strip .commit",
    ".arrow .head", ".arrow.answer", ".bar", ".arrow.quiet", ".arrow.lost .cross", ".pause", ".link.cut",
    ".entry.open", ".entry.applied", ".entry.will-go", ".stretch.leader", ".stretch.candidate", ".stretch.unattached", ".stretch.crashed",
    ".sign.elected", ".sign.committed", ".sign.command", ".sign.broken", ".sign.forked", ".stands", ".client", ".region",
  ]) assert.ok(await legend.locator(mark).count() > 0, mark);
  assert.equal(await legend.locator("dt").count(), await legend.locator("dd").count());
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Legend", "the focus is back where it came from");
  await it.done();
});

test("on a phone stage, sentence and transport come first, the rest in tabs", async () => {
  for (const viewport of [{ width: 390, height: 844 }, { width: 320, height: 640 }]) {
    const it = await open(browser, server.address, { viewport, hasTouch: true });
    const { page } = it;
    await names(page);
    await button(page, "Step").tap();
    const top = async (name) => (await region(page, name).boundingBox()).y;
    const tabs = (await page.getByRole("tablist").boundingBox()).y;
    assert.ok(await top("Stage") < await top("What happened and why") && await top("Playback") < tabs);
    for (const name of ["Logs", "Time", "Events", "Node", "Next"]) {
      await page.getByRole("tab", { name }).tap();
      await page.getByRole("tabpanel", { name, exact: true }).waitFor();
      assert.equal(await page.getByRole("tabpanel").count(), 1, "one at a time");
      const width = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.querySelector(".body").scrollWidth));
      assert.ok(width <= viewport.width, `${name}: ${width} in ${viewport.width}`);
    }
    await page.getByRole("tab", { name: "Next" }).press("ArrowRight");
    await page.getByRole("tabpanel", { name: "Logs" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Logs");
    await it.done();
  }
});

test("messages are hidden by kind, on the stage and in the diagram", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  for (let i = 0; i < 200 && await page.locator(".arrow").count() === 0; i += 1) await stepOnce(page);
  assert.ok(await page.locator(".flight").count() > 0);
  await page.keyboard.press("v");
  await region(page, "View").getByLabel("votes").uncheck();
  await page.waitForFunction(() => document.querySelectorAll(".arrow, .flight").length === 0);
  await page.getByText("Messages: some hidden").waitFor();
  await region(page, "View").getByLabel("votes").check();
  await page.waitForFunction(() => document.querySelectorAll(".arrow").length > 0);
  await it.done();
});

test("a message is held, released, duplicated and dropped, looks so, and all of it is in the link", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  for (let i = 0; i < 200 && await page.getByRole("button", { name: /^Look into RequestVote/ }).count() === 0; i += 1) await stepOnce(page);
  await page.getByRole("button", { name: /^Look into RequestVote/ }).first().click();
  await button(page, "Hold").click();
  await page.locator(".arrow .pause").waitFor();
  await page.getByText("is held, by hand").first().waitFor();
  const held = region(page, "Next").locator("li", { hasText: "held" });
  assert.equal(await held.count(), 1);
  for (let i = 0; i < 12; i += 1) await stepOnce(page);
  assert.equal(await held.count(), 1, "it does not arrive");
  const seen = await digests(page);
  await button(page, "Share").click();
  const link = await page.getByLabel("Link to this moment").inputValue();
  const other = await open(browser, link);
  assert.equal(await digests(other.page), seen);
  await other.page.locator(".arrow .pause").waitFor();
  await other.done();
  // What was chosen before stays chosen.
  await page.keyboard.press("Escape");
  await button(page, "Release").click();
  await held.waitFor({ state: "detached" });
  await button(page, "Duplicate").click();
  await page.locator(".arrow path.head + path.head").waitFor();
  await button(page, "Drop").click();
  await page.getByText("is lost, by hand").first().waitFor();
  await it.done();
});

test("a link is cut one way, looks so, and is looked into", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await page.locator(".node").nth(0).focus();
  await page.keyboard.press("Enter");
  await region(page, "Node 1").getByText("Links and place").click();
  await button(page, "Link 1 → 3").click();
  const link = region(page, "Link from 1 to 3");
  assert.equal(await field(page, link, "state"), "works");
  await button(page, "Cut 1 → 3").click();
  await page.waitForFunction(() => document.querySelectorAll(".link.cut").length === 1);
  assert.match(await field(page, link, "state"), /^cut/);
  assert.equal(await page.locator(".link.cut .chevron").count(), 1, "it shows its direction");
  await button(page, "Cut 3 → 1").click();
  await page.waitForFunction(() => document.querySelectorAll(".stage .link.cut").length === 2);
  await button(page, "Heal 1 → 3").click();
  await page.waitForFunction(() => document.querySelectorAll(".stage .link.cut").length === 1);
  await it.done();
});

test("the event list is searched and sifted, and goes anywhere", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  await stepToLeader(page);
  const end = await position(page);
  const list = region(page, "Events");
  const texts = () => list.locator("li").allTextContents();
  await page.keyboard.press("f");
  await page.keyboard.type("REFUSES");
  await page.waitForFunction(() => document.querySelectorAll(".event").length < 12);
  assert.ok((await texts()).every((text) => /refuses/.test(text)) && (await texts()).length > 0, "by text");
  await list.getByLabel("Search the events").fill("");
  await list.getByLabel("Kind of events").selectOption("role changes");
  await page.waitForFunction(() => [...document.querySelectorAll(".event")].every((li) => /becomes|learns|leader/.test(li.textContent)));
  await list.getByLabel("Node").selectOption("Node 2");
  assert.ok((await texts()).every((text) => /[Nn]ode 2/.test(text)), "by node");
  await list.getByLabel("Kind of events").selectOption("everything");
  await list.getByLabel("Node").selectOption("all nodes");
  await list.locator("li button").last().click();
  await at(page, 1);
  assert.ok(await list.locator(".event.ahead").count() > 0, "what comes after is there");
  await list.locator(".event.ahead button").first().click();
  await page.waitForFunction(() => !document.querySelector(".position").textContent.startsWith("event 1 "));
  assert.ok(await position(page) <= end);
  await it.done();
});

test("a pinned message shows what it came of and what came of it", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  // By a tap on its line in the diagram.
  await button(page, "Zoom in").click();
  const ends = await page.locator(".flight.answer").evaluateAll((paths) => paths.flatMap((path) => {
    const { left, top, width } = path.ownerSVGElement.getBoundingClientRect();
    const scale = width / path.ownerSVGElement.viewBox.baseVal.width;
    return [...path.getAttribute("d").matchAll(/M(\S+) (\S+)L(\S+) (\S+?)(?=M|$)/g)].map(([, x1, y1, x2, y2]) => [left + (Number(x1) + Number(x2)) / 2 * scale, top + (Number(y1) + Number(y2)) / 2 * scale]);
  }));
  assert.ok(ends.length > 0);
  const line = () => region(page, "Message").getByRole("heading", { level: 2 }).textContent({ timeout: 500 }).catch(() => "");
  // Where lines cross, another may be nearer: try the next.
  for (const end of ends) { await page.mouse.click(...end); if (/^granted/.test(await line())) break; }
  assert.match(await line(), /^granted/);
  assert.equal(await page.locator(".flight.pinned").count(), 1);
  assert.ok(await page.locator(".flight.cause").count() > 0, "an answer has the request as its cause");
  assert.ok(await page.locator(".flight.aside").count() > 0, "the others stand back");
  const inspector = region(page, "Message");
  await inspector.getByText("It was sent because").waitFor();
  assert.match(await field(page, inspector, "voteGranted"), /yes|no/);
  const end = await position(page);
  await inspector.locator(".thread button").last().click();
  await page.waitForFunction((n) => !document.querySelector(".position").textContent.startsWith(`event ${n} `), end);
  await page.getByText(/heard of no leader|waited for its election timeout/).first().waitFor();
  await it.done();
});

test("what a step changed is marked, and the sentence unfolds to its rule", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  const [name] = await leaders(page);
  await page.getByRole("button", { name }).click();
  const inspector = region(page, /Node/.exec(name) && name.split(",")[0]);
  const changed = () => inspector.locator("dd.changed").evaluateAll((all) => all.map((dd) => dd.previousElementSibling.textContent));
  assert.ok((await changed()).includes("state"));
  await stepOnce(page);
  assert.ok(!(await changed()).includes("state"), "only since the last step");
  await button(page, "Step back").click();
  await page.waitForFunction(() => [...document.querySelectorAll("dd.changed")].some((dd) => dd.previousElementSibling.textContent === "state"));
  await page.keyboard.press("w");
  await page.locator(".rule-text", { hasText: "Two majorities always share a server" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "hide the rule" }).getAttribute("aria-expanded"), "true");
  await page.keyboard.press("w");
  await page.locator(".rule-text").waitFor({ state: "detached" });
  await it.done();
});

test("B20 a hidden tab pauses and says so; the run is the same as without the break", async () => {
  const it = await open(browser, server.address, { reducedMotion: "no-preference" });
  const { page } = it;
  await names(page);
  await button(page, "Play").click();
  await button(page, "Pause").waitFor();
  await page.waitForFunction(() => Number(document.querySelector(".position").textContent.match(/\d+/)[0]) > 3);
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await button(page, "Play").waitFor();
  await page.getByText("Paused while hidden.").waitFor();
  await count(page);
  const before = [await position(page), await page.locator("#clock").textContent()];
  await page.waitForTimeout(5_000);
  assert.deepEqual(await page.evaluate(() => globalThis.asked), { frames: 0, timers: 0 }, "nothing is done while hidden");
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  assert.deepEqual([await position(page), await page.locator("#clock").textContent()], before);
  await button(page, "Play").click();
  await page.waitForFunction((n) => Number(document.querySelector(".position").textContent.match(/\d+/)[0]) >= n, before[0] + 5);
  await button(page, "Pause").click();
  const here = await position(page);
  const seen = await digests(page);
  await page.getByRole("slider", { name: "Event" }).fill("0");
  await at(page, 0);
  await page.getByRole("slider", { name: "Event" }).fill(String(here));
  await at(page, here);
  assert.equal(await digests(page), seen);
  await it.done();
});

test("B20 a page that was held up goes on where it stopped", async () => {
  const it = await open(browser, server.address, { reducedMotion: "no-preference" });
  const { page } = it;
  await names(page);
  await page.getByLabel("skip quiet stretches").uncheck();
  await button(page, "Play").click();
  const clock = async () => Number((await page.locator("#clock").textContent()).replace(" s", "")) * 1_000;
  await page.waitForFunction(() => document.querySelector("#clock").textContent !== "0.000 s");
  // Two seconds in which the page can do nothing, as with a debugger or a dialog; at 1/5 that would be 400 ms.
  const moved = await page.evaluate(() => new Promise((done) => {
    const read = () => Number(document.querySelector("#clock").textContent.replace(" s", "")) * 1_000;
    const before = read();
    const until = performance.now() + 2_000;
    while (performance.now() < until);
    requestAnimationFrame(() => requestAnimationFrame(() => done(read() - before)));
  }));
  assert.ok(moved <= 60, `${moved} ms of virtual time`);
  assert.ok(await clock() >= 0);
  await it.done();
});

test("B22 reduced motion: nothing flies, it is noticed while the page is open, and can be overridden", async () => {
  const it = await open(browser, server.address, { reducedMotion: "no-preference" });
  const { page } = it;
  const flying = () => page.locator(".arrow").first().evaluate((arrow) => {
    const trail = arrow.querySelector(".trail");
    return ["x2", "y2"].map((name) => trail.getAttribute(name)).join();
  });
  const moves = async () => {
    const first = await flying();
    for (let i = 0; i < 20; i += 1) { await page.waitForTimeout(30); if (await flying() !== first) return true; }
    return false;
  };
  for (let i = 0; i < 200 && await page.locator(".arrow").count() < 3; i += 1) await stepOnce(page);
  await page.getByRole("slider", { name: "Speed" }).fill("0");
  await button(page, "Play").click();
  assert.ok(await moves(), "with motion, messages fly");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.getByText("Reduced motion: nothing flies.").waitFor();
  assert.ok(!await moves(), "without reload, nothing flies any more");
  const whole = await page.locator(".arrow").first().evaluate((arrow) => Number(arrow.querySelector(".trail").getAttribute("x1")) !== Number(arrow.querySelector(".trail").getAttribute("x2")));
  assert.ok(whole, "the message is a line with its label");
  assert.equal(await page.locator(".tag").first().getAttribute("visibility"), "visible");
  await button(page, "Show flight").click();
  assert.ok(await moves(), "overridden");
  await button(page, "Pause").click();
  await page.reload();
  await names(page);
  assert.equal(await page.getByText("Reduced motion: nothing flies.").count(), 0, "the override is kept");
  await page.keyboard.press("v");
  await page.getByLabel("Motion").selectOption("as the system");
  await page.getByText("Reduced motion: nothing flies.").waitFor();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.getByText("Reduced motion: nothing flies.").waitFor({ state: "detached" });
  await it.done();
});

test("B22 with reduced motion, play goes in steps and starts by nothing", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await count(page);
  await page.waitForTimeout(500);
  assert.deepEqual(await page.evaluate(() => globalThis.asked), { frames: 0, timers: 0 }, "nothing starts by itself");
  await button(page, "Play").click();
  await page.waitForFunction(() => Number(document.querySelector(".position").textContent.match(/\d+/)[0]) > 3);
  await button(page, "Pause").click();
  assert.equal(await page.evaluate(() => globalThis.asked.frames), 0, "no frame is asked for");
  const motion = await page.evaluate(() => document.getAnimations().length);
  assert.equal(motion, 0, "nothing pulses or slides");
  await it.done();
});

test("B24 the drawing does not swallow the page's scroll, and zooms only when asked", async () => {
  const it = await open(browser, server.address, { viewport: { width: 390, height: 640 }, hasTouch: true });
  const { page } = it;
  await stepToLeader(page);
  await page.getByRole("tab", { name: "Time" }).tap();
  const scrolled = () => page.evaluate(() => document.querySelector(".body").scrollTop);
  const ticks = () => page.locator(".tick-label").allTextContents();
  for (const over of [".stage svg.back", ".diagram"]) {
    await page.evaluate(() => document.querySelector(".body").scrollTo(0, 0));
    await page.locator(over).scrollIntoViewIfNeeded();
    const box = await page.locator(over).boundingBox();
    const from = await scrolled();
    await page.mouse.move(box.x + 30, Math.min(box.y + box.height / 2, 600));
    const before = await ticks();
    await page.mouse.wheel(0, from > 40 ? -120 : 120);
    await page.waitForFunction((n) => document.querySelector(".body").scrollTop !== n, from);
    assert.deepEqual(await ticks(), before, "a plain wheel does not zoom");
  }
  await page.getByText("Ctrl and wheel, or two fingers, zoom").waitFor();
  // One finger that swipes up over the stage scrolls the page.
  await page.evaluate(() => document.querySelector(".body").scrollTo(0, 0));
  const box = await page.locator(".stage svg.back").boundingBox();
  const cdp = await it.context.newCDPSession(page);
  const swipe = (type, up) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: up === undefined ? [] : [{ x: box.x + 20, y: box.y + box.height - 20 - up }] });
  await swipe("touchStart", 0);
  for (let up = 20; up <= 140; up += 20) { await swipe("touchMove", up); await page.waitForTimeout(30); }
  await swipe("touchEnd");
  await page.waitForFunction(() => document.querySelector(".body").scrollTop > 50);
  // Two fingers zoom the diagram, and so does the wheel with a modifier.
  await page.locator(".diagram").scrollIntoViewIfNeeded();
  const diagram = await page.locator(".diagram").boundingBox();
  let before = (await ticks()).join();
  const [x, y] = [diagram.x + diagram.width / 2, diagram.y + diagram.height / 2];
  const touch = (type, spread) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: spread === undefined ? [] : [{ x: x - spread, y, id: 1 }, { x: x + spread, y, id: 2 }] });
  await touch("touchStart", 20);
  await touch("touchMove", 40);
  await touch("touchMove", 60);
  await touch("touchEnd");
  await page.waitForFunction((text) => [...document.querySelectorAll(".tick-label")].map((t) => t.textContent).join() !== text, before);
  before = (await ticks()).join();
  await page.mouse.move(x, y);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 100);
  await page.keyboard.up("Control");
  await page.waitForFunction((text) => [...document.querySelectorAll(".tick-label")].map((t) => t.textContent).join() !== text, before);
  assert.equal(await page.evaluate(() => visualViewport.scale), 1, "the page itself is not zoomed");
  for (const name of ["Zoom in", "Zoom out", "Fit the whole run"]) await button(page, name).waitFor();
  // Targets are large enough, in every tab.
  for (const tab of ["Next", "Logs", "Time", "Events", "Node"]) {
    await page.getByRole("tab", { name: tab }).tap();
    const small = await page.locator("button:visible, .node, summary:visible").evaluateAll((all) => all.map((it) => [it.textContent || it.getAttribute("aria-label"), it.getBoundingClientRect()]).filter(([, box]) => box.width < 24 || box.height < 24).map(([name]) => name));
    assert.deepEqual(small, [], tab);
  }
  await it.done();
});

test("B24 a node is dragged by mouse and by finger; a drag that is broken off goes back; keys do the same", async () => {
  const it = await open(browser, server.address, { hasTouch: true });
  const { page } = it;
  await names(page);
  const place = () => page.locator(".replica").nth(2).getAttribute("transform");
  const first = await place();
  const box = await page.locator(".node").nth(2).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 30, y - 40);
  await page.mouse.move(x - 60, y - 50);
  await page.mouse.up();
  await page.waitForFunction((was) => document.querySelectorAll(".replica")[2].getAttribute("transform") !== was, first);
  assert.equal(await page.locator(".node[aria-pressed=true]").count(), 0, "a drag chooses nothing");
  await button(page, "Tidy").click();
  await page.waitForFunction((was) => document.querySelectorAll(".replica")[2].getAttribute("transform") === was, first);
  const cdp = await it.context.newCDPSession(page);
  const touch = (type, points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [{ x, y }]);
  await touch("touchMove", [{ x: x - 30, y: y - 30 }]);
  await touch("touchMove", [{ x: x - 50, y: y - 50 }]);
  await page.waitForFunction((was) => document.querySelectorAll(".replica")[2].getAttribute("transform") !== was, first);
  await touch("touchCancel", []);
  await page.waitForFunction((was) => document.querySelectorAll(".replica")[2].getAttribute("transform") === was, first);
  await page.locator(".node").nth(2).focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.waitForFunction((was) => document.querySelectorAll(".replica")[2].getAttribute("transform") !== was, first);
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForFunction((was) => document.querySelectorAll(".replica")[2].getAttribute("transform") === was, first);
  await page.keyboard.press("Enter");
  await region(page, "Node 3").getByText("Links and place").click();
  await button(page, "Move up on the stage").click();
  await page.waitForFunction((was) => document.querySelectorAll(".replica")[2].getAttribute("transform") !== was, first);
  await it.done();
});

for (const speed of ["5", "7"]) {
  test(`B26 what is said aloud in play, at speed ${speed}: few things, two seconds apart`, async () => {
    const it = await open(browser, server.address, { reducedMotion: "no-preference" });
    const { page } = it;
    await names(page);
    await page.getByRole("slider", { name: "Speed" }).fill(speed);
    await page.evaluate(() => {
      globalThis.said = [];
      new MutationObserver(() => {
        const text = document.querySelector("[aria-live]").textContent;
        if (globalThis.said.at(-1)?.[1] !== text) globalThis.said.push([performance.now(), text]);
      }).observe(document.querySelector("[aria-live]"), { childList: true, characterData: true, subtree: true });
    });
    await button(page, "Play").click();
    await page.waitForFunction(() => [...document.querySelectorAll(".node")].some((n) => n.getAttribute("aria-label").includes(", leader,")), undefined, { timeout: 40_000 });
    const [name] = await leaders(page);
    await page.getByRole("button", { name }).click();
    await button(page, "Crash").click();
    await page.waitForTimeout(9_000);
    if (await button(page, "Pause").count() > 0) await button(page, "Pause").click();
    const said = await page.evaluate(() => globalThis.said);
    assert.ok(said.length > 0);
    const news = said.filter(([, text]) => text && text !== "Paused.");
    for (const [, text] of news) assert.match(text, /leader|crashes|resign|starts|shut/, text);
    // A command of one's own and pausing are answered at once.
    const own = news.filter(([, text]) => !/crashes/.test(text)).map(([at]) => at);
    for (let i = 1; i < own.length; i += 1) assert.ok(own[i] - own[i - 1] >= 1_990, JSON.stringify(said));
    await page.waitForTimeout(2_500);
    assert.deepEqual(await page.evaluate(() => globalThis.said), said, "nothing stale after pausing");
    await it.done();
  });
}

test("B26 while stepping one sentence a step; the slider speaks time; the drawing has a table", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await page.evaluate(() => {
    globalThis.said = [];
    new MutationObserver(() => globalThis.said.push(document.querySelector("[aria-live]").textContent))
      .observe(document.querySelector("[aria-live]"), { childList: true, characterData: true, subtree: true });
  });
  for (let i = 0; i < 20; i += 1) await stepOnce(page);
  const said = await page.evaluate(() => globalThis.said);
  assert.ok(said.length >= 18 && said.length <= 20, `${said.length} sentences in 20 steps`);
  assert.ok(said.every((text) => text.length > 10));
  const slider = page.getByRole("slider", { name: "Event" });
  assert.match(await slider.getAttribute("aria-valuetext"), /^\d+\.\d{3} s, event 20 of 20$/);
  await page.evaluate(() => { globalThis.said = []; });
  await slider.fill("7");
  await at(page, 7);
  assert.deepEqual(await page.evaluate(() => globalThis.said), [], "the slider speaks for itself");
  const table = page.getByRole("table", { name: "The nodes" });
  assert.deepEqual(await table.getByRole("columnheader").allTextContents(), ["node", "state", "currentTerm", "last index", "commitIndex"]);
  assert.equal(await table.getByRole("row").count(), 6);
  await it.done();
});

test("by keyboard alone: an election step by step, with its reason; a refused vote, and why it was refused", async () => {
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  await names(page);
  for (let i = 1; (await leaders(page)).length === 0; i += 1) { assert.ok(i < 200); await press("ArrowRight"); await at(page, i); }
  const sentence = region(page, "What happened and why");
  assert.match(await sentence.textContent(), /A majority voted for node \d: it is the leader/);
  await press("w");
  await sentence.getByText("each votes once: so an epoch has at most one leader").waitFor();
  // Find a refusal in the event list, go there with the keys, ask.
  await press("f");
  assert.equal(await page.evaluate(() => document.activeElement.id), "find");
  await page.keyboard.type("refuses node");
  await page.waitForFunction(() => [...document.querySelectorAll(".event")].length > 0 && [...document.querySelectorAll(".event")].every((li) => /refuses node/.test(li.textContent)));
  const focused = () => page.evaluate(() => document.activeElement.closest(".event")?.textContent ?? document.activeElement.tagName);
  for (let i = 0; i < 10 && !/refuses/.test(await focused()); i += 1) await press("Tab");
  assert.match(await focused(), /refuses node/);
  const before = await position(page);
  await press("Enter");
  await page.waitForFunction((n) => !document.querySelector(".position").textContent.startsWith(`event ${n} `), before);
  assert.match(await sentence.textContent(), /refuses node \d .*: /);
  // The answer that carries the refusal flies now: look into it from the list of what comes next.
  await press("Escape");
  let found = false;
  for (let i = 0; i < 80 && !found; i += 1) { await press("Tab"); found = await page.evaluate(() => /^Look into refused/.test(document.activeElement.getAttribute("aria-label") ?? "")); }
  assert.ok(found);
  await press("Enter");
  await region(page, "Message").waitFor();
  found = false;
  for (let i = 0; i < 200 && !found; i += 1) { await press("Tab"); found = await page.evaluate(() => document.activeElement.textContent === "Why was it refused?"); }
  assert.ok(found);
  await press("Enter");
  await page.locator(".sentence .answer", { hasText: /refuses node \d/ }).waitFor();
  await it.done();
});

test("by touch alone: an election step by step, with its reason; a refused vote, and why it was refused", async () => {
  const it = await open(browser, kraft(server.address), { viewport: { width: 390, height: 844 }, hasTouch: true });
  const { page } = it;
  const tap = (locator) => locator.tap();
  await names(page);
  for (let i = 1; (await leaders(page)).length === 0; i += 1) { assert.ok(i < 200); await tap(button(page, "Step")); await page.waitForFunction((n) => document.querySelector(".position").textContent.startsWith(`event ${n} `), i); }
  const sentence = region(page, "What happened and why");
  assert.match(await sentence.textContent(), /A majority voted for node \d: it is the leader/);
  await tap(button(page, "the rule"));
  await sentence.getByText("each votes once: so an epoch has at most one leader").waitFor();
  await tap(button(page, "hide the rule"));
  await tap(page.getByRole("tab", { name: "Events" }));
  await page.getByLabel("Kind of events").selectOption("refusals");
  await page.waitForFunction(() => [...document.querySelectorAll(".event")].length > 0 && [...document.querySelectorAll(".event")].every((li) => /refuse/.test(li.textContent)));
  const before = await position(page);
  await tap(page.locator(".event button").first());
  await page.waitForFunction((n) => !document.querySelector(".position").textContent.startsWith(`event ${n} `), before);
  assert.match(await sentence.textContent(), /refuses node \d .*: /);
  await tap(page.getByRole("tab", { name: "Next" }));
  await tap(page.getByRole("button", { name: /^Look into refused/ }).first());
  await tap(button(page, "Why was it refused?"));
  await page.locator(".sentence .answer", { hasText: /refuses node \d/ }).waitFor();
  await it.done();
});

test("forced colours keep shapes, letters and what is chosen apart", async () => {
  const it = await open(browser, server.address, { forcedColors: "active" });
  const { page } = it;
  await stepToLeader(page);
  await page.locator(".node").first().click();
  const ink = await page.evaluate(() => { const probe = document.createElement("span"); probe.className = "unit"; document.body.append(probe); const { color } = getComputedStyle(probe); probe.remove(); return color; });
  for (const [what, property] of [[".replica .body", "stroke"], [".trail", "stroke"], [".number", "fill"], [".stretch", "stroke"]]) {
    assert.equal(await page.locator(what).first().evaluate((it, property) => getComputedStyle(it)[property], property), ink, what);
  }
  await it.done();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in any view, ${colorScheme}`, async () => {
    const axe = readFileSync(`${process.env.RAFTWERK_NPM}/axe-core/axe.min.js`, "utf8");
    const look = async (page, what) => {
      // Evaluated from here, so the page's policy does not apply to it.
      const found = await page.evaluate(`${axe}; axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target + " " + n.failureSummary).join("; ")))`);
      assert.deepEqual(found, [], what);
    };
    const it = await open(browser, server.address, { colorScheme });
    const { page } = it;
    await names(page);
    await look(page, "start");
    await stepToLeader(page);
    await page.locator(".node").first().click();
    await page.keyboard.press("w");
    await button(page, "Append").click();
    await look(page, "a node, with the rule");
    await page.getByRole("button", { name: /^Look into/ }).first().click();
    await look(page, "a message");
    await page.locator(".node").first().click();
    await region(page, "Node 1").getByText("Links and place").click();
    await button(page, "Link 1 → 2").click();
    await button(page, "Cut 1 → 2").click();
    await look(page, "a link");
    for (const name of ["View", "Legend", "Settings", "Help", "Share"]) {
      await button(page, name).click();
      await look(page, name);
    }
    await page.keyboard.press("Escape");
    await page.locator(".stage-tools summary").click();
    await look(page, "the filter");
    // A partition, a client with a request, two branches side by side, and what opens for them.
    await page.keyboard.press("c");
    await look(page, "Clients");
    await button(page, "Add a client").click();
    await button(page, "Send a request").click();
    await look(page, "a client");
    await page.keyboard.press("p");
    await page.locator(".replica .node").nth(1).click();
    await look(page, "a partition");
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowLeft");
    await page.locator(".replica .node").first().click();
    await button(page, "Pause node").click();
    for (const key of ["b", "x", "g"]) {
      await page.keyboard.press(key);
      await look(page, `what ${key} opens`);
    }
    await page.locator("header .safety").click();
    await look(page, "the lights");
    await page.keyboard.press("b");
    await page.getByRole("button", { name: /^Lay beside/ }).first().click();
    await page.keyboard.press("Escape");
    await look(page, "side by side");
    await it.done();

    const phone = await open(browser, server.address, { colorScheme, viewport: { width: 390, height: 844 } });
    await stepToLeader(phone.page);
    await phone.page.locator(".node").first().click();
    for (const name of ["Node", "Next", "Logs", "Time", "Events"]) {
      await phone.page.getByRole("tab", { name }).click();
      await look(phone.page, `phone, ${name}`);
    }
    await phone.done();

    const bad = await open(browser, `${server.address}#0.damaged`, { colorScheme });
    await bad.page.getByRole("alert").waitFor();
    await look(bad.page, "a bad link");
    await bad.done();
  });
}
