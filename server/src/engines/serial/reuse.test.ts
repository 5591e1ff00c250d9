import { describe, expect, test } from "vitest";
import {
  type EngineInput,
  evaluatesNothing,
  type PreviousJob,
  type PreviousRun,
  type Stamped,
} from "#engines/engine";
import { engineContract, SOME_RUN } from "#engines/contract-suite";
import { serialEngine } from "#engines/serial/serial-engine";
import type { FileStamps, InputStamp } from "#workflow/job/file-stamps";

/** Tests the rules on given evidence; `server/test/api/runs/reuse.test.ts` tests the rules on real files. */

const INPUT: InputStamp = { path: "in", stamp: "i1", sha256: "s1" };
const STEPS = ["a", "b", "c"].map((name) => ({ name, commands: [`run ${name}`] }));
const specification = {
  inputs: { files: ["in"] },
  workflow: { type: "serial", specification: { steps: STEPS } },
} as const;
const PLAIN: EngineInput = { specification, parameters: {}, options: {}, run: SOME_RUN };

const whole = (files: FileStamps["files"]): FileStamps => ({ isWhole: true, files });
const changes = (files: FileStamps["files"]): FileStamps => ({ isWhole: false, files });

const job = (key: string, stamps: FileStamps | null, change: Partial<PreviousJob> = {}): PreviousJob => ({
  id: `id of ${key}`,
  key,
  status: "finished",
  reason: "exited",
  stamps,
  imageDigest: null,
  ...change,
});

/** Each command has left a file. */
const PREVIOUS: PreviousRun = {
  ...PLAIN,
  name: "w.1",
  inputs: [INPUT],
  hasExternalChange: false,
  stamps: null,
  jobs: [
    job("0.0", whole({ in: "i1", a: "1" })),
    job("1.0", changes({ b: "1" })),
    job("2.0", changes({ c: "1" })),
  ],
};
const STAMPED: Stamped = {
  kind: "stamped",
  id: serialEngine.reuse!.ask(PLAIN).id,
  inputs: [INPUT],
  stamps: { in: "i1", a: "1", b: "1", c: "1" },
};

interface Given {
  readonly previous?: Partial<PreviousRun>;
  readonly stamped?: Partial<Stamped>;
  readonly fromStep?: string;
}

function restartOf({ previous = {}, fromStep }: Given): EngineInput {
  const restart = { previous: { ...PREVIOUS, ...previous }, fresh: false, fromStep: fromStep ?? null };
  return { ...PLAIN, restart };
}

const judged = (given: Given) =>
  serialEngine.reuse!.judge(restartOf(given), { ...STAMPED, ...given.stamped });

/** Returns how many commands are taken over, and why the next is not. */
function taken(given: Given) {
  const all = judged(given);
  const runs = all.find(({ verdict }) => verdict === "runs");
  return [all.filter(({ verdict }) => verdict === "taken-over").length, runs?.decision.sentence];
}

