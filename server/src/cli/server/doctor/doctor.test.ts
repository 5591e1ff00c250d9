import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkSettings } from "#cli/server/doctor/files";
import { checkNode } from "#cli/server/doctor/machine";
import { checkServer } from "#cli/server/doctor/server";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-doctor-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("prints a line for each check, and changes nothing", async () => {
  const data = path.join(folder, "not", "yet");
  const cli = fakeCli();
  await runCli(["doctor", "--data", data], cli);
  const names = [
    "system",
    "Node",
    "bash",
    "git",
    "settings",
    "sandbox",
    "containers",
    "GPUs",
    "limits",
    "backends",
    "languages",
    "notebooks",
    "data folder",
    "disk space",
    "database",
    "server",
    "queue",
    "backup",
    "log",
    "input store",
  ];
  expect(cli.printed.map((line) => /^[✓!✗-] (\w+( \w+)?) {2}/.exec(line)?.[1])).toEqual(names);
  expect(cli.printed[5]).toMatch(
    /^! sandbox +none \(bubblewrap is not installed\): jobs run as (.+) and can read and change everything \1 can, including this data folder and its admin token\./,
  );
  // Only the sandbox warns, because a machine that has not served yet has no other faults.
  expect(cli.printed.filter((line) => line.startsWith("!"))).toHaveLength(1);
  expect(await readdir(folder)).toEqual([]);
});

test("the disk of a shared folder is looked at as well", async () => {
  const cli = fakeCli({ sharedFolder: () => folder, diskFloor: () => () => 2 ** 60 });
  expect(await runCli(["doctor"], cli)).toBe(1);
  expect(cli.printed).toContainEqual(
    expect.stringMatching(/^✗ shared disk +\S+ \S+ are free for the shared folder: under 1024 PiB/),
  );
});

test("a sandbox without which the server does not start is a fault", async () => {
  const reportSandbox = async () => ({ name: "none", reason: "bubblewrap failed", isRefused: true });
  const cli = fakeCli({ reportSandbox });
  expect(await runCli(["doctor"], cli)).toBe(1);
  expect(cli.printed).toContainEqual(
    expect.stringMatching(/^✗ sandbox +none \(bubblewrap failed\): the server does not start\./),
  );
});

test.each([
  [
    { runtime: "podman 5.2.0, rootless", isRequired: false },
    /^✓ containers +podman 5\.2\.0, rootless: steps run in/,
  ],
  [
    { runtime: "podman 5.2.0", missing: "free space: 1 MiB", isRequired: true },
    /^✗ containers +podman 5\.2\.0: steps that name an image wait for free space: 1 MiB/,
  ],
  [
    {
      runtime: "podman 5.2.0",
      failedPull: { at: "2026-01-02T03:04:05", image: "quay.io/a/b:1", problem: "no such host." },
      isRequired: false,
    },
    /^! containers +podman 5\.2\.0: .+ the last pull failed \(2026-01-02T03:04:05, quay\.io\/a\/b:1\): no such host\. To run without images: --containers none$/,
  ],
  [
    { problem: "Install podman.", isRequired: false },
    /^- containers +none: steps run without .+\. Install podman\./,
  ],
  [
    { problem: "It is broken.", isRequired: true },
    /^✗ containers +none: steps that name an image wait\. It is broken\./,
  ],
])("says where steps that name an image run: %j", async (found, line) => {
  const cli = fakeCli({ reportContainers: async () => found });
  expect(await runCli(["doctor", "--data", folder], cli)).toBe(found.isRequired ? 1 : 0);
  expect(cli.printed.find((one) => one.includes("containers"))).toMatch(line);
});

test("names the words of compute_backend, and the backend of steps without one", async () => {
  const slurm = { name: "Slurm", computeBackends: ["slurmcern"] };
  const local = { name: "Local", computeBackends: ["local", "kubernetes"] };
  const cli = fakeCli({ reportBackends: async () => [local, slurm] });
  await runCli(["doctor", "--data", folder], cli);
  expect(cli.printed.find((line) => line.includes("backends"))).toBe(
    "✓ backends     Local runs steps with compute_backend local, kubernetes or without one; " +
      "Slurm runs steps with compute_backend slurmcern",
  );
});

test("leaves out a place that runs no steps", async () => {
  const kubernetes = { name: "Kubernetes", computeBackends: ["kubernetes"] };
  const cli = fakeCli({ reportBackends: async () => [kubernetes, { name: "Local", computeBackends: [] }] });
  await runCli(["doctor", "--data", folder], cli);
  expect(cli.printed.find((line) => line.includes("backends"))).toBe(
    "✓ backends     Kubernetes runs steps with compute_backend kubernetes or without one",
  );
});

test("fails if a place where jobs run cannot be reached, with its sentence", async () => {
  const problem = "HTCondor: condor_q failed: spawn condor_q ENOENT.";
  const condor = { name: "HTCondor", computeBackends: ["htcondorcern"], problem };
  const cli = fakeCli({ reportBackends: async () => [condor] });
  expect(await runCli(["doctor", "--data", folder], cli)).toBe(1);
  expect(cli.printed.find((line) => line.includes("backends"))).toBe(
    `✗ backends     ${problem} Until this is mended, the jobs for this place wait.`,
  );
});

