// Time both ways, faults by hand, clients: what one does to a run, and both futures of it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { button, digests, kraft, launch, leaders, names, open, position, serve, stepOnce } from "./browser.mjs";

let server, browser;
before(async () => { server = await serve(); browser = await launch(); });
after(async () => { await browser.close(); await server.close(); });

const centres = (page, selector) => page.locator(selector).evaluateAll((all) => all.map((it) => { const r = it.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; }));
const node = (page, number) => page.getByRole("button", { name: new RegExp(`^Node ${number},`) });
const says = (page) => page.locator(".sentence > p").first().textContent();
const named = (page, name) => page.getByRole("button", { name, exact: true });

/** Opens *Go to* and runs until something is so. */
async function runUntil(page, name) {
  await page.keyboard.press("g");
  await named(page, name).click();
  await page.keyboard.press("Escape");
  await page.locator("main:not([aria-busy])").waitFor();
}

/** Drags a rectangle around some places, while groups are chosen. */
async function dragAround(page, places, by = 60) {
  const xs = places.map((place) => place.x), ys = places.map((place) => place.y);
  await page.mouse.move(Math.min(...xs) - by, Math.min(...ys) - by);
  await page.mouse.down();
  await page.mouse.move(Math.max(...xs) + by, Math.max(...ys) + by, { steps: 6 });
  await page.mouse.up();
}

async function addClient(page) {
  await page.keyboard.press("c");
  await named(page, "Add a client").click();
}

/** The row of the newest request of a client, as the inspector shows it. */
async function newest(page, client) {
  const region = page.getByRole("region", { name: `Client ${client}` });
  if (!(await region.isVisible())) await page.getByRole("button", { name: new RegExp(`^Client ${client},`) }).click();
  return region.locator(".requests tbody tr").first();
}

test("a cluster is parted 2/3 by dragging, both sides append, the minority's entry is overwritten; healed earlier it is not; both are laid side by side", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await addClient(page);
  await addClient(page);
  await runUntil(page, "Next election");
  // Both clients find the leader.
  for (const client of [1, 2]) {
    await newest(page, client);
    await named(page, "Send a request").click();
  }
  for (const client of [1, 2]) {
    const row = await newest(page, client);
    for (let steps = 0; !(await row.textContent()).includes("acknowledged"); steps += 1) { assert.ok(steps < 300); await page.keyboard.press("ArrowRight"); }
  }
  const leader = Number((await leaders(page))[0].match(/Node (\d)/)[1]);
  // The leader, one beside it and client 1 on one side: drawn around the nodes, the client chosen.
  const beside = leader % 5 + 1;
  const places = await centres(page, ".replica .node");
  await page.keyboard.press("p");
  await dragAround(page, [places[leader - 1], places[beside - 1]], 45);
  assert.match(await says(page), /parted into 2 groups/);
  const letter = async (locator) => (await locator.getAttribute("aria-label")).match(/group (\w)/)[1];
  const client = page.getByRole("button", { name: /^Client 1,/ });
  for (let n = 0; await letter(client) !== await letter(node(page, leader)); n += 1) { assert.ok(n < 4); await client.click(); }
  await page.keyboard.press("Escape");
  const groups = (await names(page)).map((name) => name.match(/group (\w)/)[1]);
  assert.equal(groups.filter((group) => group === groups[leader - 1]).length, 2);
  assert.equal(groups[beside - 1], groups[leader - 1]);
  assert.equal(await page.locator(".region").count(), 2);
  const parted = await position(page);
  // Client 1 is with the old leader: its request is taken and never committed.
  const row = await newest(page, 1);
  await named(page, "Send a request").click();
  await page.keyboard.press("ArrowRight");
  await runUntil(page, "Next election");
  const elected = (await leaders(page)).filter((name) => !name.startsWith(`Node ${leader},`));
  assert.equal(elected.length, 1, "the others elect one of their own");
  // The other side has a leader, and client 2 finds it.
  const other = await newest(page, 2);
  await named(page, "Send a request").click();
  for (let steps = 0; !(await other.textContent()).includes("acknowledged"); steps += 1) { assert.ok(steps < 600); await page.keyboard.press("ArrowRight"); }
  const before = await position(page);
  // Healed: what only the minority had is overwritten, and its client never hears of it.
  await page.keyboard.press("x");
  await named(page, "Heal all").click();
  await page.keyboard.press("Escape");
  const overwritten = await newest(page, 1);
  for (let steps = 0; !(await overwritten.locator(".truth").textContent()).includes("overwritten"); steps += 1) { assert.ok(steps < 600, await overwritten.textContent()); await page.keyboard.press("ArrowRight"); }
  assert.ok(await page.locator(".truth.bad").count() > 0);
  const late = await position(page);
  // Back to right after the request, healed there: the old future stays as a branch.
  await page.locator(".scrub").fill(String(parted + 2));
  assert.ok(await position(page) < before);
  await page.keyboard.press("x");
  await named(page, "Heal all").click();
  await page.keyboard.press("Escape");
  const kept = await newest(page, 1);
  for (let steps = 0; !(await kept.textContent()).includes("acknowledged"); steps += 1) { assert.ok(steps < 600, await kept.textContent()); await page.keyboard.press("ArrowRight"); }
  await page.keyboard.press("b");
  const branches = page.locator(".branch");
  assert.equal(await branches.count(), 2);
  assert.match(await branches.nth(1).textContent(), /left “The first” at [\d.]+ s, after event \d+: Everything is healed/);
  await named(page, "Lay beside: The first").click();
  await page.keyboard.press("Escape");
  const side = page.getByRole("region", { name: "The first, at the same time" });
  await side.waitFor();
  // In step: whoever goes on takes the other along.
  const shown = () => side.locator(".beside-head span").textContent();
  const was = await shown();
  for (let n = 0; n < 12; n += 1) await page.keyboard.press("ArrowRight");
  assert.notEqual(await shown(), was);
  await named(page, "Go to the first difference").click();
  assert.match(await says(page), /Everything is healed/);
  // One click, and the first future is back as it was left.
  await page.keyboard.press("b");
  await named(page, "Go there: The first").click();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".position").textContent(), `event ${parted + 2} of ${late}`);
  await it.done();
});

