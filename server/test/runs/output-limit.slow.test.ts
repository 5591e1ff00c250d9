import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { client, startRealServer, temporaryFolder } from "../support/real-server.ts";

test("a run whose job prints too much fails and says so, even while no server is running", async () => {
  const { folder, remove } = await temporaryFolder();
  const start = () => startRealServer(folder, {}, "--max-job-output", "64KiB");
  let server = await start();
  const gate = path.join(folder, "gate");
  const run = await client(server.url).create([
    `echo first; until [ -e ${gate} ]; do sleep 0.05; done; while :; do head -c 1024 /dev/zero; sleep 0.01; done`,
  ]);
  await client(server.url).setStatus(run, "start");
  await expect.poll(() => client(server.url).status(run)).toMatchObject({ status: "running" });
  await server.kill();
  await writeFile(gate, "");
  await expect.poll(() => recordOfJob(dataFolderPaths(folder).jobs)).toMatch(/^ended /m);
  server = await start();
  const ended = await client(server.url).ended(run);
  expect(ended["status"]).toBe("failed");
  const logs = JSON.stringify((await client(server.url).call("GET", `workflows/${run}/logs`)).body);
  expect(logs).toContain("its command exceeded its output limit and was ended. The limit is 64 KiB.");
  expect(logs).toContain("first");
  await server.stop();
  await remove();
});

/** Returns the record of the only job. */
async function recordOfJob(jobs: string): Promise<string> {
  const [job] = (await readdir(jobs)).filter((name) => !["slots", "helpers.log"].includes(name));
  return readFile(path.join(jobs, job!, "record"), "utf8");
}
