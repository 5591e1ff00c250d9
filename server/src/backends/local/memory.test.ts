import { describe, expect, test } from "vitest";
import { withLocal } from "#backends/local/local-fixture";

const MIB = 2 ** 20;
const HOLD_60_MIB = "x=$(head -c 62914560 /dev/zero | tr '\\0' x)";

describe("the memory that a job had", { concurrent: true }, () => {
  const peakOf = (script: string) =>
    withLocal(async (local) => {
      const { end } = await local.run(local.open(), script);
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
      expect(end.usage!.peakBytes).toBeGreaterThan(60 * MIB);
      expect(end.usage!.peakBytes).toBeLessThan(1024 * MIB);
      expect(end.usage!.sampled).toEqual(["peakBytes"]);
    });

  // The last command keeps the shell, and its memory, from being replaced by `sleep`.
  test("is the job's own memory", peakOf(`${HOLD_60_MIB}; sleep 2; :`));
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

describe("a memory limit", { concurrent: true }, () => {
  const LIMIT = { limits: { memoryBytes: 64 * MIB } };
  const HOLD_40_MIB = "x=$(head -c 41943040 /dev/zero | tr '\\0' x)";

  const ended = (script: string) =>
    withLocal(async (local) => {
      const { end } = await local.run(local.open(), script, LIMIT);
      expect(end).toMatchObject({
        reason: "out-of-memory",
        detail: expect.stringMatching(/^Out of memory: used \d+(\.\d+)? MiB of 64 MiB\.$/),
      });
      expect(end.usage!.peakBytes).toBeGreaterThan(64 * MIB);
    });

  test("holds for a single process", ended(`x=$(head -c 99999999 /dev/zero | tr '\\0' x); sleep 1000; :`));
  test("holds for all processes together", ended(`(${HOLD_40_MIB}; sleep 1000; :) & ${HOLD_40_MIB}; wait`));
  test(
    "holds for a job that ignores SIGTERM",
    ended(`trap '' TERM; x=$(head -c 99999999 /dev/zero | tr '\\0' x); sleep 1000; :`),
  );

  test(
    "counts memory that processes share once, and pages of files not at all",
    withLocal(async (local) => {
      // Each subshell starts with the pages of its parent. The shell itself holds twice the text while
      // reading.
      const hold = HOLD_40_MIB.replace("41943040", "20971520");
      const shared = `${hold}; for i in 1 2 3 4; do (sleep 2; :) & done; wait`;
      const mapped = "head -c 99999999 /dev/zero > big; tail -f big > /dev/null & sleep 2; kill $!";
      const backend = local.open();
      for (const { end } of await Promise.all([
        local.run(backend, shared, LIMIT),
        local.run(backend, mapped, LIMIT),
      ]))
        expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
    }),
  );
});
