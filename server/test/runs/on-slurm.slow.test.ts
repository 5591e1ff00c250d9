import { spawn, spawnSync } from "node:child_process";
import { once as nextEvent } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processesWith, uniqueSleep } from "#backends/backend-fixture";
import { HAS_SLURM, sharedSlurm } from "#backends/slurm/slurm-fixture";
import { SERVER_FLAGS } from "../../../tools/server-flags.js";
import {
  ADMIN_TOKEN,
  client,
  type RealServer,
  startRealServer,
  temporaryFolder,
} from "../support/real-server.ts";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

/** Runs of a real server whose jobs go to a real Slurm. Each command adds a line to a file: none may be there twice. */
describe.runIf(HAS_SLURM)("a run on Slurm", () => {
  const slurm = sharedSlurm();
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;

  const start = (environment: Readonly<Record<string, string>> = {}) =>
    startRealServer(data.folder, {
      ...slurm().environment,
      REPRISE_BACKENDS: "slurm,local",
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

  beforeAll(async () => {
    data = await temporaryFolder();
    server = await start();
  });
  afterAll(async () => {
    await server?.stop();
    await data?.remove();
  });

  test("steps run on the nodes of the cluster, and a step for the local backend on the server's machine", async () => {
    const run = await create([
      {
        name: "first",
        compute_backend: "slurmcern",
        slurm_partition: "short",
        slurm_time: "5",
        commands: ["echo $$SLURMD_NODENAME $$SLURM_JOB_PARTITION > where; echo printed"],
      },
      { name: "second", commands: ["echo $$SLURMD_NODENAME >> where"] },
      { name: "third", compute_backend: "local", commands: ["echo here$$SLURMD_NODENAME >> where"] },
    ]);
    await begin(run);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    expect(await lines(run, "where")).toEqual([
      expect.stringMatching(/^n[12] short$/),
      expect.stringMatching(/^n[12]$/),
      "here",
    ]);
    const logs = await jobs(run);
    expect(logs).toContain("printed");
    expect(logs).toContain("Slurm");
  });

  const COUNTED = "echo ran >> count";
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
    const real = 'sbatch "$@" > /dev/null\n'.repeat(times);
    const lost = "echo 'sbatch: error: Unable to contact slurm controller (connect failure)' >&2; exit 1";
    const script = `#!/bin/sh\nPATH=/usr/bin:/bin\nif mkdir "$0.used" 2> /dev/null; then\n${real}${lost}\nfi\nexec sbatch "$@"\n`;
    writeFileSync(path.join(tools, "sbatch"), script, { mode: 0o755 });
    await restart({ PATH: `${tools}:${process.env["PATH"]}` });
    const run = await create([{ name: "count", commands: [COUNTED] }]);
    await begin(run);
    await once(run);
    expect(existsSync(path.join(tools, "sbatch.used"))).toBe(true);
    await restart();
  });

  test.each(["slurmctld", "munged"] as const)(
    "a run waits while %s does not answer, with the sentence, and its command runs once",
    async (daemon) => {
      const run = await create([{ name: "count", commands: [COUNTED] }]);
      slurm().kill(daemon);
      await begin(run);
      const waiting = async () => JSON.stringify((await call("GET", `workflows/${run}/status`)).body);
      await expect.poll(waiting).toMatch(/Slurm: (sbatch|squeue) failed/);
      slurm().up();
      await once(run);
    },
  );

  test("a job outlives the daemon of its node, and runs once", async () => {
    const run = await create([{ name: "count", commands: [`${COUNTED}; sleep 3`] }]);
    await begin(run);
    await hasBegun(run);
    slurm().kill("slurmd-n1");
    slurm().kill("slurmd-n2");
    await once(run);
    slurm().up();
  });

  test("a controller that lost its state forgets waiting jobs and counts from 1 again: each command runs once", async () => {
    slurm().run("scontrol", "update", "nodename=n[1-2]", "state=drain", "reason=test");
    const runs = [];
    for (let run = 0; run < 3; run += 1) runs.push(await create([{ name: "count", commands: [COUNTED] }]));
    for (const run of runs) await begin(run);
    await expect
      .poll(() => slurm().run("squeue", "--noheader", "--states=PD").trim().split("\n").length)
      .toBe(3);
    slurm().kill("slurmctld");
    const state = path.join(slurm().folder, "state");
    rmSync(state, { recursive: true });
    mkdirSync(state);
    slurm().up();
    for (const run of runs) await once(run);
  });

  test("a job that somebody cancels in Slurm fails its run, and a requeue is refused", async () => {
    const run = await create([{ name: "count", commands: [`${COUNTED}; sleep 100`] }]);
    await begin(run);
    await hasBegun(run);
    // The job of an earlier test may still be in the list: the newest one is last.
    const id = slurm().run("squeue", "--noheader", "--sort=i", "--format=%A").trim().split("\n").at(-1);
    expect(() => slurm().run("scontrol", "requeue", id!)).toThrow();
    slurm().run("scancel", id!);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
    expect(await jobs(run)).toContain("Slurm ended the job");
    expect(await lines(run, "count")).toEqual(["ran"]);
  });

  test("a job that can never start fails its run with the reason", async () => {
    const step = { slurm_partition: "short", kubernetes_job_timeout: 3600, compute_backend: "slurm" };
    const run = await create([{ name: "long", ...step, commands: [COUNTED] }]);
    await begin(run);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
    // Slurm names the first exceeded limit.
    expect(await jobs(run)).toMatch(
      /the job asks for more (time than its partition allows|than any node of its partition has)/,
    );
    await expect.poll(() => slurm().run("squeue", "--noheader")).toBe("");
  });

  test.each([
    ["slurm_gres", "gpu:1", "Invalid generic resource"],
    ["slurm_reservation", "school", "reservation"],
  ])(
    "a job with the unknown %s %s never starts, with the sentence of Slurm",
    async (key, value, sentence) => {
      const step = { compute_backend: "slurm", [key]: value };
      const run = await create([{ name: "count", ...step, commands: [COUNTED] }]);
      await begin(run);
      expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
      expect(await jobs(run)).toContain(sentence);
    },
  );

  test.each([
    ["the partition shrot", { slurm_partition: "shrot" }, "Did you mean short?"],
    ["an hour in short", { slurm_partition: "short", slurm_time: "60" }, "allows jobs of 10:00 at most"],
  ])("a step that asks for %s is refused at the start", async (_, demands, sentence) => {
    const step = { compute_backend: "slurm", ...demands };
    const run = await create([{ name: "count", ...step, commands: [COUNTED] }]);
    const { status, body } = await client(server.url).setStatus(run, "start");
    expect([status, String(body["message"])]).toEqual([400, expect.stringContaining(sentence)]);
  });

  test("reprise doctor sends a job that looks at its node", () => {
    const words = [...SERVER_FLAGS, MAIN, "doctor", "--data", data.folder];
    const env = { ...process.env, ...slurm().environment, REPRISE_BACKENDS: "slurm" };
    const { stdout } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
    expect(stdout).toMatch(/^✓ backends +Slurm runs steps/m);
    const commands = slurm().run("squeue", "--noheader", "--states=all", "--format=%o");
    expect(commands).toContain(path.join(data.folder, "jobs", "probes"));
  });

  describe("of reprise run --on slurm", () => {
    let home: Awaited<ReturnType<typeof temporaryFolder>>;
    beforeAll(async () => void (home = await temporaryFolder()));
    afterAll(() => home.remove());

    const runHere = (name: string, command: string, ...options: readonly string[]) => {
      const folder = path.join(home.folder, name);
      mkdirSync(folder, { recursive: true });
      const document = {
        workflow: { type: "serial", specification: { steps: [{ environment: "any", commands: [command] }] } },
        outputs: { files: ["where"] },
      };
      writeFileSync(path.join(folder, "reana.yaml"), JSON.stringify(document));
      const words = [
        ...SERVER_FLAGS,
        MAIN,
        "run",
        folder,
        "--on",
        "slurm",
        "--data",
        path.join(home.folder, "data"),
        ...options,
      ];
      const env = { ...process.env, ...slurm().environment, REPRISE_ADMIN_TOKEN: ADMIN_TOKEN };
      return { folder, child: spawn(process.execPath, words, { env, stdio: "ignore" }) };
    };

    test("its steps run on the nodes, and its outputs come back", async () => {
      const { folder, child } = runHere("fit", "echo $$SLURMD_NODENAME > where");
      expect(await nextEvent(child, "exit")).toEqual([0, null]);
      expect(readFileSync(path.join(folder, "where"), "utf8")).toMatch(/^n[12]\n$/);
    });

    test("a killed command loses nothing: the same command with --resume follows the run, and its outputs come back", async () => {
      const counted = path.join(home.folder, "counted-too");
      const command = `echo ran >> ${counted}; sleep 2; echo here > where`;
      const { child } = runHere("again", command);
      await expect.poll(() => existsSync(counted)).toBe(true);
      child.kill("SIGKILL");
      await nextEvent(child, "exit");
      const { folder, child: later } = runHere("again", command, "--resume");
      expect(await nextEvent(later, "exit")).toEqual([0, null]);
      expect(readFileSync(path.join(folder, "where"), "utf8")).toBe("here\n");
      expect(readFileSync(counted, "utf8")).toBe("ran\n");
    });

    test("a killed command loses nothing: a server on its folder finishes the run, and the step runs once", async () => {
      const counted = path.join(home.folder, "counted");
      const { child } = runHere("long", `echo ran >> ${counted}; sleep 2; touch where`);
      await expect.poll(() => existsSync(counted)).toBe(true);
      child.kill("SIGKILL");
      await nextEvent(child, "exit");
      const later = await startRealServer(path.join(home.folder, "data"), {
        ...slurm().environment,
        REPRISE_BACKENDS: "slurm",
      });
      const ended = await client(later.url).ended("long.1");
      await later.stop();
      expect(ended).toMatchObject({ status: "finished" });
      expect(readFileSync(counted, "utf8")).toBe("ran\n");
    });
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
