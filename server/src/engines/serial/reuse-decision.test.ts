import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { type EngineInput, evaluatesNothing, type PreviousRun, type Stamped } from "#engines/engine";
import { RESOURCE_KEYS } from "#engines/serial/plan";
import { serialEngine } from "#engines/serial/serial-engine";
import type { Decision } from "#workflow/job/decision";

/** Tests which facts affect the decisions of a restart, and which facts never do. */

type Entries = Readonly<Record<string, unknown>>;

interface Facts {
  readonly command: string;
  readonly environment: string;
  readonly parameter: string;
  readonly inputSha256: string;
  /** Stamp of the file made by the middle step. */
  readonly file: string;
  /** Digest of the image of the step. */
  readonly imageDigest: string;
  readonly limits: Entries;
  readonly workers: number;
}

const STEPS = 3;

function inputOf(facts: Facts, step: number): EngineInput {
  const plain = (index: number) => ({ name: `s${index}`, commands: [`run ${index}`], environment: "img" });
  const changed = {
    name: `s${step}`,
    commands: [`${facts.command} \${p}`],
    environment: facts.environment,
    ...facts.limits,
  };
  const steps = Array.from({ length: STEPS }, (_, index) => (index === step ? changed : plain(index)));
  const resources = { dask: { image: "d", number_of_workers: facts.workers } };
  return {
    specification: {
      inputs: { files: ["in"], parameters: { p: facts.parameter } },
      workflow: { type: "serial", resources, specification: { steps } },
    },
    parameters: {},
    options: {},
    run: SOME_RUN,
  };
}

function tracedOf({ inputSha256, file, environment, imageDigest }: Facts, step: number): Stamped {
  const inputs = [{ path: "in", stamp: `stamp of ${inputSha256}`, sha256: inputSha256 }];
  const left = Object.fromEntries(Array.from({ length: STEPS }, (_, index) => [`out${index}`, "1"]));
  const restart = { previous: null, fresh: false, fromStep: null };
  const ask = serialEngine.reuse!.ask({ ...inputOf({ ...FACTS, environment }, step), restart });
  const images = ask.images!.map(({ image }) => (image === environment ? imageDigest : PLAIN_DIGEST));
  const stamps = { in: inputs[0]!.stamp, ...left, out1: file };
  return { kind: "stamped", id: ask.id, inputs, stamps, images };
}

const PLAIN_DIGEST = "sha256:plain";

const FACTS: Facts = {
  command: "fit",
  environment: "tool",
  parameter: "1",
  inputSha256: "aa",
  file: "1",
  imageDigest: "sha256:1",
  limits: { kubernetes_memory_limit: "1Gi", kubernetes_job_timeout: 60 },
  workers: 1,
};

/** A run in which all commands have finished, each with one output file. */
function previousOf(step: number): PreviousRun {
  const jobs = Array.from({ length: STEPS }, (_, index) => ({
    id: `job ${index}`,
    key: `${index}.0`,
    status: "finished" as const,
    reason: "exited",
    stamps: { isWhole: false, files: { [`out${index}`]: "1" } },
    imageDigest: index === step ? FACTS.imageDigest : PLAIN_DIGEST,
  }));
  const { inputs } = tracedOf(FACTS, step);
  return { ...inputOf(FACTS, step), name: "w.1", inputs, hasExternalChange: false, stamps: null, jobs };
}

function judged(step: number, now: Facts) {
  const restart = { previous: previousOf(step), fresh: false, fromStep: null };
  return serialEngine.reuse!.judge({ ...inputOf(now, step), restart }, tracedOf(now, step));
}

/** Returns the number of commands that a restart with the given facts reuses. */
function takenOver(step: number, now: Facts): number {
  return judged(step, now).filter(({ verdict }) => verdict === "taken-over").length;
}

const step = fc.nat({ max: STEPS - 1 });
const limits = fc.dictionary(
  fc.constantFrom(...RESOURCE_KEYS),
  fc.oneof(fc.integer({ min: 1, max: 1e6 }), fc.constantFrom("64Mi", "4Gi", "2", "1-00:00:00")),
);

describe("the jobs reused by a restart", () => {
  test("does not depend on resources and limits", () => {
    fc.assert(
      fc.property(step, limits, fc.nat(), (at, given, workers) => {
        expect(takenOver(at, { ...FACTS, limits: given, workers })).toBe(STEPS);
      }),
    );
  });

  test.each(["command", "environment", "parameter", "imageDigest"] as const)(
    "depends on the %s of each step",
    (fact) => {
      const other = fc.string({ minLength: 1, unit: fc.constantFrom("a", "b", "7") });
      fc.assert(
        fc.property(step, limits, other, (at, given, value) => {
          fc.pre(value !== FACTS[fact]);
          expect(takenOver(at, { ...FACTS, limits: given, [fact]: value })).toBe(at);
        }),
      );
    },
  );

  test("depends on what the declared inputs hold", () => {
    fc.assert(
      fc.property(step, limits, (at, given) => {
        expect(takenOver(at, { ...FACTS, limits: given, inputSha256: "bb" })).toBe(0);
      }),
    );
  });

  test("leaves a raised limit to the commands that run", () => {
    const now = inputOf({ ...FACTS, command: "other", limits: { kubernetes_memory_limit: "3Gi" } }, 1);
    const restart = { previous: previousOf(1), fresh: false, fromStep: null };
    const workflow = serialEngine.load({ ...now, restart }, evaluatesNothing);
    const { instructions } = workflow.apply(workflow.start().state, tracedOf(FACTS, 1));
    const memoryBytes = 3 * 2 ** 30;
    expect(instructions).toContainEqual(
      expect.objectContaining({
        do: "submit",
        job: expect.objectContaining({ key: "1.0", resources: { cores: 1, memoryBytes } }) as unknown,
      }),
    );
  });
});

