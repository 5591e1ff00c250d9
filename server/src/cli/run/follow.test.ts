import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { follow, type RunEvent } from "#cli/run/follow";
import { viewOf } from "#cli/run/service/fake-run-service";
import type { RunView } from "#cli/run/service/run-service";
import { systemClock } from "#plumbing/clock";

/** A run whose changes are announced, seen by a clock on which only the shortest pauses end. */
function announcedRun(first: RunView) {
  let announce: (() => void) | undefined;
  const state = { view: first, looks: 0, isListening: () => announce !== undefined };
  const service = {
    async view() {
      state.looks += 1;
      return state.view;
    },
    onChange(_id: string, listener: () => void) {
      announce = listener;
      return async () => void (announce = undefined);
    },
  };
  const clock = {
    ...systemClock,
    elapsedMs: () => 0,
    after: (ms: number, callback: () => void) => {
      if (ms === 0) setImmediate(callback);
      return () => undefined;
    },
  };
  const change = (view: RunView) => {
    state.view = view;
    announce?.();
  };
  return { state, change, options: { service, clock, left: new AbortController().signal, onEvents() {} } };
}

test("an announced change is seen at once, without a poll", async () => {
  const { state, change, options } = announcedRun(viewOf("running"));
  const followed = follow(options, "1d");
  await expect.poll(() => state.looks).toBe(1);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(state.looks).toBe(1);
  change(viewOf("finished"));
  expect((await followed).status).toBe("finished");
  expect(state.looks).toBe(2);
  expect(state.isListening()).toBe(false);
});

test("a change that is announced during a look is not missed", async () => {
  const { state, change, options } = announcedRun(viewOf("running"));
  const followed = follow({ ...options, onEvents: () => change(viewOf("finished")) }, "1d");
  expect((await followed).status).toBe("finished");
  expect(state.looks).toBe(2);
});

test("a job that never started has no start", async () => {
  const { change, options } = announcedRun(viewOf("running", [{ status: "created" }]));
  const kinds: string[] = [];
  const onEvents = (events: readonly RunEvent[]) => {
    kinds.push(...events.map(({ kind }) => kind));
    change(viewOf("failed", [{ status: "stopped", reason: "not-started" }]));
  };
  await follow({ ...options, onEvents }, "1d");
  expect(kinds).toEqual(["job-ended"]);
});
