import { workerRuntime } from "#runner/engine/worker-runtime";
import { surveyOf } from "../support/engines/surveys.ts";

/** A process whose engine computes for ever. It prints a line when its worker is up. */
const host = workerRuntime({ module: new URL("./survey-module.ts", import.meta.url) });
const session = await host.open(surveyOf({ script: "forever" }));
await session.start();
void session.apply([
  { kind: "written", id: "settings" },
  { kind: "read", id: "list", text: "a\n", bytes: 2 },
]);
process.stdout.write("up\n");
