import { rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installCondorStandIn } from "#backends/htcondor/stand-in-fixture";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

/** Runs of a real server with a stand-in for HTCondor's commands. `on-htcondor.cluster.test.ts` has a real pool. */
describe("a run on a stand-in for HTCondor", () => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;
  let tools: string;

  beforeAll(async () => {
    data = await temporaryFolder();
    tools = path.join(data.folder, "tools");
    server = await startRealServer(data.folder, installCondorStandIn(tools));
  });
  afterAll(async () => {
    await server?.stop();
    await data?.remove();
  });

  const set = (name: string, text = "") => writeFileSync(path.join(tools, "state", name), text);
  const unset = (name: string) => rmSync(path.join(tools, "state", name));
  const call = (...words: Parameters<ReturnType<typeof client>["call"]>) => client(server.url).call(...words);
  const start = async (document: object) => {
    const { body } = await call("POST", "workflows", JSON.stringify(document), "&workflow_name=w");
    const run = String(body["workflow_id"]);
    expect(await client(server.url).setStatus(run, "start")).toMatchObject({ status: 200 });
    return run;
  };
  const count = (step: object = {}) =>
    start({
      workflow: { type: "serial", specification: { steps: [{ ...step, commands: ["echo ran >> count"] }] } },
    });
  const once = async (run: string) => {
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    expect((await client(server.url).download(run, "count")).text).toBe("ran\n");
  };
  const status = async (run: string) => JSON.stringify((await call("GET", `workflows/${run}/status`)).body);

  test("a document for HTCondor at CERN runs as it is", async () => {
    const run = await start({
      version: "0.3.0",
      inputs: { parameters: { name: "Ada", outputfile: "results/greetings.txt", sleeptime: 0 } },
      workflow: {
        type: "serial",
        specification: {
          steps: [
            {
              name: "hello_htcondorcern",
              environment: "python:2.7-slim",
              compute_backend: "htcondorcern",
              htcondor_max_runtime: "espresso",
              commands: [
                'mkdir -p results && sleep ${sleeptime} && echo "Hello ${name} from $$BATCH_SYSTEM!" > "${outputfile}"',
              ],
            },
          ],
        },
      },
      outputs: { files: ["results/greetings.txt"] },
    });
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    const { text } = await client(server.url).download(run, "results/greetings.txt");
    expect(text).toBe("Hello Ada from HTCondor!\n");
    expect(String((await call("GET", `workflows/${run}/logs`)).body["logs"])).toContain(
      '"compute_backend":"HTCondor"',
    );
  });

  test("a submission that is carried out and reports an error runs once", async () => {
    set("lose");
    await once(await count());
  });

  test("a run waits while the schedd does not answer, with the sentence", async () => {
    set("away");
    const run = await count();
    await expect.poll(() => status(run)).toMatch(/HTCondor: condor_\w+ failed: Failed to connect/);
    const ready = await fetch(`${server.url}/readyz`);
    expect(await ready.json()).toEqual({
      message: "OK, but jobs wait, because a place does not answer: HTCondor.",
    });
    unset("away");
    await once(run);
  });

  test("a held job tells the reason and the way out", async () => {
    set("hold", "the disk of the group is full");
    const run = await count();
    await expect.poll(() => status(run)).toContain("HTCondor holds the job: the disk of the group is full");
    const [, id] = /`condor_release (\d+)\.0`/.exec(await status(run))!;
    execFileSync(path.join(tools, "condor_release"), [id!]);
    unset("hold");
    await once(run);
  });

  test("a held job that is removed never starts, and the run says who removed it", async () => {
    set("hold", "a reason");
    const run = await count();
    await expect.poll(() => status(run)).toContain("HTCondor holds the job");
    const [, id] = /`condor_rm (\d+\.0)`/.exec(await status(run))!;
    execFileSync(path.join(tools, "condor_rm"), [id!]);
    unset("hold");
    expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
    expect(String((await call("GET", `workflows/${run}/logs`)).body["logs"])).toContain(
      "HTCondor removed the job: via condor_rm (by user ann).",
    );
  });

  test("a value that HTCondor cannot read is refused at the first submission, with the sentence", async () => {
    const run = await count({ compute_backend: "htcondor", htcondor_requirements: "$ENV(HOME)" });
    expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
    expect(String((await call("GET", `workflows/${run}/logs`)).body["logs"])).toContain(
      "htcondor_requirements is",
    );
  });
});
