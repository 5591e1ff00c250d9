import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import {
  ADMIN_TOKEN,
  client,
  type RealServer,
  startRealServer,
  temporaryFolder,
} from "../support/real-server.ts";

let server: RealServer;
let place: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  place = await temporaryFolder();
  server = await startRealServer(path.join(place.folder, "data"));
});
afterAll(async () => {
  await server.kill();
  await place.remove();
});

test("nothing half is left of an export whose server is killed", async () => {
  const run = client(server.url);
  const steps = [{ name: "make", commands: ["head -c 300000000 /dev/urandom > large.bin"] }];
  const document = {
    workflow: { type: "serial", specification: { steps } },
    outputs: { files: ["large.bin"] },
  };
  const { body } = await run.call("POST", "workflows", JSON.stringify(document), "&workflow_name=fit");
  const id = body["workflow_id"] as string;
  await run.setStatus(id, "start");
  await run.ended(id);
  const folder = path.join(place.folder, "taken");
  await mkdir(folder);
  const cli = fakeCli({ environment: { REPRISE_SERVER: server.url, REPRISE_TOKEN: ADMIN_TOKEN } });
  const exported = runCli(["export", "fit", "-o", path.join(folder, "fit.zip")], cli);
  await expect.poll(() => readdir(folder)).not.toEqual([]);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.fit\.zip\..*\.part$/)]);
  await server.kill();
  expect(await exported).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});
