import { describe, expect, test } from "vitest";
import { orderOf, checkShellSafe } from "#backends/local/slots/order";
import type { Job } from "#workflow/job";

const JOB: Job = {
  key: "k",
  name: "",
  script: "true",
  displayCommand: "",
  image: null,
  environment: {},
  timeLimitMs: null,
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
    const change = { script: "echo $A", environment: { A: "b ü" }, timeLimitMs: 301 };
    expect(order(change)).toBe(`${String(Buffer.byteLength(code)).padStart(8, "0")}${code}`);
  });

  test.each<[change: Partial<Job>, how: string]>([
    [{ script: "python a.py 'b c'" }, "as_program 'python a.py '\\''b c'\\''' python a.py 'b c'"],
    [{ script: "python a.py", environment: { PATH: "/x" } }, "in_bash 'python a.py'"],
    [{ script: " true\n" }, "as_builtin true"],
    [{ script: "true x" }, "as_program 'true x' true x"],
    [{ script: "a && b" }, "in_bash 'a && b'"],
  ])("%j is run so: %s", (change, how) => {
    expect(order(change)).toContain(` 0 1000 ${how}\n`);
  });

  test("variables that are special to a shell are set by `env`", () => {
    expect(order({ script: "a b", environment: { UID: "7" } })).toMatch(
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
    [{ script: "a\0b" }, "The command holds a NUL character."],
    [{ environment: { "a-b": "c" } }, '"a-b" cannot be the name of an environment variable.'],
    [{ environment: { A: "b\0" } }, "The environment variable A holds a NUL character."],
  ])("%j is refused", (change, complaint) => {
    expect(() => checkShellSafe(request(change))).toThrow(complaint);
  });
});
