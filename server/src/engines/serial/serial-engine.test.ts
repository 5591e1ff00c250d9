import { describe, expect, test } from "vitest";
import { type EngineInput, evaluatesNothing, type Instruction } from "#engines/engine";
import { engineContract, SOME_RUN } from "#engines/contract-suite";
import { serialEngine } from "#engines/serial/serial-engine";
import { commandText, type JobEnd } from "#workflow/job/job";

const OK: JobEnd = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 };

interface Given {
  steps: object[];
  parameters?: Record<string, unknown>;
  options?: Record<string, unknown>;
}

function input({ steps, parameters = {}, options = {} }: Given): EngineInput {
  const specification = { workflow: { type: "serial", specification: { steps } } } as const;
  return { specification, parameters, options, run: SOME_RUN };
}

function load(given: Given) {
  return serialEngine.load(input(given), evaluatesNothing);
}

/**
 * Runs a workflow in which `endOf` decides how each job ends. Returns the scripts in order and the last instruction.
 */
function run(given: Given, endOf: (script: string) => JobEnd = () => OK) {
  const workflow = load(given);
  let step = workflow.start();
  const scripts: string[] = [];
  const instructions: Instruction[] = [];
  for (;;) {
    instructions.push(...step.instructions);
    const submitted = step.instructions.find((instruction) => instruction.do === "submit");
    if (!submitted) return { scripts, instructions, last: instructions.at(-1) };
    scripts.push(commandText(submitted.job));
    const end = endOf(commandText(submitted.job));
    step = workflow.apply(step.state, { kind: "job-ended", key: submitted.job.key, end, lastLines: [] });
  }
}

describe("the serial engine", () => {
  test("runs one job per command, in order, and finishes", () => {
    const result = run({
      steps: [{ name: "first", commands: ["echo ${x}", "two"], environment: "img" }, { commands: ["three"] }],
      parameters: { x: "hi" },
    });
    expect(result.scripts).toEqual(["echo hi", "two", "three"]);
    expect(result.last).toEqual({ do: "finish" });
    expect(result.instructions).toContainEqual({ do: "expect", jobs: 3 });
  });

  test("the GPUs of a step are reserved for each of its commands", () => {
    const { instructions } = run({ steps: [{ gpus: "2", commands: ["a", "b"] }, { commands: ["c"] }] });
    const jobs = instructions.flatMap((one) => (one.do === "submit" ? [one.job.resources] : []));
    const two = { cores: 1, memoryBytes: 0, gpus: 2 };
    expect(jobs).toEqual([two, two, undefined]);
  });

  test("two equal steps both run", () => {
    const step = { name: "same", commands: ["echo same"] };
    expect(run({ steps: [step, step] }).scripts).toEqual(["echo same", "echo same"]);
  });

  test("stops at the first failed command, and names the command", () => {
    const result = run({ steps: [{ name: "fit", commands: ["good", "bad", "never"] }] }, (script) =>
      script === "bad" ? { ...OK, exitCode: 3 } : OK,
    );
    expect(result.scripts).toEqual(["good", "bad"]);
    expect(result.last).toEqual({
      do: "fail",
      reason: 'Step "fit" (command 2 of 3) failed: its command exited with code 3.',
      job: "0.1",
    });
  });

  test("the log holds the line that acceptance tests of REANA look for", () => {
    const { instructions } = run({ steps: [{ commands: ['python "code/helloworld.py"'] }] });
    const lines = instructions.flatMap((instruction) => (instruction.do === "log" ? [instruction.line] : []));
    expect(lines[0]).toContain('Publishing step:0, cmd: python "code/helloworld.py", total steps 1 to MQ');
  });

  test.each([
    [{ FROM: "B" }, ["b", "c"]],
    [{ TARGET: "b" }, ["a", "b"]],
    [{ FROM: "b", TARGET: "b" }, ["b"]],
    [{ FROM: "nobody" }, ["a", "b", "c"]],
    [{ FROM: "c", TARGET: "a" }, ["a", "b", "c"]],
  ])("options %j run %j", (options, scripts) => {
    const steps = ["a", "b", "c"].map((name) => ({ name, commands: [name] }));
    expect(run({ steps, options }).scripts).toEqual(scripts);
  });

  test("an unknown placeholder is reported before the start, with step, command and name", () => {
    const given = input({
      steps: [{ commands: ["ok"] }, { name: "plot", commands: ["fine", "echo $HOME"] }],
    });
    expect(serialEngine.check(given)).toEqual([
      {
        path: "workflow.specification.steps.1.commands.1",
        message:
          'Command 2 of step 2 ("plot") uses the parameter "HOME", which is not defined. ' +
          "Define it under inputs.parameters, or write $$HOME if the shell is to expand it.",
      },
    ]);
    expect(serialEngine.load(given, evaluatesNothing).start().instructions).toMatchObject([{ do: "fail" }]);
  });

  test("fields of a wrong type, which pass with a warning, do no harm", () => {
    const specification = {
      workflow: {
        type: "serial",
        specification: { steps: [{ name: 7, environment: [], commands: ["echo ${x}"] }] },
      },
      inputs: { parameters: "none", options: [1] },
    };
    const given = { specification, parameters: { x: 1 }, options: { FROM: "7" } } as unknown as EngineInput;
    expect(serialEngine.check(given)).toEqual([]);
    expect(serialEngine.load(given, evaluatesNothing).start().instructions.at(-1)).toMatchObject({
      do: "submit",
      job: { name: "", image: null, command: { script: "echo 1" } },
    });
  });

  test("the state of a long run is small", () => {
    const { state } = load({ steps: Array.from({ length: 1000 }, () => ({ commands: ["echo"] })) }).start();
    expect(JSON.stringify(state).length).toBeLessThan(100);
  });

  test("the graph has a node for each step, with the number of its commands", () => {
    const workflow = load({
      steps: [
        { name: "make", commands: ["a", "b"] },
        { name: "show", commands: ["c"] },
      ],
    });
    expect(workflow.graph()).toEqual({
      nodes: [
        { id: "0", name: "make", parent: null, jobs: 2 },
        { id: "1", name: "show", parent: null, jobs: 1 },
      ],
      edges: [{ from: "0", to: "1" }],
    });
    const [first] = workflow.start().instructions.filter((instruction) => instruction.do === "submit");
    expect(first).toMatchObject({ job: { key: "0.0", node: "0" } });
  });
});

engineContract("the serial engine", {
  engine: serialEngine,
  evaluate: evaluatesNothing,
  inputs: [
    input({ steps: [{ commands: ["a", "b"] }, { name: "last", commands: ["c"] }] }),
    input({ steps: [] }),
    input({ steps: [{ commands: ["echo $nobody"] }] }),
  ],
  answer: () => undefined,
});
