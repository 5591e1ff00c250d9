import { describe, expect, test } from "vitest";
import { differenceOf, readinessOf, type ShadowKind, type ShadowSide } from "#workflow/run/shadow";

const side = (change: Partial<ShadowSide> = {}): ShadowSide => ({
  status: "finished",
  seconds: 60,
  failure: null,
  ...change,
});
const failed = (failure: string | null) => side({ status: "failed", failure });

describe("differenceOf", () => {
  test.each<
    readonly [here: ShadowSide, there: ShadowSide, outputs: string[], kind: ShadowKind, cause: string]
  >([
    [side(), side(), [], "same", "same result"],
    [side(), failed("no"), ["a"], "status", "finished here, failed there"],
    [side(), side(), ["a"], "outputs", "a differs"],
    [side(), side(), ["a", "b"], "outputs", "a and other outputs differ"],
    [failed("no\n"), failed("no"), [], "same", "same result"],
    [failed("no"), failed("never"), [], "words", "failed on both, in other words"],
    [failed("no"), failed(null), [], "same", "same result"],
    [side({ seconds: 120 }), side(), [], "duration", "same result, at least twice as long here"],
    [side(), side({ seconds: 120 }), [], "duration", "same result, at least twice as long there"],
    [side({ seconds: 119 }), side(), [], "same", "same result"],
    [side({ seconds: 10 }), side({ seconds: 1 }), [], "same", "same result"],
    [side({ seconds: null }), side(), [], "same", "same result"],
  ])("%o and %o with %o: %s", (here, there, outputs, kind, cause) => {
    expect(differenceOf(here, there, outputs)).toEqual({ kind, cause });
  });
});

describe("readinessOf", () => {
  test.each<readonly [newest: ShadowKind[], readiness: string]>([
    [[], "too-few"],
    [["same", "same", "same", "same"], "too-few"],
    [["same", "words", "duration", "same", "same"], "ready"],
    [["same", "same", "same", "same", "outputs"], "differs"],
    [["status"], "differs"],
    [["refused"], "differs"],
  ])("after %o is %s", (newest, readiness) => {
    expect(readinessOf(newest)).toBe(readiness);
  });
});
