import { expect, test } from "vitest";
import { totalsOf } from "#operations/reports/step-totals";
import type { JobRecord } from "#store/jobs/jobs";

const LIMITS = { jobs: 200, steps: 3, images: 2 };
const GIB = 2 ** 30;

function job(ordinal: number, more: Partial<JobRecord> = {}): JobRecord {
  return {
    id: `id-${ordinal}`,
    ordinal,
    name: "fit",
    label: `fit · task ${ordinal}`,
    node: "n",
    backend: "Local",
    image: null,
    imageDigest: null,
    status: "finished",
    startedAtMs: ordinal * 10,
    finishedAtMs: ordinal * 10 + 2000,
    cpuMs: 1000,
    peakBytes: GIB,
    gpuMs: null,
    gpuPeakBytes: null,
    sampled: [],
    takenFrom: null,
    ...more,
  } as JobRecord;
}

async function* jobs(...list: readonly JobRecord[]) {
  yield* list;
}

test("of 10,000 jobs, all count, and 200 are listed: the first, and of the others the failed", async () => {
  const all = Array.from({ length: 10_000 }, (_, ordinal) =>
    job(ordinal, ordinal >= 9000 && ordinal < 9050 ? { status: "failed" } : {}),
  );
  const totals = await totalsOf(jobs(...all), LIMITS);
  expect(totals).toMatchObject({ count: 10_000, cpuMs: 10_000_000, gibMs: 20_000_000, unmeasured: 0 });
  expect(totals.steps).toEqual([
    {
      step: "fit",
      jobs: 10_000,
      finished: 9950,
      failed: 50,
      takenOver: 0,
      wallMs: 20_000_000,
      cpuMs: 10_000_000,
      peakBytes: GIB,
      startedAtMs: 0,
      finishedAtMs: 101_990,
    },
  ]);
  expect(totals.jobs.map(({ ordinal }) => ordinal)).toEqual([
    ...Array.from({ length: 150 }, (_, index) => index),
    ...Array.from({ length: 50 }, (_, index) => 9000 + index),
  ]);
});

test("a job that was taken over used nothing here; steps and images are bounded", async () => {
  const totals = await totalsOf(
    jobs(
      job(0, { takenFrom: "other", name: "a", image: "one", imageDigest: "sha256:1" }),
      job(1, { name: "b", image: "one", imageDigest: "sha256:2", peakBytes: null }),
      job(2, { name: "c", image: "two" }),
      job(3, { name: "d", image: "one", imageDigest: "sha256:2" }),
    ),
    LIMITS,
  );
  expect(totals).toMatchObject({ count: 4, cpuMs: 3000, unmeasured: 1, hasMoreSteps: true });
  expect(totals.steps.map(({ step, takenOver, wallMs }) => [step, takenOver, wallMs])).toEqual([
    ["a", 1, 0],
    ["b", 0, 2000],
    ["c", 0, 2000],
  ]);
  expect(totals.images).toEqual([
    { image: "one", digest: "sha256:1", jobs: 1 },
    { image: "one", digest: "sha256:2", jobs: 2 },
  ]);
});
