// What goes out of the page and comes in beside the address: files, drops and pastes, pictures, and a host page's messages.
//
// Text from outside goes to the page as it came; the page checks it. Nothing here reads or merges what it says.

const send = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
const embedded = new URLSearchParams(location.search).has("embed");

/** Gives somebody a file. */
function save(name, blob) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Files come in by button, drop and paste.

const largest = 8_000_000;

async function take(file) {
  if (file.size > largest) { send("raftwerk:open-failed", `${file.name} is larger than ${largest / 1e6} MB`); return; }
  try { send("raftwerk:open", await file.text()); } catch { send("raftwerk:open-failed", `${file.name} cannot be read`); }
}

function choose() {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: ".json,application/json,text/plain" });
  input.addEventListener("change", () => { if (input.files[0]) take(input.files[0]); });
  input.click();
}

const writes = (target) => target instanceof Element && target.closest("input, textarea, select") !== null;

if (!embedded) {
  document.addEventListener("dragover", (event) => { if (!writes(event.target)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (writes(event.target)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    const text = event.dataTransfer.getData("text/plain");
    if (file) take(file); else if (text) send("raftwerk:open", text);
  });
  document.addEventListener("paste", (event) => {
    if (writes(event.target)) return;
    const [file] = event.clipboardData.files;
    const text = event.clipboardData.getData("text/plain");
    if (file) take(file); else if (text.trim()) send("raftwerk:open", text);
  });
}

// Pictures of the stage: the drawing as it is, with its style made part of it.

const looks = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "opacity", "font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline", "letter-spacing", "paint-order", "visibility"];

/** Copies an element of the drawing; what is not seen is left out. */
function copy(element) {
  const style = getComputedStyle(element);
  if (style.display === "none") return null;
  const twin = document.createElementNS("http://www.w3.org/2000/svg", element.localName);
  for (const { name, value } of element.attributes) {
    if (!/^(class|id|style|tabindex|role|aria-.*|data-.*|on.*)$/.test(name)) twin.setAttribute(name, value);
  }
  if (element.localName !== "g" && element.localName !== "title") {
    for (const look of looks) {
      const value = style.getPropertyValue(look);
      if (value) twin.setAttribute(look, value);
    }
  } else {
    for (const look of ["opacity", "visibility"]) twin.setAttribute(look, style.getPropertyValue(look));
  }
  if (style.transform !== "none" && !element.hasAttribute("transform")) twin.setAttribute("transform", style.transform);
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) twin.append(child.data);
    else if (child.nodeType === Node.ELEMENT_NODE) { const inner = copy(child); if (inner) twin.append(inner); }
  }
  return twin;
}

const base64 = (bytes) => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
};

/** The stage as a drawing of its own, with its typeface. */
async function picture(title) {
  const layers = [...document.querySelectorAll(".stage > svg")];
  const [, , width, height] = layers[0].getAttribute("viewBox").split(" ").map(Number);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) svg.setAttribute(name, value);
  const add = (name, attributes, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    svg.append(element);
  };
  add("title", {}, title);
  let face = "";
  try {
    const font = await fetch(new URL("sans-400.woff2", document.baseURI));
    face = `@font-face{font-family:"Raftwerk Sans";src:url(data:font/woff2;base64,${base64(new Uint8Array(await font.arrayBuffer()))})}`;
  } catch { /* Without it the next best typeface is used. */ }
  add("style", {}, face);
  add("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor });
  for (const layer of layers) {
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    for (const child of layer.children) { const twin = copy(child); if (twin) group.append(twin); }
    svg.append(group);
  }
  return { text: new XMLSerializer().serializeToString(svg), width, height };
}

async function savePicture(name, kind, title) {
  const { text, width, height } = await picture(title);
  const svg = new Blob([text], { type: "image/svg+xml" });
  if (kind === "svg") { save(`${name}.svg`, svg); return; }
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  await image.decode();
  // Large enough for a projector.
  const scale = Math.max(2, 1920 / width);
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  const png = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  if (!png) throw new Error("this browser made no picture");
  save(`${name}.png`, png);
}

document.addEventListener("raftwerk:save", ({ detail }) => {
  const [name, type, text] = JSON.parse(detail);
  save(name, new Blob([text], { type }));
});
document.addEventListener("raftwerk:choose", choose);
document.addEventListener("raftwerk:picture", async ({ detail }) => {
  const [name, kind, title] = JSON.parse(detail);
  try { await savePicture(name, kind, title); } catch (error) { send("raftwerk:open-failed", `the picture could not be made: ${error.message}`); }
});

// A host page drives an embedded one with messages; each is answered to the one that sent it.

if (embedded && parent !== window) {
  const asked = new Map();
  let last = 0;
  addEventListener("message", (event) => {
    const said = event.data;
    if (event.source !== parent || typeof said !== "object" || said === null || said.raftwerk !== 1) return;
    last += 1;
    asked.set(last, { origin: event.origin, id: said.id });
    let text;
    try { text = JSON.stringify(said.do ?? null); } catch { text = "null"; }
    send("raftwerk:host", JSON.stringify([last, text.length > largest ? "null" : text]));
  });
  document.addEventListener("raftwerk:answer", ({ detail }) => {
    const [number, answer] = JSON.parse(detail);
    const { origin, id } = asked.get(number) ?? {};
    asked.delete(number);
    if (origin !== undefined) parent.postMessage({ raftwerk: 1, id, ...answer }, origin === "null" ? "*" : origin);
  });
  parent.postMessage({ raftwerk: 1, ready: true }, "*");
}
