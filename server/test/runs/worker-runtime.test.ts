import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type EngineSession, inProcessRuntime, SessionLost } from "#runner/engine/engine-runtime";
import { workerRuntime } from "#runner/engine/worker-runtime";
import { childrenOf } from "../support/child-processes.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { surveyOf, UNTIL_FIRST_VISIT } from "../support/engines/surveys.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

const MODULE = new URL("./survey-module.ts", import.meta.url);
const READ = { kind: "read", id: "list", text: "a\nb\n", bytes: 4 } as const;
const LOOKED = {
  kind: "looked",
  id: "look",
  files: [{ path: "list.txt", kind: "file", bytes: 4 }],
} as const;
const WRITTEN = { kind: "written", id: "settings" } as const;
const ADA = { ownerId: "ada" };
const BOB = { ownerId: "bob" };

/**
 * Starts a session and sends the events after which the engine evaluates a script. Returns the outcome of the
 * call.
 */
async function computing(session: EngineSession): Promise<Promise<unknown>[]> {
  await session.start();
  return [
    session.apply(UNTIL_FIRST_VISIT).then(
      () => "replied",
      (error: unknown) => error,
    ),
  ];
}

describe("an engine in a worker", () => {
  test("answers as it does in this thread, from the start and from a kept state", async () => {
    const [remote, near] = await Promise.all(
      [workerRuntime({ module: MODULE }), inProcessRuntime(surveyEngine, evaluateTiny)].map((host) =>
        host.open(surveyOf({})),
      ),
    );
    expect(await remote!.start()).toEqual(await near!.start());
    const kept = await remote!.state();
    expect(kept).toEqual(await near!.state());
    const answers = await near!.apply([LOOKED, READ, WRITTEN]);
    expect(await remote!.apply([LOOKED, READ, WRITTEN])).toEqual(answers);
    await remote!.restore(kept);
    expect(await remote!.apply([LOOKED, READ, WRITTEN])).toEqual(answers);
    expect(await remote!.graph()).toEqual(await near!.graph());
    await remote!.close();
  });

  test("answers many events in one call, in order", async () => {
    const session = await workerRuntime({ module: MODULE }).open(surveyOf({}));
    await session.start();
    const unknown = Array.from({ length: 60 }, (_, n) => ({ ...WRITTEN, id: `unknown ${n}` }));
    const answers = await session.apply([LOOKED, READ, ...unknown, WRITTEN]);
    expect(answers).toHaveLength(63);
    expect(answers.findIndex((instructions) => instructions.length > 0)).toBe(62);
    await session.close();
  });

  test("reports the processor time of its calls once, also of a call that was not finished", async () => {
    const session = await workerRuntime({ module: MODULE, maxCallMs: 500 }).open(
      surveyOf({ script: "forever" }),
    );
    expect(await (await computing(session))[0]).toMatchObject({ name: "EngineFailure" });
    expect(session.takeUsedMs()).toBeGreaterThanOrEqual(500);
    expect(session.takeUsedMs()).toBe(0);
  });

  test("is in a process that starts with the first run and ends after the last", async () => {
    const host = workerRuntime({ module: MODULE, idleMs: 50, maxWorkers: 2 });
    const before = await childrenOf(process.pid);
    const sessions = [];
    for (let n = 1; n <= 5; n += 1) {
      sessions.push(await host.open(surveyOf({})));
      expect(await childrenOf(process.pid)).toHaveLength(before.length + Math.min(n, 2));
    }
    await Promise.all(sessions.map((session) => session.close()));
    await untilChildren((pids) => pids.length === before.length);
    const late = await host.open(surveyOf({}));
    expect(await late.start()).toHaveLength(4);
    await late.close();
  });

  test("is ended if it computes only for a run that has left, and another user does not wait for it", async () => {
    const host = workerRuntime({ module: MODULE, maxWorkers: 1, idleMs: 60_000 });
    const before = new Set(await childrenOf(process.pid));
    const greedy = await host.open(surveyOf({ script: "forever" }), ADA);
    const [pid] = (await childrenOf(process.pid)).filter((one) => !before.has(one));
    const [outcome] = await computing(greedy);
    const other = await host.open(surveyOf({}), BOB);
    expect(await other.start()).toHaveLength(4);
    expect(host.waitingRuns?.()).toEqual([]);
    await greedy.close();
    expect(await outcome).toBeInstanceOf(SessionLost);
    await until(() => isGone(pid!));
    expect(await other.apply(UNTIL_FIRST_VISIT)).toHaveLength(5);
    await other.close();
  });

  test("names the runs waiting for another user's run, and is ended for the runs if the other run leaves", async () => {
    const host = workerRuntime({ module: MODULE, maxWorkersOfAll: 1 });
    const greedy = await host.open(surveyOf({ script: "forever" }), ADA);
    const [outcome] = await computing(greedy);
    const input = surveyOf({});
    const bobs = { ...input, run: { ...input.run, id: "bob's" } };
    const waiting = host.open(bobs, BOB).catch((error: unknown) => error);
    expect(host.waitingRuns?.()).toEqual(["bob's"]);
    await greedy.close();
    expect([await outcome, await waiting]).toEqual([expect.any(SessionLost), expect.any(SessionLost)]);
    const again = await host.open(bobs, BOB);
    expect(await again.start()).toHaveLength(4);
    await again.close();
  });

  test("continues for the other runs if one leaves during a short call", async () => {
    const host = workerRuntime({ module: MODULE, maxWorkers: 1 });
    const [slow, other] = [
      await host.open(surveyOf({ script: "slow" }), ADA),
      await host.open(surveyOf({}), ADA),
    ];
    const [outcome] = await computing(slow);
    await slow.close();
    expect(await other.start()).toHaveLength(4);
    expect(await outcome).toBe("replied");
    await other.close();
  });

  test("forgets a run that is no longer wanted before it is open", async () => {
    const host = workerRuntime({ module: MODULE, maxWorkersOfAll: 1 });
    const greedy = await host.open(surveyOf({ script: "forever" }), ADA);
    const [outcome] = await computing(greedy);
    const leaving = new AbortController();
    const opening = host.open(surveyOf({}), { ...BOB, signal: leaving.signal });
    leaving.abort();
    await expect(opening).rejects.toThrow(SessionLost);
    await greedy.close();
    expect(await outcome).toBeInstanceOf(SessionLost);
  });

  test("ends with the server, even during an endless computation", { timeout: 20_000 }, async () => {
    const file = new URL("./engine-that-hangs.ts", import.meta.url).pathname;
    const server = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => server.stdout.once("data", resolve));
    const [worker] = await childrenOf(server.pid!);
    server.kill("SIGKILL");
    await until(() => isGone(worker!));
  });
});

async function untilChildren(is: (pids: readonly number[]) => boolean): Promise<void> {
  await until(async () => is(await childrenOf(process.pid)));
}

async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Returns whether a process has ended. A zombie counts as ended. */
async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat === undefined || stat.includes(") Z ");
}
