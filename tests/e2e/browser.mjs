// A static server for dist/ and a headless Chromium: what the end-to-end tests stand on.
//
// `open` gives a page that fails its test on a console error, an uncaught exception or a request to another host.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import assert from "node:assert/strict";

const site = fileURLToPath(new URL("../../dist/", import.meta.url));
const npm = process.env.RAFTWERK_NPM;
export const load = (name) => createRequire(`${npm}/`)(join(npm, name));

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".woff2": "font/woff2" };

/** Serves dist/, or another folder, under a sub-path, so that nothing relies on standing at the root. */
export async function serve(root = site) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    // As static hosts do with a folder.
    if (pathname === "/course/raft") { response.writeHead(301, { location: "/course/raft/" }).end(); return; }
    const inside = pathname.replace(/^\/course\/raft\//, "");
    if (inside === pathname) { response.writeHead(404).end(); return; }
    try {
      const file = join(root, normalize(`/${inside || "index.html"}`));
      const body = await readFile(file);
      response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(body);
    } catch { response.writeHead(404).end(); }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/course/raft/`, close: () => new Promise((done) => server.close(done)) };
}

export async function launch() {
  const { chromium } = load("playwright-core");
  return chromium.launch({
    executablePath: process.env.CHROME_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** A page in a context of its own. `faults` collects what must not happen. */
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  if (options.script) await page.addInitScript(options.script);
  if (options.without) await page.route(options.without, (route) => route.abort());
  const faults = [];
  const bytes = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) faults.push(message.text()); });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    // What the page itself has made is no request to anybody.
    if (!request.url().startsWith("blob:") && new URL(request.url()).host !== new URL(address).host) faults.push(`request to ${request.url()}`);
  });
  page.on("response", (response) => bytes.push(response.body().then((body) => gzipSync(body).length, () => 0)));
  await page.goto(address);
  // The second wasm file comes after the first drawing.
  if (options.isWhole ?? true) await page.locator("html[data-whole]").waitFor();
  return {
    page, context, faults,
    transferred: async () => (await Promise.all(bytes)).reduce((sum, size) => sum + size, 0),
    done: async () => { assert.deepEqual(faults, []); await context.close(); },
  };
}

/** Where KRaft's first election is, for what only KRaft has; nobody's own address is the paper's. */
export const kraft = (address) => `${address}#${readFileSync(new URL("../../scenarios/kraft.link", import.meta.url), "utf8")}`;

/** A fragment with its checksum: CRC-32, which not every Node brings. */
export function seal(text) {
  let sum = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((sum ^ 0xffffffff) >>> 0);
  return text + bytes.toString("base64url");
}

/** The accessible names of the replicas. */
export async function names(page) {
  await page.locator(".replica .node").first().waitFor();
  return page.locator(".replica .node").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label")));
}

export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const leaders = async (page) => (await names(page)).filter((name) => name.includes(", leader,"));
export const position = async (page) => Number((await page.locator(".position").textContent()).match(/event (\d+)/)[1]);
export const digests = (page) => page.locator(".page").getAttribute("data-digests");

export async function stepOnce(page) {
  const before = await position(page);
  await button(page, "Step").click();
  await page.waitForFunction((n) => Number(document.querySelector(".position").textContent.match(/event (\d+)/)[1]) === n, before + 1);
}

export async function stepToLeader(page) {
  let steps = 0;
  while ((await leaders(page)).length === 0) { await stepOnce(page); steps += 1; assert.ok(steps < 200, "no leader in 200 steps"); }
  return steps;
}

/** A field of the inspector, by the protocol's name, without the note that it changed. */
export const field = (page, region, name) => region.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]").evaluate((dd) => dd.firstChild.textContent);
