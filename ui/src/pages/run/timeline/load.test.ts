import fc from "fast-check";
import { expect, test } from "vitest";
import type { Job } from "../../../api/run-asks.ts";
import { loadOf } from "./load.ts";

function job(started: number | null, finished: number | null, cpuMs: number, peakBytes: number): Job {
  return {
    times_ms: { created: 0, started, finished },
    usage: { wall_ms: null, cpu_ms: cpuMs, peak_bytes: peakBytes },
    taken_from: null,
  } as Job;
}

test("two jobs at once add up, and a job counts only while it runs", () => {
  const jobs = [job(0, 200, 200, 10), job(100, 300, 400, 20), job(200, null, 0, 0)];
  expect(loadOf(jobs, { beginMs: 0, totalMs: 400 }, 4)).toEqual({
    cores: [1, 3, 2, 0],
    bytes: [10, 30, 20, 0],
    gpus: [0, 0, 0, 0],
    gpuBytes: [0, 0, 0, 0],
  });
});

test("the timeline shows how many GPUs of a job were busy on average, and the peak of memory", () => {
  const plain = job(0, 200, 0, 0);
  const trained = { ...plain, usage: { ...plain.usage, gpu_ms: 300, gpu_peak_bytes: 7 } };
  expect(loadOf([trained], { beginMs: 0, totalMs: 400 }, 2)).toMatchObject({
    gpus: [1.5, 0],
    gpuBytes: [7, 0],
  });
});

test("a reused job took no capacity", () => {
  const jobs = [{ ...job(0, 100, 100, 10), taken_from: "earlier" }];
  expect(loadOf(jobs, { beginMs: 0, totalMs: 100 }, 1)).toMatchObject({ cores: [0], bytes: [0] });
});

test("no processor time is lost or made up", () => {
  const one = fc.tuple(fc.nat(900), fc.integer({ min: 1, max: 100 }), fc.nat(500));
  fc.assert(
    fc.property(fc.array(one), fc.integer({ min: 1, max: 50 }), (some, slots) => {
      const jobs = some.map(([from, length, cpuMs]) => job(from, from + length, cpuMs, 0));
      const { cores } = loadOf(jobs, { beginMs: 0, totalMs: 1000 }, slots);
      const spent = cores.reduce((sum, rate) => sum + (rate * 1000) / slots, 0);
      expect(spent).toBeCloseTo(
        some.reduce((sum, [, , cpuMs]) => sum + cpuMs, 0),
        5,
      );
    }),
  );
});
