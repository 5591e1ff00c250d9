import { describe, expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { type EngineEvent, isAsk, type RunRequest } from "#engines/engine";
import { prepareYadage } from "#engines/yadage/load/prepare";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { jqEvaluator } from "#plumbing/jq/jq";
import type { Specification } from "#workflow/specification/specification";

const evaluate = jqEvaluator();

type Change = Readonly<Record<string, unknown>>;

const LOCAL = { environment_type: "localproc-env" };

function stage(scheduler: Change, name = "fit"): Change {
  const step = {
    process: { process_type: "string-interpolated-cmd", cmd: "echo {n}" },
    environment: LOCAL,
    publisher: { publisher_type: "frompar-pub", outputmap: { n: "n" } },
  };
  const common = { scheduler_type: "singlestep-stage", parameters: { n: { step: "init", output: "n" } } };
  return { name, dependencies: ["init"], scheduler: { ...common, step, ...scheduler } };
}

function requestOf(...stages: readonly Change[]): RunRequest {
  const inputs = { parameters: { n: 1, list: [1, 2] } };
  return {
    specification: { workflow: { type: "yadage", specification: { stages } }, inputs },
    parameters: {},
    options: {},
  };
}

describe("a workflow with a wrong shape is refused by stage", () => {
  test.each<[string, Change]>([
    ["needs a step, a workflow or cases", { step: null }],
    ["has step and workflow", { workflow: { stages: [] } }],
    ['has the scheduler type "x"', { scheduler_type: "x" }],
    ["needs a scatter", { scheduler_type: "multistep-stage" }],
    ["has a step without environment and publisher", { step: { process: null } }],
    [
      "waits for a person",
      { step: { process: { process_type: "manual-instructions-proc" }, environment: null, publisher: {} } },
    ],
    ["has parameters that are neither", { parameters: "n" }],
    ["holds a case without", { step: null, cases: [{}] }],
    ["names nothing in", { step: { $ref: "#/nowhere" } }],
    ["leads back to itself", { step: { $ref: "#" } }],
  ])("%s", (sentence, change) => {
    const made = prepareYadage(requestOf(stage(change)), {});
    expect(made).toMatchObject({
      kind: "refused",
      problems: expect.arrayContaining([
        expect.objectContaining({ message: expect.stringContaining(sentence) as string }),
      ]) as unknown,
    });
  });

  test("a stage that comes twice, and a parameter that is not declared", () => {
    expect(prepareYadage(requestOf(stage({}), stage({})), {})).toMatchObject({ kind: "refused" });
    expect(prepareYadage({ ...requestOf(stage({})), parameters: { m: 1 } }, {})).toMatchObject({
      kind: "refused",
      problems: [{ message: 'Input parameter "m" is not present in reana.yaml' }],
    });
  });
});

describe("a stage that cannot be carried out ends the run, and the reason names it", () => {
  const command = (cmd: string, environment: Change = LOCAL) => ({
    step: {
      process: { process_type: "string-interpolated-cmd", cmd },
      environment,
      publisher: { publisher_type: "constant-pub", publish: {} },
    },
  });

  test.each<[string, Change]>([
    ["its command holds the unknown placeholder {m} (its parameters: n)", command("echo {m}")],
    ["its command holds the unknown placeholder {print $1}", command("awk '{print $1}'")],
    ["its command holds a brace that begins no placeholder", command("echo }")],
    ['its parameter "n" holds the unknown placeholder {nowhere}', { parameters: { n: "{nowhere}/x" } }],
    [
      '"m" matches no output of "init" (its outputs: list, n)',
      { parameters: { n: { step: "init", output: "m" } } },
    ],
    ['"list[*]" matches 2 outputs of "init"', { parameters: { n: { step: "init", output: "list[*]" } } }],
    ['"step: nobody" selects 0 steps', { parameters: { n: { step: "nobody", output: "m" } } }],
    ['the path "a[" is no JSONPath', { parameters: { n: { stages: "a[" } } }],
    [
      'it scatters "n", which is no list',
      { scheduler_type: "multistep-stage", scatter: { method: "zip", parameters: ["n"] } },
    ],
    [
      "the jq program `.n.x` failed: Cannot index number",
      { step: null, cases: [{ if: ".n.x", ...command("true") }] },
    ],
    ["the jq program `][` failed", { step: null, cases: [{ if: "][", ...command("true") }] }],
    ["the jq program `empty` has no result", { step: null, cases: [{ if: "empty", ...command("true") }] }],
    ["the result of its stepscript is no list", { scheduler_type: "jq-stage", stepscript: "1" }],
  ])("%s", (sentence, change) => {
    expect(reasonOf(requestOf(stage(change)))).toContain(`Stage "fit" cannot be carried out: ${sentence}`);
  });
});

// Some clients send null in place of a workflow they have not loaded.
test.each([{}, { specification: null }])(
  "a stage that waits for what is not there is named in validation and at the start: %o",
  (sent) => {
    const specification = {
      workflow: { type: "yadage" as const, file: "main.yml", ...sent },
    } as Specification;
    const request: RunRequest = { specification, parameters: {}, options: {} };
    const stages = [{ ...stage({}), dependencies: ["nobody"] }];
    const made = prepareYadage(request, { "main.yml": JSON.stringify({ stages }) });
    if (made.kind !== "ready") throw new Error(JSON.stringify(made));
    const reason = 'Stage "fit" never becomes applicable: it depends on "nobody", which is no stage.';
    expect(made.model).toMatchObject({ warnings: [`${reason} The run would finish without it.`] });
    const { instructions } = yadageEngine
      .load({ ...request, model: made.model, run: SOME_RUN }, evaluate)
      .start();
    const line = `${reason} The run finishes without it.`;
    expect(instructions).toContainEqual({ do: "log", logger: "yadage", level: "ERROR", line });
  },
);

/** Plays a run in which every question is refused. Returns the reason of the failure. */
function reasonOf(request: RunRequest): string {
  const made = prepareYadage(request, {});
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  const workflow = yadageEngine.load({ ...request, model: made.model, run: SOME_RUN }, evaluate);
  let step = workflow.start();
  for (;;) {
    const ending = step.instructions.find(({ do: what }) => what === "fail");
    if (ending?.do === "fail") return ending.reason;
    const ask = step.instructions.find(isAsk)!;
    const event: EngineEvent = { kind: "looked", id: ask.id, files: [] };
    step = workflow.apply(step.state, event);
  }
}

test.each([
  ["echo {m} {o}", 'Stage "fit" has a command with the unknown placeholder {m} (its parameters: n).'],
  ["echo {n} {n.a} {n[0]} {{m}}", undefined],
  ["echo {}", undefined],
])("a placeholder that no parameter fills is named in validation: %s", (cmd, sentence) => {
  const specification = { workflow: { type: "yadage" as const, file: "main.yml" } };
  const step = {
    process: { process_type: "string-interpolated-cmd", cmd },
    environment: LOCAL,
    publisher: { publisher_type: "constant-pub", publish: {} },
  };
  const inner = stage({ step });
  const outer = stage({ step: undefined, workflow: { stages: [inner] } }, "outer");
  const made = prepareYadage(
    { specification, parameters: {}, options: {} },
    { "main.yml": JSON.stringify({ stages: [{ ...outer, dependencies: [] }] }) },
  );
  const warnings = sentence === undefined ? undefined : [`${sentence} A run would fail there.`];
  expect(made.kind === "ready" ? (made.model as { warnings?: unknown }).warnings : made).toEqual(warnings);
});

test("a file of parameters that is no YAML is named once", () => {
  const request = { ...requestOf(stage({})), options: { initfiles: ["init.yml"] } };
  const made = prepareYadage(request, { "init.yml": "n: [1" });
  expect(made).toMatchObject({
    kind: "refused",
    problems: [{ message: expect.stringMatching(/^init\.yml is not valid YAML: /) as string }],
  });
});

test("a key that comes twice in a document is named in validation and at the start", () => {
  const specification = {
    workflow: { type: "yadage" as const, file: "main.yml" },
    inputs: { parameters: { n: 1 } },
  };
  const request: RunRequest = { specification, parameters: {}, options: {} };
  const made = prepareYadage(request, { "main.yml": `stages: []\nstages: ${JSON.stringify([stage({})])}\n` });
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  const warning = 'main.yml, line 2, column 1: The key "stages" is given twice: the last one counts.';
  expect(made.model).toMatchObject({ workflow: { stages: [{ name: "fit" }] }, warnings: [warning] });
  const { instructions } = yadageEngine
    .load({ ...request, model: made.model, run: SOME_RUN }, evaluate)
    .start();
  expect(instructions).toContainEqual({
    do: "log",
    logger: "yadage",
    level: "ERROR",
    line: `Warning: ${warning}`,
  });
});