describe("taken over is", () => {
  const CANNOT_TELL = "There is too much to check: it is unknown whether everything is as w.1 left it.";

  test.each<[string, Given, unknown[]]>([
    ["all that is as it was", {}, [3, undefined]],
    ["nothing when nobody could look at the files", { stamped: { stamps: null } }, [0, CANNOT_TELL]],
    [
      "nothing if the final files of the last run are unknown",
      { previous: { jobs: [PREVIOUS.jobs[0]!, job("1.0", null, { status: "failed" })] } },
      [0, CANNOT_TELL],
    ],
    [
      "what came before a command that never began",
      {
        previous: {
          jobs: [PREVIOUS.jobs[0]!, job("1.0", null, { status: "stopped", reason: "not-started" })],
        },
        stamped: { stamps: { in: "i1", a: "1" } },
      },
      [1, "It was stopped in w.1."],
    ],
    [
      "a command after which nobody looked only together with the next",
      { previous: { jobs: [PREVIOUS.jobs[0]!, job("1.0", null), job("2.0", changes({ b: "1", c: "1" }))] } },
      [3, undefined],
    ],
    [
      "nothing when the inputs were not looked at",
      { previous: { inputs: null } },
      [0, "inputs has changed since w.1."],
    ],
    [
      "nothing when an input that is too large to be read was touched",
      {
        previous: { inputs: [{ ...INPUT, sha256: null }] },
        stamped: {
          inputs: [{ ...INPUT, stamp: "i2", sha256: null }],
          stamps: { ...STAMPED.stamps, in: "i2" },
        },
      },
      [0, "inputs in has changed since w.1."],
    ],
    [
      "all when an input that holds the same was touched since",
      { stamped: { inputs: [{ ...INPUT, stamp: "i2" }], stamps: { ...STAMPED.stamps, in: "i2" } } },
      [3, undefined],
    ],
    [
      "nothing when an input was touched while the first command ran",
      { previous: { inputs: [{ ...INPUT, stamp: "i0" }] } },
      [0, "inputs in has changed since w.1."],
    ],
    [
      "nothing whose stamp is not sure",
      {
        previous: { jobs: [job("0.0", whole({ in: "i1", a: "?" })), ...PREVIOUS.jobs.slice(1)] },
        stamped: { stamps: { ...STAMPED.stamps, a: "?" } },
      },
      [0, "a has changed since w.1."],
    ],
    [
      "what a server left that died and was followed by another",
      {
        previous: {
          jobs: [PREVIOUS.jobs[0]!, job("1.0", whole({ in: "i1", a: "1", b: "1" })), PREVIOUS.jobs[2]!],
        },
        stamped: { stamps: { ...STAMPED.stamps, b: "2" } },
      },
      [1, "b has changed since w.1."],
    ],
    [
      "what came before a file that lay there and a later command wrote over",
      {
        previous: {
          stamps: { in: "i1", c: "0" },
          jobs: [
            job("0.0", whole({ in: "i1", a: "1", c: "0" })),
            job("1.0", changes({ b: "1" }), { status: "failed" }),
            job("2.0", changes({ c: "1" })),
          ],
        },
      },
      [1, "It failed in w.1."],
    ],
    [
      "nothing when a file that lay there and nobody wrote to has changed",
      {
        previous: {
          stamps: { in: "i1", found: "1" },
          jobs: [job("0.0", whole({ in: "i1", a: "1", found: "1" })), ...PREVIOUS.jobs.slice(1)],
        },
        stamped: { stamps: { ...STAMPED.stamps, found: "2" } },
      },
      [0, "found has changed since w.1."],
    ],
    [
      "nothing from a run during which somebody changed files",
      { previous: { hasExternalChange: true } },
      [0, "Files were changed while w.1 was running: it is unknown which command read them."],
    ],
    [
      "nothing from a run in another language",
      { previous: { specification: { workflow: { type: "cwl" } } } },
      [0, "w.1 was a cwl workflow."],
    ],
  ])("%s", (_name, given, expected) => {
    expect(taken(given)).toEqual(expected);
  });

  test("nothing when the files could not be looked at", () => {
    const all = serialEngine.reuse!.judge(restartOf({}), undefined);
    expect(all.map(({ verdict, decision }) => `${verdict}: ${decision.sentence}`)).toEqual(
      Array(3).fill("runs: The files of the workspace could not be checked."),
    );
  });
});

describe("the engine", () => {
  const load = (given: Given) => serialEngine.load(restartOf(given), evaluatesNothing);

  test("decides before anything runs, and keeps all of its evidence except the inputs", () => {
    const workflow = load({ stamped: {} });
    const { state } = workflow.start();
    const { instructions } = workflow.apply(state, { ...STAMPED, stamps: { ...STAMPED.stamps, b: "2" } });
    expect(instructions.filter(({ do: what }) => what !== "log")).toMatchObject([
      {
        do: "take-over",
        job: { key: "0.0" },
        from: "id of 0.0",
        stamps: { isWhole: false, files: { a: "1" } },
      },
      { do: "submit", job: { key: "1.0" } },
    ]);
  });

  test("marks what was left out as skipped", () => {
    const workflow = load({ fromStep: "c" });
    const { state } = workflow.start();
    const next = workflow.apply(state, { ...STAMPED, stamps: { ...STAMPED.stamps, a: "2" } });
    expect(next.instructions.filter(({ do: what }) => what === "mark")).toEqual([
      { do: "mark", node: "0", as: "skipped" },
      { do: "mark", node: "1", as: "skipped" },
    ]);
  });
});

engineContract("The serial engine in a restart", {
  engine: serialEngine,
  evaluate: evaluatesNothing,
  inputs: [
    restartOf({}),
    restartOf({ fromStep: "c" }),
    restartOf({ previous: { jobs: PREVIOUS.jobs.slice(0, 1) } }),
  ],
  answer: (ask) => (ask.do === "stamp" ? { ...STAMPED, id: ask.id } : undefined),
});
