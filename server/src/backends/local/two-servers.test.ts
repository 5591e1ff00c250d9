import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { watchEnds } from "#backends/backend-fixture";
import { withLocal } from "#backends/local/local-fixture";

const RACES = 200;
const AT_ONCE = 10;

test(
  "two servers on one folder that hand out the same job at once run it once, whoever wins",
  withLocal(async (local) => {
    const backends = [local.open(), local.open()] as const;
    const ends = backends.map(watchEnds);
    await Promise.all(backends.map((backend) => local.run(backend, "true")));
    const ids: string[] = [];
    for (let race = 0; race < RACES; race += AT_ONCE) {
      const jobs = Array.from({ length: AT_ONCE }, (_, index) =>
        local.request(`echo ${race + index} >> ran`),
      );
      ids.push(...jobs.map(({ id }) => id));
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
        }),
      );
    }
    const lines = (file: string) =>
      readFileSync(path.join(local.workspaceFolder, file), "utf8").trim().split("\n");
    expect(
      lines("ran")
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: RACES }, (_, race) => race));
    const claims = await Promise.all(
      ids.map(async (id) => (await local.record(id)).match(/^claimed/gm)!.length),
    );
    // Otherwise they did not race.
    expect(claims.filter((count) => count === 2).length).toBeGreaterThan(RACES / 4);
  }),
  60_000,
);
