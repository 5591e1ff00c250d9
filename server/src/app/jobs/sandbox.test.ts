import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openWall, reportSandbox, trySandbox } from "#app/jobs/sandbox";
import { startApp } from "#app/start";
import { readConfig, SettingError } from "#config/read";
import type { Wall } from "#backends/walls/wall";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { maybeProgram } from "#plumbing/files/find-program";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { describeUnless, testUnless } from "#plumbing/needs-suite";

let folder: string;
folderForEach((made) => void (folder = made));

const told: string[] = [];
const log = {
  info: (_: object, message: string) => void told.push(message),
  warn: (_: object, message: string) => void told.push(message),
};
afterEach(() => void vi.unstubAllEnvs());

/** Puts a program in front of the PATH, and returns its file. */
function addProgram(name: string, text: string): string {
  const programs = path.join(folder, "programs");
  mkdirSync(programs, { recursive: true });
  writeFileSync(path.join(programs, name), text, { mode: 0o755 });
  vi.stubEnv("PATH", `${programs}:${process.env["PATH"]}`);
  return path.join(programs, name);
}

const openWith = (options: Record<string, string>) => {
  const config = readConfig({}, options);
  return openWall(config, trySandbox(config, folder), log);
};

test("`none` is accepted on any address, and the log explains the meaning", async () => {
  expect(await openWith({ sandbox: "none", host: "0.0.0.0" })).toEqual({});
  expect(told.at(-1)).toMatch(/^Jobs run without a sandbox, as --sandbox none says: they can read/);
  expect(await reportSandbox(readConfig({}, { sandbox: "none" }))).toEqual({
    name: "none",
    reason: "--sandbox none",
  });
});

testUnless(NO_BUBBLEWRAP)("`auto` is bubblewrap where the probe holds", async () => {
  expect(await openWith({})).toMatchObject({ wall: { name: "bubblewrap" } });
  expect(await reportSandbox(readConfig({}, {}))).toEqual({ name: "bubblewrap" });
});

/** The fake `cat` shows the probe a table of mounts as another version of bwrap may make it. */
testUnless(NO_BUBBLEWRAP)("a bubblewrap whose root has another name is no sandbox", async () => {
  const cat = addProgram("cat", '#!/bin/sh\nexec sed s,/newroot,/other, "$@"\n');
  addProgram(
    "bwrap",
    `#!/bin/bash\nfor ((n = 1; n <= $#; n++)); do [ "\${!n}" != -- ] || break; done\n` +
      `exec ${maybeProgram("bwrap")} "\${@:1:n - 1}" --ro-bind ${cat} /usr/bin/cat "\${@:n}"\n`,
  );
  expect(await reportSandbox(readConfig({}, {}))).toEqual({
    name: "none",
    reason: expect.stringContaining("does not name the root of its sandbox /newroot"),
    isRefused: true,
  });
});

test("`auto` refuses to start if bubblewrap fails for an unknown reason, and `none` accepts it", async () => {
  addProgram("bwrap", "#!/bin/sh\necho 'bwrap: the moon is full' >&2\nexit 1\n");
  await expect(openWith({})).rejects.toThrow(
    "bubblewrap was tried and failed: bwrap: the moon is full. No job starts without the sandbox: mend it, or give " +
      "--sandbox none to accept that jobs can read and change everything that the user of this server can.",
  );
  expect(await reportSandbox(readConfig({}, {}))).toMatchObject({ name: "none", isRefused: true });
  expect(await openWith({ sandbox: "none" })).toEqual({});
});

test("a slow trial is waited for, and the log and the terminal say so", async () => {
  const wall = { name: "bubblewrap" } as Wall;
  const tried = new Promise<{ wall: Wall }>((resolve) => setTimeout(() => resolve({ wall }), 100));
  const slow =
    "Trying the sandbox takes more than 10 s. This machine is overloaded: jobs may be slow to start.";
  const opened = openWall(readConfig({}, {}), tried, log, 10);
  expect(await opened).toEqual({ wall, warning: `Warning: ${slow}` });
  expect(told.slice(-2)).toEqual([slow, "Jobs run in a sandbox."]);
});

