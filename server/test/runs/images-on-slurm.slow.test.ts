import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processesWith, uniqueSleep } from "#backends/backend-fixture";
import { BASH_IMAGE, NO_PODMAN, PLAIN_IMAGE, sharedPodman } from "#backends/containers/podman-fixture";
import { HAS_SLURM, sharedSlurm } from "#backends/slurm/slurm-fixture";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

/** Runs of a real server whose steps run in images, by the podman of the nodes of a real Slurm. */
describe.runIf(HAS_SLURM && NO_PODMAN === undefined)("a step with an image on Slurm", () => {
  const slurm = sharedSlurm();
  const podman = sharedPodman();
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;

  beforeAll(async () => {
    data = await temporaryFolder();
    const tools = path.join(data.folder, "tools");
    mkdirSync(tools);
    // A node has its settings of podman in files. The tests have a podman with its own images.
    const settings = ["CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"].map(
      (name) => `${name}=${process.env[name]}`,
    );
    const program = execFileSync("sh", ["-c", "command -v podman"], { encoding: "utf8" }).trim();
    const script = `#!/bin/sh\nexec env ${settings.join(" ")} ${program} "$@"\n`;
    writeFileSync(path.join(tools, "podman"), script, { mode: 0o755 });
    server = await startRealServer(data.folder, {
      ...slurm().environment,
      PATH: `${tools}:${process.env["PATH"]}`,
      REPRISE_BACKENDS: "slurm",
      REPRISE_SLURM_CONTAINERS: "podman",
      REPRISE_PULL_IMAGES: "never",
      REPRISE_ALLOW_IMAGES: "localhost/*",
      VAR_OF_SERVER: "secret",
    });
  });
  afterAll(async () => {
    await server?.stop();
    await data?.remove();
  });

  const begin = async (commands: readonly string[], environment: string = BASH_IMAGE, more: object = {}) => {
    const steps = [{ name: "step", environment, commands, ...more }];
    const document = { workflow: { type: "serial", specification: { steps } } };
    const at = client(server.url);
    const { body } = await at.call("POST", "workflows", JSON.stringify(document), "&workflow_name=w");
    const run = String(body["workflow_id"]);
    return { run, reply: await at.setStatus(run, "start") };
  };
  const ended = async (run: string) => (await client(server.url).ended(run))["status"];
  const logs = async (run: string) =>
    String((await client(server.url).call("GET", `workflows/${run}/logs`)).body["logs"]);
  const text = async (run: string, name: string) => (await client(server.url).download(run, name)).text;

  test("runs in the image, in its workspace, and its files belong to the user of the server", async () => {
    const command =
      "ls / > root; pwd > place; echo $$SLURMD_NODENAME > node; env > variables; echo printed; ls $$HOME; exit 0";
    const { run } = await begin([command]);
    expect(await ended(run)).toBe("finished");
    expect((await text(run, "root")).split("\n")).not.toContain("usr");
    expect(await text(run, "place")).toContain(path.join(data.folder, "workspaces"));
    expect(await text(run, "node")).toMatch(/^n[12]\n$/);
    expect(await text(run, "variables")).not.toContain("VAR_OF_SERVER");
    expect(await logs(run)).toContain("printed");
    expect(podman().containers()).toEqual([]);
  });

  test("sees the data folder only in its workspace", async () => {
    const { run } = await begin([`cat ${data.folder}/secret.key; ls ${data.folder} > seen; echo done`]);
    expect(await ended(run)).toBe("finished");
    expect(await text(run, "seen")).toBe("jobs\nworkspaces\n");
    expect(await logs(run)).toContain("No such file");
  });

  test("fails with the exit code of its command", async () => {
    const { run } = await begin(["exit 7"]);
    expect(await ended(run)).toBe("failed");
    expect(await logs(run)).toContain("7");
  });

  test.each([
    [
      "that the node lacks",
      "localhost/nowhere:1",
      /The node \S+ cannot run the image localhost\/nowhere:1: .+/,
    ],
    ["without bash", PLAIN_IMAGE, /bash/],
  ])("in an image %s fails with a sentence", async (_, image, sentence) => {
    const { run } = await begin(["true"], image);
    expect(await ended(run)).toBe("failed");
    expect(await logs(run)).toMatch(sentence);
    expect(podman().containers()).toEqual([]);
  });

  test("in an image that the server does not allow is refused", async () => {
    const { run, reply } = await begin(["true"], "docker.io/library/python:3");
    const refused =
      reply.status === 400 ? JSON.stringify(reply.body) : `${String(await ended(run))} ${await logs(run)}`;
    expect(refused).toContain("Image not allowed");
  });

  test.each([
    ["a stop", {}],
    ["its time limit", { kubernetes_job_timeout: 2, compute_backend: "slurm" }],
  ])("leaves neither process nor container after %s", async (why, more) => {
    const long = uniqueSleep();
    const { run } = await begin([`touch begun; trap '' TERM; setsid ${long} & ${long}`], BASH_IMAGE, more);
    await expect.poll(async () => (await processesWith(long)).length).toBeGreaterThan(0);
    if (why === "a stop")
      expect(await client(server.url).setStatus(run, "stop")).toMatchObject({ status: 200 });
    expect(await ended(run)).toBe(why === "a stop" ? "stopped" : "failed");
    expect(await processesWith(long)).toEqual([]);
    await expect.poll(() => podman().containers()).toEqual([]);
  });
});
