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
await browser.close();
await server.close();