test("undo, redo and names of branches, by keyboard alone", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  for (let n = 0; n < 12; n += 1) await stepOnce(page);
  const moment = await digests(page);
  for (let n = 0; n < 6; n += 1) await page.keyboard.press("ArrowLeft");
  const past = await digests(page);
  await node(page, 3).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const crash = named(page, "Crash");
  for (let n = 0; !(await crash.evaluate((it) => it === document.activeElement)); n += 1) { assert.ok(n < 40); await page.keyboard.press("Tab"); }
  await page.keyboard.press("Enter");
  await node(page, "3").waitFor();
  assert.match((await names(page))[2], /crashed/);
  const crashed = await digests(page);
  await page.keyboard.press("u");
  assert.equal(await digests(page), past);
  for (let n = 0; n < 6; n += 1) await page.keyboard.press("ArrowRight");
  assert.equal(await digests(page), moment, "the old future is there again");
  await page.keyboard.press("r");
  assert.equal(await digests(page), crashed);
  await page.keyboard.press("b");
  const name = page.getByRole("textbox", { name: "Name of Branch 2" });
  await name.fill("<b>without 3</b>");
  await name.press("Enter");
  await page.getByRole("textbox", { name: "Name of <b>without 3</b>" }).waitFor();
  assert.equal(await page.locator(".branch b").count(), 0);
  await it.done();
});

test("a crash planned for a time comes at that time, is in the link, and can be taken back", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await node(page, 2).click();
  const region = page.getByRole("region", { name: "Node 2" });
  await region.getByRole("textbox", { name: /^At/ }).fill("1.25");
  await named(page, "Pause node").click();
  await page.getByText("Planned for 1.250 s.").waitFor();
  await page.keyboard.press("x");
  const plans = page.locator(".plans li");
  assert.match(await plans.first().textContent(), /1\.250 s: Node 2 stands still/);
  await named(page, "Share").click();
  const address = await page.getByRole("textbox", { name: "Link to this moment" }).inputValue();
  await page.keyboard.press("Escape");
  const other = await open(browser, address);
  await stepOnce(other.page);
  assert.match((await names(other.page))[1], /paused/);
  assert.equal(await other.page.locator(".clock").textContent(), "1.250 s");
  await other.done();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: /^Take back/ }).click();
  await page.keyboard.press("Escape");
  await stepOnce(page);
  assert.doesNotMatch((await names(page))[1], /paused/);
  await it.done();
});

test("a broken property stops play, names the step, and offers the step before", async () => {
  // Node 1 alone has what was committed with a majority that is wiped then: two nodes lose their disks.
  const it = await open(browser, kraft(server.address));
  const { page } = it;
  await runUntil(page, "Next election");
  await runUntil(page, "Next commit");
  const leader = Number((await leaders(page))[0].match(/Node (\d)/)[1]);
  const others = [1, 2, 3, 4, 5].filter((id) => id !== leader);
  for (const id of [leader, ...others.slice(0, 3)]) {
    await node(page, id).click();
    await named(page, "Crash").click();
    await named(page, "Restart with an empty disk").click();
    await named(page, "Close").first().click();
  }
  await button(page, "Play").click();
  await page.getByRole("region", { name: "Safety" }).waitFor({ timeout: 20_000 });
  await button(page, "Play").waitFor();
  const notice = await page.locator(".sentence .notice").textContent();
  const step = Number(notice.match(/broken at event (\d+): node \d/)[1]);
  assert.ok(await page.locator(".safety .lights.broken").count() > 0);
  await page.getByRole("button", { name: `Go to the step before event ${step}` }).first().click();
  assert.equal(await position(page), step - 1);
  assert.ok(await page.locator("header .lights.broken").count() === 0, "it held then");
  await it.done();
});

