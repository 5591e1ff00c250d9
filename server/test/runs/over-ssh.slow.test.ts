import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_SLURM, sharedSlurm } from "#backends/slurm/slurm-fixture";
import { HAS_SSHD, type Sshd, startSshd } from "#backends/slurm/ssh/sshd-fixture";
import { SERVER_FLAGS } from "../../../tools/server-flags.js";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");
const COUNTED = "echo ran >> count";

/** Runs of a real server that reaches a real Slurm only by ssh. Each command adds a line to a file: none may be there twice. */
describe.runIf(HAS_SLURM && HAS_SSHD)("a run on Slurm over ssh", () => {
  const slurm = sharedSlurm();
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;
  let sshd: Sshd;
  let tools: string;

  const settings = () => ({
    REPRISE_BACKENDS: "slurm",
    REPRISE_SLURM_HOST: sshd.host,
    REPRISE_SLURM_SSH_CONFIG: sshd.configFile,
    SLURM_CONF: "/nowhere",
  });
  const begin = async (name: string) => {
    const document = {
      workflow: { type: "serial", specification: { steps: [{ name: "count", commands: [COUNTED] }] } },
    };
    const at = client(server.url);
    const { body } = await at.call("POST", "workflows", JSON.stringify(document), `&workflow_name=${name}`);
    const run = String(body["workflow_id"]);
    expect(await at.setStatus(run, "start")).toMatchObject({ status: 200 });
    return run;
  };
  const once = async (run: string) => {
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    expect((await client(server.url).download(run, "count")).text).toBe("ran\n");
  };
  const statusOf = async (run: string) =>
    JSON.stringify((await client(server.url).call("GET", `workflows/${run}/status`)).body);

  beforeAll(async () => {
    data = await temporaryFolder();
    tools = path.join(data.folder, "tools");
    mkdirSync(tools);
    sshd = await startSshd({ ...slurm().environment, PATH: `${tools}:/usr/bin:/bin` });
    server = await startRealServer(data.folder, settings());
  });
  afterAll(async () => {
    await server?.stop();
    await sshd?.down();
    await data?.remove();
  });

  test("its steps run on the nodes, over one connection", async () => {
    const before = sshd.connections();
    await once(await begin("plain"));
    expect(sshd.connections() - before).toBe(1);
  });

  test.each(["before", "after"])(
    "a job whose connection breaks %s Slurm has the job runs once",
    async (moment) => {
      const marker = path.join(tools, `${moment}.begun`);
      const breaks = `touch ${marker}; sleep 1000`;
      const script = moment === "before" ? breaks : `PATH=/usr/bin:/bin sbatch "$@" > /dev/null; ${breaks}`;
      writeFileSync(
        path.join(tools, "sbatch"),
        `#!/bin/sh\nif mkdir ${marker}.d 2> /dev/null; then\n${script}\nfi\nPATH=/usr/bin:/bin exec sbatch "$@"\n`,
        { mode: 0o755 },
      );
      const run = await begin(moment);
      await expect
        .poll(() => execFileSync("ls", [tools], { encoding: "utf8" }))
        .toContain(`${moment}.begun\n`);
      await sshd.kill();
      await expect.poll(() => statusOf(run)).toMatch(/the login host ssh:\/\/\S+ does not answer/);
      await sshd.up();
      await once(run);
    },
  );

  test("a run waits while the host asks for a password, and doctor and /readyz say it", async () => {
    await sshd.kill();
    await sshd.up("PubkeyAuthentication no");
    const run = await begin("password");
    await expect.poll(() => statusOf(run)).toContain("asks for a password, and a server cannot type one");
    const ready = await fetch(new URL("/readyz", server.url));
    expect(await ready.text()).toContain("a place does not answer: Slurm");
    const words = [...SERVER_FLAGS, MAIN, "doctor", "--data", data.folder];
    const { stdout } = spawnSync(process.execPath, words, {
      env: { ...process.env, ...settings() },
      encoding: "utf8",
    });
    expect(stdout).toMatch(/backends .*asks for a password, and a server cannot type one/);
    await sshd.kill();
    await sshd.up();
    await once(run);
  });

  test("reprise doctor sends a job that looks at its node", () => {
    const words = [...SERVER_FLAGS, MAIN, "doctor", "--data", data.folder];
    const { stdout } = spawnSync(process.execPath, words, {
      env: { ...process.env, ...settings() },
      encoding: "utf8",
    });
    expect(stdout).toMatch(/^✓ backends +Slurm runs steps/m);
  });
});
