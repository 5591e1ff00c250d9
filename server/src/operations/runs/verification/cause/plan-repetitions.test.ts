import { describe, expect, test } from "vitest";
import {
  excludedBy,
  type NextStep,
  nextStep,
  type Repetition,
} from "#operations/runs/verification/cause/plan-repetitions";
import { type Condition, CONDITIONS } from "#workflow/run/conditions";

/** A step as a function from its conditions to its output. */
type Step = (varied: readonly Condition[], number: number) => string;

interface Search {
  readonly available?: readonly Condition[];
  readonly likely?: readonly Condition[];
  readonly maxRepetitions?: number;
}

/** Carries the search through to its end. */
function search(step: Step, given: Search = {}): { end: NextStep; repetitions: Repetition[] } {
  const { available = CONDITIONS, likely = available, maxRepetitions = 8 } = given;
  const repetitions: Repetition[] = [];
  let first: string | undefined;
  for (;;) {
    const next = nextStep({ repetitions, available, likely, maxRepetitions });
    if (next.kind !== "repeat") return { end: next, repetitions };
    for (const varied of next.varied) {
      const output = step(varied, repetitions.length);
      first ??= output;
      repetitions.push({ varied, isDifferent: output !== first, hasFailed: output === "fails" });
    }
  }
}

const dependsOn =
  (...causes: readonly Condition[]): Step =>
  (varied) =>
    causes.filter((cause) => varied.includes(cause)).join(" ");

describe("the search for a cause", () => {
  test.each(CONDITIONS)("finds %s if it is thought likely, with six repetitions", (condition) => {
    const { end, repetitions } = search(dependsOn(condition), { likely: [condition, ...CONDITIONS] });
    expect([end, repetitions.length]).toEqual([{ kind: "found", cause: condition }, 7]);
    const alone = repetitions.filter(({ varied }) => varied.length === 1);
    expect(alone.map(({ isDifferent }) => isDifferent)).toEqual([true, true]);
  });

  test("finds the second guess within eight repetitions, and no later one", () => {
    expect(search(dependsOn("zone"), { likely: ["clock", "zone", "path"] })).toMatchObject({
      end: { kind: "found", cause: "zone" },
      repetitions: { length: 8 },
    });
    const third = search(dependsOn("path"), { likely: ["clock", "zone", "path"] });
    expect(third.end).toEqual({ kind: "unknown", why: "budget" });
    expect(excludedBy(third.repetitions)).toEqual(["clock", "zone"]);
  });

  test("names no cause for two that change from run to run", () => {
    for (const cause of ["clock", "path"] as const)
      expect(search(dependsOn("clock", "path"), { likely: [cause] }).end).toEqual({
        kind: "unknown",
        why: "several",
      });
  });

  test("names the cause that changes from run to run, although another condition would matter", () => {
    expect(search(dependsOn("clock", "zone")).end).toEqual({ kind: "found", cause: "clock" });
  });

  test("ends after three repetitions if the step cannot be held, or nothing changes it", () => {
    const random = search((_varied, number) => String(number));
    expect([random.end, random.repetitions.length]).toEqual([{ kind: "unknown", why: "not-held" }, 3]);
    const steady = search(() => "same");
    expect([steady.end, steady.repetitions.length]).toEqual([{ kind: "unknown", why: "none-varies" }, 3]);
    expect(excludedBy(steady.repetitions)).toEqual(CONDITIONS);
  });

  test("ends if the step fails, or changes only once", () => {
    expect(search(() => "fails").end).toEqual({ kind: "unknown", why: "fails" });
    const once = search(
      (varied, number) => (varied.length === 1 && number === 3 ? "other" : dependsOn("zone")(varied, 0)),
      {
        likely: ["clock"],
      },
    );
    expect(once.end).toEqual({ kind: "unknown", why: "not-held" });
  });

  test("never tries a condition that cannot be set", () => {
    const available = CONDITIONS.filter((condition) => condition !== "clock");
    const { end, repetitions } = search(dependsOn("clock"), { available });
    expect(end).toEqual({ kind: "unknown", why: "none-varies" });
    expect(repetitions.flatMap(({ varied }) => varied)).not.toContain("clock");
  });

  test.each([0, 2])("repeats nothing with a budget of %i", (maxRepetitions) => {
    const { end, repetitions } = search(dependsOn("clock"), { maxRepetitions });
    expect([end, repetitions]).toEqual([{ kind: "unknown", why: "budget" }, []]);
  });
});
