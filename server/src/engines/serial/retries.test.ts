import { describe, expect, test } from "vitest";
import { engineContract, SOME_RUN } from "#engines/contract-suite";
import { type EngineInput, evaluatesNothing, type Instruction } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import { attemptOf, type EndReason, type JobEnd } from "#workflow/job/job";
import type { Retries } from "#workflow/job/retries";

function inputOf(step: object, retries?: Retries): EngineInput {
  const steps = [{ name: "fit", commands: ["fit"], ...step }, { commands: ["plot"] }];
  return {
    specification: { workflow: { type: "serial", specification: { steps } } },
    parameters: {},
    options: {},
    run: SOME_RUN,
    ...(retries && { retries }),
  };
}

const end = (reason: EndReason, exitCode: number | null): JobEnd => ({
  reason,
  exitCode,
  startedAtMs: 1,
  endedAtMs: 2,
});
const [WELL, BADLY, LOST, LATE] = [
  end("exited", 0),
  end("exited", 3),
  end("lost", null),
  end("time-limit", 137),
];

/** Runs the workflow while jobs end in the given ways. Returns the submitted jobs, and the last instruction. */
const run = (step: object, ...ends: readonly JobEnd[]) => runOf(inputOf(step), ...ends);

function runOf(input: EngineInput, ...ends: readonly JobEnd[]) {
  const workflow = serialEngine.load(input, evaluatesNothing);
  let now = workflow.start();
  const all: Instruction[] = [...now.instructions];
  for (const one of ends) {
    const { job } = now.instructions.find((instruction) => instruction.do === "submit")!;
    const attempt = job.attempt === undefined ? {} : { attempt: job.attempt };
    now = workflow.apply(now.state, { kind: "job-ended", key: job.key, ...attempt, end: one, lastLines: [] });
    all.push(...now.instructions);
  }
  const jobs = all.flatMap((one) => (one.do === "submit" ? [one.job] : []));
  return { jobs: jobs.map((job) => [job.key, attemptOf(job), job.delayMs ?? 0]), last: all.at(-1)! };
}

describe("a step", () => {
  test("is tried once, if it does not say otherwise", () => {
    expect(run({}, BADLY).last).toMatchObject({ do: "fail" });
  });

  test("is retried with doubling delays, and then continues", () => {
    const { jobs, last } = run({ retries: 3, retry_delay: 1.5 }, BADLY, LOST, BADLY, WELL, WELL);
    expect(jobs).toEqual([
      ["0.0", 1, 0],
      ["0.0", 2, 1500],
      ["0.0", 3, 3000],
      ["0.0", 4, 6000],
      ["1.0", 1, 0],
    ]);
    expect(last).toEqual({ do: "finish" });
  });

  test("without its own retry policy uses the server's default at the start, and with one uses only that", () => {
    const byDefault: Retries = { most: 1, delayMs: 500, after: ["lost"] };
    const { jobs, last } = runOf(inputOf({}, byDefault), LOST, WELL, WELL);
    expect(jobs).toEqual([
      ["0.0", 1, 0],
      ["0.0", 2, 500],
      ["1.0", 1, 0],
    ]);
    expect(last).toEqual({ do: "finish" });
    expect(runOf(inputOf({}, byDefault), BADLY).last).toMatchObject({ do: "fail" });
    expect(runOf(inputOf({ retries: 0 }, byDefault), LOST).last).toMatchObject({ do: "fail" });
    expect(runOf(inputOf({ retries: 2 }, byDefault), BADLY, LOST, WELL, WELL).last).toEqual({ do: "finish" });
  });

  test("fails when it has been tried so often, or for another reason", () => {
    expect(run({ retries: 1 }, BADLY, BADLY).last).toMatchObject({ do: "fail", job: "0.0" });
    expect(run({ retries: 1 }, LATE).last).toMatchObject({ do: "fail" });
    expect(run({ retries: 1, retry_on: ["time-limit"] }, BADLY).last).toMatchObject({ do: "fail" });
    expect(run({ retries: 1, retry_on: ["time-limit"] }, LATE, WELL, WELL).last).toEqual({ do: "finish" });
  });

  test("is unchanged if a step may be retried more often", () => {
    const [, plain] = [0, inputOf({})];
    const restart = {
      fresh: false,
      fromStep: null,
      previous: { ...plain, name: "w.1", inputs: null, stamps: {}, hasExternalChange: false, jobs: [] },
    };
    const judged = serialEngine.reuse!.judge({ ...inputOf({ retries: 2 }), restart }, undefined);
    expect(judged[0]!.differences).toEqual([]);
  });

  test.each([
    [{ retries: -1 }, "Step 1: retries is -1; it must be a whole number from 0 to 10."],
    [{ retries: 1.5 }, "Step 1: retries is 1.5; it must be a whole number from 0 to 10."],
    [{ retries: "2" }, 'Step 1: retries is "2"; it must be a whole number from 0 to 10.'],
    [{ retry_delay: 4000 }, "Step 1: retry_delay is 4000; it must be a number of seconds from 0 to 3600."],
    [
      { retry_on: ["cancelled"] },
      'Step 1: retry_on is ["cancelled"]; it must be a list of some of: exited, time-limit, output-limit, output-lost, outputs-not-visible, out-of-memory, process-limit, disk-limit, file-limit, lost, not-started.',
    ],
  ])("with %j is refused", (step, message) => {
    expect(serialEngine.check(inputOf(step)).map((problem) => problem.message)).toEqual([message]);
  });
});

engineContract("The serial engine that tries again", {
  engine: serialEngine,
  evaluate: evaluatesNothing,
  inputs: [
    inputOf({ retries: 3 }),
    inputOf({ retries: 1, retry_delay: 5 }),
    inputOf({}, { most: 2, delayMs: 0, after: ["exited", "lost"] }),
  ],
  answer: () => undefined,
});
