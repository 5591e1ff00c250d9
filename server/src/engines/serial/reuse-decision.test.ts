import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { type EngineInput, evaluatesNothing, type PreviousRun, type Stamped } from "#engines/engine";
import { RESOURCE_KEYS } from "#engines/serial/plan";
import { serialEngine } from "#engines/serial/serial-engine";

/** Tests which facts decide what a restart takes over, and which never do. */

type Entries = Readonly<Record<string, unknown>>;

interface Facts {
  readonly command: string;
  readonly environment: string;
  readonly parameter: string;
  readonly inputSha256: string;
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

function tracedOf({ inputSha256 }: Facts): Stamped {
  const inputs = [{ path: "in", stamp: `stamp of ${inputSha256}`, sha256: inputSha256 }];
  const left = Object.fromEntries(Array.from({ length: STEPS }, (_, index) => [`out${index}`, "1"]));
  const { id } = serialEngine.reuse!.ask(inputOf(FACTS, 0));
  return { kind: "stamped", id, inputs, stamps: { in: inputs[0]!.stamp, ...left } };
}

const FACTS: Facts = {
  command: "fit",
  environment: "img",
  parameter: "1",
  inputSha256: "aa",
  limits: { kubernetes_memory_limit: "1Gi", kubernetes_job_timeout: 60 },
  workers: 1,
};

/** A run in which each command has finished and left a file. */
function previousOf(step: number): PreviousRun {
  const jobs = Array.from({ length: STEPS }, (_, index) => ({
    id: `job ${index}`,
    key: `${index}.0`,
    status: "finished" as const,
    reason: "exited",
    stamps: { isWhole: false, files: { [`out${index}`]: "1" } },
  }));
  const { inputs } = tracedOf(FACTS);
  return { ...inputOf(FACTS, step), name: "w.1", inputs, hasExternalChange: false, stamps: null, jobs };
}

/** Returns how many commands a restart with these facts takes over. */
function takenOver(step: number, now: Facts): number {
  const restart = { previous: previousOf(step), fresh: false, fromStep: null };
  const judged = serialEngine.reuse!.judge({ ...inputOf(now, step), restart }, tracedOf(now));
  return judged.filter(({ verdict }) => verdict === "taken-over").length;
}

const step = fc.nat({ max: STEPS - 1 });
const limits = fc.dictionary(
  fc.constantFrom(...RESOURCE_KEYS),
  fc.oneof(fc.integer({ min: 1, max: 1e6 }), fc.constantFrom("64Mi", "4Gi", "2", "1-00:00:00")),
);

describe("what a restart takes over", () => {
  test("does not depend on resources and limits", () => {
    fc.assert(
      fc.property(step, limits, fc.nat(), (at, given, workers) => {
        expect(takenOver(at, { ...FACTS, limits: given, workers })).toBe(STEPS);
      }),
    );
  });

  test.each(["command", "environment", "parameter"] as const)("depends on the %s of each step", (fact) => {
    const other = fc.string({ minLength: 1, unit: fc.constantFrom("a", "b", "7") });
    fc.assert(
      fc.property(step, limits, other, (at, given, value) => {
        fc.pre(value !== FACTS[fact]);
        expect(takenOver(at, { ...FACTS, limits: given, [fact]: value })).toBe(at);
      }),
    );
  });

  test("depends on what the declared inputs hold", () => {
    fc.assert(
      fc.property(step, limits, (at, given) => {
        expect(takenOver(at, { ...FACTS, limits: given, inputSha256: "bb" })).toBe(0);
      }),
    );
  });

  test("leaves a limit that was raised to the commands that run", () => {
    const now = inputOf({ ...FACTS, command: "other", limits: { kubernetes_memory_limit: "3Gi" } }, 1);
    const restart = { previous: previousOf(1), fresh: false, fromStep: null };
    const workflow = serialEngine.load({ ...now, restart }, evaluatesNothing);
    const { instructions } = workflow.apply(workflow.start().state, tracedOf(FACTS));
    const memoryBytes = 3 * 2 ** 30;
    expect(instructions).toContainEqual(
      expect.objectContaining({
        do: "submit",
        job: expect.objectContaining({ key: "1.0", resources: { cores: 1, memoryBytes } }) as unknown,
      }),
    );
  });
});
