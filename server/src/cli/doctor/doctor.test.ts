import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkDataFolder, checkDiskSpace, checkNode } from "#cli/doctor/machine";
import { checkServer } from "#cli/doctor/server";
import { fakeHost } from "#cli/fake-host";
import { runCli } from "#cli/program";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-doctor-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("a line for each thing, and nothing is changed", async () => {
  const data = path.join(folder, "not", "yet");
  const host = fakeHost();
  await runCli(["doctor", "--data", data], host);
  const names = [
    "system",
    "Node",
    "bash",
    "git",
    "bubblewrap",
    "sandbox",
    "data folder",
    "disk space",
    "server",
  ];
  expect(host.printed.map((line) => /^[✓!✗] (\w+( \w+)?) {2}/.exec(line)?.[1])).toEqual(names);
  expect(host.printed[5]).toMatch(/^! sandbox +none: jobs run as the user /);
  expect(await readdir(folder)).toEqual([]);
});

test("JSON, and the exit code of a failure when something required is missing", async () => {
  const host = fakeHost({ nodeVersion: "20.20.2" });
  expect(await runCli(["doctor", "--json", "--data", folder], host)).toBe(1);
  const report = JSON.parse(host.printed.join("")) as { ok: boolean; checks: { name: string }[] };
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

describe("the data folder", () => {
  test("is tried, and left as it was", async () => {
    expect(await checkDataFolder(folder)).toMatchObject({ state: "ok", sentence: `${folder} is writable` });
    expect((await checkDataFolder(path.join(folder, "a", "b"))).sentence).toContain("will be made");
    expect(await readdir(folder)).toEqual([]);
  });

  test("cannot be a file, or lie under one", async () => {
    const file = path.join(folder, "file");
    await writeFile(file, "");
    for (const name of [file, path.join(file, "under")]) {
      expect(await checkDataFolder(name)).toMatchObject({
        state: "missing",
        sentence: `${name}: ${file} is not a folder.`,
      });
    }
  });

  test("cannot be where nobody may write", async () => {
    expect(await checkDataFolder("/proc/reprise")).toMatchObject({ state: "missing" });
  });

  test("its disk has room", async () => {
    expect((await checkDiskSpace(path.join(folder, "a"))).sentence).toContain("are free for the data folder");
  });
});

describe("the server", () => {
  test("none was ever there", async () => {
    expect((await checkServer(folder)).sentence).toContain("none runs on this data folder");
  });

  test("the last one was killed, and left its address", async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "server.json"), '{"url": "http://127.0.0.1:1", "pid": 1}');
    expect(await checkServer(folder)).toMatchObject({ state: "warning" });
    expect((await checkServer(folder)).sentence).toContain("none answers at http://127.0.0.1:1");
  });
});
