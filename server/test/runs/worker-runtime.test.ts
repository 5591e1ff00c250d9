import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { runsOnFakeBackend } from "../support/runs-on-fake-backend.ts";
import { inProcessRuntime } from "#runner/engine-runtime";
import { workerRuntime } from "#runner/worker-runtime";
import type { FakeBackend } from "../support/fake-backend.ts";
import { hastyClock } from "../support/hasty-clock.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";
import { surveyEngine } from "../support/survey-engine.ts";
import { surveyOf, surveySpecification } from "../support/surveys.ts";
import { evaluateTiny } from "../support/tiny-expressions.ts";

const MODULE = new URL("./survey-module.ts", import.meta.url);
const READ = { kind: "read", id: "list", text: "a\nb\n", bytes: 4 } as const;
const LOOKED = {
  kind: "looked",
  id: "look",
  files: [{ path: "list.txt", kind: "file", bytes: 4 }],
} as const;
const WRITTEN = { kind: "written", id: "settings" } as const;
/** A survey whose job leaves no folder of the run, which the engine lists at the end. */
const MODEST = surveySpecification({ when: "false" });
const MODEST_END = {
  status: "failed",
  failure: expect.stringMatching(/^cwl\/\d+ does not exist\.$/) as string,
};

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
    const before = await children();
    const sessions = [];
    for (let n = 1; n <= 5; n += 1) {
      sessions.push(await host.open(surveyOf({})));
      expect(await children()).toHaveLength(before.length + Math.min(n, 2));
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
    const [worker] = await children(server.pid);
    server.kill("SIGKILL");
    await until(async () => (await maybeText(`/proc/${worker}/stat`)) === undefined);
  });
});

describe("runs whose engine is in a worker", { timeout: 30_000 }, () => {
  let backend: FakeBackend;
  let fixture: RunFixture;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened), {
    // A retry after half a second happens soon with this clock.
    clock: () => hastyClock(50),
  });

  const serve = (host: ReturnType<typeof workerRuntime>) =>
    fixture.server({ engines: [{ engine: surveyEngine, runtime: host }], maxRunsAtOnce: 100 }).start();

  const queueModest = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1)
      ids.push(await fixture.queueSpecification(MODEST, { "list.txt": `${n}\n` }));
    return ids;
  };

  /** Ends all jobs as they come, until these runs have ended as they should, each job having been started once. */
  const expectModestEnds = async (ids: readonly string[]) => {
    for (const [index] of ids.entries()) backend.end(await backend.startedJob(index));
    for (const id of ids) expect(await fixture.until(id, isOver)).toMatchObject(MODEST_END);
    expect(backend.scripts.toSorted()).toEqual(ids.map((_, n) => `visit ${n}`).toSorted());
  };

  test.each([
    ["objects", 60_000, "The workflow engine needed more than 64 MB of memory."],
    ["numbers", 60_000, "The workflow engine needed more than 64 MB of memory."],
    ["map", 60_000, "The workflow engine needed more than 64 MB of memory."],
    ["forever", 1000, "The workflow engine computed for more than 1 s without a result."],
    ["backtracking", 1000, "The workflow engine computed for more than 1 s without a result."],
    [
      "large script",
      60_000,
      expect.stringMatching(
        /^The workflow engine stopped with an error: it answered with 2\d{6} characters at once; at most 500000 are allowed$/,
      ),
    ],
  ])("one that needs too much (%s) fails, and the 20 others continue", async (script, maxCallMs, failure) => {
    const limits = { maxMemoryMb: 64, maxCallMs, maxReplyChars: 500_000 };
    const host = workerRuntime({ module: MODULE, ...limits, maxWorkers: 2 });
    const greedy = await fixture.queueSpecification(surveySpecification({ script }), { "list.txt": "one\n" });
    const modest = await queueModest(20);
    await serve(host);
    expect(await fixture.until(greedy, isOver)).toMatchObject({ status: "failed", failure });
    await expectModestEnds(modest);
    expect(fixture.errors).toEqual([]);
  });

  test.each([1, 2, 3, 5, 8, 13, 21])(
    "all continue if their processes are killed after call %i, and no job is started twice",
    async (at) => {
      const host = workerRuntime({ module: MODULE, maxWorkers: 2 });
      const before = new Set(await children());
      let calls = 0;
      const killing = async <Result>(call: Promise<Result>): Promise<Result> => {
        calls += 1;
        if (calls % 25 !== at) return call;
        for (const pid of await children()) if (!before.has(pid)) process.kill(pid, "SIGKILL");
        return call;
      };
      const modest = await queueModest(6);
      await serve({
        ...host,
        async open(input) {
          const session = await killing(host.open(input));
          return {
            ...session,
            start: () => killing(session.start()),
            apply: (events) => killing(session.apply(events)),
            restore: (state) => killing(session.restore(state)),
          };
        },
      });
      await expectModestEnds(modest);
    },
  );
});

/** Returns the ids of the direct children of a process. */
async function children(pid = process.pid): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

async function untilChildren(is: (pids: readonly number[]) => boolean): Promise<void> {
  await until(async () => is(await children()));
}

async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function maybeText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}
