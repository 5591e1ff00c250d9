import { expect, test } from "vitest";
import { onceAtATime } from "#plumbing/once-at-a-time";

test("requests during a round are served by one more round, however many there are", async () => {
  const gates: (() => void)[] = [];
  const work = onceAtATime(() => new Promise((resolve) => gates.push(resolve)));
  work.ask();
  work.ask();
  work.ask();
  expect(gates).toHaveLength(1);
  gates[0]!();
  await expect.poll(() => gates).toHaveLength(2);
  gates[1]!();
  await work.settled();
  expect(gates).toHaveLength(2);
});

test("a request at the very moment when a round ends is served", async () => {
  for (let turns = 0; turns < 20; turns += 1) {
    let rounds = 0;
    const work = onceAtATime(async () => void (rounds += 1));
    work.ask();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    work.ask();
    await new Promise(setImmediate);
    expect(`${rounds} rounds, asked again after ${turns} turns`).toBe(
      `2 rounds, asked again after ${turns} turns`,
    );
  }
});
