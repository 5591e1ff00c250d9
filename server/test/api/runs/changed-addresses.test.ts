import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { dataParts } from "../../support/data-parts.ts";
import { dataServer, refuseWith } from "../../support/fakes/data-server.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../../support/run-rows.ts";

/** Changes at the addresses of inputs, in the plan of a restart. */
const data = await dataServer();
const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-contents-"));
const api = await apiFixture({ parts: dataParts(data, folder) });
afterAll(async () => {
  await api.close();
  await data.close();
  await rm(folder, { recursive: true });
});
const ada = await api.makeUser();

/** Runs a workflow with these inputs to its end, and returns what the plan of a restart warns of. */
async function ended(name: string, files: readonly string[]): Promise<() => Promise<string>> {
  const run = await createRun(api, ada, name, { ...serial(["true"]), inputs: { files } });
  const index = api.backend.started.length;
  await changeStatus(api, ada, run.id, "start");
  api.backend.end(await api.backend.startedJob(index));
  await untilStatus(api, ada, run.id, "finished");
  return async () => {
    const reply = await api.inject({ url: `/api/workflows/${run.id}/restart-plan?${T(ada)}` });
    return reply.json<{ warning: string }>().warning;
  };
}

test("the plan of a restart names changed inputs", async () => {
  for (const name of ["one.csv", "in/a", "in/b", "in/c"]) data.put(`/bucket/${name}`, name);
  const warning = await ended("changing", ["s3://bucket/one.csv", "s3://bucket/in/"]);
  expect(await warning()).not.toContain("changed at the address");
  data.put("/bucket/one.csv", "other");
  expect(await warning()).toContain(
    "1 input changed at the address after changing.1 had fetched it: s3://bucket/one.csv. " +
      "A restart fetches changed inputs first, and runs the jobs that read them.",
  );
  data.put("/bucket/in/a", "other");
  data.put("/bucket/in/d", "new");
  data.remove("/bucket/in/c");
  expect(await warning()).toContain(
    "4 inputs changed at the address after changing.1 had fetched them: s3://bucket/one.csv, s3://bucket/in/a, " +
      "s3://bucket/in/d and 1 more.",
  );
});

test("the plan of a restart names an address without an answer", async () => {
  data.put("/bucket/one.csv", "one");
  const warning = await ended("refused", ["s3://bucket/one.csv"]);
  data.fail(refuseWith(403, "AccessDenied", "Access Denied."));
  expect(await warning()).toContain(
    "Inputs at addresses could not be checked for changes: s3://bucket/one.csv could not be fetched: " +
      "AccessDenied: Access Denied (status 403).",
  );
});
