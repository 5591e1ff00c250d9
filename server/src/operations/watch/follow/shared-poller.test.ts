import { describe, expect, test } from "vitest";
import { SharedPoller } from "#operations/watch/follow/shared-poller";
import type { Clock } from "#plumbing/clock";

const SIGNAL = new AbortController().signal;

/** Returns a clock that advances only when the test calls `pass`. */
function handClock() {
  let nowMs = 0;
  const alarms = new Set<{ readonly atMs: number; readonly ring: () => void }>();
  const clock: Clock = {
    now: () => nowMs,
    elapsedMs: () => nowMs,
    after(ms, ring) {
      const alarm = { atMs: nowMs + ms, ring };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
  };
  const pass = async (ms: number) => {
    nowMs += ms;
    for (const alarm of alarms) {
      if (alarm.atMs > nowMs) continue;
      alarms.delete(alarm);
      alarm.ring();
    }
    // Looks are promises, and waiters are resolved a few at a time.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, pass, alarms };
}

function setUp() {
  const { clock, pass, alarms } = handClock();
  const world = { value: "a", looks: 0, fault: undefined as Error | undefined, seen: { value: "" } };
  const troubles: unknown[] = [];
  const poller = new SharedPoller<{ value: string }>({
    clock,
    async poll(_key, before) {
      world.looks += 1;
      if (world.fault) throw world.fault;
      return before?.value === world.value ? before : { value: world.value };
    },
    everyMs: 1000,
    restMs: 100,
    onError: (error) => void troubles.push(error),
  });
  return { poller, world, pass, alarms, troubles };
}

describe("a poller shared by many watchers", () => {
  test("polls once for all watchers, and gives each the changes that are new to it", async () => {
    const { poller, world, pass } = setUp();
    const views = Array.from({ length: 200 }, () => poller.subscribe("run"));
    const first = views.map((view) => view.next());
    await pass(0);
    expect(world.looks).toBe(1);
    const known = await Promise.all(first);
    const next = views.map((view, index) => view.after(known[index]!, SIGNAL));
    await pass(1000);
    expect(world.looks).toBe(2);
    world.value = "b";
    await pass(1000);
    expect(world.looks).toBe(3);
    expect(new Set((await Promise.all(next)).map(({ value }) => value))).toEqual(new Set(["b"]));
  });

  test("polls soon after an announced change, but at a limited rate", async () => {
    const { poller, world, pass } = setUp();
    const view = poller.subscribe("run");
    void view.next();
    await pass(0);
    for (let turn = 0; turn < 20; turn += 1) poller.pollNow("run");
    await pass(99);
    expect(world.looks).toBe(1);
    await pass(1);
    expect(world.looks).toBe(2);
    poller.pollAllNow();
    poller.pollNow("another");
    await pass(100);
    expect(world.looks).toBe(3);
  });

  test("gives a later watcher no earlier news", async () => {
    const { poller, world, pass } = setUp();
    const view = poller.subscribe("run");
    void view.next();
    await pass(0);
    world.value = "b";
    const fresh = poller.subscribe("run").next();
    await pass(0);
    expect(await fresh).toEqual({ value: "b" });
  });

  test("stops with the last watcher", async () => {
    const { poller, world, pass, alarms } = setUp();
    const [one, other] = [poller.subscribe("run"), poller.subscribe("run")];
    void one.next();
    await pass(0);
    one.unsubscribe();
    one.unsubscribe();
    await pass(1000);
    expect(world.looks).toBe(2);
    other.unsubscribe();
    await pass(5000);
    expect([world.looks, alarms.size]).toEqual([2, 0]);
  });

  test("reports a failed poll to all watchers, and polls again", async () => {
    const { poller, world, pass, troubles } = setUp();
    const view = poller.subscribe("run");
    const first = view.next();
    await pass(0);
    const next = view.after(await first, SIGNAL).catch((error: unknown) => error);
    world.fault = new Error("the database is away");
    await pass(1000);
    expect(await next).toBe(world.fault);
    expect(troubles).toEqual([world.fault]);
    world.fault = undefined;
    world.value = "b";
    const again = view.after(await first, SIGNAL);
    await pass(1000);
    expect(await again).toEqual({ value: "b" });
  });

  test("releases a watcher that was aborted", async () => {
    const { poller, pass } = setUp();
    const view = poller.subscribe("run");
    const first = view.next();
    await pass(0);
    const leaving = new AbortController();
    const next = view.after(await first, leaving.signal).catch((error: unknown) => error);
    leaving.abort(new Error("gone"));
    expect(await next).toEqual(new Error("gone"));
    await expect(view.after({ value: "older" }, leaving.signal)).rejects.toThrow("gone");
  });
});
