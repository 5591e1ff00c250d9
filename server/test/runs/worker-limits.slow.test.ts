import { describe, expect, test } from "vitest";
import { EngineFailure } from "#runner/engine/engine-runtime";
import { workerRuntime } from "#runner/engine/worker-runtime";
import { childrenOf } from "../support/child-processes.ts";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { hastyClock } from "../support/fakes/hasty-clock.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";
import { surveyOf, surveySpecification } from "../support/engines/surveys.ts";
import type { Specification } from "#workflow/specification/specification";

const MODULE = new URL("./survey-module.ts", import.meta.url);
/** A survey whose job leaves no folder of the run. The engine lists the missing folder at the end. */
const MODEST = surveySpecification({ when: "false" });
const MODEST_END = {
  status: "failed",
  failure: expect.stringMatching(/^cwl\/\d+ does not exist\.$/) as string,
};

describe("runs whose engine is in a worker", { timeout: 60_000 }, () => {
  let backend: FakeBackend;
  let fixture: RunFixture;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened), {
    // A retry after half a second happens soon with this clock.
    clock: () => hastyClock(50),
  });

  const serve = (host: ReturnType<typeof workerRuntime>) =>
    fixture
      .server({ engines: [{ language: "cwl", readsDocuments: true, runtime: host }], maxRunsAtOnce: 100 })
      .start();

  const queueModest = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1)
      ids.push(await fixture.queueSpecification(MODEST, { "list.txt": `${n}\n` }));
    return ids;
  };

  /**
   * Ends all jobs as they start, until the runs have ended as expected. Each job must have been started once.
   */
  const expectModestEnds = async (ids: readonly string[]) => {
    for (const [index] of ids.entries()) backend.end(await backend.startedJob(index));
    for (const id of ids) expect(await fixture.until(id, isOver)).toMatchObject(MODEST_END);
    expect(backend.scripts.toSorted()).toEqual(ids.map((_, n) => `visit ${n}`).toSorted());
  };

  test.each([
    ["objects", 60_000, "The workflow engine needed more than 64 MB of memory."],
    ["numbers", 60_000, "The workflow engine needed more than 64 MB of memory."],
    ["map", 60_000, "The workflow engine needed more than 64 MB of memory."],
    ["forever", 4000, "The workflow engine computed for more than 4 s without a result."],
    ["backtracking", 4000, "The workflow engine computed for more than 4 s without a result."],
    [
      "large script",
      60_000,
      expect.stringMatching(
        /^The workflow engine stopped with an error: it answered with 2\d{6} characters at once; at most 500000 are allowed$/,
      ),
    ],
  ])(
    "a run that needs too much (%s) fails, and 20 other runs continue",
    async (script, maxCallMs, failure) => {
      const limits = { maxMemoryMb: 64, maxCallMs, maxReplyChars: 500_000 };
      const host = workerRuntime({ module: MODULE, ...limits, maxWorkers: 2 });
      const greedy = await fixture.queueSpecification(surveySpecification({ script }), {
        "list.txt": "one\n",
      });
      const modest = await queueModest(20);
      await serve(host);
      expect(await fixture.until(greedy, isOver)).toMatchObject({ status: "failed", failure });
      await expectModestEnds(modest);
      expect(fixture.errors).toEqual([]);
    },
  );

  test("one that computes for long in slices may take longer than a call", async () => {
    const host = workerRuntime({ module: MODULE, maxCallMs: 4000 });
    const lines = Array.from({ length: 50 }, (_, n) => `${n}\n`).join("");
    const patient = surveySpecification({ script: "slow", when: "false" });
    const id = await fixture.queueSpecification(patient, { "list.txt": lines });
    await serve(host);
    for (let index = 0; index < 50; index += 1) backend.end(await backend.startedJob(index));
    expect(await fixture.until(id, isOver)).toMatchObject(MODEST_END);
  });

  test.each([1, 2, 3, 5, 8, 13, 21])(
    "all continue if their processes are killed after call %i, and no job is started twice",
    async (at) => {
      const host = workerRuntime({ module: MODULE, maxWorkers: 2 });
      const before = new Set(await childrenOf(process.pid));
      let calls = 0;
      const killing = async <Result>(call: Promise<Result>): Promise<Result> => {
        // Rejects while the children are listed, if its process has ended before.
        call.catch(() => undefined);
        calls += 1;
        if (calls % 25 !== at) return call;
        for (const pid of await childrenOf(process.pid)) if (!before.has(pid)) process.kill(pid, "SIGKILL");
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

describe("questions to an engine in a worker", { timeout: 60_000 }, () => {
  const { parameters, options } = surveyOf({});
  const question = (specification: unknown) => ({
    specification: { workflow: { type: "cwl", specification } } as Specification,
    parameters,
    options,
  });

  test("a slow question is refused; other questions, and runs, do not notice", async () => {
    const host = workerRuntime({ module: MODULE, maxCallMs: 3000 });
    const run = await host.open(surveyOf({}));
    const endless = host.questionsOf("ada").check(question("forever"));
    const others = Array.from({ length: 5 }, () => host.questionsOf("ada").check(question({})));
    await expect(endless).rejects.toThrow(
      new EngineFailure("The workflow engine computed for more than 3 s without a result."),
    );
    expect(await Promise.all(others)).toEqual(others.map(() => []));
    expect(await run.start()).toHaveLength(4);
    await run.close();
  });

  test("a question that waits for a processor longer than the limit on computing is answered", async () => {
    const host = workerRuntime({ module: MODULE, maxCallMs: 2000 });
    expect(await host.questionsOf("ada").check(question("asleep"))).toEqual([]);
  });

  test("one of a user is answered while the process of another user computes", async () => {
    const host = workerRuntime({ module: MODULE, maxCallMs: 3000 });
    const order: string[] = [];
    const endless = host
      .questionsOf("ada")
      .check(question("forever"))
      .catch(() => void order.push("ada"));
    await host.questionsOf("bob").check(question({}));
    order.push("bob");
    await endless;
    expect(order).toEqual(["bob", "ada"]);
  });
});
