import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { openDataSource } from "#sources/data/open-data";
import { apiFixture } from "../../support/api-fixture.ts";
import { dataServer, refuseWith } from "../../support/fakes/data-server.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import {
  changeStatus,
  type CreatedRun,
  createRun,
  refusalRows,
  serial,
  T,
  untilStatus,
} from "../../support/run-rows.ts";
import { workspaceClient } from "../../support/workspace-client.ts";

/** Outputs published after the end of the run. */
const store = await dataServer();
const outputStore = openDataSource({
  httpHosts: [store.host],
  privateHosts: [store.host],
  s3Endpoint: store.address,
  s3Region: "us-east-1",
  clock: systemClock,
});
const api = await apiFixture({ parts: { outputStore } });
afterAll(async () => {
  await api.close();
  await store.close();
});
const ada = await api.makeUser();
const { put, folderOf } = workspaceClient(api, ada);
const DENIED = refuseWith(403, "AccessDenied", "Access Denied.");
const outputs = { files: ["a.csv", "b.csv"], destination: "s3://lab/results" };

async function ended(name: string, status: string, more: object = { outputs }): Promise<CreatedRun> {
  const run = await createRun(api, ada, name, { ...serial(["true"]), ...more });
  for (const file of ["a.csv", "b.csv"]) await put(run, file, file);
  const index = api.backend.started.length;
  await changeStatus(api, ada, run.id, "start");
  api.backend.end(await api.backend.startedJob(index));
  await untilStatus(api, ada, run.id, status);
  return run;
}

const publish = async (run: CreatedRun) =>
  (await api.inject({ method: "POST", url: `/api/workflows/${run.id}/publish-outputs?${T(ada)}` })).json<
    Record<string, unknown>
  >();

describe("outputs are published again", () => {
  test("after a refusal, and only missing outputs are stored", async () => {
    store.fail(() => false, DENIED, DENIED);
    const run = await ended("refused", "failed");
    store.heal();
    const first = store.requests.length;
    store.fail(
      () => false,
      () => false,
      DENIED,
    );
    expect(await publish(run)).toMatchObject({ state: "unpublished", published: 1, total: 2 });
    expect(await publish(run)).toMatchObject({
      state: "published",
      published: 2,
      total: 2,
      folder: `s3://lab/results/${run.id}/`,
      message: `The outputs of refused.1 are published in s3://lab/results/${run.id}/, with the manifest s3://lab/results/${run.id}.json.`,
    });
    const stored = store.requests.slice(first).filter(({ method }) => method === "PUT");
    // An accepted file, a refused file, and the manifest.
    expect(stored).toHaveLength(4);
    const logs = await api.inject({ url: `/api/workflows/${run.id}/logs?${T(ada)}` });
    expect(logs.body).toContain("Published 2 outputs (10 Bytes)");
  });

  test("to a bucket without one of the outputs", async () => {
    const run = await ended("lost", "finished");
    const key = `/lab/results/${run.id}/a.csv`;
    store.remove(key);
    expect(await publish(run)).toMatchObject({ state: "published" });
    expect(store.objects.get(key)!.body.toString()).toBe("a.csv");
  });
});

const plain = await ended("plain", "finished", {});
const changed = await ended("changed", "finished");
await writeFile(path.join(await folderOf(changed), "a.csv"), "other");
const there = await ended("there", "finished");
const waiting = await createRun(api, ada, "waiting", { ...serial(["true"]), outputs });

describe("POST publish-outputs", async () => {
  const url = (address: string) => `/api/workflows/${address}/publish-outputs`;
  const owned = (run: CreatedRun) => `${url(run.id)}?${T(ada)}`;
  await runScenarios(api, [
    ...(await refusalRows(api, "POST", plain, url)),
    {
      name: "a run without a destination",
      method: "POST",
      url: owned(plain),
      status: 409,
      reply: "Workflow plain.1 declares no destination for its outputs.",
    },
    {
      name: "outputs that have changed since the end of the run",
      method: "POST",
      url: owned(changed),
      status: 409,
      reply:
        "Outputs of changed.1 have changed since its end: a.csv. Start the workflow again to publish new outputs.",
    },
    {
      name: "a run that has not begun",
      method: "POST",
      url: owned(waiting),
      status: 409,
      reply: "Workflow waiting.1 is created, and only the outputs of a finished workflow are published.",
    },
    {
      name: "outputs that are there already",
      method: "POST",
      url: owned(there),
      status: 200,
      reply: {
        workflow_id: there.id,
        workflow_name: "there.1",
        state: "published",
        folder: `s3://lab/results/${there.id}/`,
        published: 2,
        total: 2,
        message: `The outputs of there.1 are published in s3://lab/results/${there.id}/, with the manifest s3://lab/results/${there.id}.json.`,
      },
    },
  ]);
});