test("`auto` warns at the terminal if the system forbids sandboxes", async () => {
  addProgram("bwrap", "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n");
  const { warning } = await openWith({});
  expect(warning).toMatch(
    /^Warning: Jobs run without a sandbox: .+ uid map: Permission denied\. This system/,
  );
  expect(await reportSandbox(readConfig({}, {}))).not.toHaveProperty("isRefused");
});

test("an environment whose Python jobs would not see refuses the start, and says what to show them", async () => {
  const environment = path.join(folder, "env");
  const python = path.join(folder, "pythons", "3.12");
  for (const made of [environment, python]) mkdirSync(path.join(made, "bin"), { recursive: true });
  writeFileSync(path.join(python, "bin/python3"), "");
  symlinkSync(path.join(python, "bin/python3"), path.join(environment, "bin/python3"));
  const options = { imageMap: `python:*=${environment}`, dataFolder: path.join(folder, "data") };
  await expect(openWith(options)).rejects.toThrow(
    `which jobs in the sandbox do not see. Add --mount ${python}.`,
  );
  expect(await reportSandbox(readConfig({}, { ...options, mounts: python }))).not.toMatchObject({
    reason: expect.stringContaining("do not see"),
  });
});

describe("without bubblewrap", () => {
  const { PATH } = process.env;
  beforeEach(() => void (process.env["PATH"] = "/nowhere"));
  afterEach(() => void (process.env["PATH"] = PATH));

  test("`auto` means no sandbox, and the log and the terminal report the choice", async () => {
    expect(await openWith({})).toEqual({
      warning:
        "Warning: Jobs run without a sandbox: they can read and change everything that the user of this server can. " +
        "The reason: bubblewrap is not installed: `apt install bubblewrap`.",
    });
    expect(told.at(-1)).toMatch(/^Jobs run without a sandbox: they can read/);
  });

  test("a server with a public address does not start", async () => {
    await expect(openWith({ host: "0.0.0.0" })).rejects.toThrow(
      "Others can reach 0.0.0.0, and jobs would run without a sandbox: bubblewrap is not installed: `apt install " +
        "bubblewrap`. Install it, or give --sandbox none if all users may do what the user of this server may.",
    );
  });

  test("`bubblewrap` refuses to start", async () => {
    await expect(openWith({ sandbox: "bubblewrap" })).rejects.toThrow(SettingError);
  });
});

test.each(["nowhere-at-all", "..", "inner"])(
  "a mount that cannot be, or shows the data folder, refuses the start: %s",
  async (name) => {
    mkdirSync(path.join(folder, "inner"));
    const given = path.resolve(folder, name);
    const options = { mounts: `${given}:/elsewhere`, dataFolder: folder };
    await expect(openWith(options)).rejects.toThrow(`--mount ${given}: `);
    expect(await reportSandbox(readConfig({}, options))).toMatchObject({ name: "none" });
  },
);

describeUnless(NO_BUBBLEWRAP)("`reana-client info` says what", () => {
  test.each([
    ["auto", "none"],
    ["auto", "podman"],
    ["none", "none"],
    ["none", "podman"],
  ])("--sandbox %s means with --containers %s", async (sandbox, containers) => {
    const options = { sandbox, containers, sampleRun: "false", port: "0", logTo: "file" };
    const app = await startApp(
      readConfig({}, { ...options, dataFolder: path.join(folder, "data") }),
      "0.1.0",
    );
    const response = await fetch(`${app.url}/api/info?access_token=${app.adminToken}`);
    await app.close();
    expect(await response.json()).toMatchObject({
      jobs_in_sandbox: { title: "Jobs run in a sandbox", value: sandbox === "auto" ? "True" : "False" },
    });
  });
});
