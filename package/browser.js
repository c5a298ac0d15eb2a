// The package in a browser: its wasm is fetched from beside this file.
import init from "./raftwerk.js";

await init({ module_or_path: new URL("raftwerk_bg.wasm", import.meta.url) });

export { Simulation } from "./raftwerk.js";
