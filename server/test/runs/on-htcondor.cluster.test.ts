import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processesWith, uniqueSleep } from "#backends/backend-fixture";
import { sharedPool } from "#backends/htcondor/condor-fixture";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

/** Runs of a real server whose jobs go to a real pool. Each command adds a line to a file: none may be there twice. */
describe("a run on HTCondor", () => {
  const pool = sharedPool();
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;

  const start = (environment: Readonly<Record<string, string>> = {}) =>
    startRealServer(data.folder, {
      ...pool().environment,
      REPRISE_BACKENDS: "htcondor,local",
      ...environment,
    });
  const create = async (steps: readonly object[]) => {
    const document = { workflow: { type: "serial", specification: { steps } } };
    const { body } = await call("POST", "workflows", JSON.stringify(document), "&workflow_name=w");
    return String(body["workflow_id"]);
  };
  const call = (...words: Parameters<ReturnType<typeof client>["call"]>) => client(server.url).call(...words);
  const begin = async (run: string) =>
    expect(await client(server.url).setStatus(run, "start")).toMatchObject({ status: 200 });
  const lines = async (run: string, name: string) => {
    const { text } = await client(server.url).download(run, name);
    return text.trim().split("\n");
  };
  const jobs = async (run: string) => String((await call("GET", `workflows/${run}/logs`)).body["logs"]);
  const status = async (run: string) => JSON.stringify((await call("GET", `workflows/${run}/status`)).body);
  const restart = async (environment: Readonly<Record<string, string>> = {}) => {
    await server.stop();
    server = await start(environment);
  };
  const hasBegun = async (run: string) => {
    await expect.poll(() => lines(run, "count")).toEqual(["ran"]);
  };
  const once = async (run: string) => {
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    expect(await lines(run, "count")).toEqual(["ran"]);
  };
  const queued = () => pool().run("condor_q", "-autoformat", "ClusterId").trim().split("\n").filter(Boolean);
  const COUNTED = "echo ran >> count";

  beforeAll(async () => {
    data = await temporaryFolder();
    server = await start();
  });
  afterAll(async () => {
    await server?.stop();
    await data?.remove();
  });

  test("steps run in the pool, with REANA's words, and a step for the local backend on the server's machine", async () => {
    const run = await create([
      {
        name: "first",
        compute_backend: "htcondorcern",
        htcondor_max_runtime: "espresso",
        htcondor_accounting_group: "group_physics.ann",
        htcondor_request_cpus: "2",
        htcondor_request_memory: "256 MB",
        htcondor_request_disk: "1 MB",
        htcondor_requirements: 'OpSys == "LINUX"',
        commands: ["echo $$BATCH_SYSTEM $$OMP_NUM_THREADS > where; echo printed"],
      },
      { name: "second", commands: ["echo $$BATCH_SYSTEM >> where"] },
      { name: "third", compute_backend: "local", commands: ["echo here$$BATCH_SYSTEM >> where"] },
    ]);
    await begin(run);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    expect(await lines(run, "where")).toEqual(["HTCondor 2", "HTCondor", "here"]);
    const logs = await jobs(run);
    expect(logs).toContain("printed");
    expect(logs).toContain('"compute_backend":"HTCondor"');
  });

  test.each(["beginning-recorded:1", "job-submitted:1"])(
    "a server that is killed at %s leaves a job that runs once",
    async (point) => {
      await restart({ CRASH_AT: point });
      const run = await create([{ name: "count", commands: [COUNTED] }]);
      // The server may die before it replies.
      await Promise.allSettled([begin(run)]);
      await server.exited;
      server = await start();
      await once(run);
    },
  );

  test.each([
    ["once", 1],
    ["twice", 2],
  ])("a submission that is carried out %s, and reports an error, runs once", async (_, times) => {
    const tools = path.join(data.folder, `tools-${times}`);
    mkdirSync(tools);
    const real = 'condor_submit "$@" > /dev/null\n'.repeat(times);
    const lost = "echo 'ERROR: Failed to connect to local queue manager' >&2; exit 1";
    const script = `#!/bin/sh\nPATH=/usr/bin:/bin\nif mkdir "$0.used" 2> /dev/null; then\n${real}${lost}\nfi\nexec condor_submit "$@"\n`;
    writeFileSync(path.join(tools, "condor_submit"), script, { mode: 0o755 });
    await restart({ PATH: `${tools}:${process.env["PATH"]}` });
    const run = await create([{ name: "count", commands: [COUNTED] }]);
    await begin(run);
    await once(run);
    expect(existsSync(path.join(tools, "condor_submit.used"))).toBe(true);
    await restart();
  });

  test("a run waits while the schedd does not answer, with the sentence, and its command runs once", async () => {
    const run = await create([{ name: "count", commands: [COUNTED] }]);
    pool().kill("condor_schedd");
    await begin(run);
    await expect.poll(() => status(run)).toMatch(/HTCondor: condor_\w+ failed/);
    pool().up();
    await once(run);
  });

  test("a held job tells the reason and the way out, and runs once when it is released", async () => {
    const requirements = { htcondor_requirements: "isUndefined(Never) && false" };
    const run = await create([
      { name: "count", ...requirements, compute_backend: "htcondor", commands: [COUNTED] },
    ]);
    await begin(run);
    await expect.poll(() => status(run)).toContain("condor_q -better-analyze");
    const [id] = queued();
    pool().run("condor_hold", "-reason", "the disk of the group is full", id!);
    await expect.poll(() => status(run)).toContain(`condor_release ${id}.0`);
    expect(await status(run)).toContain("HTCondor holds the job: the disk of the group is full");
    pool().run("condor_qedit", id!, "Requirements", "true");
    pool().run("condor_release", id!);
    await once(run);
  });

  test("a job whose starter is killed is started again by HTCondor, and its command runs once", async () => {
    const run = await create([{ name: "count", commands: [`${COUNTED}; sleep 100`] }]);
    await begin(run);
    await hasBegun(run);
    pool().kill("condor_starter");
    expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
    expect(await lines(run, "count")).toEqual(["ran"]);
    expect(await jobs(run)).toContain("ended without recording how the job ended");
    await expect.poll(queued).toEqual([]);
    const starts = pool().run("condor_history", "-limit", "1", "-autoformat", "NumJobStarts");
    expect(Number(starts)).toBeGreaterThan(1);
  });

  test("a job outlives the schedd, and runs once", async () => {
    const run = await create([{ name: "count", commands: [`${COUNTED}; sleep 3`] }]);
    await begin(run);
    await hasBegun(run);
    pool().kill("condor_schedd");
    await once(run);
    pool().up();
  });

  test("a removed job fails the run", async () => {
    const run = await create([{ name: "count", commands: [`${COUNTED}; sleep 100`] }]);
    await begin(run);
    await hasBegun(run);
    pool().run("condor_rm", queued().at(-1)!);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
    expect(await jobs(run)).toContain("HTCondor ended the job");
    expect(await lines(run, "count")).toEqual(["ran"]);
  });

  test("a job removed before the start never starts, and the run names the remover", async () => {
    const step = { htcondor_requirements: "false", compute_backend: "htcondor" };
    const run = await create([{ name: "count", ...step, commands: [COUNTED] }]);
    await begin(run);
    await expect.poll(() => status(run)).toContain("HTCondor has");
    pool().run("condor_rm", queued().at(-1)!);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
    expect(await jobs(run)).toContain("HTCondor removed the job: via condor_rm");
  });

  test("a job refused by HTCondor fails the run with the sentence", async () => {
    const step = { htcondor_requirements: "(1 +", compute_backend: "htcondor" };
    const run = await create([{ name: "wrong", ...step, commands: [COUNTED] }]);
    await begin(run);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
    expect(await jobs(run)).toContain("condor_submit failed: Parse error in expression");
  });

  test("a stop ends all running work, with processes that left the job", async () => {
    const long = uniqueSleep();
    const run = await create([{ name: "count", commands: [`setsid ${long} & ${COUNTED}; ${long}`] }]);
    await begin(run);
    await hasBegun(run);
    expect(await client(server.url).setStatus(run, "stop")).toMatchObject({ status: 200 });
    expect(await client(server.url).ended(run)).toMatchObject({ status: "stopped" });
    expect(await processesWith(long)).toEqual([]);
  });
});
