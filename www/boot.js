// Starts the page, and shows what happened if it traps.
//
// After each command the page hands over its run as a link fragment. A trap leaves the wasm instance unusable, so
// nothing here asks it anything: the link comes from what was handed over, and starting again makes a fresh instance
// of the module that was compiled once.

import { runs } from "./__wasm_split.js";

const tag = document.querySelector("script[data-wasm]");
const here = (name) => new URL(tag.dataset[name], document.baseURI).href;

let fragment = "";
let message = "";
let starts = 0;
let compiled;

document.addEventListener("raftwerk:record", (event) => { fragment = event.detail; });
document.addEventListener("raftwerk:panic", (event) => { message = event.detail; });
// What comes from outside is of use once the whole page is there.
document.addEventListener("raftwerk:whole", () => { import("./outside.js").catch(() => {}); }, { once: true });

async function start() {
  compiled ??= WebAssembly.compileStreaming(fetch(here("wasm")));
  // The glue keeps its instance in module scope; another address gives another scope.
  const glue = await import(starts === 0 ? here("js") : `${here("js")}?start=${starts}`);
  starts += 1;
  const exports = await glue.default({ module_or_path: await compiled });
  runs(exports, here("wasm").replace(/[^/]*$/, (name) => `snippets/later.wasm?of=${name}`));
}

function paragraph(text) {
  const p = document.createElement("p");
  p.textContent = text;
  return p;
}

function showTrap(error) {
  const box = document.getElementById("panic");
  if (!box.hidden) return;
  const page = document.getElementById("page");
  page.replaceWith(Object.assign(document.createElement("div"), { id: "page" }));
  const heading = document.createElement("h1");
  heading.textContent = "Raftwerk stopped: a mistake in this page";
  const link = document.createElement("a");
  link.href = `#${fragment}`;
  link.textContent = "The run, as a link";
  link.addEventListener("click", (event) => { event.preventDefault(); location.hash = fragment; again(); });
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Start again";
  button.addEventListener("click", again);
  const what = document.createElement("pre");
  what.textContent = message || String(error);
  box.replaceChildren(heading, paragraph("Your run is kept in the link below, up to what you did last."),
    paragraph(""), button, what);
  if (fragment) box.children[2].append(link);
  box.hidden = false;
  button.focus();
}

function again() {
  document.getElementById("panic").hidden = true;
  message = "";
  start().catch(showTrap);
}

const isTrap = (error) => error instanceof WebAssembly.RuntimeError;
addEventListener("error", (event) => { if (isTrap(event.error)) { event.preventDefault(); showTrap(event.error); } });
addEventListener("unhandledrejection", (event) => {
  if (isTrap(event.reason)) { event.preventDefault(); showTrap(event.reason); }
});

start().catch(showTrap);
