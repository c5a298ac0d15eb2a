export { Simulation } from "./raftwerk.js";
export type * from "./raftwerk.js";
