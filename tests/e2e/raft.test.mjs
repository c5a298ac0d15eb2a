// The paper's Raft in the page, and KRaft beside it.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { button, digests, field, kraft, launch, leaders, names, open, position, serve, stepOnce, stepToLeader } from "./browser.mjs";

let server;
let browser;
before(async () => { server = await serve(); browser = await launch(); });
after(async () => { await browser?.close(); await server?.close(); });

const scenario = (name) => `${server.address}#${readFileSync(new URL(`../../scenarios/${name}.link`, import.meta.url), "utf8")}`;
const sentence = (page) => page.locator(".sentence p").first().textContent();
const region = (page, name) => page.getByRole("region", { name, exact: true });

/** Steps until the sentence says so. */
async function stepUntil(page, says, most = 300) {
  for (let i = 0; i < most; i += 1) {
    if (says.test(await sentence(page))) return;
    await stepOnce(page);
  }
  assert.fail(`${says} is not said in ${most} steps`);
}

test("a newcomer sees the paper's Raft in the paper's words, each step with its section", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  assert.deepEqual(await names(page), [1, 2, 3, 4, 5].map((id) => `Node ${id}, follower, term 0`));
  assert.equal(await button(page, "Raft").getAttribute("aria-pressed"), "true");
  const steps = await stepToLeader(page);
  assert.ok(steps < 40, `${steps} steps to a leader`);
  const [name] = await leaders(page);
  const id = name.match(/\d/)[0];
  assert.match(name, /^Node \d, leader, term 1$/);
  await page.getByRole("button", { name }).click();
  const inspector = region(page, `Node ${id}`);
  for (const [label, value] of [["state", "leader"], ["currentTerm", "1"], ["votedFor", `node ${id}`], ["commitIndex", "0"], ["lastApplied", "0"]]) {
    assert.equal(await field(page, inspector, label), value, label);
  }
  await button(page, "Append").click();
  assert.match(await sentence(page), /appends the client’s command to its log, at index 1/);
  // Heartbeats and appends are told apart, in their names and in how they look.
  await page.getByRole("button", { name: new RegExp(`^Look into AppendEntries t1: 1 entry, ${id} →`) }).first().click();
  const message = region(page, "Message");
  for (const [label, value] of [["prevLogIndex", "0"], ["leaderCommit", "0"]]) assert.equal(await field(page, message, label), value, label);
  assert.match(await field(page, message, "entries\\[\\]"), /^1@1 /);
  await page.locator(".reference", { hasText: "Raft §5.3" }).first().waitFor();
  await stepUntil(page, /commitIndex of node \d moves to 1/);
  await page.getByRole("button", { name }).click();
  const rows = page.getByRole("table", { name: `What node ${id} knows of the others` });
  assert.match(await rows.textContent(), /matchIndex.*nextIndex/);
  await stepUntil(page, /sends a heartbeat to 4 nodes/);
  assert.ok(await page.locator(".arrow.quiet").count() > 0, "heartbeats are quiet");
  await it.done();
});

test("KRaft is one click away, under the same seed and the same faults at the same times", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  await page.getByRole("button", { name: /^Node 2,/ }).click();
  await button(page, "Crash").click();
  await page.getByRole("button", { name: "Node 2, crashed" }).waitFor();
  const crashed = await page.locator("#clock").textContent();
  const before = await digests(page);
  await button(page, "KRaft").click();
  await page.getByRole("button", { name: /^Node 1, unattached, epoch 0$/ }).waitFor();
  assert.equal(await button(page, "KRaft").getAttribute("aria-pressed"), "true");
  await stepUntil(page, /^Node 2 crashes/);
  assert.equal(await page.locator("#clock").textContent(), crashed, "at the same time");
  // The seed is the same, and undo goes back to where one was.
  await page.keyboard.press("u");
  await page.getByText("Back to the run before this one.").waitFor();
  assert.equal(await digests(page), before);
  await it.done();
});

test("by keyboard: the other protocol, and both side by side with what is done to one done to both", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await page.keyboard.press("k");
  await page.getByRole("button", { name: /^Node 1, unattached, epoch 0$/ }).waitFor();
  await page.keyboard.press("k");
  await page.getByRole("button", { name: /^Node 1, follower, term 0$/ }).waitFor();
  await page.keyboard.press("d");
  const beside = page.getByRole("region", { name: "KRaft, at the same time" });
  await beside.waitFor();
  await stepToLeader(page);
  for (let i = 0; i < 20; i += 1) await stepOnce(page);
  const drawing = () => beside.getByRole("img").getAttribute("aria-label");
  assert.match(await drawing(), /epoch 1/);
  await page.getByRole("button", { name: /^Node 3,/ }).click();
  await button(page, "Crash").click();
  await page.waitForFunction(() => document.querySelector(".beside [role=img]").getAttribute("aria-label").includes("Node 3, crashed"));
  // It was done at the time of the step before: one more back is before that.
  for (let i = 0; i < 2; i += 1) await button(page, "Step back").click();
  await page.waitForFunction(() => !document.querySelector(".beside [role=img]").getAttribute("aria-label").includes("Node 3, crashed"));
  await page.keyboard.press("d");
  await beside.waitFor({ state: "detached" });
  await it.done();
});

