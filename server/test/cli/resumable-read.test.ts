import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { connect } from "reprise-sdk";
import { afterAll, afterEach, expect, test } from "vitest";
import { runsOverHttp } from "#cli/run/service/runs-over-http";
import { apiFixture } from "../support/api-fixture.ts";
import { roughProxy } from "./rough-proxy.ts";
import { createRun, T } from "../support/run-rows.ts";

/** Tests of the outputs that `reprise run` downloads from a live server. */
const api = await apiFixture();
const proxy = await roughProxy(await api.listen());
const ada = await api.makeUser();
const { id } = await createRun(api, ada, "w");
const upload = (payload: string) =>
  api.inject({ method: "POST", url: `/api/workflows/w/workspace?file_name=out.txt&${T(ada)}`, payload });
afterAll(async () => {
  await proxy.close();
  await api.close();
  await rm(folder, { recursive: true });
});

const CONTENT = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join("");
let betweenRequests = async () => undefined as void;
const client = connect({
  url: proxy.url,
  token: ada.token,
  retryPausesMs: [0, 0],
  async fetch(request) {
    await betweenRequests();
    return fetch(request);
  },
});
const runs = runsOverHttp(client);
const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-read-on-"));
const target = path.join(folder, "out.txt");
async function read(): Promise<string> {
  await rm(target, { force: true });
  await runs.fetch(id, "out.txt", target, () => undefined);
  return readFile(target, "utf8");
}

afterEach(() => {
  betweenRequests = async () => undefined;
});

test("a file continues where its connection broke, again and again", async () => {
  await upload(CONTENT);
  proxy.fate((count) => (count <= 4 ? "cut" : "pass"));
  expect(await read()).toBe(CONTENT);
  expect(proxy.requests()).toBe(5);
});

test("an empty file is empty", async () => {
  await upload("");
  proxy.fate(() => "pass");
  expect(await read()).toBe("");
});

test("a file that was replaced half-way is not assembled from two versions", async () => {
  await upload(CONTENT);
  proxy.fate((count) => (count === 1 ? "cut" : "pass"));
  betweenRequests = async () => {
    if (proxy.requests() === 1) await upload(CONTENT.toUpperCase());
  };
  await expect(read()).rejects.toThrow("terminated");
  expect(proxy.requests()).toBe(2);
});

test("a silent connection is given up", async () => {
  await upload(CONTENT);
  proxy.fate((count) => (count === 1 ? "cut" : "drop"));
  await expect(read()).rejects.toThrow("could not be reached");
});
