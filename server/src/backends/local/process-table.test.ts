import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { processesMarked } from "#backends/local/process-table";

const MARK = "REPRISE_TEST_MARK";
const marked = async (value: string) => (await processesMarked(MARK, new Set([value]))).pids;

describe("the processes with a mark", () => {
  test("are found while they take on one program after the other", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-table-"));
    const script = path.join(folder, "again.sh");
    await writeFile(script, '#!/bin/sh\nexec "$0"\n');
    await chmod(script, 0o700);
    const restless = spawn(script, { env: { PATH: process.env["PATH"], [MARK]: folder }, stdio: "ignore" });
    await expect.poll(() => marked(folder)).toEqual([restless.pid]);
    const found: (readonly number[])[] = [];
    for (let look = 0; look < 100; look += 1) found.push(await marked(folder));
    restless.kill("SIGKILL");
    await rm(folder, { recursive: true });
    expect(found.filter((pids) => pids.length !== 1)).toEqual([]);
  });

  test("are not looked for long in a process that has no environment at all", async () => {
    const bare = spawn("sleep", ["100"], { env: {}, stdio: "ignore" });
    const beganAt = performance.now();
    for (let look = 0; look < 10; look += 1) await marked("nobody");
    const tookMs = performance.now() - beganAt;
    bare.kill("SIGKILL");
    // Each look that takes it for one that is just beginning lasts 50 ms.
    expect(tookMs).toBeLessThan(450);
  });
});
