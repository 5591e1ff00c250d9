import { expect, test } from "vitest";
import { maybeClockWarning } from "#app/clock-check";
import { systemClock } from "#plumbing/clock";
import { storeFixture } from "#store/store-fixture";
import { DIALECTS } from "#store/store-suite";

const store = storeFixture(DIALECTS[0]!);

/** Returns a clock with a difference from the database's clock. Each question to the database takes `tookMs`. */
function clockOf(differenceMs: number, tookMs = 0) {
  let asked = 0;
  return { now: () => systemClock.now() + differenceMs, elapsedMs: () => (asked++ === 0 ? 0 : tookMs) };
}

test.each([
  [65_000, /^The clock of this machine is 1 min 5 s ahead of the clock of the database: .* by chrony\.$/],
  [-65_000, /^The clock of this machine is 1 min 5 s behind the clock of the database/],
])("a clock with a difference of %d ms is reported", async (differenceMs, sentence) => {
  expect(await maybeClockWarning(store.db, clockOf(differenceMs))).toMatch(sentence);
});

test.each([
  ["agrees", 0, 0],
  ["differs by a second", -1000, 0],
  ["seems to be late, because the database was slow to reply", -20_000, 19_500],
])("no difference is reported if the clock %s", async (_, differenceMs, tookMs) => {
  expect(await maybeClockWarning(store.db, clockOf(differenceMs, tookMs))).toBeUndefined();
});
