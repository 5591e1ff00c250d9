import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { jobsOfRun } from "#store/jobs/jobs";
import { maybeRunOutputs } from "#store/runs/run-outputs";
import { isOver, type RunFixture, type ServerChange } from "../run-fixture.ts";
import type { Scenario } from "./run-scenarios.ts";
import { runnable } from "../server-parts.ts";
import { surveyEngine } from "../engines/survey-engine.ts";
import { surveySpecification } from "../engines/surveys.ts";
import { evaluateTiny } from "../engines/tiny-expressions.ts";
import { withRunVerbs } from "../fakes/with-verbs.ts";

/** Scenarios of questions of an engine, limits of outstanding work, and the number of jobs on a host. */

const SURVEYS: ServerChange = { engines: [runnable(surveyEngine, evaluateTiny)], snapshotEveryEvents: 2 };
const LINES = ["red", "green", "blue", "grey", "pink"];
const LIST = { "list.txt": LINES.map((line) => `${line}\n`).join("") };
const ALL_AT_ONCE = "false";

/**
 * A run uses every request: look, read, write, collect, list page by page, hash and publish. Its outputs show
 * each result.
 */
export const asked: Scenario = async ({ backend, fixture }) => {
  const { workspaces } = fixture;
  const inPages = withRunVerbs(workspaces, (files) => ({
    list: (request) => files.list({ ...request, maxEntries: Math.min(request.maxEntries, 4) }),
  }));
  Object.assign(workspaces, inPages);
  const id = await fixture.queueSpecification(surveySpecification(), LIST);
  await fixture.server(SURVEYS).start();
  const visits = LINES.map((line, index) => [`visit ${line}`, `visit/${index}`] as const);
  const parts = new Map([...visits, ["echo prepare", "nested/prepare"], ["echo all", "nested/summarise"]]);
  for (let index = 0; index < parts.size; index += 1) {
    const job = await backend.startedJob(index);
    // Jobs that are submitted together start in any order.
    const part = parts.get(backend.scripts[index]!)!;
    const folder = path.join(backend.folders[index]!, "cwl/1", part);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "made.txt"), `of ${part}`);
    backend.end(job);
  }
  const run = await fixture.until(id, isOver);
  assert.deepEqual([run.status, run.failure], ["finished", null]);
  const { files, told } = (await maybeRunOutputs(fixture.db, id)) as {
    files: { path: string }[];
    told: string[];
  };
  assert.deepEqual([files.length, told.length], [7, 7]);
  const folder = workspaces.of(run.workspaceId).folder;
  assert.match(await readFile(path.join(folder, "settings.json"), "utf8"), /"list":"list\.txt"/);
  for (const { path: name } of files) {
    const [, part] = /^results\/cwl-1-(.+)-made\.txt$/.exec(name)!;
    const text = await readFile(path.join(folder, name), "utf8");
    assert.equal(text, `of ${part!.replace("-", "/")}`);
  }
};

/** The limit of outstanding jobs and questions is kept with the run, and holds on each server that resumes it. */
export const ownWindow: Scenario = async ({ backend, fixture }) => {
  const id = await fixture.queueSpecification(surveySpecification({ when: ALL_AT_ONCE }), LIST);
  await limitOutstanding(fixture, 3);
  for (const index of LINES.keys()) {
    const server = fixture.server(SURVEYS);
    await server.start();
    const job = await backend.startedJob(index);
    await fixture.until(id, ({ jobsRunning }) => jobsRunning === Math.min(3, LINES.length - index));
    const open = (await jobsOfRun(fixture.db, id)).filter(({ status }) => status === "running");
    assert.equal(open.length, Math.min(3, LINES.length - index));
    await server.close({ stopJobs: false });
    backend.end(job);
  }
  await fixture.server(SURVEYS).start();
  assert.equal((await fixture.until(id, isOver)).jobsFinished, LINES.length);
};

/** Sets the limit of the only run, as its start does. */
async function limitOutstanding({ db }: RunFixture, most: number): Promise<void> {
  await db
    .updateTable("run_definitions")
    .set({ kept_settings: JSON.stringify({ mostOutstanding: most }) })
    .execute();
}

/** A run reads its documents once, at the start. Later changes of the files, or another server, make no difference. */
export const keptModel: Scenario = async ({ backend, fixture }) => {
  const id = await fixture.queueSpecification(surveySpecification({ list: "later.txt" }), {
    ...LIST,
    "later.txt": "one\ntwo\n",
  });
  const model = JSON.stringify(surveySpecification({ when: ALL_AT_ONCE }).workflow.specification);
  await fixture.db.updateTable("run_definitions").set({ model }).execute();
  const first = fixture.server(SURVEYS);
  await first.start();
  await backend.startedJob(LINES.length - 1);
  await first.close({ stopJobs: false });
  await fixture.server(SURVEYS).start();
  for (const index of LINES.keys()) backend.end(await backend.startedJob(index));
  assert.equal((await fixture.until(id, isOver)).jobsFinished, LINES.length);
};

/** A run whose engine exceeds the limit fails by name, before anything is carried out. */
export const tooMuchOutstanding: Scenario = async ({ fixture }) => {
  const id = await fixture.queueSpecification(surveySpecification(), LIST);
  await limitOutstanding(fixture, 2);
  await fixture.server(SURVEYS).start();
  const run = await fixture.until(id, isOver);
  assert.match(
    run.failure ?? "",
    /^The workflow engine has 3 jobs and questions outstanding; the limit of this run is 2\./,
  );
};

/** A host with two cores runs two jobs, and records the third as waiting. */
export const twoCores: Scenario = async ({ backend, fixture }) => {
  const list = { "list.txt": "red\ngreen\nblue\n" };
  const id = await fixture.queueSpecification(surveySpecification({ when: ALL_AT_ONCE }), list);
  await fixture.server({ ...SURVEYS, capacity: { cores: 2, memoryBytes: 1000 } }).start();
  await backend.startedJob(1);
  // The third job is issued in a separate step.
  const statuses = async () => (await jobsOfRun(fixture.db, id)).map(({ status }) => status);
  while ((await statuses()).length < 3) await setTimeout(2);
  assert.deepEqual([await statuses(), backend.runningJobs()], [["running", "running", "created"], 2]);
  for (const index of [0, 1, 2]) backend.end(await backend.startedJob(index));
  assert.equal((await fixture.until(id, isOver)).jobsFinished, 3);
};

/** An attempt has ended completely before the next one begins. */
export const retriedAlone: Scenario = async ({ backend, fixture }) => {
  const specification = { steps: [{ commands: ["a"], retries: 1 }] };
  const id = await fixture.queueSpecification({ workflow: { type: "serial", specification } });
  const ended: string[] = [];
  backend.endLeftovers = async (ids) => void ended.push(...ids);
  await fixture.server().start();
  const first = await backend.startedJob(0);
  backend.end(first, { exitCode: 1 });
  const again = await backend.startedJob(1);
  // A turn that was not recorded repeats the call, which is harmless.
  assert.deepEqual([...new Set(ended)], [first]);
  backend.end(again);
  assert.equal((await fixture.until(id, isOver)).status, "finished");
};
