import { expect, test } from "vitest";
import { type Arrival, createInbox, Interrupted } from "#runner/turn/arrivals";

const BEGIN: Arrival = { kind: "begin" };
const STOP: Arrival = { kind: "stop" };

test("an inbox waits for the first arrival, and gives no more than was asked for", async () => {
  const inbox = createInbox();
  const first = inbox.take(2);
  for (let count = 0; count < 3; count += 1) inbox.put(BEGIN);
  expect([await first, await inbox.take(2)]).toEqual([[BEGIN, BEGIN], [BEGIN]]);
});

/** A stop must not wait until the ends of 10,000 jobs are recorded. */
test("a stop passes all earlier arrivals", async () => {
  const inbox = createInbox();
  for (const arrival of [BEGIN, BEGIN, STOP]) inbox.put(arrival);
  expect(await inbox.take(2)).toEqual([STOP]);
});

test("a failure is thrown to the reader, even if it is already waiting", async () => {
  const inbox = createInbox();
  const taking = inbox.take(1);
  inbox.fail(new Error("disk full"));
  await expect(taking).rejects.toThrow("disk full");
  await expect(inbox.take(1)).rejects.toThrow("disk full");
});

test("a closed inbox is empty and stays so", async () => {
  const inbox = createInbox();
  inbox.put(BEGIN);
  const waiting = createInbox();
  const taking = waiting.take(1);
  waiting.close();
  inbox.close();
  inbox.put(BEGIN);
  expect([await inbox.take(1), await taking]).toEqual([[], []]);
});

test("a stop interrupts work that has no result yet, and no work with one", async () => {
  const inbox = createInbox();
  expect(await inbox.unlessEnding(Promise.resolve("done"))).toBe("done");
  const interrupted = inbox.unlessEnding(new Promise(() => undefined));
  inbox.put({ kind: "stop" });
  await expect(interrupted).rejects.toThrow(Interrupted);
  expect(await inbox.take(1)).toEqual([{ kind: "stop" }]);
});

test("an interruption reaches the newest work, even after earlier work has its result", async () => {
  const inbox = createInbox();
  const earlier = Promise.withResolvers<string>();
  const [first, newest] = [earlier.promise, new Promise<string>(() => undefined)].map(inbox.unlessEnding);
  earlier.resolve("done");
  expect(await first).toBe("done");
  inbox.put({ kind: "stop" });
  await expect(newest).rejects.toThrow(Interrupted);
});
