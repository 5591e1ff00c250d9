import fc from "fast-check";
import { expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { type EngineEvent, type Instruction, isEnding, type RunRequest } from "#engines/engine";
import { itemsOf } from "#engines/wide-list";
import type { YadageState } from "#engines/yadage/state/state";
import { prepareYadage } from "#engines/yadage/load/prepare";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { jqEvaluator } from "#plumbing/jq/jq";
import { summaryOf } from "../support/engines/yadage-runs.ts";
import { modelOf, resultOf } from "./yadage-scopes-model.ts";
import { NUMBERS, type Plan, plansArbitrary, stagesOf } from "./yadage-scopes-plans.ts";

/** Compares runs with a slow and obvious model. Jobs end and answers arrive in random order. */
test("workflows in workflows have the nodes, edges and values of the model", () => {
  const seen = { finished: 0, nested: 0, failed: 0 };
  fc.assert(
    fc.property(plansArbitrary, fc.array(fc.nat(20), { minLength: 1 }), (plans, order) => {
      const expected = modelOf(plans);
      expect(played(plans, order)).toEqual(expected);
      if (expected === "fails") seen.failed += 1;
      else seen.finished += 1;
      if (expected !== "fails" && Object.keys(expected.nodes).some((name) => name.split("/").length > 4))
        seen.nested += 1;
    }),
    { numRuns: 200 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
});

const evaluate = jqEvaluator();

function played(plans: readonly Plan[], order: readonly number[]) {
  const request: RunRequest = {
    specification: {
      workflow: { type: "yadage", specification: { stages: stagesOf(plans) } },
      inputs: { parameters: { n: NUMBERS } },
    },
    parameters: {},
    options: {},
  };
  const made = prepareYadage(request, {});
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  const workflow = yadageEngine.load({ ...request, model: made.model, run: SOME_RUN }, evaluate);
  let step = workflow.start();
  const open: EngineEvent[] = [];
  for (let turn = 0; ; turn += 1) {
    const ending = step.instructions.find(isEnding);
    if (ending) return ending.do === "finish" ? outcomeOf(step.state) : "fails";
    open.push(...step.instructions.flatMap(eventsFor));
    const [event] = open.splice(order[turn % order.length]! % open.length, 1);
    step = workflow.apply(step.state, event!);
  }
}

function outcomeOf(state: YadageState) {
  const waiting = itemsOf(state.rules).filter((rule) => !rule!.isApplied).length;
  return { nodes: summaryOf(state, "WORK"), waiting };
}

/** Every job succeeds, and writes a file. The content of the file follows from its path. */
function eventsFor(instruction: Instruction): EngineEvent[] {
  switch (instruction.do) {
    case "submit": {
      const end = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 } as const;
      return [{ kind: "job-ended", key: instruction.job.key, end, lastLines: [] }];
    }
    case "read": {
      const text = JSON.stringify(resultOf(instruction.path));
      return [{ kind: "read", id: instruction.id, text, bytes: text.length }];
    }
    case "write":
      return [{ kind: "written", id: instruction.id }];
    case "go-on":
      return [{ kind: "went-on", id: instruction.id }];
    case "look":
      return [
        {
          kind: "looked",
          id: instruction.id,
          files: instruction.paths.map((path) => ({ path, kind: "absent" })),
        },
      ];
    default:
      return [];
  }
}
