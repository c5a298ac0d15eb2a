// The same picture for the same moment: screenshots of eight named moments, compared with those in `pictures/`.
//
// A few dozen pixels may differ, as letters are smoothed a little differently from one machine to the next; a label that
// moved by three pixels is more than that, which a test of its own holds. `cargo xtask fix pictures` takes them anew.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { button, launch, load, names, open, position, serve, stepOnce, stepToLeader } from "./browser.mjs";

const PIXELS_MAX = 60;
const here = fileURLToPath(new URL("./pictures/", import.meta.url));
const failed = fileURLToPath(new URL("../../target/pictures/", import.meta.url));

let server;
let browser;
let pixelmatch;
let PNG;
before(async () => {
  server = await serve();
  browser = await launch();
  ({ default: pixelmatch } = await import(pathToFileURL(join(process.env.RAFTWERK_NPM, "pixelmatch/index.js")).href));
  ({ PNG } = load("pngjs"));
});
after(async () => { await browser?.close(); await server?.close(); });

const shoot = async (page) => {
  await page.evaluate(() => document.fonts.ready);
  assert.ok(await page.evaluate(() => document.fonts.check("14px 'Raftwerk Sans'")), "the page's own typeface is there");
  return page.screenshot({ animations: "disabled", caret: "hide" });
};

/** How many pixels differ, and a picture of which. */
const compare = (one, other) => {
  const [a, b] = [PNG.sync.read(one), PNG.sync.read(other)];
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  const diff = new PNG({ width: a.width, height: a.height });
  const differing = pixelmatch(a.data, b.data, diff.data, a.width, a.height, { threshold: 0.2 });
  return { differing, diff: PNG.sync.write(diff) };
};

const steps = async (page, n) => { for (let i = 0; i < n; i += 1) await stepOnce(page); };
const choose = async (page, n) => { await page.locator(".node").nth(n).focus(); await page.keyboard.press("Enter"); };
const cluster = async (page, n) => {
  await button(page, "Settings").click();
  await page.getByLabel("Nodes").first().fill(String(n));
  await page.getByLabel("Seed").fill("7");
  await button(page, "Start a new run").click();
  await page.waitForFunction((n) => document.querySelectorAll(".node").length === n, n);
};

const moments = {
  "start": [{}, async () => undefined],
  "asking": [{}, async (page) => { while (await page.locator(".arrow").count() < 3) await stepOnce(page); }],
  "elected": [{}, stepToLeader],
  "leader-chosen": [{}, async (page) => { await stepToLeader(page); await steps(page, 40); await choose(page, 0); await button(page, "Append").click(); await steps(page, 6); }],
  "message-pinned-dark": [{ colorScheme: "dark" }, async (page) => { await stepToLeader(page); await page.getByRole("button", { name: /^Look into granted/ }).first().click(); await page.keyboard.press("w"); }],
  "crashed-and-cut": [{}, async (page) => {
    await stepToLeader(page);
    await choose(page, 0);
    await button(page, "Crash").click();
    await choose(page, 1);
    await page.getByText("Links and place").click();
    await button(page, "Link 2 → 3").click();
    await button(page, "Cut 2 → 3").click();
    await steps(page, 25);
  }],
  "phone": [{ viewport: { width: 390, height: 844 } }, stepToLeader],
  "nine": [{}, async (page) => { await cluster(page, 9); while (await position(page) < 60) await stepOnce(page); }],
};

for (const [name, [options, go]] of Object.entries(moments)) {
  test(`the same picture: ${name}`, async () => {
    const it = await open(browser, server.address, { colorScheme: "light", ...options });
    const { page } = it;
    await names(page);
    await go(page);
    await page.mouse.move(1, 1);
    await page.evaluate(() => document.activeElement.blur());
    const picture = await shoot(page);
    const file = join(here, `${name}.png`);
    if (process.env.RAFTWERK_WRITE) {
      await mkdir(here, { recursive: true });
      if (!existsSync(file) || compare(await readFile(file), picture).differing > 0) await writeFile(file, picture);
    } else {
      const { differing, diff } = compare(await readFile(file), picture);
      if (differing > PIXELS_MAX) {
        await mkdir(failed, { recursive: true });
        await writeFile(join(failed, `${name}.png`), picture);
        await writeFile(join(failed, `${name}-differs.png`), diff);
      }
      assert.ok(differing <= PIXELS_MAX, `${differing} pixels differ; see target/pictures/${name}-differs.png`);
    }
    // A label that moved would be seen.
    const label = page.locator(".tag[visibility=visible]").last();
    if (await label.count() > 0) {
      await label.evaluate((label) => label.setAttribute("transform", `translate(3 0) ${label.getAttribute("transform")}`));
      assert.ok(compare(picture, await shoot(page)).differing > PIXELS_MAX, "the tolerance is small enough");
    }
    await it.done();
  });
}
