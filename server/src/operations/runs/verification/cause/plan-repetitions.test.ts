import { describe, expect, test } from "vitest";
import {
  excludedBy,
  isDifferent,
  type NextStep,
  nextStep,
  type Repetition,
} from "#operations/runs/verification/cause/plan-repetitions";
import { CHANGING, type Condition, CONDITIONS } from "#workflow/run/conditions";

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
  const outputs: string[] = [];
  for (;;) {
    const next = nextStep({ repetitions, available, likely, maxRepetitions });
    if (next.kind !== "repeat") return { end: next, repetitions };
    for (const varied of next.varied) {
      outputs.push(step(varied, outputs.length));
      const output = outputs.at(-1)!;
      repetitions.push({ varied, sameAs: outputs.indexOf(output), hasFailed: output === "fails" });
    }
  }
}

/** All conditions but the one that is changed only if a step cannot be held. */
const USUAL = CONDITIONS.filter((condition) => condition !== "network");

const dependsOn =
  (...causes: readonly Condition[]): Step =>
  (varied) =>
    causes.filter((cause) => varied.includes(cause)).join(" ");

describe("the search for a cause", () => {
  test.each(USUAL)("finds %s if it is thought likely, with six repetitions", (condition) => {
    const { end, repetitions } = search(dependsOn(condition), { likely: [condition, ...CONDITIONS] });
    expect([end, repetitions.length]).toEqual([{ kind: "found", cause: condition }, 7]);
    const alone = repetitions.filter(({ varied }) => varied.length === 1);
    expect(alone.map(isDifferent)).toEqual([true, true]);
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
    expect(search(dependsOn("clock", "zone"), { likely: ["clock"] }).end).toEqual({
      kind: "found",
      cause: "clock",
    });
  });

  test("names no cause if two conditions matter and may have changed between the runs", () => {
    expect(search(dependsOn("zone", "user"), { likely: ["zone"] }).end).toEqual({
      kind: "unknown",
      why: "several",
    });
  });

  test("ends after few repetitions if the step cannot be held, or nothing changes it", () => {
    const random = search((_varied, number) => String(number));
    expect([random.end, random.repetitions.length]).toEqual([{ kind: "unknown", why: "not-held" }, 5]);
    expect(excludedBy(random.repetitions)).toEqual(["network"]);
    const here = search((_varied, number) => String(number), { available: USUAL });
    expect([here.end, here.repetitions.length]).toEqual([{ kind: "unknown", why: "not-held" }, 3]);
    const steady = search(() => "same");
    expect([steady.end, steady.repetitions.length]).toEqual([{ kind: "unknown", why: "none-varies" }, 3]);
    expect(excludedBy(steady.repetitions)).toEqual(USUAL);
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

  test("finds the network by seven repetitions, if the outputs never differ offline", () => {
    const page: Step = (varied, number) => (varied.includes("network") ? "offline" : String(number));
    const { end, repetitions } = search(page);
    expect([end, repetitions.length]).toEqual([{ kind: "found", cause: "network" }, 7]);
    const cut = repetitions.filter(({ varied }) => varied.includes("network"));
    expect(cut.map(({ varied }) => varied.filter((one) => CHANGING.has(one)).length)).toEqual([
      0,
      CHANGING.size,
      0,
      CHANGING.size,
    ]);
  });

  test.each<[string, string, Step]>([
    [
      "has a clock as well",
      "not-held",
      (varied, n) => (varied.includes("network") ? dependsOn("clock")(varied, n) : String(n)),
    ],
    ["fails without", "needs-network", (varied, n) => (varied.includes("network") ? "fails" : String(n))],
    [
      "has only two outputs, which may be a race",
      "not-held",
      (varied, n) => (varied.includes("network") ? "offline" : String(n % 2)),
    ],
    [
      "has once the output of before without",
      "not-held",
      (varied, n) => (varied.includes("network") ? "0" : String(n)),
    ],
  ])("does not name the network if the step %s", (_what, why, step) => {
    expect(search(step).end).toEqual({ kind: "unknown", why });
  });

  test("continues without conditions that make the step fail, and gives up after another failure", () => {
    const brittle: Step = (varied, number) =>
      varied.includes("variables") ? "fails" : dependsOn("clock")(varied, number);
    const { end, repetitions } = search(brittle, { likely: ["clock"] });
    expect([end, repetitions.length]).toEqual([{ kind: "found", cause: "clock" }, 8]);
    const worse: Step = (varied) => (varied.includes("zone") ? "fails" : "");
    expect(search(worse).end).toEqual({ kind: "unknown", why: "fails" });
  });

  test("never tries a condition that cannot be set", () => {
    const available = USUAL.filter((condition) => condition !== "clock");
    const { end, repetitions } = search(dependsOn("clock"), { available });
    expect(end).toEqual({ kind: "unknown", why: "none-varies" });
    expect(repetitions.flatMap(({ varied }) => varied)).not.toContain("clock");
  });

  test.each([0, 2])("repeats nothing with a budget of %i", (maxRepetitions) => {
    const { end, repetitions } = search(dependsOn("clock"), { maxRepetitions });
    expect([end, repetitions]).toEqual([{ kind: "unknown", why: "budget" }, []]);
  });
});
