import { describe, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { inputFor } from "#engines/cwl/cwl-fixture";
import type { Engine, EngineEvent, EngineInput, Evaluate } from "#engines/engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";
import { openSession } from "#runner/engine/engine-runtime";
import { RUN_MAX_STEPS } from "#runner/engine/step-budget";
import { surveyOf } from "../support/engines/surveys.ts";

const ANSWERED = { kind: "told", id: "x" } as const;
const TOO_LONG =
  "The expressions of this run took more than 35 steps together. Move long computations from expressions into the " +
  "command of a step.";

const evaluateJavaScript = await loadJavaScript();
const tenSteps: Evaluate = () => ({ ok: true, value: null, steps: 10 });

/** An engine that evaluates an expression at each event. The state is the number of events. */
const engine: Engine<number> = {
  language: "cwl",
  version: 1,
  check: () => [],
  load(_input, evaluate) {
    const step = (state: number) => {
      evaluate({ source: "1", input: {} });
      return { state, instructions: [] };
    };
    return {
      start: () => step(0),
      apply: (state) => step(state + 1),
      graph: () => ({ nodes: [], edges: [] }),
    };
  },
};

function sessionWith(maxSteps?: number) {
  return openSession(engine, surveyOf({}), tenSteps, maxSteps);
}

describe("the steps of all expressions of a run", () => {
  test("end the run when they are too many", () => {
    const session = sessionWith(35);
    expect(session.start()).toEqual([]);
    expect(session.apply([ANSWERED, ANSWERED])).toEqual([[], []]);
    expect(session.apply([ANSWERED])).toEqual([[{ do: "fail", reason: TOO_LONG }]]);
  });

  test("are kept with the state, so that a resumed run ends at an equal event", () => {
    const before = sessionWith(35);
    before.start();
    before.apply([ANSWERED]);
    const resumed = sessionWith(35);
    resumed.restore(before.state());
    expect(resumed.apply([ANSWERED, ANSWERED])).toEqual([[], [{ do: "fail", reason: TOO_LONG }]]);
    const replayed = sessionWith(35);
    replayed.start();
    replayed.apply([ANSWERED]);
    expect(replayed.state()).toBe(before.state());
  });

  test("leave room for a scatter of ten thousand jobs with a hundred times as long expressions", () => {
    const { session, events } = runOf(scatterOf(100));
    const { steps } = JSON.parse(session.state()) as { steps: number };
    expect(steps).toBeGreaterThan(3 * 100 * 10_000);
    expect(steps * 100 * 100).toBeLessThan(RUN_MAX_STEPS);
    expect(runOf(scatterOf(100), events).session.state()).toBe(session.state());
  });
});

/** Three expressions for each number: two in the step, and the tool itself. */
function scatterOf(width: number): EngineInput {
  const tool = {
    class: "ExpressionTool",
    inputs: { i: "int", double: "int", names: "string[]" },
    outputs: { sum: "int", first: "string" },
    expression: "${ return { sum: inputs.i + inputs.double, first: inputs.names.sort()[0] }; }",
  };
  const numbers = Array.from({ length: width }, (_, index) => index);
  const names = Array.from({ length: 20 }, (_, index) => `/data/file-${index}.root`);
  const scatter = ["i"];
  const inputs = {
    i: "numbers",
    double: { valueFrom: "$(2 * inputs.i)" },
    names: {
      default: names,
      valueFrom: "${ return self.map(function (name) { return name + '.' + inputs.i; }); }",
    },
  };
  const document = {
    cwlVersion: "v1.2",
    class: "Workflow",
    requirements: {
      ScatterFeatureRequirement: {},
      StepInputExpressionRequirement: {},
      InlineJavascriptRequirement: {},
    },
    inputs: { numbers: { type: "int[]", default: numbers } },
    outputs: {},
    steps: { job: { run: tool, scatter, in: inputs, out: ["sum", "first"] } },
  };
  return inputFor({ "main.cwl": JSON.stringify(document) });
}

/** Runs a workflow without commands to its end; `events` repeats an earlier run. */
function runOf(input: EngineInput, events?: readonly EngineEvent[]) {
  const session = openSession(createCwlEngine(), input, evaluateJavaScript);
  const applied: EngineEvent[] = [];
  let last = session.start().at(-1);
  while (last?.do === "go-on") {
    const event = events?.[applied.length] ?? ({ kind: "went-on", id: last.id } as const);
    applied.push(event);
    last = session.apply([event])[0]!.at(-1);
  }
  expect(last?.do).toBe("finish");
  return { session, events: applied };
}
