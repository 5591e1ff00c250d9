import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MARK, markedProcesses } from "#backends/local/marked-processes";

const marked = async (value: string) => (await markedProcesses(new Set([value]))).pids;

describe("the processes with a mark", () => {
  test("are found while they take on one program after the other", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-table-"));
    const script = path.join(folder, "again.sh");
    await writeFile(script, '#!/bin/sh\nexec "$0"\n');
    await chmod(script, 0o700);
    const restless = spawn(script, { env: { PATH: process.env["PATH"], [MARK]: folder }, stdio: "ignore" });
    onTestFinished(async () => {
      restless.kill("SIGKILL");
      await rm(folder, { recursive: true });
    });
    await expect.poll(() => marked(folder)).toEqual([restless.pid]);
    const found: (readonly number[])[] = [];
    for (let look = 0; look < 25; look += 1) found.push(await marked(folder));
    expect(found.filter((pids) => pids.length !== 1)).toEqual([]);
  });
});
