// Going anywhere in a run of a million events, in headless Chromium, in the page as it is shipped.

import { launch, names, open, serve } from "./browser.mjs";

const server = await serve();
const browser = await launch();
const spread = (text) => {
  const ms = text.split(" ").map((us) => Number(us) / 1000).sort((a, b) => a - b);
  return `95th percentile ${ms[Math.floor(ms.length * 0.95)].toFixed(2)} ms, median ${ms[Math.floor(ms.length / 2)].toFixed(2)} ms`;
};
for (const [name, every] of [["idle", 0], ["with a client that sends 20 requests a second", 50_000]]) {
  const { page, context } = await open(browser, server.address, {
    script: () => {
      const instantiate = WebAssembly.instantiate;
      WebAssembly.instantiate = async (...args) => {
        const made = await instantiate(...args);
        globalThis.memory ??= Object.values((made.instance ?? made).exports).find((it) => it instanceof WebAssembly.Memory);
        return made;
      };
    },
  });
  await names(page);
  const before = await page.evaluate(() => globalThis.memory.buffer.byteLength);
  const result = await page.evaluate((detail) => new Promise((done) => {
    document.addEventListener("raftwerk:bench-result", (event) => done(event.detail), { once: true });
    document.dispatchEvent(new CustomEvent("raftwerk:bench", { detail }));
  }), `0 ${every}`);
  const after = await page.evaluate(() => globalThis.memory.buffer.byteLength);
  const [seeks, backs] = result.split(";");
  console.log(`a million events, 5 replicas ${name}, Chromium: seek to a random moment: ${spread(seeks)} (aim 5); step back: ${spread(backs)} (aim 2); ${((after - before) / 1e6).toFixed(0)} MB (aim 200)`);
  await context.close();
}
// How soon the page answers while such a run is open: from the press of a key to the drawing of what came of it.
{
  const { page, context } = await open(browser, server.address);
  const press = (name) => page.getByRole("button", { name, exact: true }).click();
  await page.keyboard.press("c");
  await press("Add a client");
  await page.getByRole("textbox", { name: /^Something to set every/ }).fill("50");
  await press("Send steadily");
  for (let n = 0; n < 5; n += 1) {
    await page.keyboard.press("g");
    await press("Run until nothing is left to do");
    await page.keyboard.press("Escape");
    await page.locator("main:not([aria-busy])").waitFor({ timeout: 120_000 });
  }
  const length = await page.locator(".position").textContent();
  const answer = (key) => page.evaluate((key) => new Promise((done) => {
    const start = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    // The frame after the one that draws it.
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));
  }), key);
  for (const [what, keys] of [["step back", ["ArrowLeft"]], ["step", ["ArrowRight"]], ["to the start and back", ["Home", "ArrowRight"]], ["open the branches", ["b", "Escape"]]]) {
    const times = [];
    for (let n = 0; n < 40; n += 1) for (const key of keys) times.push(await answer(key));
    times.sort((a, b) => a - b);
    console.log(`${length} in the page: ${what}: 95th percentile ${times[Math.floor(times.length * 0.95)].toFixed(0)} ms, median ${times[times.length >> 1].toFixed(0)} ms (aim 50)`);
  }
  await context.close();
}
await browser.close();
await server.close();
