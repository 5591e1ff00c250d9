import { describe, expect, test } from "vitest";
import { engineContract, SOME_RUN } from "#engines/contract-suite";
import {
  type EngineInput,
  evaluatesNothing,
  type Instruction,
  type PreviousJob,
  type PreviousRun,
  type Stamped,
} from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import type { FileStamps } from "#workflow/job/file-stamps";
import type { JobEnd } from "#workflow/job/job";

type Step = { readonly name: string; readonly commands: readonly string[]; readonly on_failure?: string };

const setup: Step = { name: "setup", commands: ["setup"] };
const sample = (name: string, ...commands: readonly string[]): Step => ({
  name,
  commands: commands.length > 0 ? commands : [`fit ${name}`],
  on_failure: "finish",
});
const merge: Step = { name: "merge", commands: ["merge"] };
const SAMPLES = [setup, sample("a"), sample("b"), sample("c"), merge];

function inputOf(steps: readonly object[], options: Readonly<Record<string, unknown>> = {}): EngineInput {
  const specification = { workflow: { type: "serial", specification: { steps } } } as const;
  return { specification, parameters: {}, options, run: SOME_RUN };
}

const end = (exitCode: number): JobEnd => ({ reason: "exited", exitCode, startedAtMs: 1, endedAtMs: 2 });

/** Runs the workflow; the named commands fail. Returns the executed commands and the last instruction. */
function run(input: EngineInput, ...bad: readonly string[]) {
  const workflow = serialEngine.load(input, evaluatesNothing);
  let now = workflow.start();
  const scripts: string[] = [];
  let last: Instruction;
  for (;;) {
    const submit = now.instructions.find((one) => one.do === "submit");
    last = now.instructions.at(-1)!;
    if (!submit) break;
    const { key, displayCommand: command } = submit.job;
    scripts.push(command);
    const ended = { kind: "job-ended", key, end: end(bad.includes(command) ? 3 : 0), lastLines: [] } as const;
    now = workflow.apply(now.state, ended);
  }
  return { scripts, last, state: now.state };
}

describe("past a failure run", () => {
  test("independent neighbours too, and no dependent step", () => {
    const { scripts, last } = run(inputOf(SAMPLES), "fit a", "fit c");
    expect(scripts).toEqual(["setup", "fit a", "fit b", "fit c"]);
    expect(last).toEqual({
      do: "fail",
      job: "1.0",
      reason:
        '2 steps failed. Step "a" failed: its command exited with code 3. ' +
        'Step "c" failed: its command exited with code 3. ' +
        'Step "merge" and what follows did not run, because they may need what failed.',
    });
  });

  test("no step if the failed step does not ask for independent steps", () => {
    const { scripts, last } = run(inputOf(SAMPLES), "setup");
    expect(scripts).toEqual(["setup"]);
    expect(last).toEqual({
      do: "fail",
      job: "0.0",
      reason: 'Step "setup" failed: its command exited with code 3.',
    });
  });

  test("no further command of the step", () => {
    const { scripts } = run(inputOf([sample("a", "a1", "a2"), sample("b", "b1", "b2")]), "a1");
    expect(scripts).toEqual(["a1", "b1", "b2"]);
  });

  test("all steps if the run asks for independent steps, except steps that ask for a stop", () => {
    const plain = [{ commands: ["a"] }, { commands: ["b"] }, { commands: ["c"], on_failure: "stop" }];
    expect(run(inputOf(plain), "a").scripts).toEqual(["a"]);
    const { scripts, last } = run(inputOf(plain, { on_failure: "finish" }), "a");
    expect(scripts).toEqual(["a", "b"]);
    expect(last).toMatchObject({
      do: "fail",
      reason:
        "Step 1 failed: its command exited with code 3. " +
        "Step 3 and what follows did not run, because they may need what failed.",
    });
    expect(run(inputOf(plain.slice(0, 2), { on_failure: "finish" }), "a").last).toMatchObject({
      reason: "Step 1 failed: its command exited with code 3. All other steps have run.",
    });
  });

  test("a run without a failure finishes as always", () => {
    expect(run(inputOf(SAMPLES)).last).toEqual({ do: "finish" });
  });

  test("a thousand failures: the reason stays short, and so does the state", () => {
    const steps = Array.from({ length: 1000 }, (_, index) => sample(`s${index}`, `c${index}`));
    const { last, state } = run(inputOf(steps), ...steps.flatMap(({ commands }) => commands));
    const { reason } = last as { readonly reason: string };
    expect(reason).toMatch(
      /^1000 steps failed\. Step "s0" failed.* 990 more failed\. All other steps have run\.$/,
    );
    expect(reason.length).toBeLessThan(4000);
    expect(JSON.stringify(state).length).toBeLessThan(10_000);
  });
});

