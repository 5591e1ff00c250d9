import { writeFile } from "node:fs/promises";
import path from "node:path";
import { connect } from "reprise-sdk";
import { afterAll, beforeEach, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import type { UploadFile } from "#cli/run/service/run-service";
import { runsOverHttp } from "#cli/run/service/runs-over-http";
import { apiFixture } from "../support/api-fixture.ts";
import { serial } from "../support/run-rows.ts";

const MANY = 60;

const api = await apiFixture();
const url = await api.listen();
let folder: string;
let requests: string[];

folderForEach((made) => void (folder = made));

beforeEach(async () => {
  requests = [];
});
afterAll(() => api.close());

async function inputs(): Promise<UploadFile[]> {
  const names = Array.from({ length: MANY }, (_, index) => `data/${index}.txt`);
  const file = path.join(folder, "a.txt");
  await writeFile(file, "content");
  return names.map((name) => ({ name, file, bytes: 7 }));
}

const sending = (signal: AbortSignal) => ({
  signal,
  onBytes: () => undefined,
  onChecked: () => undefined,
  onFile: () => undefined,
});

function service() {
  const counting: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    requests.push(`${request.method} ${new URL(request.url).pathname.split("/").at(-1)}`);
    return fetch(request);
  };
  return runsOverHttp(connect({ url, token: api.admin.token, fetch: counting }));
}

test("many small inputs of a run travel in one request", async () => {
  const runs = service();
  const { id } = await runs.create("fit", serial(["true"]));
  await runs.upload(id, await inputs(), sending(new AbortController().signal));
  expect(requests).toEqual(["POST workflows", "POST files"]);
  expect(await runs.list(id, "data")).toHaveLength(MANY);
});

test("no input is sent after the upload was cancelled", async () => {
  const runs = service();
  const { id } = await runs.create("fit", serial(["true"]));
  const calledOff = AbortSignal.abort(new Error("Ctrl-C"));
  await expect(runs.upload(id, await inputs(), sending(calledOff))).rejects.toThrow("Ctrl-C");
  expect(requests).toEqual(["POST workflows"]);
});

test("a job waiting for an image has not started", async () => {
  const reason = "the image python:3.12 is being pulled";
  api.backend.queueNext(reason);
  const runs = service();
  const { id } = await runs.create("fit", serial(["true"]));
  await runs.start(id, { parameters: {}, options: {} });
  await expect.poll(async () => (await runs.view(id)).waitingFor).toContain(reason);
  expect((await runs.view(id)).jobs).toMatchObject([{ status: "created" }]);
  const [job] = (await runs.view(id)).jobs;
  api.backend.begin(job!.id);
  await expect.poll(async () => (await runs.view(id)).jobs).toMatchObject([{ status: "running" }]);
  api.backend.end(job!.id);
});
