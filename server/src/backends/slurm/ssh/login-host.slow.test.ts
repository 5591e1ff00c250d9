import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type LoginHost, openLoginHost } from "#backends/slurm/ssh/login-host";
import { HAS_SSHD, type Sshd, startSshd } from "#backends/slurm/ssh/sshd-fixture";
import { systemClock } from "#plumbing/clock";

/** Programs of a login host, in a folder of its PATH. */
describe.runIf(HAS_SSHD)("commands on a login host with a real sshd", () => {
  let sshd: Sshd;
  let tools: string;

  beforeAll(async () => {
    tools = mkdtempSync(path.join(os.tmpdir(), "reprise-tools-"));
    sshd = await startSshd({ PATH: `${tools}:/usr/bin:/bin`, LC_ALL: "de_DE.UTF-8", SQUEUE_FORMAT: "%i" });
  });
  afterAll(async () => {
    await sshd?.down();
    rmSync(tools, { recursive: true, force: true });
  });
  beforeEach(() => loginHosts.clear());

  const loginHosts = new Set<LoginHost>();
  const open = (change: { host?: string; configFile?: string; elapsedMs?: () => number } = {}) => {
    const { elapsedMs = () => systemClock.elapsedMs(), ...rest } = change;
    const { host, configFile } = sshd;
    const opened = openLoginHost({ host, configFile, clock: { elapsedMs }, ...rest });
    onTestFinished(() => opened.close());
    return opened;
  };
  const addTool = (name: string, ...lines: readonly string[]) =>
    writeFileSync(path.join(tools, name), ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });

  test("return their output, errors and exit code, over one connection", async () => {
    const { run } = open();
    const before = sshd.connections();
    addTool("say", 'printf "%s|" "$@"; echo error >&2; exit 3');
    const words = ["it's", "a b", "", "$HOME", "\\'\"`", "ä\n*"];
    const results = await Promise.all(Array.from({ length: 20 }, () => run("say", words)));
    for (const result of results)
      expect(result).toEqual({ code: 3, stdout: `${words.join("|")}|`, stderr: "error\n" });
    expect(sshd.connections() - before).toBe(1);
  });

  test("see neither the locale nor the variables of the login shell", async () => {
    addTool("variables", "env | sort");
    const { stdout } = await open().run("variables", []);
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.filter((name) => !["PWD", "_", "SHLVL", "OLDPWD"].includes(name!))).toEqual([
      "HOME",
      "LANG",
      "PATH",
    ]);
    expect(stdout).toContain("LANG=C.UTF-8");
  });

  test("are free of the lines that the login shell and the host print", async () => {
    await sshd.kill();
    const banner = path.join(sshd.folder, "banner");
    writeFileSync(banner, "Welcome! 4711\n");
    const rc = path.join(sshd.folder, "rc");
    writeFileSync(rc, `#!/bin/sh\necho 17; echo 18 >&2; exec "$@"\n`);
    chmodSync(rc, 0o755);
    await sshd.up(
      `Banner ${banner}`,
      `ForceCommand echo 17; echo 18 >&2; eval "$SSH_ORIGINAL_COMMAND"; echo 19`,
    );
    addTool("number", "echo 42");
    expect(await open().run("number", [])).toEqual({ code: 0, stdout: "42\n", stderr: "" });
    await sshd.kill();
    await sshd.up();
  });

  test("that the login host lacks are told by name", async () => {
    expect(await open().run("sbatch-of-nowhere", [])).toEqual({
      code: null,
      stdout: "",
      stderr: `the login host ${sshd.host} has no sbatch-of-nowhere in the PATH of its login shell.`,
    });
  });

  test.each([
    ["a password", "PubkeyAuthentication no", "asks for a password, and a server cannot type one."],
    [
      "another key",
      "AuthorizedKeysFile /dev/null\nPasswordAuthentication no\nKbdInteractiveAuthentication no",
      "refuses the keys of the server's user.",
    ],
  ])("a host that wants %s is told as such", async (_, lines, sentence) => {
    await sshd.kill();
    await sshd.up(...lines.split("\n"));
    const { code, stderr } = await open().run("true", []);
    expect([code, stderr]).toEqual([null, expect.stringContaining(sentence)]);
    await sshd.kill();
    await sshd.up();
  });

  test("a changed host key, an unknown host key, and a host away are told as such", async () => {
    const said = async (change: Parameters<typeof open>[0] = {}) =>
      (await open(change).run("true", [])).stderr;
    const known = path.join(sshd.folder, "known-hosts");
    const before = readFileSync(known, "utf8");
    await sshd.kill();
    sshd.changeKey();
    await sshd.up();
    expect(await said()).toBe(
      `the login host ${sshd.host} has another host key than before. If its administrator confirms the new key, ` +
        `remove the old one: ssh-keygen -R '[127.0.0.1]:${sshd.port}'.`,
    );
    writeFileSync(known, "");
    expect(await said()).toContain("has an unknown host key. Connect once");
    writeFileSync(
      known,
      before.replace(/\S+ \S+ \S+\n$/, readFileSync(path.join(sshd.folder, "host-key.pub"), "utf8")),
    );
    expect(await said()).toBe("");
    expect(await said({ host: "nowhere.invalid" })).toContain("is not known by this name");
    await sshd.kill();
    expect(await said()).toMatch(/does not answer: .*Connection refused/);
    await sshd.up();
  });

  test("a host away is tried again with growing delays, and never by two attempts at a time", async () => {
    await sshd.kill();
    let nowMs = 0;
    const { run } = open({ elapsedMs: () => nowMs });
    const works = async () => (await run("true", [])).code === 0;
    expect(await Promise.all([works(), works()])).toEqual([false, false]);
    await sshd.up();
    const before = sshd.connections();
    nowMs = 999;
    expect(await works()).toBe(false);
    expect(sshd.connections()).toBe(before);
    nowMs = 1000;
    expect(await works()).toBe(true);
    expect(sshd.connections()).toBe(before + 1);
  });

  test("a command whose connection breaks has no result, and the next command connects again", async () => {
    const { run } = open();
    addTool("slow", "touch $0.begun; sleep 30");
    const result = run("slow", []);
    await expect.poll(() => readdirSync(tools)).toContain("slow.begun");
    await sshd.kill();
    const { code, stderr } = await result;
    expect([code, stderr]).toEqual([null, expect.stringMatching(/does not answer/)]);
    await sshd.up();
    expect(await run("true", [])).toMatchObject({ code: 0 });
  });

  test("the closed connection leaves no process and no socket", async () => {
    const opened = open();
    await opened.run("true", []);
    // The held ssh keeps the words of its start, or names the socket in its title.
    const held = () =>
      execFileSync("ps", ["-eo", "args="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.startsWith("ssh") && line.includes("/tmp/reprise-ssh-"));
    const before = held().length;
    expect(before).toBeGreaterThan(0);
    await opened.close();
    await expect.poll(() => held().length).toBe(before - 1);
  });
});
