import { expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { maybeMessage, type RequestedJob } from "#engines/snakemake/messages";
import { jobOf, maybeProblem } from "#engines/snakemake/requested-job";
import type { Job } from "#workflow/job/job";

const JOB = {
  attempt: 1,
  kind: "job",
  rule: "fit",
  name: "fit",
  key: "fit",
  command: "true",
  threads: 2,
  try: 1,
  environment: { DATABASE: "prod", PATH: "/own", OMP_NUM_THREADS: "9", "not a name": "x", NUMBER: 1 },
};

const requestOf = (fields: object) =>
  maybeMessage(`1 ${JSON.stringify({ ...JOB, ...fields })}`)!.message as RequestedJob;

function madeOf(fields: object): Job {
  const specification = { workflow: { type: "snakemake" as const } };
  const input = { specification, parameters: {}, options: {}, model: {}, run: SOME_RUN };
  return jobOf(input, requestOf(fields), 1);
}

const environmentOf = (fields: object) => madeOf(fields).environment;

test("a job has the variables that the Snakefile has set, and the threads that Snakemake sets", () => {
  const environment = environmentOf({});
  expect(environment).toMatchObject({ DATABASE: "prod", PATH: "/own", OMP_NUM_THREADS: "2" });
  expect(Object.keys(environment)).not.toContain("not a name");
  expect(Object.keys(environment)).not.toContain("NUMBER");
});

test("an image keeps its own search path", () => {
  const environment = environmentOf({ image: "python:3" });
  expect(environment).toMatchObject({ DATABASE: "prod" });
  expect(environment).not.toHaveProperty("PATH");
});

test("the GPUs of a rule are reserved, and a fraction is refused by name", () => {
  expect(madeOf({ resources: { nvidia_gpu: 1 } }).resources).toMatchObject({ cores: 2, gpus: 1 });
  expect(madeOf({ resources: { gpu: 2 } }).resources).toMatchObject({ gpus: 2 });
  expect(madeOf({}).resources).not.toHaveProperty("gpus");
  expect(maybeProblem(requestOf({ resources: { gpu: 0.5 } }))).toBe(
    'Rule "fit": gpu is 0.5; it must be a whole number of GPUs from 0 to 1024.',
  );
});
