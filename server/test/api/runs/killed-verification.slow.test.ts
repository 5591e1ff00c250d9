import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { client, type RealServer, startRealServer, temporaryFolder } from "../../support/real-server.ts";

let server: RealServer;
let place: Awaited<ReturnType<typeof temporaryFolder>>;
const start = () => startRealServer(path.join(place.folder, "data"));

beforeAll(async () => {
  place = await temporaryFolder();
  server = await start();
});
afterAll(async () => {
  await server.kill();
  await place.remove();
});

interface Reply {
  state: string;
  cause: { state: string; condition: string | null; repetitions: object[] } | null;
}

/** Kills the server as soon as the run has begun, starts another one, and waits for the end of the run. */
async function endedAfterKill(run: string): Promise<void> {
  const status = async () => (await client(server.url).status(run))["status"];
  await expect.poll(async () => String(await status())).toMatch(/running|finished/);
  await server.kill();
  server = await start();
  expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
}

const post = async (address: string): Promise<Record<string, unknown>> =>
  (await client(server.url).call("POST", `workflows/${address}`, "{}")).body;

async function lookAt(run: string): Promise<Reply> {
  const { body } = await client(server.url).call("GET", `workflows/${run}/verification`);
  return body as unknown as Reply;
}

test("a verification names the cause after a kill of the server in every run", async () => {
  const steps = [{ name: "fit", commands: ["pwd > out.txt; sleep 0.3"] }];
  const document = {
    workflow: { type: "serial", specification: { steps } },
    outputs: { files: ["out.txt"] },
  };
  const { body } = await client(server.url).call(
    "POST",
    "workflows",
    JSON.stringify(document),
    "&workflow_name=fit",
  );
  const run = body["workflow_id"] as string;
  await client(server.url).setStatus(run, "start");
  await client(server.url).ended(run);
  const { repetition } = (await post(`${run}/verify`)) as { repetition: { workflow_id: string } };
  await endedAfterKill(repetition.workflow_id);
  let reply = await lookAt(run);
  for (; reply.cause?.state === "open"; reply = await lookAt(run))
    await endedAfterKill((await post(`${run}/verification/repetitions`))["workflow_id"] as string);
  expect([reply.state, reply.cause?.state, reply.cause?.condition]).toEqual(["different", "found", "path"]);
  expect(reply.cause!.repetitions).toHaveLength(7);
});
