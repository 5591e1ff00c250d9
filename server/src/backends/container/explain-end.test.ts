import { expect, test } from "vitest";
import { explainedEnd } from "#backends/container/explain-end";
import type { JobEnd } from "#workflow/job/job";

const explained = (exitCode: number, log: string): JobEnd =>
  explainedEnd({ reason: "exited", exitCode, startedAtMs: 1, endedAtMs: 2 }, { image: "a:1", log });

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

test("a runtime that could not start the container names itself", () => {
  expect(explained(125, `Error: no space left\n${PODMAN}`)).toMatchObject({
    reason: "not-started",
    exitCode: null,
    detail: "The image a:1 could not be started: no space left",
  });
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
  expect(explained(1, log)).toEqual({ reason: "exited", exitCode: 1, startedAtMs: 1, endedAtMs: 2 });
});
