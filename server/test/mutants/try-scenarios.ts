import { writeSync } from "node:fs";
import { messageOf } from "#plumbing/errors";
import { LANGUAGE_SCENARIOS } from "../support/scenarios/language-scenarios.ts";
import { SCENARIOS, tryScenario } from "../support/scenarios/run-scenarios.ts";

/**
 * Tries all scenarios on the runner of this tree, in a separate process. Exits with 1 and names the failed
 * scenario.
 */
for (const [name, scenario] of Object.entries({ ...SCENARIOS, ...LANGUAGE_SCENARIOS })) {
  try {
    await tryScenario(scenario);
  } catch (error) {
    writeSync(1, `${name}: ${messageOf(error)}\n`);
    process.exit(1);
  }
}
process.exit(0);
