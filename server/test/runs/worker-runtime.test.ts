import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inProcessRuntime } from "#runner/engine-runtime";
import { workerRuntime } from "#runner/worker-runtime";
import type { Run } from "#store/runs/runs";
import { isLive } from "#workflow/run-status";
import { type FakeBackend, fakeBackend } from "../support/fake-backend.ts";
import { type RunFixture, runFixture } from "../support/run-fixture.ts";
import { surveyEngine } from "../support/survey-engine.ts";
import { surveyOf, surveySpecification } from "../support/surveys.ts";
import { evaluateTiny } from "../support/tiny-expressions.ts";

const isOver = (run: Run) => !isLive(run.status);
const MODULE = new URL("./survey-module.ts", import.meta.url);
const READ = { kind: "read", id: "list", text: "a\nb\n", bytes: 4 } as const;
const WRITTEN = { kind: "written", id: "settings" } as const;

describe("an engine in a worker", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;

  beforeEach(async () => {
    backend = fakeBackend();
    fixture = await runFixture(backend);
  });

  afterEach(() => fixture.close());

  test("answers as it does in this thread, from the start and from a kept state", async () => {
    const [remote, near] = await Promise.all(
      [workerRuntime({ module: MODULE }), inProcessRuntime(surveyEngine, evaluateTiny)].map((host) =>
        host.open(surveyOf({})),
      ),
    );
    expect(await remote!.start()).toEqual(await near!.start());
    const kept = await remote!.state();
    expect(kept).toEqual(await near!.state());
    const answers = await near!.apply([READ, WRITTEN]);
    expect(await remote!.apply([READ, WRITTEN])).toEqual(answers);
    await remote!.restore(kept);
    expect(await remote!.apply([READ, WRITTEN])).toEqual(answers);
    expect(await remote!.graph()).toEqual(await near!.graph());
    await remote!.close();
  });

  test("drives runs side by side to their ends", async () => {
    const host = workerRuntime({ module: MODULE });
    const specification = surveySpecification({ when: "false" });
    const ids = [
      await fixture.queueSpecification(specification, { "list.txt": "one\n" }),
      await fixture.queueSpecification(specification, { "list.txt": "two\n" }),
    ];
    await fixture.server({ engines: [{ engine: surveyEngine, runtime: host }] }).start();
    for (const index of [0, 1]) backend.end(await backend.startedJob(index));
    for (const [index, id] of ids.entries()) {
      // The jobs left no folder of the run, which the engine lists at the end.
      expect(await fixture.until(id, isOver)).toMatchObject({
        status: "failed",
        failure: `cwl/${index + 1} does not exist.`,
      });
    }
    expect([...backend.scripts].sort()).toEqual(["visit one", "visit two"]);
  });

  test("a run whose expression needs too much memory fails, and the next one continues", async () => {
    const host = workerRuntime({ module: MODULE, maxMemoryMb: 32 });
    const greedy = await fixture.queueSpecification(surveySpecification({ script: "everything" }), {
      "list.txt": "one\n",
    });
    const server = fixture.server({ engines: [{ engine: surveyEngine, runtime: host }] });
    await server.start();
    expect(await fixture.until(greedy, isOver)).toMatchObject({
      status: "failed",
      failure: "The workflow engine needed more than 32 MB of memory.",
    });
    const modest = await fixture.queueSpecification(surveySpecification(), { "list.txt": "\n" });
    server.operations.scheduler.wake();
    expect(await fixture.until(modest, isOver)).toMatchObject({ status: "finished" });
  });
});
