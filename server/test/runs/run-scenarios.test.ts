import { describe, test } from "vitest";
import { SCENARIOS, tryScenario } from "../support/run-scenarios.ts";

describe("whatever happens to a run", () => {
  test.each(Object.entries(SCENARIOS))("%s", (_name, scenario) => tryScenario(scenario));
});
