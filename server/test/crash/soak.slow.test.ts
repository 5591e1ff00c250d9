import { expect, test } from "vitest";
import { newSeed, soak } from "./soak.ts";

/** The long form is soak.long.test.ts. */
test("a server killed every few seconds keeps all promises", async () => {
  const seed = newSeed();
  const { broken, totals } = await soak({
    seed,
    runs: 40,
    killsMin: 3,
    people: 12,
    killAfterMs: [1500, 3000],
  });
  expect(broken, `SOAK_SEED=${seed} ${JSON.stringify(totals)}`).toEqual([]);
});
