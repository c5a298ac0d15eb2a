// The package in Node: its wasm is read from beside this file.
import { readFileSync } from "node:fs";
import { initSync } from "./raftwerk.js";

initSync({ module: readFileSync(new URL("raftwerk_bg.wasm", import.meta.url)) });

export { Simulation } from "./raftwerk.js";
