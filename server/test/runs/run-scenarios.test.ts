import { describe, test } from "vitest";
import { LANGUAGE_SCENARIOS } from "../support/scenarios/language-scenarios.ts";
import { SCENARIOS, tryScenario } from "../support/scenarios/run-scenarios.ts";

describe("a run under every kind of event", () => {
  test.each(Object.entries({ ...SCENARIOS, ...LANGUAGE_SCENARIOS }))("%s", (_name, scenario) =>
    tryScenario(scenario),
  );
});
