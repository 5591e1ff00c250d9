import { expect, test } from "vitest";
import { client, startRealServer, temporaryFolder } from "../support/real-server.ts";

test("a run whose job prints too much fails and says so, even while no server is running", async () => {
  const { folder, remove } = await temporaryFolder();
  const start = () => startRealServer(folder, {}, "--max-job-output", "64KiB");
  let server = await start();
  const run = await client(server.url).create([
    "echo first; while :; do head -c 1024 /dev/zero; sleep 0.01; done",
  ]);
  await client(server.url).setStatus(run, "start");
  while ((await client(server.url).status(run))["status"] !== "running") await moment(20);
  await server.kill();
  await moment(4000);
  server = await start();
  const ended = await client(server.url).ended(run);
  expect(ended["status"]).toBe("failed");
  const logs = JSON.stringify((await client(server.url).call("GET", `workflows/${run}/logs`)).body);
  expect(logs).toContain("its command exceeded its output limit and was ended. It may print 64 KiB.");
  expect(logs).toContain("first");
  await server.stop();
  await remove();
});

function moment(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
