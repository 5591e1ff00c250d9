import { expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { maybeMessage, type RequestedJob } from "#engines/snakemake/messages";
import { jobOf } from "#engines/snakemake/requested-job";

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

function environmentOf(fields: object): Readonly<Record<string, string>> {
  const request = maybeMessage(`1 ${JSON.stringify({ ...JOB, ...fields })}`)!.message as RequestedJob;
  const specification = { workflow: { type: "snakemake" as const } };
  const input = { specification, parameters: {}, options: {}, model: {}, run: SOME_RUN };
  return jobOf(input, request, 1).environment;
}

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