test.each([
  [
    undefined,
    /^- languages +serial\. For snakemake, run `reprise setup snakemake`, or install Snakemake 8 or 9/,
  ],
  ["echo 9.27.1", /^✓ languages +serial \(by .+\/snakemake, 9\.27\.1\)/],
  [
    "echo 6.8.0",
    /^! languages .+ is 6\.8\.0: its runs will fail\. Run `reprise setup snakemake`, or install/,
  ],
  ["exit 1", /^! languages .+ does not print its version: its runs will fail\./],
])(
  "lists the available languages, and ways to get the others, with a Snakemake that does %s",
  async (does, line) => {
    const snakemake = path.join(folder, "snakemake");
    if (does !== undefined) await writeFile(snakemake, `#!/bin/sh\n${does}\n`, { mode: 0o755 });
    const found = { languages: ["serial"], ...(does !== undefined && { snakemake }) };
    const cli = fakeCli({ reportLanguages: async () => found });
    expect(await runCli(["doctor", "--data", folder], cli)).toBe(0);
    expect(cli.printed.find((one) => one.includes("languages"))).toMatch(line);
  },
);

test.each([
  [
    { byKernel: [], problem: "x is so" },
    /^- limits +memory, .+ are measured; the cores .+ are not limited, because x is so$/,
  ],
  [
    { version: 2, byKernel: ["memory", "cpu", "pids"] } as const,
    /^✓ limits +the kernel limits the memory .+ except in containers of podman without root, .+ cores .+ except in containers of podman without root, .+ \(control groups, version 2\)/,
  ],
  [
    { version: 1, byKernel: ["pids"] } as const,
    /^✓ limits +the kernel limits the processes .+ are not limited$/,
  ],
])("says which limits the kernel enforces: %j", async (found, line) => {
  const cli = fakeCli({ reportLimits: async () => found });
  expect(await runCli(["doctor", "--data", folder], cli)).toBe(0);
  expect(cli.printed.find((one) => one.includes("limits"))).toMatch(line);
});

test.each([
  [{ isOn: false, allowsImages: true }, undefined, /^- notebooks +off \(--jupyter none\)$/],
  [
    { isOn: true, allowsImages: false },
    undefined,
    /^- notebooks +none: run `reprise setup jupyter`, or install JupyterLab/,
  ],
  [
    { isOn: true, allowsImages: true },
    undefined,
    /^- notebooks +only in images .+ For others, run `reprise setup jupyter`/,
  ],
  [
    { isOn: true, allowsImages: false },
    "echo 4.2.5",
    /^✓ notebooks +JupyterLab 4\.2\.5 \(.+\/jupyter-lab\)$/,
  ],
  [
    { isOn: true, allowsImages: false },
    "exit 1",
    /^! notebooks +.+ does not print its version: .+ install JupyterLab/,
  ],
])("lists the available notebooks: %j, with a JupyterLab that does %s", async (found, does, line) => {
  const jupyter = path.join(folder, "jupyter-lab");
  if (does !== undefined) await writeFile(jupyter, `#!/bin/sh\n${does}\n`, { mode: 0o755 });
  const cli = fakeCli({
    reportNotebooks: async () => ({ ...found, ...(does !== undefined && { jupyter }) }),
  });
  expect(await runCli(["doctor", "--data", folder], cli)).toBe(0);
  expect(cli.printed.find((one) => one.includes("notebooks"))).toMatch(line);
});

test("JSON, and the exit code of a failure when something required is missing", async () => {
  const cli = fakeCli({ nodeVersion: "20.20.2" });
  expect(await runCli(["doctor", "--json", "--data", folder], cli)).toBe(1);
  const report = JSON.parse(cli.printed.join("")) as { ok: boolean; checks: { name: string }[] };
  expect(report.ok).toBe(false);
  expect(report.checks.find((check) => check.name === "Node")).toEqual({
    name: "Node",
    state: "missing",
    sentence: "20.20.2 is too old: install 22.18 or newer.",
  });
});

test.each([
  ["22.17.9", "missing"],
  ["22.18.0", "ok"],
  ["24.0.0", "ok"],
])("Node %s is %s", (version, state) => {
  expect(checkNode(version).state).toBe(state);
});

describe("the settings", () => {
  const given = { path: "/nowhere/reprise.conf", isThere: true, set: 2, hasSecrets: false, problems: [] };

  test("are counted", () => {
    expect(checkSettings(given)).toMatchObject({
      state: "ok",
      sentence: "2 settings in /nowhere/reprise.conf",
    });
    expect(checkSettings({ ...given, isThere: false })).toMatchObject({ state: "note" });
  });

  test("a file with a secret must not be open to others", async () => {
    const file = path.join(folder, "reprise.conf");
    await writeFile(file, "admin-token = x", { mode: 0o640 });
    const secret = { ...given, path: file, hasSecrets: true };
    expect(checkSettings(secret)).toMatchObject({
      state: "warning",
      sentence: expect.stringContaining(`others can read it: chmod 600 ${file}`),
    });
    await chmod(file, 0o600);
    expect(checkSettings(secret)).toMatchObject({ state: "ok" });
  });

  test("that are invalid are reported, and no other check uses the settings", async () => {
    const problems = ["reprise.conf, line 1: prot is no setting.", 'port is "x".'];
    const cli = fakeCli({ reportSettings: () => ({ ...given, problems }) });
    expect(await runCli(["doctor"], cli)).toBe(1);
    expect(cli.printed.at(-1)).toMatch(
      /^✗ settings +reprise\.conf, line 1: prot is no setting\. port is "x"\.$/,
    );
  });
});

describe("the server", () => {
  test("without any earlier server", async () => {
    expect((await checkServer(folder)).sentence).toContain("none is running on this data folder");
  });

  test("a killed server has left its address", async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "server.json"), '{"url": "http://127.0.0.1:1", "pid": 1}');
    expect(await checkServer(folder)).toMatchObject({ state: "warning" });
    expect((await checkServer(folder)).sentence).toContain("no response from http://127.0.0.1:1");
  });
});