/** The facts of the tests by their names in decisions. An expanded command also holds its parameters. */
const NAMED: Readonly<Record<string, readonly (keyof Facts)[]>> = {
  command: ["command", "parameter"],
  environment: ["environment"],
  image_digest: ["imageDigest"],
  "parameters.p": ["parameter"],
  "inputs in": ["inputSha256"],
  "files out1": ["file"],
};

/** Returns the facts with the fields named in a decision reset to their earlier values. */
function reverted(now: Facts, fields: readonly string[]): Facts {
  const names = fields.flatMap((field) => NAMED[field]!);
  return { ...now, ...Object.fromEntries(names.map((name) => [name, FACTS[name]])) };
}

const changes = fc.record({
  command: fc.constantFrom(FACTS.command, "other"),
  environment: fc.constantFrom(FACTS.environment, "other"),
  parameter: fc.constantFrom(FACTS.parameter, "2"),
  inputSha256: fc.constantFrom(FACTS.inputSha256, "bb"),
  file: fc.constantFrom(FACTS.file, "2"),
  imageDigest: fc.constantFrom(FACTS.imageDigest, "sha256:2"),
});
const fieldsOf = ({ facts }: Decision) => facts.map(({ field }) => field);

describe("a decision rests on the named facts", () => {
  test("if they were as before, a command that runs would be taken over", () => {
    fc.assert(
      fc.property(step, changes, limits, (at, changed, given) => {
        const now = { ...FACTS, ...changed, limits: given };
        const first = judged(at, now).find(({ verdict }) => verdict === "runs");
        fc.pre(first !== undefined);
        const { kind } = first.decision;
        const fields = fieldsOf(first.decision);
        const decisionWith = (facts: Facts) => judged(at, facts).find(({ key }) => key === first.key)!;
        expect([kind, fields.length > 0]).toEqual(["changed", true]);
        const after = decisionWith(reverted(now, fields));
        // A decision does not look at the files that a command left if the command itself is another.
        const isHidden = at === 1 && changed.file !== FACTS.file && !fields.includes("files out1");
        expect([after.verdict, fieldsOf(after.decision)]).toEqual(
          isHidden && first.key === "1.0"
            ? ["runs", ["files out1"]]
            : ["taken-over", expect.arrayContaining(["command", "environment", "inputs in"])],
        );
        for (const field of fields) {
          expect(decisionWith(reverted(now, [field])).decision).not.toEqual(first.decision);
        }
      }),
    );
  });

  test("a command that is taken over would run if any fact were different", () => {
    const same = judged(1, FACTS)[1]!.decision;
    expect([same.kind, fieldsOf(same)]).toEqual([
      "taken-over",
      ["command", "environment", "image_digest", "inputs in", "files out1"],
    ]);
    for (const name of fieldsOf(same).flatMap((field) => NAMED[field]!)) {
      expect(judged(1, { ...FACTS, [name]: "otherwise" })[1]!.verdict).toBe("runs");
    }
  });

  test("nothing else changes it: not a limit, not a resource, not the time", () => {
    fc.assert(
      fc.property(step, changes, limits, limits, fc.nat(), (at, changed, one, other, workers) => {
        const decisions = (facts: Facts) => judged(at, facts).map(({ decision }) => decision);
        expect(decisions({ ...FACTS, ...changed, limits: other, workers })).toEqual(
          decisions({ ...FACTS, ...changed, limits: one }),
        );
      }),
    );
  });

  test("a file that the previous run removed counts if a command runs, and only then", () => {
    const judgedWith = (now: Facts, removed: readonly string[]) => {
      const stamped = tracedOf(now, 1);
      const { out0: _, ...stamps } = stamped.stamps!;
      const restart = { previous: { ...previousOf(1), removed }, fresh: false, fromStep: null };
      return serialEngine
        .reuse!.judge({ ...inputOf(now, 1), restart }, { ...stamped, stamps })
        .map(({ decision }) => [decision.kind, fieldsOf(decision)[0]]);
    };
    const other = { ...FACTS, command: "other" };
    expect(judgedWith(FACTS, ["out0"]).map(([kind]) => kind)).toEqual(Array(STEPS).fill("taken-over"));
    expect(judgedWith(other, ["out0"])[0]).toEqual(["removed", "files out0"]);
    expect(judgedWith(FACTS, [])[0]).toEqual(["changed", "files out0"]);
    expect(judgedWith(other, [])[0]).toEqual(["changed", "files out0"]);
  });

  test("the sentence follows from kind and facts", () => {
    const { decision } = judged(1, { ...FACTS, command: "other" })[1]!;
    expect(decision).toEqual({
      kind: "changed",
      facts: [{ field: "command", before: "fit 1", now: "other 1" }],
      sentence: "command has changed since w.1.",
    });
    expect(judged(1, { ...FACTS, command: "other" })[2]!.decision).toEqual({
      kind: "follows",
      facts: [{ field: "first_to_run", before: null, now: "1.0" }],
      sentence: "It comes after a command that runs again.",
    });
  });
});
