import { workerRuntime } from "#runner/engine/worker-runtime";
import { surveyOf, UNTIL_FIRST_VISIT } from "../support/engines/surveys.ts";

/** A process with an endlessly computing engine. The process prints a line when its worker is ready. */
const host = workerRuntime({ module: new URL("./survey-module.ts", import.meta.url) });
const session = await host.open(surveyOf({ script: "forever" }));
await session.start();
void session.apply(UNTIL_FIRST_VISIT);
process.stdout.write("up\n");
