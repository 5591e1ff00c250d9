import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { inProcessRuntime } from "#runner/engine/engine-runtime";
import { workerRuntime } from "#runner/engine/worker-runtime";
import { childrenOf } from "../support/child-processes.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { surveyOf } from "../support/engines/surveys.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

const MODULE = new URL("./survey-module.ts", import.meta.url);
const READ = { kind: "read", id: "list", text: "a\nb\n", bytes: 4 } as const;
const LOOKED = {
  kind: "looked",
  id: "look",
  files: [{ path: "list.txt", kind: "file", bytes: 4 }],
} as const;
const WRITTEN = { kind: "written", id: "settings" } as const;
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

  test("ends with its server, even if it computes for ever", { timeout: 20_000 }, async () => {
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