test("messages are delayed, doubled and swapped, timers pushed back, from the page", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await page.locator(".next li", { hasText: "election timeout" }).first().getByRole("button", { name: /^Later/ }).click();
  assert.match(await says(page), /Pushed back by 500 ms/);
  while (await page.locator(".next li .mark.delivery").count() < 3) await stepOnce(page);
  const first = page.locator(".next li").filter({ has: page.locator(".mark.delivery") }).first();
  await first.getByRole("button", { name: /^Look into/ }).click();
  const region = page.getByRole("region", { name: "Message" });
  await region.getByRole("textbox", { name: /^Delay by/ }).fill("oops");
  await named(page, "Delay").click();
  assert.match(await page.locator(".sentence .notice").textContent(), /Delay by: “oops” is not a number.*Nothing has changed/);
  await region.getByRole("textbox", { name: /^Delay by/ }).fill("12.5");
  await named(page, "Delay").click();
  assert.match(await says(page), /will arrive 12\.500 ms later/);
  await named(page, "Duplicate").click();
  assert.match(await says(page), /will arrive twice/);
  await region.locator("select").selectOption({ index: 1 });
  assert.match(await says(page), /each when the other would have/);
  await it.done();
});

test("a search shows how far it is and can be stopped; what it looks for may be so already", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: /^Offset/ }).fill("999999");
  await named(page, "Run until that offset is committed").click();
  await page.getByRole("progressbar").waitFor();
  // The page answers meanwhile.
  const asked = Date.now();
  await named(page, "Cancel").click();
  await page.locator(".progress").waitFor({ state: "detached" });
  assert.ok(Date.now() - asked < 1_000);
  assert.match(await page.locator(".sentence .notice").textContent(), /Stopped at event \d+; the run is kept/);
  assert.ok(await position(page) > 100);
  await page.getByRole("combobox", { name: "Which role" }).selectOption({ label: "follower" });
  await named(page, "Run until a node has that role").click();
  await page.getByText("It is so already.").waitFor();
  await it.done();
});

test("too little latency is refused in words, and nothing hangs", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await page.keyboard.press("x");
  const overlay = page.getByRole("region", { name: "Faults" });
  await overlay.getByRole("textbox", { name: /^Shortest latency/ }).fill("0");
  await overlay.getByRole("textbox", { name: /^Longest latency/ }).fill("0");
  await named(page, "Set all links").click();
  assert.match(await page.locator(".sentence .notice").textContent(), /must be at least 100 µs/);
  await overlay.getByRole("textbox", { name: /^Longest latency/ }).fill("0.1");
  await named(page, "Set all links").click();
  assert.match(await says(page), /All links behave differently/);
  await page.keyboard.press("Escape");
  await page.locator(".speed input").fill("8");
  await button(page, "Play").click();
  await page.waitForFunction(() => Number(document.querySelector(".position").textContent.match(/event (\d+)/)[1]) > 2_000);
  await button(page, "Pause").click();
  await it.done();
});

for (const [name, cuts, asked] of [
  ["P13 two tails on a triangle", [[1, 4], [1, 5], [3, 4], [2, 5], [4, 5]], /nothing but time/],
  ["P15 a chain of three", [[1, 3]], /Node 3 leads|nothing but time/],
  ["P17 a constrained election", [[3, 1], [3, 2], [3, 4], [3, 5], [2, 4], [2, 5], [4, 5]], /It takes 3 votes/],
]) {
  test(`${name} is set up by hand within a minute, and the page says why nobody can be elected`, async () => {
    const it = await open(browser, server.address);
    const { page } = it;
    const began = Date.now();
    for (const [from, to] of cuts) {
      await node(page, from).click();
      await page.locator("summary", { hasText: "Links and place" }).click();
      await named(page, `Link ${from} → ${to}`).click();
      await named(page, "Cut both ways").click();
      await named(page, "Close").first().click();
    }
    assert.ok(Date.now() - began < 60_000);
    await page.keyboard.press("x");
    await named(page, "Why can nobody be elected?").click();
    assert.match(await page.locator(".answer").textContent(), asked);
    await it.done();
  });
}

