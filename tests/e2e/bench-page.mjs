// What the page costs while it plays: script time a frame, frames a second, memory. Software rendering, headless.

import { readFile } from "node:fs/promises";
import { button, kraft, launch, names, open, serve } from "./browser.mjs";

const server = await serve();
const browser = await launch();
const busy = await readFile(new URL("./busy.link", import.meta.url), "utf8");

/** The 95th of a hundred, the middle one and the largest. */
const spread = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (part) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(2);
  return `95th percentile ${at(0.95)} ms, median ${at(0.5)} ms, most ${at(1)} ms`;
};

/** Script time between two frames, for each frame of a trace, in milliseconds. */
function frames(trace) {
  const events = trace.traceEvents.filter((event) => event.ph === "X" && event.dur !== undefined);
  const busiest = new Map();
  for (const event of events) if (event.name === "FireAnimationFrame") busiest.set(event.tid, (busiest.get(event.tid) ?? 0) + 1);
  const [main] = [...busiest].sort((a, b) => b[1] - a[1])[0] ?? [undefined];
  const mine = events.filter((event) => event.tid === main).sort((a, b) => a.ts - b.ts);
  const starts = mine.filter((event) => event.name === "FireAnimationFrame").map((event) => event.ts);
  const script = [];
  let until = 0;
  let frame = 0;
  for (const event of mine) {
    if (!["FunctionCall", "FireAnimationFrame", "TimerFire", "RunMicrotasks"].includes(event.name)) continue;
    // What is inside another is counted with it.
    if (event.ts < until) continue;
    until = event.ts + event.dur;
    while (frame + 1 < starts.length && starts[frame + 1] <= event.ts) frame += 1;
    script[frame] = (script[frame] ?? 0) + event.dur / 1000;
  }
  const times = Array.from({ length: starts.length }, (_, i) => script[i] ?? 0);
  const seconds = (starts.at(-1) - starts[0]) / 1e6;
  return { times, rate: (starts.length - 1) / seconds };
}

async function play(what, address, speed, aim) {
  const it = await open(browser, address, { reducedMotion: "no-preference" });
  const { page } = it;
  await names(page);
  await page.getByLabel("skip quiet stretches").uncheck();
  await page.getByRole("slider", { name: "Speed" }).fill(speed);
  await button(page, "Play").click();
  if (!address.endsWith(busy)) {
    await page.waitForFunction(() => [...document.querySelectorAll(".node")].some((n) => n.getAttribute("aria-label").includes(", leader,")), undefined, { timeout: 40_000 });
  }
  await page.waitForTimeout(2_000);
  await browser.startTracing(page, { categories: ["devtools.timeline"] });
  await page.waitForTimeout(10_000);
  const trace = JSON.parse((await browser.stopTracing()).toString());
  const { times, rate } = frames(trace);
  console.log(`${what}: script time a frame: ${spread(times)} (aim ${aim} ms); ${rate.toFixed(1)} frames a second (aim 60)`);
  await button(page, "Pause").click();
  await it.done();
}

// At the speed of life: a virtual second a second.
await play("5 replicas in play", server.address, "5", 2);
await play("5 replicas of KRaft in play", kraft(server.address), "5", 2);
await play("25 replicas with 20 appends a second", `${server.address}#${busy}`, "5", 6);
await play("25 replicas with 20 appends a second, at 1/5", `${server.address}#${busy}`, "3", 6);

{
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const instantiate = WebAssembly.instantiate;
    WebAssembly.instantiate = async (...args) => {
      const made = await instantiate(...args);
      globalThis.memory = Object.values((made.instance ?? made).exports).find((it) => it instanceof WebAssembly.Memory);
      return made;
    };
  });
  await page.goto(server.address);
  await names(page);
  const cdp = await context.newCDPSession(page);
  const used = async () => {
    await cdp.send("HeapProfiler.collectGarbage");
    const { usedSize } = await cdp.send("Runtime.getHeapUsage");
    return (usedSize + await page.evaluate(() => globalThis.memory.buffer.byteLength)) / 1e6;
  };
  const seconds = () => page.locator("#clock").textContent().then((text) => Number.parseFloat(text));
  await page.getByRole("slider", { name: "Speed" }).fill("8");
  await button(page, "Play").click();
  while (await seconds() < 5) await page.waitForTimeout(50);
  const before = await used();
  const from = await seconds();
  const start = performance.now();
  while (await seconds() < from + 600) await page.waitForTimeout(50);
  const took = (performance.now() - start) / 1000;
  await button(page, "Pause").click();
  const after = await used();
  console.log(`ten virtual minutes at top speed, 5 idle replicas: ${took.toFixed(1)} s, memory ${before.toFixed(1)} to ${after.toFixed(1)} MB: ${(after - before).toFixed(1)} MB more (aim below 20)`);
  await context.close();
}
await browser.close();
await server.close();