test("figure 7 is stepped through with the paper's names, and nextIndex is seen to go back", async () => {
  const it = await open(browser, scenario("figure-7"));
  const { page } = it;
  assert.deepEqual((await names(page)).map((name) => name.split(",")[0]), ["L", "a", "b", "c", "d", "e", "f"]);
  await stepUntil(page, /A majority voted for L: it is the leader of term 8/);
  const logs = region(page, "Logs");
  const row = logs.getByRole("row", { name: /^f / });
  await stepUntil(page, /f refused: L sets its nextIndex back to 10/);
  assert.match(await row.textContent(), /0→10/);
  assert.ok(await logs.locator("td.is-next").count() > 0, "nextIndex is drawn at the entries");
  await stepUntil(page, /f’s log agrees with its own up to index 11|From index 4 on f’s log contradicts/);
  await stepUntil(page, /f’s log agrees with its own up to index 11/);
  assert.match(await row.textContent(), /11→12/);
  assert.ok(await logs.locator("td.is-match").count() > 0, "and matchIndex too");
  await it.done();
});

test("figure 8: why an entry that three have is not committed, and that it can be overwritten", async () => {
  const it = await open(browser, scenario("figure-8d"));
  const { page } = it;
  await names(page);
  await stepUntil(page, /A majority has index 2, but it is an entry of term 2 and S1 leads term 4/);
  const logs = region(page, "Logs");
  await logs.getByRole("button", { name: "Entry 2: is it committed, and why" }).click();
  const answer = page.locator(".sentence .answer");
  await answer.filter({ hasText: "A majority has entry 2, but it is of an older term: S1 leads since index 3" }).waitFor();
  assert.match(await answer.textContent(), /Raft §5\.4\.2/);
  await page.keyboard.press("Escape");
  await stepUntil(page, /From index 2 on S\d’s log contradicts the leader’s/);
  // The lights hold all the while: nothing that was committed is lost.
  await page.getByRole("button", { name: /^9 safety properties hold$/ }).waitFor();
  await it.done();
});

test("the rules beyond the paper are settings, and travel in the link", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await button(page, "Settings").click();
  const form = page.getByRole("form", { name: "Settings" });
  await form.getByLabel("Longest election timeout").fill("100");
  await button(page, "Start a new run").click();
  await form.getByRole("alert").getByText("is not between 1500 and").waitFor();
  await form.getByLabel("Longest election timeout").fill("2500");
  for (const name of ["PreVote", "CheckQuorum", "No-op entry"]) await form.getByLabel(name).check();
  await form.getByLabel("nextIndex goes back").selectOption("by a hint of both sides");
  await form.getByLabel("A candidate refused by a majority").selectOption("becomes follower");
  await form.getByLabel("Entries in one AppendEntries").fill("2");
  await button(page, "Start a new run").click();
  await page.waitForFunction(() => document.querySelector(".position").textContent.startsWith("event 0 of"));
  await stepUntil(page, /becomes pre-candidate and asks, without raising term 0/);
  assert.ok((await names(page)).some((name) => name.includes("pre-candidate")));
  await stepUntil(page, /It appends a no-op entry of its own term at index 1/);
  const seen = await digests(page);
  await button(page, "Share").click();
  const again = await open(browser, await page.getByLabel("Link to this moment").inputValue());
  await names(again.page);
  assert.equal(await digests(again.page), seen);
  await button(again.page, "Settings").click();
  for (const name of ["PreVote", "CheckQuorum", "No-op entry"]) assert.ok(await again.page.getByLabel(name).isChecked(), name);
  assert.equal(await again.page.getByLabel("Entries in one AppendEntries").inputValue(), "2");
  await again.done();
  await it.done();
});

test("a client of the cluster is redirected to the leader and told once its command is committed", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await stepToLeader(page);
  for (let i = 0; i < 15; i += 1) await stepOnce(page);
  await page.keyboard.press("c");
  await button(page, "Add a client").click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Client 1,/ }).first().click();
  await button(page, "Send a request").click();
  await stepUntil(page, /tells client 1 that its request 1 is|learns that its request 1 is committed, at index 1/);
  await stepUntil(page, /learns that its request 1 is committed, at index 1/);
  await it.done();
});

test("KRaft's own link still opens KRaft", async () => {
  const it = await open(browser, kraft(server.address));
  assert.match((await names(it.page))[0], /epoch 0$/);
  assert.equal(await button(it.page, "KRaft").getAttribute("aria-pressed"), "true");
  await it.done();
});

test("the settings form follows the protocol, and each protocol's settings are kept while the page is open", async () => {
  const it = await open(browser, server.address);
  const { page } = it;
  await names(page);
  await button(page, "Settings").click();
  await page.getByRole("form", { name: "Settings" }).getByRole("button", { name: "KRaft" }).click();
  await page.getByLabel("Observers among them").waitFor();
  await page.getByLabel("Fetch timeout").fill("2500");
  await button(page, "Start a new run").click();
  await page.getByRole("button", { name: /^Node 1, .*epoch 0/ }).waitFor();
  await page.keyboard.press("k");
  await page.getByRole("button", { name: /^Node 1, .*term 0/ }).waitFor();
  await page.keyboard.press("k");
  await page.getByRole("button", { name: /^Node 1, .*epoch 0/ }).waitFor();
  await button(page, "Settings").click();
  assert.equal(await page.getByLabel("Fetch timeout").inputValue(), "2500");
  await it.done();
});

test("on a phone the other protocol is one tap away", async () => {
  const it = await open(browser, server.address, { viewport: { width: 390, height: 844 }, hasTouch: true });
  const { page } = it;
  await names(page);
  await page.getByRole("button", { name: "KRaft", exact: true }).tap();
  await page.getByRole("button", { name: /^Node 1, .*epoch 0/ }).waitFor();
  await it.done();
});

test("a run of the last visit that this page cannot read is said so, and a new one begins", async () => {
  const script = "if (!sessionStorage.getItem('x')) { sessionStorage.setItem('x', '1'); localStorage.setItem('raftwerk.run.1', '1.AAAA'); }";
  const it = await open(browser, server.address, { script });
  const { page } = it;
  await names(page);
  assert.match(await page.locator(".sentence .notice").textContent(), /last visit was made by another version/);
  await it.done();
});