test.each([
  [
    inputOf([{ commands: ["a"], on_failure: "go" }]),
    'Step 1: on_failure is "go"; it must be one of: stop, finish.',
  ],
  [
    inputOf([{ commands: ["a"] }], { on_failure: 1 }),
    "The option on_failure is 1; it must be one of: stop, finish.",
  ],
])("another word is refused", (input, message) => {
  expect(serialEngine.check(input).map((problem) => problem.message)).toEqual([message]);
});

const changes = (files: FileStamps["files"]): FileStamps => ({ isWhole: false, files });

const job = (key: string, stamps: FileStamps | null, status: PreviousJob["status"]): PreviousJob => ({
  id: `id of ${key}`,
  key,
  status,
  reason: "exited",
  stamps,
  imageDigest: null,
});

/** The samples ran; b failed and left something. */
const JOBS = [
  job("0.0", { isWhole: true, files: { base: "1" } }, "finished"),
  job("1.0", changes({ a: "1" }), "finished"),
  job("2.0", changes({ half: "1" }), "failed"),
  job("3.0", changes({ c: "1" }), "finished"),
];
/** The job of c, if c had written to the file of b. */
const SHARING_C = job("3.0", changes({ half: "2", c: "1" }), "finished");
const FINISHED_B = job("2.0", changes({ half: "1" }), "finished");
const NOW = { base: "1", a: "1", half: "1", c: "1" };

interface Given {
  readonly steps?: readonly Step[];
  /** The steps of the previous run. */
  readonly before?: readonly Step[];
  readonly jobs?: readonly PreviousJob[];
  readonly now?: Readonly<Record<string, string>> | null;
  readonly fromStep?: string;
}

function restartOf({ steps = SAMPLES, before = SAMPLES, jobs = JOBS, fromStep }: Given): EngineInput {
  const base = inputOf(before);
  const previous: PreviousRun = {
    ...base,
    name: "w.1",
    inputs: [],
    hasExternalChange: false,
    stamps: null,
    jobs,
  };
  return { ...inputOf(steps), restart: { previous, fresh: false, fromStep: fromStep ?? null } };
}

const stampedOf = (given: Given): Stamped => ({
  kind: "stamped",
  id: serialEngine.reuse!.ask(restartOf(given)).id,
  inputs: [],
  stamps: given.now === undefined ? NOW : given.now,
});

const judged = (given: Given) => serialEngine.reuse!.judge(restartOf(given), stampedOf(given));
const running = (given: Given) =>
  judged(given).flatMap(({ name, verdict, decision }) =>
    verdict === "runs" ? [[name, decision.sentence]] : [],
  );

/** The samples, without `on_failure`. */
const PLAIN = SAMPLES.map(({ on_failure: _, ...step }) => step);

const AFTER = ["merge", "It comes after a command that runs again."];
const FAILED = ["b", "It failed in w.1."];

