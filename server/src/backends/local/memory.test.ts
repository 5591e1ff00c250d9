import { describe, expect, test } from "vitest";
import { withLocal } from "#backends/local/local-fixture";

/** The keeper checks every second. */
const TIMEOUT_MS = 30_000;
const MIB = 2 ** 20;
const HOLD_60_MIB = "x=$(head -c 62914560 /dev/zero | tr '\\0' x)";

describe("the memory that a job had", { concurrent: true, timeout: TIMEOUT_MS }, () => {
  const peakOf = (script: string) =>
    withLocal(async (local) => {
      const { end } = await local.run(local.open(), script);
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
      expect(end.usage!.peakBytes).toBeGreaterThan(60 * MIB);
      expect(end.usage!.peakBytes).toBeLessThan(1024 * MIB);
    });

  // The last command keeps the shell, and what it holds, from being replaced by `sleep`.
  test("is the one of its own process", peakOf(`${HOLD_60_MIB}; sleep 2; :`));
  test("includes the memory from before the first check", peakOf(`${HOLD_60_MIB}; unset x; sleep 2; :`));
  test("is the sum of all its processes", peakOf(`(${HOLD_60_MIB}; sleep 2; :) & wait`));

  test(
    "is unknown for a job that ended between two checks",
    withLocal(async (local) => {
      const backend = local.open();
      const ends = await Promise.all(Array.from({ length: 5 }, () => local.run(backend, "true")));
      expect(ends.some(({ end }) => end.usage?.peakBytes === undefined)).toBe(true);
    }),
  );

  test(
    "grows the record by a few lines only",
    withLocal(async (local) => {
      const script = "for i in {1..40}; do x+=$(head -c 1000000 /dev/zero | tr '\\0' x); sleep 0.1; done";
      const { id } = await local.run(local.open(), script);
      const lines = (await local.record(id)).match(/^peak \d+ \.$/gm)!;
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.length).toBeLessThan(10);
    }),
  );
});
