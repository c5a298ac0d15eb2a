// Checked events a second in headless Chromium, in the page as it is shipped.

import { launch, names, open, serve } from "./browser.mjs";

const EVENTS = 1_000_000;
const server = await serve();
const browser = await launch();
const { page } = await open(browser, server.address);
await names(page);
for (let round = 1; round <= 3; round += 1) {
  const ms = await page.evaluate((events) => new Promise((done) => {
    document.addEventListener("raftwerk:bench-result", (event) => done(Number(event.detail)), { once: true });
    document.dispatchEvent(new CustomEvent("raftwerk:bench", { detail: String(events) }));
  }), EVENTS);
  console.log(`5 replicas idle, Chromium: ${Math.round(EVENTS / ms * 1000).toLocaleString("en")} checked events a second`);
}
await browser.close();
await server.close();
