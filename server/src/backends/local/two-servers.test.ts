import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { watchEnds } from "#backends/backend-fixture";
import { withLocal } from "#backends/local/local-fixture";

const JOBS_MIN = 200;
/**
 * Minimum number of jobs that both servers raced to start. The number of races depends on the machine: the
 * test continues until the minimum is reached.
 */
const RACES_MIN = 50;
const AT_ONCE = 10;

test(
  "two servers that start a job at the same moment run the job once",
  withLocal(async (local) => {
    const backends = [local.open(), local.open()] as const;
    const ends = backends.map(watchEnds);
    await Promise.all(backends.map((backend) => local.run(backend, "true")));
    let races = 0;
    let count = 0;
    while (count < JOBS_MIN || races < RACES_MIN) {
      const jobs = Array.from({ length: AT_ONCE }, (_, index) =>
        local.request(`echo ${count + index} >> ran`),
      );
      count += jobs.length;
      await Promise.all(
        jobs.map(async (job) => {
          const states = await Promise.all(backends.map((backend) => backend.submit(job)));
          const [one, other] = await Promise.all(
            states.map((state, index) =>
              state.status === "ended" ? Promise.resolve(state.end) : ends[index]!.of(job.id),
            ),
          );
          expect(one).toMatchObject({ reason: "exited", exitCode: 0 });
          expect(other).toEqual(one);
          if ((await local.record(job.id)).match(/^claimed/gm)!.length === 2) races += 1;
        }),
      );
    }
    const lines = (file: string) =>
      readFileSync(path.join(local.workspaceFolder, file), "utf8").trim().split("\n");
    expect(
      lines("ran")
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: count }, (_, number) => number));
  }),
  60_000,
);
