// Checked events a second in headless Chromium, in the page as it is shipped.

import { launch, names, open, serve } from "./browser.mjs";

const EVENTS = 1_000_000;
const server = await serve();
const browser = await launch();
const { page } = await open(browser, server.address);
await names(page);
// In turns, so that a noisy machine is noisy to both.
const loads = [["idle", 0], ["at 20 appends a second", 50_000]];
for (let turn = 0; turn < 2; turn += 1) {
  for (const [family, protocol] of ["Raft", "KRaft"].entries()) {
    for (const [name, every] of loads) {
      const quarters = await page.evaluate((detail) => new Promise((done) => {
        document.addEventListener("raftwerk:bench-result", (event) => done(event.detail.split(" ").map((us) => Number(us) / 1000)), { once: true });
        document.dispatchEvent(new CustomEvent("raftwerk:bench", { detail }));
      }), `${EVENTS} ${every} ${family}`);
      const rate = (events, ms) => (events / ms / 1000).toFixed(2);
      const all = quarters.reduce((sum, ms) => sum + ms, 0);
      console.log(`${protocol}, 5 replicas ${name}, Chromium, a million checked events: ${rate(EVENTS, all)} million a second (quarters ${quarters.map((ms) => rate(EVENTS / 4, ms)).join(", ")}; aim 1.5)`);
    }
  }
}
await browser.close();
await server.close();
