import { describe, expect, test } from "vitest";
import { Worlds } from "./try-world.ts";

/**
 * Seeds of worlds in which something once went wrong. The events of a seed change with the code, so each
 * finding has a separate test as well. Trying the seeds forever takes only a moment.
 */
const FOUND: readonly (readonly [seed: number, what: string])[] = [
  [6, "a turn whose recording was reported as failed was given to nobody: its run stayed pending"],
  [119, "what jobs had left behind went on when ending it failed: their run was over already"],
  [
    86,
    "a run that was taken from a lost host belonged to nobody once that host had come back: it waited for ever",
  ],
  [727, "a file that was being written when its run failed came after the run had been deleted"],
  [2120, "a driver that had been given up waited for places on, and kept them: others waited for ever"],
  [
    30855,
    "a driver that was let go of took the places from its successor on the same host when it left at last",
  ],
  [2636024058, "a server that had slept wrote a file of a run that had been stopped and deleted meanwhile"],
];

describe("worlds in which something went wrong once", () => {
  test.each(FOUND)("seed %d: %s", async (seed) => {
    expect((await new Worlds().try(seed)).failure).toBeUndefined();
  });
});
