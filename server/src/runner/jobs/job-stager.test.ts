import { expect, test } from "vitest";
import { Refusal } from "#plumbing/errors";
import type { Submission } from "#runner/turn/decide";
import { createJobStager, type StagerOptions } from "#runner/jobs/job-stager";

const submission = (id: string): Submission => ({
  id,
  job: {
    key: id,
    node: "",
    name: "",
    command: { script: "" },
    displayCommand: "",
    image: null,
    environment: {},
    stage: [{ at: id, text: "" }],
  },
});

/** Opens a stager whose stagings last until `finish`. */
function openStager(change: Partial<StagerOptions> = {}) {
  const happened: string[] = [];
  const forgotten: string[] = [];
  const open = new Map<string, () => void>();
  const stager = createJobStager({
    workspace: {
      stage: ({ jobId, signal }) =>
        new Promise((resolve, reject) => {
          open.set(jobId, resolve);
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
      forgetStaged: async (ids) => void forgotten.push(...ids),
    },
    assertLease: async () => undefined,
    onStaged: ({ id }) => void happened.push(`${id} staged`),
    onRefused: async ({ id }, { message }) => void happened.push(`${id} refused: ${message}`),
    onFailure: (error) => void happened.push(String(error)),
    ...change,
  });
  const finish = (id: string) => open.get(id)!();
  return { stager, happened, forgotten, open, finish };
}

test("a few jobs are staged at a time, and each is handed on as soon as its files are there", async () => {
  const { stager, happened, open, finish } = openStager();
  const ids = Array.from({ length: 10 }, (_, index) => `job ${index}`);
  for (const id of ids) stager.stage(submission(id));
  expect(open.size).toBe(4);
  finish("job 2");
  await expect.poll(() => open.size).toBe(5);
  expect(happened).toEqual(["job 2 staged"]);
  for (const id of ids) {
    await expect.poll(() => open.has(id)).toBe(true);
    finish(id);
  }
  await stager.settled();
  expect(happened.toSorted()).toEqual(ids.map((id) => `${id} staged`));
});

test("stagings that are cancelled, or still wait, submit no job", async () => {
  const { stager, happened, open } = openStager();
  for (let index = 0; index < 6; index += 1) stager.stage(submission(`job ${index}`));
  stager.breakOff();
  await stager.settled();
  stager.stage(submission("late"));
  await stager.settled();
  expect([open.size, happened]).toEqual([4, []]);
});

test("a refusal is the job's, any other error is the server's", async () => {
  const errors = [new Refusal("absent", "gone"), new Error("EIO")];
  const workspace = {
    stage: () => Promise.reject(errors.shift()!),
    forgetStaged: async () => undefined,
  };
  const { stager, happened } = openStager({ workspace });
  stager.stage(submission("one"));
  stager.stage(submission("other"));
  await stager.settled();
  expect(happened.toSorted()).toEqual(["Error: EIO", "one refused: gone"]);
});

test("only jobs that were staged are forgotten, once", async () => {
  const { stager, forgotten, finish } = openStager();
  stager.stage(submission("one"));
  finish("one");
  await stager.settled();
  stager.forget(["one", "other"]);
  stager.forget(["one"]);
  await stager.settled();
  expect(forgotten).toEqual(["one"]);
});