describe("a restart", () => {
  test.each<[string, Given, unknown[]]>([
    ["runs only what failed, and what may need it", {}, [FAILED, AFTER]],
    [
      "runs a step again whose files are not as it left them",
      { now: { ...NOW, c: "2" } },
      [FAILED, ["c", "c has changed since w.1."], AFTER],
    ],
    [
      "runs a step again whose file the failed step has touched",
      {
        jobs: [JOBS[0]!, JOBS[1]!, job("2.0", changes({ a: "2", half: "1" }), "failed"), JOBS[3]!],
        now: { ...NOW, a: "2" },
      },
      [["a", "a has changed since w.1."], FAILED, AFTER],
    ],
    [
      "runs a step again that changed a file of the failed one",
      { jobs: [JOBS[0]!, JOBS[1]!, JOBS[2]!, SHARING_C], now: { ...NOW, half: "2" } },
      [FAILED, ["c", "half was changed by a command that runs again, too."], AFTER],
    ],
    [
      "runs everything from the failed step on if the workspace was not looked at after each job",
      {
        jobs: [
          JOBS[0]!,
          JOBS[1]!,
          job("2.0", null, "failed"),
          job("3.0", changes({ half: "1", c: "1" }), "finished"),
        ],
      },
      [FAILED, ["c", AFTER[1]], AFTER],
    ],
    [
      "runs everything from the failed step on if its neighbours no longer say that they are independent",
      { steps: PLAIN },
      [FAILED, ["c", AFTER[1]], AFTER],
    ],
    [
      "runs everything if what all steps need has changed",
      { now: { ...NOW, base: "2" } },
      [["setup", "base has changed since w.1."], ["a", AFTER[1]], ["b", AFTER[1]], ["c", AFTER[1]], AFTER],
    ],
    [
      "runs only the failed step if its command is another",
      { steps: SAMPLES.map((step) => (step.name === "b" ? sample("b", "fit b better") : step)) },
      [["b", "command has changed since w.1."], AFTER],
    ],
    [
      "from a step takes over what comes before the failed one",
      { fromStep: "merge" },
      [["merge", 'The run was asked to run everything from the step "merge" on.']],
    ],
    [
      "runs everything if it is unknown what is in the workspace",
      { now: null },
      ["setup", "a", "b", "c", "merge"].map((name, index) => [
        name,
        index === 0
          ? "There is too much to check: it is unknown whether everything is as w.1 left it."
          : AFTER[1],
      ]),
    ],
  ])("%s", (_, given, wanted) => {
    expect(running(given)).toEqual(wanted);
  });

  /** Facts of decisions. In `given`, the fact holds; `flipped` differs from `given` in the fact alone. */
  const otherwise = {
    "the step is independent": {
      step: "c",
      given: {},
      kind: "taken-over-beside",
      facts: expect.arrayContaining([{ field: "on_failure", before: null, now: "finish" }]) as unknown,
      flipped: { steps: SAMPLES.map((one) => (one.name === "c" ? { ...one, on_failure: "stop" } : one)) },
      becomes: "follows",
    },
    "its files are as it left them": {
      step: "c",
      given: {},
      kind: "taken-over-beside",
      facts: expect.arrayContaining([{ field: "files c", before: "1", now: "1" }]) as unknown,
      flipped: { now: { ...NOW, c: "2" } },
      becomes: "changed",
    },
    "its files are not as it left them": {
      step: "c",
      given: { now: { ...NOW, c: "2" } },
      kind: "changed",
      facts: [{ field: "files c", before: "1", now: "2" }],
      flipped: {},
      becomes: "taken-over-beside",
    },
    "a command that runs again touched its file": {
      step: "c",
      given: { jobs: [JOBS[0]!, JOBS[1]!, JOBS[2]!, SHARING_C], now: { ...NOW, half: "2" } },
      kind: "shares-file",
      facts: [{ field: "touched half", before: null, now: "2.0" }],
      flipped: {
        jobs: [JOBS[0]!, JOBS[1]!, job("2.0", changes({}), "failed"), SHARING_C],
        now: { ...NOW, half: "2" },
      },
      becomes: "taken-over-beside",
    },
    "it failed": {
      step: "b",
      given: {},
      kind: "failed-before",
      facts: [{ field: "status", before: "failed", now: null }],
      flipped: { jobs: JOBS.map((one) => ({ ...one, status: "finished" as const })) },
      becomes: "taken-over",
    },
    "it ran in another order": {
      step: "a",
      given: { steps: PLAIN, jobs: [JOBS[0]!, FINISHED_B, JOBS[1]!, JOBS[3]!] },
      kind: "other-order",
      facts: [{ field: "position", before: 2, now: 1 }],
      flipped: { steps: PLAIN, jobs: [JOBS[0]!, JOBS[1]!, FINISHED_B, JOBS[3]!] },
      becomes: "taken-over",
    },
    "an earlier command runs again": {
      step: "merge",
      given: {},
      kind: "follows",
      facts: [{ field: "first_to_run", before: null, now: "2.0" }],
      flipped: { jobs: [JOBS[0]!, JOBS[1]!, FINISHED_B, JOBS[3]!] },
      becomes: "not-reached",
    },
  };

  test.each(Object.entries(otherwise))("decides otherwise without the fact that %s", (_, one) => {
    const decisionIn = (given: Given) => judged(given).find(({ name }) => name === one.step)!.decision;
    expect(decisionIn(one.given)).toMatchObject({ kind: one.kind, facts: one.facts });
    expect(decisionIn(one.flipped).kind).toBe(one.becomes);
  });

  test("judges no step alone if the workspace was not looked at after each job", () => {
    const steps = SAMPLES.slice(1, 4);
    const jobs = [job("0.0", null, "failed"), job("1.0", changes({ b: "1" }), "finished")];
    expect(running({ steps, before: steps, jobs, now: { b: "1" } })).toEqual([
      ["a", "It failed in w.1."],
      ["b", AFTER[1]],
      ["c", AFTER[1]],
    ]);
  });

  test("submits each command with its own reason", () => {
    const given = { now: { ...NOW, c: "2" } };
    const workflow = serialEngine.load(restartOf(given), evaluatesNothing);
    let now = workflow.apply(workflow.start().state, stampedOf(given));
    const kinds: string[] = [];
    for (;;) {
      const submit = now.instructions.find((one) => one.do === "submit");
      if (!submit) break;
      kinds.push(`${submit.job.key} ${submit.decision?.kind}`);
      const { key } = submit.job;
      now = workflow.apply(now.state, { kind: "job-ended", key, end: end(0), lastLines: [] });
    }
    expect(kinds).toEqual(["2.0 failed-before", "3.0 changed", "4.0 follows"]);
  });

  test("takes over the independent steps first, and runs the others in their order", () => {
    const given = {};
    const workflow = serialEngine.load(restartOf(given), evaluatesNothing);
    const asked = workflow.start();
    const begun = workflow.apply(asked.state, stampedOf(given));
    expect(
      begun.instructions.flatMap((one) =>
        one.do === "take-over" ? [one.job.key, one.decision.sentence] : [],
      ),
    ).toEqual([
      "0.0",
      expect.stringMatching(/are untouched\.$/),
      "1.0",
      expect.stringMatching(/are untouched\.$/),
      "3.0",
      expect.stringMatching(/are untouched\. It is independent of the steps that run again\.$/),
    ]);
    const next = workflow.apply(begun.state, { kind: "job-ended", key: "2.0", end: end(0), lastLines: [] });
    expect(next.instructions.at(-1)).toMatchObject({ do: "submit", job: { key: "4.0" } });
  });

  test("of a restart takes over the same, although the failed step came last", () => {
    const jobs = [
      ...[JOBS[0]!, JOBS[1]!, JOBS[3]!].map((one) => ({ ...one, reason: "taken-over" })),
      job("2.0", changes({ half: "2" }), "failed"),
    ];
    expect(running({ jobs, now: { ...NOW, half: "2" } })).toEqual([FAILED, AFTER]);
  });

  test("leaves the files of the steps that run again out of a rerun's workspace, and no others", () => {
    const found = serialEngine.reuse!.leftovers(restartOf({}), stampedOf({}));
    expect(found).toEqual({ made: ["half"], perhapsMade: [] });
  });
});

engineContract("The serial engine that continues past failures", {
  engine: serialEngine,
  evaluate: evaluatesNothing,
  inputs: [
    inputOf(SAMPLES),
    inputOf([sample("a", "a1", "a2"), sample("b"), merge, sample("c"), sample("d")]),
    inputOf([{ commands: ["a"] }, { commands: ["b"], retries: 1 }], { on_failure: "finish" }),
    restartOf({}),
  ],
  answer: (ask) => (ask.do === "stamp" ? stampedOf({}) : undefined),
});
