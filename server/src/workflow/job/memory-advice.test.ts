import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maybeMemoryAdvice } from "#workflow/job/memory-advice";
import { maybeMemoryBytes } from "#workflow/job/memory-size";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

function adviceFor(limitBytes: number | null, peakBytes: number | null, isWhole = true) {
  return maybeMemoryAdvice({ step: "fit", limitBytes, peakBytes, isWhole });
}

describe("advice about a memory limit", () => {
  test("names a smaller limit for a step that asks for more than three times its peak", () => {
    expect(adviceFor(8 * GIB, 1100 * MIB)).toEqual({
      limitBytes: 1792 * MIB,
      limit: "1792Mi",
      sentence: 'Step "fit" asks for 8 GiB of memory and used at most 1.07 GiB: 1792Mi would do.',
    });
    expect(adviceFor(3 * GIB, GIB)).toBeUndefined();
    expect(adviceFor(3 * GIB + 1, GIB)?.limit).toBe("1536Mi");
  });

  test("names a larger limit for a step that came within a tenth of its own", () => {
    expect(adviceFor(GIB, 962 * MIB)).toEqual({
      limitBytes: 1536 * MIB,
      limit: "1536Mi",
      sentence: 'Step "fit" used 962 MiB of its memory limit of 1 GiB: 1536Mi would leave room.',
    });
    expect(adviceFor(1000 * MIB, 900 * MIB)).toBeUndefined();
    expect(adviceFor(1000 * MIB, 901 * MIB)?.limit).toBe("1536Mi");
    expect(adviceFor(GIB, 1.25 * GIB)?.limit).toBe("2Gi");
  });

  test("does not lower the limit of a step with a job that did not finish", () => {
    expect(adviceFor(8 * GIB, GIB, false)).toBeUndefined();
    expect(adviceFor(GIB, GIB, false)?.limit).toBe("1536Mi");
  });

  test("is not given without a limit or a measurement, or for a small limit", () => {
    expect([adviceFor(null, GIB), adviceFor(GIB, null), adviceFor(64 * MIB, MIB)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("leads to a limit that needs no further advice", () => {
    const bytes = fc.integer({ min: 1, max: 2 ** 45 });
    fc.assert(
      fc.property(bytes, bytes, (limitBytes, peakBytes) => {
        const advice = adviceFor(limitBytes, peakBytes);
        if (!advice) return;
        expect(maybeMemoryBytes(advice.limit)).toBe(advice.limitBytes);
        expect(advice.limitBytes > limitBytes).toBe(peakBytes > 0.9 * limitBytes);
        expect(adviceFor(advice.limitBytes, peakBytes)).toBeUndefined();
      }),
    );
  });
});
