import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { failureOf, runProgram } from "#backends/containers/run-program";
import { withFewDescriptors } from "#plumbing/descriptors-suite";

test("a program that hangs is ended with its children, and said not to answer", async () => {
  const result = await runProgram(["/bin/bash", "-c", "sleep 1000; :"], { timeoutMs: 200 });
  expect(result.code).toBeNull();
  expect(failureOf(result)).toBe("it did not answer within 0.2 s.");
});

test("a program returns the exit code and the output", async () => {
  const result = await runProgram(["/bin/bash", "-c", "echo out; echo Error: wrong >&2; exit 125"], {
    timeoutMs: 10_000,
  });
  expect(result).toEqual({ code: 125, stdout: "out\n", stderr: "Error: wrong\n" });
  expect(failureOf(result)).toBe("wrong.");
});

test("a program that prints more than its caller can use has failed", async () => {
  const many = (count: number) => ["/bin/bash", "-c", `yes é | head -c ${count}`] as const;
  const limits = { timeoutMs: 10_000, outputMaxCharacters: 3 * 2 ** 20 };
  const { code, stdout } = await runProgram(many(3 * 2 ** 20), limits);
  expect([code, stdout.length]).toEqual([0, 2 ** 21]);
  const result = await runProgram(many(6 * 2 ** 20), limits);
  expect(result.code).toBeNull();
  expect(failureOf(result)).toBe("it printed more than 3145728 characters.");
});

test("a missing program has no exit code", async () => {
  expect(await runProgram(["/nowhere/podman"], { timeoutMs: 1000 })).toMatchObject({
    code: null,
    stderr: expect.stringContaining("ENOENT"),
  });
});

test("a program and all children are ended if the caller stops", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-program-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stopping = new AbortController();
  const running = runProgram(["/bin/bash", "-c", `echo begun; : >${folder}/begun; sleep 1000; :`], {
    timeoutMs: 60_000,
    stop: stopping.signal,
  });
  await expect.poll(() => existsSync(path.join(folder, "begun"))).toBe(true);
  stopping.abort();
  expect(await running).toEqual({ code: null, stdout: "begun\n", stderr: "" });
});

test("Ctrl-C at a terminal reaches the programs that a person waits for, and no others", async () => {
  const groupIn = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2];
  const own = groupIn(readFileSync("/proc/self/stat", "utf8"));
  const groupWith = async (timeoutMs: number | null) =>
    groupIn((await runProgram(["/bin/cat", "/proc/self/stat"], { timeoutMs })).stdout);
  expect(await groupWith(null)).toBe(own);
  expect(await groupWith(10_000)).not.toBe(own);
});

test("a program that cannot be started for want of file descriptors has no exit code, and a later one runs", async () => {
  const code = `
    import { runProgram } from "#backends/containers/run-program";
    const run = () => runProgram(["/bin/echo", "out"], { timeoutMs: 10_000 });
    takeDescriptors(2);
    const without = await run();
    giveBackDescriptors();
    print({ without, later: await run() });`;
  expect(await withFewDescriptors(code)).toEqual({
    without: { code: null, stdout: "", stderr: expect.stringContaining("EMFILE") },
    later: { code: 0, stdout: "out\n", stderr: "" },
  });
});
