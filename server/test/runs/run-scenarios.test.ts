import { describe, test } from "vitest";
import { SCENARIOS, tryScenario } from "../support/scenarios/run-scenarios.ts";

describe("a run under every kind of event", () => {
  test.each(Object.entries(SCENARIOS))("%s", (_name, scenario) => tryScenario(scenario));
});
