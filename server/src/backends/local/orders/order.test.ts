import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { orderOf } from "#backends/local/orders/order";
import { checkShellSafe } from "#backends/local/orders/shell-safe";
import type { ImageSettings } from "#backends/local/images/image-map";
import type { BehindWall, Wall } from "#backends/walls/wall";
import { expectSoundBash } from "#plumbing/text/shellcheck-suite";
import type { Job } from "#workflow/job/job";

const JOB: Job = {
  key: "k",
  name: "",
  node: "0",
  command: { script: "true" },
  displayCommand: "",
  image: null,
  environment: {},
};

const request = (change: Partial<Job>) => ({
  id: "j",
  job: { ...JOB, ...change },
  workspaceFolder: "/my files",
  hostToken: "b",
});
const order = (change: Partial<Job>) =>
  String(orderOf(request(change), "/jobs/j", { hostId: "h", maxOutputBytes: 1000 }));

describe("an order", () => {
  test("has its length in bytes, the variables of the job, the command, the folder and the limits", () => {
    const code =
      "given() { export HOME=/jobs/j/scratch 'A=b ü' REPRISE_JOB_ID=j REPRISE_JOB_MARK=h/j; }; " +
      "attempt j /jobs/j '/my files' 31 1000 in_bash 'echo $A'\n";
    const change = { command: { script: "echo $A" }, environment: { A: "b ü" }, limits: { timeMs: 301 } };
    expect(order(change)).toBe(`${String(Buffer.byteLength(code)).padStart(8, "0")}${code}`);
  });

  test.each<[change: Partial<Job>, how: string]>([
    [
      { command: { script: "python a.py 'b c'" } },
      "as_program 'python a.py '\\''b c'\\''' python a.py 'b c'",
    ],
    [{ command: { script: "python a.py" }, environment: { PATH: "/x" } }, "in_bash 'python a.py'"],
    [{ command: { script: " true\n" } }, "as_builtin true"],
    [{ command: { script: "cat x" } }, "as_program 'cat x' cat x"],
    [{ command: { script: "a && b" } }, "in_bash 'a && b'"],
  ])("%j is run so: %s", (change, how) => {
    expect(order(change)).toContain(` 0 1000 ${how}\n`);
  });

  test.each<[change: Partial<Job>, code: RegExp]>([
    [{ command: { argv: ["a b", ""] } }, /; attempt j .+ as_argv \S+ 'a b' ''\n$/],
    [{ command: { argv: ["x"] }, environment: { PATH: "/x" } }, / as_argv \/x x\n$/],
    [
      { command: { argv: ["x"] }, environment: { UID: "7" } },
      / as_argv_with_env \S+ x PATH=\S+ .+ UID=7 .+ REPRISE_JOB_MARK=h\/j x\n$/,
    ],
    [
      { command: { argv: ["a=b", "c"] }, environment: { UID: "7" } },
      / \/bin\/sh -c 'exec "\$0" "\$@"' a=b c\n$/,
    ],
    [
      { command: { argv: ["x"] }, workingFolder: "w", stdin: "i n", stdout: "o", stderr: "e" },
      /; placed w 'i n' o e '' attempt j .+ as_argv \S+ x\n$/,
    ],
    [{ user: { uid: 7, gid: 0 } }, /; placed '' '' '' '' 'reprise: .+ the group 0\.\n' attempt j /],
  ])("%j is ordered so: %s", (change, code) => {
    expect(order(change)).toMatch(code);
  });

  test("shellcheck finds no fault in an order, nor in the names and texts that it quotes", (context) => {
    const environment = { A: 'it\'s $(x) `y` "z" *', UID: "7" };
    const limits = { timeMs: 10, memoryBytes: 2 ** 30, diskBytes: 2 ** 30 };
    const files = { workingFolder: "w x", stdin: "-i n", stdout: "o*", stderr: "$e" };
    for (const command of [{ script: "a && 'b c' | d \\\n; e" }, { argv: ["a b", "*", "$c"] as const }])
      expectSoundBash(context, order({ command, environment, limits, ...files }).slice(8));
  });

  test("variables that are special to a shell are set by `env`", () => {
    expect(order({ command: { script: "a b" }, environment: { UID: "7" } })).toMatch(
      /with_env PATH=\S+ LANG=C.UTF-8 HOME=\/jobs\/j\/scratch UID=7 REPRISE_JOB_ID=j REPRISE_JOB_MARK=h\/j bash -c 'a b'\n$/,
    );
  });

  test("a job's own variables and its user's secrets override the common variables", () => {
    const environment = { A: "common", B: "common", LD_LIBRARY_PATH: "/opt/lib", REPRISE_JOB_ID: "other" };
    const secrets = { environment: { B: "secret" }, files: new Map() };
    const options = { hostId: "h", maxOutputBytes: 1000, environment };
    const code = String(orderOf({ ...request({ environment: { A: "own" } }), secrets }, "/jobs/j", options));
    expect(code).toContain(
      "export A=own B=secret LD_LIBRARY_PATH=/opt/lib REPRISE_JOB_ID=j HOME=/jobs/j/scratch REPRISE_JOB_MARK=h/j;",
    );
    const home = String(orderOf(request({}), "/jobs/j", { ...options, environment: { HOME: "/home/ada" } }));
    expect(home).toContain("export HOME=/home/ada REPRISE_JOB_ID=j");
  });

  test("a job cannot be given another mark than its own", () => {
    expect(order({ environment: { REPRISE_JOB_ID: "other", REPRISE_JOB_MARK: "other" } })).not.toContain(
      "other",
    );
  });

  test.each<[change: Partial<Job>, complaint: string]>([
    [{ command: { script: "a\0b" } }, "The command holds a NUL character."],
    [{ command: { argv: ["a", "b\0"] } }, "The command holds a NUL character."],
    [{ command: { argv: ["a", "\ud800"] } }, "An argument of the command is not valid Unicode."],
    [{ stdin: "../a" }, 'The job\'s stdin is "../a": it must be a path inside the workspace.'],
    [{ stdin: "a", stderr: "a" }, 'The job would empty the file that it reads: "a".'],
    [{ environment: { "a-b": "c" } }, '"a-b" cannot be the name of an environment variable.'],
    [{ environment: { A: "b\0" } }, "The environment variable A holds a NUL character."],
    [{ image: "a\0b" }, "cannot be the name of an image: it holds a NUL character."],
  ])("%j is refused", (change, complaint) => {
    expect(() => checkShellSafe(request(change))).toThrow(complaint);
  });

  describe("of a job whose image has a stand-in", () => {
    const images: ImageSettings = {
      mode: "require",
      standIns: [
        { pattern: "python:*", by: { folder: "/opt/py" } },
        { pattern: "root:*", by: { command: ["/opt/root/run", "--quiet"] } },
      ],
    };
    const mapped = (image: string, command: Job["command"]) => {
      const options = { hostId: "h", maxOutputBytes: 1, images, environment: { PATH: "/usr/bin" } };
      return String(orderOf(request({ image, command }), "/jobs/j", options));
    };

    test("the environment is first in PATH, and the first line of the log names the environment", () => {
      const code = mapped("docker.io/library/python:3", { script: "fit" });
      expect(code).toContain("export PATH=/opt/py/bin:/usr/bin ");
      expect(code).toContain(
        "placed '' '' '' '' 'reprise: /opt/py stands in for the image docker.io/library/python:3.\n' attempt j ",
      );
    });

    test("the wrapper runs the command", () => {
      expect(mapped("root:6", { argv: ["root", "-b"] })).toMatch(
        / as_argv \/usr\/bin \/opt\/root\/run --quiet root -b\n$/,
      );
      expect(mapped("root:6", { script: "a && b" })).toContain(
        "exec /opt/root/run --quiet bash -c '\\''a && b",
      );
    });

    test("one that is required and absent ends the job, and the log says why", () => {
      const code = mapped("julia:1", { script: "fit" });
      expect(code).toContain("'reprise: No environment of this server stands in for the image julia:1. ");
      expect(code).toMatch(/ in_bash 'exit 126'\n$/);
    });
  });

  test("a NUL character in any part of a job is refused", () => {
    const mounts = [{ from: "a\0b", at: "/c", mode: "read" as const }];
    const wall: Wall = {
      name: "test",
      provides: [],
      around: ({ job }) => ({ argv: ["/wall", job.mounts![0]!.from] }),
    };
    const options = { hostId: "h", maxOutputBytes: 1, wall };
    expect(() => orderOf(request({ mounts }), "/jobs/j", options)).toThrow("holds a NUL character");
  });

  describe("behind a wall", () => {
    const seen: BehindWall[] = [];
    const wall: Wall = {
      name: "test",
      provides: ["network"],
      around(behind) {
        seen.push(behind);
        const { command } = behind;
        const words = "argv" in command ? command.argv : ["bash", "-c", command.script];
        return { argv: ["/wall", ...words] };
      },
    };
    const walled = (change: Partial<Job>, more = {}) =>
      String(orderOf({ ...request(change), ...more }, "/jobs/j", { hostId: "h", maxOutputBytes: 1, wall }));

    test.each<[change: Partial<Job>, how: string]>([
      [{ command: { script: "true" } }, "/wall bash -c true"],
      [{ command: { script: "a && b" } }, "/wall bash -c 'a && b'"],
      [{ command: { argv: ["a b", ""] } }, "/wall 'a b' ''"],
    ])("the wall's program takes the place of %j", (change, how) => {
      expect(walled(change)).toContain(
        `; program() { exec -- ${how}; }; attempt j /jobs/j '/my files' 0 1 as_walled\n`,
      );
    });

    test("what the wall enforces is not reported as missing", () => {
      expect(walled({ network: "none" })).not.toContain("placed");
    });

    test("variables that could change the wall's own program are for the command alone", () => {
      const environment = { A: "1", LD_PRELOAD: "/evil.so", UID: "7", PATH: "/x" };
      expect(walled({ environment })).toContain(
        "given() { export HOME=/jobs/j/scratch A=1 PATH=/x REPRISE_JOB_ID=j REPRISE_JOB_MARK=h/j; };",
      );
      expect(seen.at(-1)).toMatchObject({
        inside: { LD_PRELOAD: "/evil.so", UID: "7" },
        workspaceFolder: "/my files",
        attemptFolder: "/jobs/j",
        scratchFolder: "/jobs/j/scratch",
      });
    });

    test("a secret of such a name is read from a file behind the wall", () => {
      const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-order-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const secrets = { environment: { LD_PRELOAD: "hidden", KEY: "shown" }, files: new Map() };
      const options = { hostId: "h", maxOutputBytes: 1, wall };
      const code = String(orderOf({ ...request({}), secrets }, folder, options));
      expect(code).toContain("export KEY=shown HOME=");
      expect(code).not.toContain("hidden");
      expect(code).toContain(` exec -- /wall bash -c '. ${folder}/secrets/environment.sh\ntrue'; }; `);
      expect(readFileSync(path.join(folder, "secrets/environment.sh"), "utf8")).toBe(
        "export LD_PRELOAD=hidden\n",
      );
    });
  });
});
