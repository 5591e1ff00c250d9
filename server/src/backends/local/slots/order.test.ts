import { describe, expect, test } from "vitest";
import { orderOf } from "#backends/local/slots/order";
import { checkShellSafe } from "#backends/local/slots/shell-safe";
import type { Job } from "#workflow/job";

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
    [{ command: { script: "true x" } }, "as_program 'true x' true x"],
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
    [{ network: "none" }, /; placed '' '' '' '' 'reprise: .+ no network\.\n' attempt j /],
  ])("%j is ordered so: %s", (change, code) => {
    expect(order(change)).toMatch(code);
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
  ])("%j is refused", (change, complaint) => {
    expect(() => checkShellSafe(request(change))).toThrow(complaint);
  });
});