test("P18 one-way links are cut by hand: what node 1 sends is lost", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await node(page, 1).click();
  await page.locator("summary", { hasText: "Links and place" }).click();
  for (const to of [2, 3, 4, 5]) {
    await named(page, `Link 1 → ${to}`).click();
    await named(page, `Cut 1 → ${to}`).click();
    assert.match(await says(page), new RegExp(`link from node 1 to node ${to} is cut`));
    await node(page, 1).click();
    await page.locator("summary", { hasText: "Links and place" }).click();
  }
  assert.equal(await page.locator(".link.cut").count(), 4);
  await it.done();
});

test("groups are chosen by touch and by key alone, and three are possible", async () => {
  const it = await open(browser, server.address, { viewport: { width: 390, height: 844 }, hasTouch: true });
  const { page } = it;
  await named(page, "Faults").tap();
  await named(page, "Choose groups on the stage").tap();
  await node(page, 2).tap();
  await node(page, 4).tap();
  await node(page, 4).tap();
  const letters = async () => (await names(page)).map((name) => name.match(/group (\w)/)?.[1] ?? "").join("");
  assert.equal(await letters(), "ABACA");
  await named(page, "Groups are chosen").tap();
  await page.keyboard.press("p");
  await node(page, 5).focus();
  await page.keyboard.press("Enter");
  assert.equal(await letters(), "ABACB");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".region").count(), 3);
  await it.done();
});

test("a node is paused and goes on, its clock is set, it crashes with everything written; a link is set both ways for a time; timeouts are aligned and spread", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepOnce(page);
  await node(page, 2).click();
  await named(page, "Pause node").click();
  assert.match((await names(page))[1], /paused/);
  assert.equal(await page.locator(".replica .stands").count(), 1);
  await named(page, "Resume node").click();
  assert.doesNotMatch((await names(page))[1], /paused/);
  const region = page.getByRole("region", { name: "Node 2" });
  await region.getByRole("textbox", { name: /^Clock at/ }).fill("50");
  await named(page, "Set the clock").click();
  assert.match(await says(page), /The clock of node 2 goes at 50 %/);
  await region.getByRole("textbox", { name: /^Clock at/ }).fill("5");
  await named(page, "Set the clock").click();
  assert.match(await page.locator(".sentence .notice").textContent(), /cannot be done here: .*not between/);
  await named(page, "Crash, flushed").click();
  assert.match(await says(page), /Everything it had written stays/);
  await named(page, "Restart").click();
  await page.locator("summary", { hasText: "Links and place" }).click();
  await named(page, "Link 2 → 3").click();
  const link = page.getByRole("region", { name: "Link from 2 to 3" });
  await link.getByRole("textbox", { name: /^At/ }).fill("30");
  await link.getByRole("textbox", { name: /^Longest latency/ }).fill("400");
  await named(page, "Set both ways").click();
  await page.keyboard.press("x");
  const plans = await page.locator(".plans li").allTextContents();
  assert.equal(plans.length, 2);
  assert.match(plans[0], /30\.000 s: The link from node 2 to node 3 behaves differently/);
  assert.match(plans[1], /30\.000 s: The link from node 3 to node 2 behaves differently/);
  // A partition too can wait; it is drawn in one go.
  await page.getByRole("region", { name: "Faults" }).getByRole("textbox", { name: /^At/ }).fill("31");
  await named(page, "Choose groups on the stage").click();
  await node(page, 4).click();
  await page.getByText("Planned for 31.000 s.").waitFor();
  assert.equal(await page.locator(".region").count(), 0);
  await page.keyboard.press("x");
  assert.match(await page.locator(".plans li").nth(2).textContent(), /31\.000 s: The cluster is parted into 2 groups/);
  await named(page, "Align: all at once").click();
  assert.match(await says(page), /run out all at once/);
  await named(page, "Spread").click();
  assert.match(await says(page), /one after the other, 300 ms apart/);
  // Whoever starts another run by a slip has the old one back.
  const seen = await digests(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  assert.notEqual(await digests(page), seen);
  await page.keyboard.press("u");
  assert.equal(await digests(page), seen);
  await it.done();
});

test("the last and the next of a kind, and clients' links", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await runUntil(page, "Next election");
  const elected = await position(page);
  await runUntil(page, "Next commit");
  await page.keyboard.press("g");
  await named(page, "Last election").click();
  assert.equal(await position(page), elected);
  assert.ok(await named(page, "Last fault").isDisabled());
  await page.keyboard.press("Escape");
  await addClient(page);
  await page.locator("summary", { hasText: "Links" }).first().click();
  await named(page, "Link c1 → 4").click();
  await named(page, "Cut c1 → 4").click();
  assert.match(await says(page), /The link from client 1 to node 4 is cut/);
  assert.equal(await page.locator(".link.cut").count(), 1);
  await stepOnce(page);
  await page.keyboard.press("g");
  assert.ok(await named(page, "Last fault").isEnabled());
  await it.done();
});
