// Everything the package has, under strict TypeScript: this must compile, and what is marked must not.
import { Simulation, type Big, type Command, type RaftwerkError, type Scenario, type State } from "raftwerk";

const scenario: Scenario = {
  format: 1,
  title: "Strict",
  protocol: { kraft: { election_timeout_ms: 1000, rules: { pre_vote: false } } },
  replicas: 3,
  seed: "18446744073709551615",
  starts: [{ epoch: 1, log: [[1, 2]], voted: null }],
  plans: [{ at_us: "5", command: { partition: { groups: [[1], [2, 3]] } } }],
  chapters: [{ position: "3", text: "Here", selection: { node: 2 } }],
  view: { position: "0", panel: "logs", selection: { link: [1, 2] } },
};

const run = new Simulation(scenario);
const first: boolean = run.step();
run.stepBack();
const position: bigint = run.position() + run.length() + run.now();
run.seek(1);
run.seek("1");
run.seek(position > 5n ? 5n : position);
const stopped = run.run({ until: "5000000", maxEvents: 100, condition: { committed: { offset: 0 } } });
const why: "condition" | "events" | "time" | "violation" | "end" = stopped.reason;
const events: Big = stopped.events;
const command: Command = { set_link: { link: [1, 2], conditions: { loss_ppm: 10 } } };
run.apply(command);
run.apply("heal");
for (const pending of run.pending()) { const name: string = pending.name; if (pending.at_us === "0") run.step(name); }
const state: State = run.state();
const roles: (string | null)[] = state.nodes.map((node) => node.role);
const voted: number | null | undefined = state.nodes[0]?.voted;
const fields: string | undefined = state.nodes[0]?.fields["epoch"];
const texts: string[] = run.trace(0, run.position()).map((line) => `${line.step} ${line.kind} ${line.text} ${line.reference}`);
const said: string = run.explain(1n).text + (run.ask({ why_not_elected: { node: 2 } }).rule ?? "");
const broken: string[] = run.violations().map(({ property }) => property);
const digest: string = run.digest().run;
const differs: number | null | undefined = run.difference()?.command;
const again: Simulation = Simulation.fromLink(run.link("https://raftwerk.example/"));
const same: Scenario = again.scenario();
const diagram: string = again.mermaid(1, 2);
again.free();

try {
  new Simulation(same);
} catch (error) {
  const { code, path } = error as RaftwerkError;
  const is: boolean = code === "shape" && path === "seed";
  console.log(is);
}
console.log(first, why, events, roles, voted, fields, texts, said, broken, digest, differs, diagram);

// @ts-expect-error a position is no object
run.seek({});
// @ts-expect-error nothing of that name
run.run({ forever: true });
// @ts-expect-error a number would be rounded
const rounded: Scenario = { format: 1, protocol: { classic: {} }, seed: 7 };
// @ts-expect-error a node may have no role
const role: string = run.state().nodes[0]!.role;
console.log(rounded, role);
