// The simulated business logic of examples/python/handler.py in Node: any language that reads and writes JSON lines will do.
//
//   rippflow-local examples/failure.workflow.json ok-item.bin,corrupt-item.bin --handler "node examples/node/handler.mjs"

import { createInterface } from "node:readline";

const phases = {
  "process-item": (shard, given) => {
    if (shard.startsWith("fatal")) {
      console.error(`${shard}: simulated crash`);
      process.abort();
    }
    const intact = !shard.startsWith("corrupt");
    return { outcome: "completed", payload: { item: shard, intact, strict: given.strict ?? true } };
  },
  "audit-item": (shard, given) => ({
    outcome: given.intact ? "completed" : "rework",
    payload: { ...given, audited: shard },
  }),
  "finalize-batch": (_shard, given) => {
    const intact = Object.keys(given).filter((shard) => given[shard].intact).sort();
    return { outcome: "completed", payload: { items: Object.keys(given).length, intact } };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { context, input } = JSON.parse(line);
  console.log(JSON.stringify(phases[context.phase](context.shard, input)));
}
