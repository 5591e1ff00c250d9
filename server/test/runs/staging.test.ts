import { readFile, readlink, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runEvents } from "#store/events/run-events";
import { requestStop } from "#store/runs/runs";
import type { Workspace } from "#workspace/workspace";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { isOver, type RunFixture, type ServerChange } from "../support/run-fixture.ts";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";
import { runnable } from "../support/server-parts.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { surveySpecification } from "../support/engines/surveys.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";
import { withVerbs } from "../support/fakes/with-verbs.ts";

const ENGINES: ServerChange = { engines: [runnable(surveyEngine, evaluateTiny)] };
const LIST = { "list.txt": "red\ngreen\nblue\n" };
const STAGES = surveySpecification({ when: "false", stages: true });

describe("runs whose jobs have files put in place", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));

  type Stage = Workspace["stage"];

  /** Replaces the staging. Returns a function that restores the sound staging. */
  function stageBy(stage: (sound: Stage) => Stage): () => void {
    const { workspaces } = fixture;
    const { of } = workspaces;
    Object.assign(
      workspaces,
      withVerbs(workspaces, (workspace) => ({ stage: stage(workspace.stage.bind(workspace)) })),
    );
    return () => void Object.assign(workspaces, { of });
  }

  /** Stages for ever, until aborted. */
  const forEver =
    (begun: string[]): Stage =>
    ({ jobId, signal }) => {
      begun.push(jobId);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    };

  const isThere = (file: string) =>
    stat(file).then(
      () => true,
      () => false,
    );

  test("each job finds its files when it starts, and all traces of staging go with the end", async () => {
    const id = await fixture.queueSpecification(STAGES, LIST);
    await fixture.server(ENGINES).start();
    await backend.startedJob(2);
    const folder = backend.folders[0]!;
    for (const index of [0, 1, 2]) {
      const own = path.join(folder, `cwl/1/visit/${index}`);
      expect(await readlink(path.join(own, "in/list"))).toBe("../../../../../list.txt");
      expect(await readFile(path.join(own, "own"), "utf8")).toBe(LIST["list.txt"]);
      expect(await readFile(path.join(own, "run"), "utf8")).toMatch(/^visit \w+\n$/);
    }
    const kept = path.join(path.dirname(folder), `.staging-${path.basename(folder)}`);
    expect(await isThere(path.join(kept, backend.started[0]!))).toBe(true);
    backend.end(backend.started[0]!, { exitCode: 3 });
    await expect.poll(() => isThere(path.join(kept, backend.started[0]!))).toBe(false);
    for (const job of backend.started) backend.end(job);
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", jobsFinished: 3 });
    await expect.poll(() => isThere(kept)).toBe(false);
  });

  test("success codes are judged once, and recorded with the end", async () => {
    const id = await fixture.queueSpecification(STAGES, { "list.txt": "red\n" });
    await fixture.server(ENGINES).start();
    backend.end(await backend.startedJob(0), { exitCode: 3 });
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "finished",
      jobsFinished: 1,
      jobsFailed: 0,
    });
    const ended = (await runEvents(fixture.db, id)).find(({ kind }) => kind === "job-ended");
    expect(ended!.body).toMatchObject({ end: { exitCode: 3, isSuccess: true } });
  });

  test("a stop waits for no copy, and what is staged too late starts nothing", async () => {
    const begun: string[] = [];
    stageBy(() => forEver(begun));
    const id = await fixture.queueSpecification(STAGES, LIST);
    const server = fixture.server(ENGINES);
    await server.start();
    await expect.poll(() => begun.length).toBe(3);
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, 60_000);
    expect(await fixture.run(id)).toMatchObject({ status: "stopped", jobsRunning: 0 });
    expect(backend.started).toEqual([]);
  });

  test("other jobs continue during the staging of a job", async () => {
    let release!: () => void;
    const slow = new Promise<void>((resolve) => (release = resolve));
    stageBy((sound) => async (request) => {
      if (request.entries.some(({ at }) => at.includes("visit/0"))) await slow;
      await sound(request);
    });
    const id = await fixture.queueSpecification(STAGES, LIST);
    await fixture.server(ENGINES).start();
    for (const index of [0, 1]) backend.end(await backend.startedJob(index));
    await fixture.until(id, ({ jobsFinished }) => jobsFinished === 2);
    release();
    backend.end(await backend.startedJob(2));
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", jobsFinished: 3 });
  });

  test("a server that goes away while it stages leaves the rest to the next", async () => {
    const begun: string[] = [];
    const restore = stageBy(() => forEver(begun));
    const id = await fixture.queueSpecification(STAGES, LIST);
    const server = fixture.server(ENGINES);
    await server.start();
    await expect.poll(() => begun.length).toBe(3);
    await server.close({ stopJobs: false });
    restore();
    await fixture.server(ENGINES).start();
    await backend.startedJob(2);
    for (const job of backend.started) backend.end(job);
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", jobsFinished: 3 });
    expect(backend.started.toSorted()).toEqual(begun.toSorted());
  });

  test("a disk that fails for the moment only delays the job", async () => {
    let failures = 2;
    stageBy((sound) => async (request) => {
      if (failures-- > 0) throw new Error("The disk does not answer, on purpose.");
      await sound(request);
    });
    const id = await fixture.queueSpecification(STAGES, { "list.txt": "red\n" });
    await fixture.server(ENGINES).start();
    backend.end(await backend.startedJob(0));
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished" });
    expect(failures).toBeLessThan(0);
  });
});
