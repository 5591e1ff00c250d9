import { mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";
import { jobsOfRun } from "#store/jobs/jobs";
import { drawingOf, nodesOfRun } from "#store/jobs/run-nodes";
import { runEvents } from "#store/events/run-events";
import { maybeRunOutputs } from "#store/runs/run-outputs";
import { requestStop } from "#store/runs/runs";
import { NO_JOBS } from "#workflow/graph";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { isOver, type RunFixture, type ServerChange } from "../support/run-fixture.ts";
import { runnable } from "../support/server-parts.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { surveySpecification } from "../support/engines/surveys.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

const ENGINES: ServerChange = { engines: [runnable(surveyEngine, evaluateTiny)] };
const LIST = { "list.txt": "red\ngreen\nblue\n" };
const SHA256_OF_RED = "b1f51a511f1da0cd348b8f8598db32e61cb963e5fc69e2b41485bf99590ed75a";

describe("runs whose engine looks at files, scatters, decides and publishes", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));

  /** Writes the output of the n-th job and ends it. */
  async function complete(index: number, folder: string, text?: string): Promise<void> {
    const id = await backend.startedJob(index);
    if (text !== undefined) {
      const output = path.join(backend.folders[index]!, folder);
      await mkdir(output, { recursive: true });
      await writeFile(path.join(output, "made.txt"), text);
    }
    backend.end(id);
  }

  async function visitAll(): Promise<void> {
    await complete(1, "cwl/1/visit/1", "green");
    await complete(0, "cwl/1/visit/0", "red");
    await complete(2, "cwl/1/visit/2", "blue");
  }

  const kindsOf = async (id: string) => (await runEvents(fixture.db, id)).map((event) => event.kind);

  test("a run leads from a list to published outputs", async () => {
    const id = await fixture.queueSpecification(surveySpecification(), LIST);
    await fixture.server(ENGINES).start();
    await visitAll();
    await complete(3, "cwl/1/nested/prepare");
    await complete(4, "cwl/1/nested/summarise", "all");
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "finished",
      jobsTotal: 5,
      jobsFinished: 5,
      jobsRunning: 0,
    });
    expect(backend.scripts).toEqual(["visit red", "visit green", "visit blue", "echo prepare", "echo all"]);
    expect(await maybeRunOutputs(fixture.db, id)).toEqual({
      files: [
        expect.objectContaining({ path: "results/cwl-1-nested-summarise-made.txt", bytes: 3 }),
        { path: "results/cwl-1-visit-0-made.txt", bytes: 3, algorithm: "sha256", digest: SHA256_OF_RED },
        expect.objectContaining({ path: "results/cwl-1-visit-1-made.txt", bytes: 5 }),
        expect.objectContaining({ path: "results/cwl-1-visit-2-made.txt", bytes: 4 }),
      ],
      // SHA-1 of "all", "blue", "green" and "red", with the first four bytes of each.
      told: [
        "all d87c448044defb778f33158d8ccf94a20531d600",
        "blue 4c9a82ce72ca2519f38d0af0abbb4cecb9fceca9",
        "gree bc74f4f071a5a33f00ab88a6d6385b5e6638b86c",
        "red 78988010b890ce6f4d2136481f392787ec6d6106",
      ],
    });
    expect(await drawingOf(fixture.db, id)).toMatchObject({
      nodes: [
        { id: "nested/prepare", parent: "nested" },
        { id: "nested/summarise", parent: "nested" },
      ],
      edges: [{ from: "nested/prepare", to: "nested/summarise" }],
    });
    expect(await nodesOfRun(fixture.db, id)).toEqual([
      { node: "nested/prepare", mark: null, counts: { ...NO_JOBS, finished: 1 } },
      { node: "nested/summarise", mark: null, counts: { ...NO_JOBS, finished: 1 } },
      { node: "visit", mark: "finished", counts: { ...NO_JOBS, finished: 3 } },
    ]);
    const folder = backend.folders[0]!;
    expect(await readFile(path.join(folder, "results/cwl-1-visit-1-made.txt"), "utf8")).toBe("green");
    expect(await readFile(path.join(folder, "settings.json"), "utf8")).toContain('"list":"list.txt"');
    const kinds = await kindsOf(id);
    expect(kinds.slice(0, 2)).toEqual(["start", "begun"]);
    expect(kinds.slice(2, 5).sort()).toEqual(["looked", "read", "written"]);
    expect(kinds.filter((kind) => kind === "job-ended")).toHaveLength(5);
    expect(kinds.slice(-3)).toEqual(["listed", "checksummed", "published"]);
  });

  test("the condition decides whether the nested workflow runs", async () => {
    const specification = surveySpecification({ when: '["more",["get","count"],5]' });
    const id = await fixture.queueSpecification(specification, LIST);
    await fixture.server(ENGINES).start();
    await visitAll();
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", jobsFinished: 3 });
  });

  test("the engine knows the path of the workspace", async () => {
    const specification = surveySpecification({ script: '["join",["get","folder"],"/",["get","item"]]' });
    await fixture.queueSpecification(specification, LIST);
    await fixture.server(ENGINES).start();
    await backend.startedJob(2);
    expect(backend.scripts).toEqual(["red", "green", "blue"].map((item) => `${backend.folders[0]}/${item}`));
  });

  test("a file that cannot be read fails the run with the reason", async () => {
    const id = await fixture.queueSpecification(surveySpecification());
    await fixture.server(ENGINES).start();
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "failed",
      failure: expect.stringMatching(/^list.txt (does not exist|is no file)\.$/) as string,
    });
  });

  test("no file outside the workspace can be read", async () => {
    const id = await fixture.queueSpecification(surveySpecification({ list: "../../secret" }));
    await fixture.server(ENGINES).start();
    expect(await fixture.until(id, isOver)).toMatchObject({
      status: "failed",
      failure: "'..' is not a valid path component",
    });
  });

  test("when one of many jobs fails, the others are ended before the run is over", async () => {
    const id = await fixture.queueSpecification(surveySpecification(), LIST);
    await fixture.server(ENGINES).start();
    await backend.startedJob(2);
    backend.end(backend.started[1]!, { exitCode: 4 });
    const run = await fixture.until(id, isOver);
    expect(run).toMatchObject({ status: "failed", jobsRunning: 0, jobsFailed: 1 });
    expect(run.failure).toBe("Job visit/1 failed: its command exited with code 4.");
    expect(backend.runningJobs()).toBe(0);
    const jobs = await jobsOfRun(fixture.db, id);
    expect(jobs.map((job) => job.status)).toEqual(["stopped", "failed", "stopped"]);
    expect((await kindsOf(id)).slice(-2)).toEqual(["job-ended", "ended"]);
  });

  test("a stop ends all jobs in flight", async () => {
    const id = await fixture.queueSpecification(surveySpecification(), LIST);
    const server = fixture.server(ENGINES);
    await server.start();
    await backend.startedJob(2);
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, 60_000);
    expect(await fixture.run(id)).toMatchObject({ status: "stopped", jobsRunning: 0 });
    expect(backend.runningJobs()).toBe(0);
  });

  test("a stop breaks off the reading of a file, however large it is", async () => {
    const id = await fixture.queueSpecification(surveySpecification({ when: "false" }), {
      "list.txt": "red\n",
    });
    const server = fixture.server(ENGINES);
    await server.start();
    const job = await backend.startedJob(0);
    const huge = path.join(backend.folders[0]!, "cwl/1/visit/0/huge");
    await mkdir(path.dirname(huge), { recursive: true });
    await writeFile(huge, "");
    await truncate(huge, 2 ** 40);
    backend.end(job);
    await expect.poll(() => kindsOf(id)).toContain("listed");
    await requestStop(fixture.db, id, 5);
    await server.operations.scheduler.stop(id, 60_000);
    expect(await fixture.run(id)).toMatchObject({ status: "stopped" });
  });

  test("simultaneous ends are recorded in a single moment", async () => {
    const list = Array.from({ length: 40 }, (_, index) => `item ${index}\n`).join("");
    const id = await fixture.queueSpecification(surveySpecification({ when: "false" }), { "list.txt": list });
    await fixture.server(ENGINES).start();
    await backend.startedJob(39);
    for (const job of backend.started) backend.end(job);
    expect(await fixture.until(id, isOver)).toMatchObject({ jobsFinished: 40 });
    const ends = (await runEvents(fixture.db, id)).filter((event) => event.kind === "job-ended");
    expect(ends).toHaveLength(40);
  });

  test("a run ends the same if the server goes away after each event", async () => {
    const change = { ...ENGINES, snapshotEveryEvents: 2 };
    const id = await fixture.queueSpecification(surveySpecification(), LIST);
    const outputs = [
      ["cwl/1/visit/0", "red"],
      ["cwl/1/visit/1", "green"],
      ["cwl/1/visit/2", "blue"],
      ["cwl/1/nested/prepare"],
      ["cwl/1/nested/summarise", "all"],
    ];
    for (const [index, [folder, text]] of outputs.entries()) {
      const server = fixture.server(change);
      await server.start();
      await complete(index, folder!, text);
      await server.close({ stopJobs: false });
    }
    await fixture.server(change).start();
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", jobsFinished: 5 });
    expect(backend.scripts).toHaveLength(5);
    expect((await maybeRunOutputs(fixture.db, id))!["files"]).toHaveLength(4);
  });
});
