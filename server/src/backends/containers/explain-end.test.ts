import { expect, test } from "vitest";
import { explainedEnd } from "#backends/containers/explain-end";
import type { JobEnd } from "#workflow/job/job";

type Known = Partial<Parameters<typeof explainedEnd>[1]>;
const exited = (exitCode: number): JobEnd => ({ reason: "exited", exitCode, startedAtMs: 1, endedAtMs: 2 });
const explained = (exitCode: number, log: string, known: Known = {}): JobEnd =>
  explainedEnd(exited(exitCode), { image: "a:1", runtime: "podman", isMade: false, log, ...known });

const INIT = "ERROR (catatonit:2): failed to exec pid1: No such file or directory\n";
const PODMAN = 'time="2026-11-23T20:00:00Z" level=error msg="Removing container 1: it is busy"\n';

test.each([
  ["by the init", INIT],
  ["by the init, before a line of podman", `${INIT}${PODMAN}${PODMAN}`],
])("a program that the image lacks has the exit code of a shell, if it is named %s", (_how, log) => {
  const detail = expect.stringMatching(/^The image a:1 has no such program: No such file or directory\./);
  expect(explained(1, log)).toMatchObject({ reason: "exited", exitCode: 127, detail });
});

test("a program that cannot be executed has the other exit code of a shell", () => {
  expect(explained(1, INIT.replace("No such file or directory", "Permission denied"))).toMatchObject({
    exitCode: 126,
    detail: "A program of the image a:1 cannot be executed: Permission denied.",
  });
});

const DAEMON = "docker: Error response from daemon: no space left\n";

test.each<[string, string, Known]>([
  ["podman", `Error: no space left\n${PODMAN}`, {}],
  ["docker", "docker: no space left\nSee '/usr/bin/docker run --help'.\n", { runtime: "docker" }],
  ["docker", `${DAEMON}\nRun 'docker run --help' for more information\n`, { runtime: "docker" }],
  ["docker, which has made the container,", DAEMON, { runtime: "docker", isMade: true }],
])("a job that %s could not start has not started: %s", (_name, log, known) => {
  const detail = "The image a:1 could not be started: no space left";
  expect(explained(125, log, known)).toMatchObject({ reason: "not-started", exitCode: null, detail });
});

test.each<[number, string, Known]>([
  [125, "Error: no space left\n", { isMade: true }],
  [125, "Error: no space left\n", { runtime: "docker" }],
  [125, "docker: no space left\n", { runtime: "docker", isMade: true }],
  [127, "Error: no such number\n", { isMade: true }],
])("a command that ran and ended with %i after it printed %j has ended so: %j", (code, log, known) => {
  expect(explained(code, log, known)).toEqual(exited(code));
});

test("what a runtime says is shown without control characters", () => {
  expect(explained(125, "Error: no\u001b[2J space\n").detail).toBe(
    "The image a:1 could not be started: no\ufffd[2J space",
  );
  expect(explained(127, "Error: no\u001b[2J program\n").detail).toContain("no\ufffd[2J program");
});

test.each([
  ["a program that failed with a line like that of a runtime", "Error: there is no such file\n"],
  ["a program that failed after such a line of its own", `${INIT}and more\n`],
  ["a program that failed and printed nothing", ""],
])("the end of %s is left as it is", (_what, log) => {
  expect(explained(1, log)).toEqual(exited(1));
});
