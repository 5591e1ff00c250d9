import { expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { repeatedly } from "#scheduler/repeatedly";

test("work is done at once and again after each pause, even after a failure, until it is ended", async () => {
  const waiting: { ms: number; ring: () => void }[] = [];
  const clock = {
    ...systemClock,
    after(ms: number, ring: () => void) {
      const alarm = { ms, ring };
      waiting.push(alarm);
      return () => void waiting.splice(waiting.indexOf(alarm), 1);
    },
  };
  const failures: unknown[] = [];
  let count = 0;
  const work = async () => {
    count += 1;
    if (count === 2) throw new Error("once");
  };
  const end = repeatedly({ clock, everyMs: 1000, work, onFailure: (error) => failures.push(error) });
  await expect.poll(() => waiting.length).toBe(1);
  waiting.pop()!.ring();
  await expect.poll(() => failures).toEqual([new Error("once")]);
  await expect.poll(() => waiting.map(({ ms }) => ms)).toEqual([1000]);
  await end();
  expect([count, waiting.length]).toEqual([2, 0]);
});
