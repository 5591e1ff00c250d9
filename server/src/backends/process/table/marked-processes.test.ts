import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLeftoverSearch, MARK, markedProcesses } from "#backends/process/table/marked-processes";

const marked = async (value: string) => (await markedProcesses(new Set([value]))).pids;

describe("the processes with a mark", () => {
  test("are found while the processes execute program after program", async () => {
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

describe("the search for leftovers of ended jobs", () => {
  const sleeper = (mark: string) => {
    const child = spawn("sleep", ["60"], {
      env: { PATH: process.env["PATH"], [MARK]: mark },
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child.pid!;
  };
  /** A search with a fixed clock: the machine's processes never cause a second complete search. */
  const searchAt = (elapsed: { ms: number }) => {
    const search = createLeftoverSearch(() => elapsed.ms);
    return async (...marks: string[]) => (await search(new Set(marks))).pids;
  };

  test("finds processes from the previous search and those started since", async () => {
    const search = searchAt({ ms: 0 });
    const older = sleeper("test/older");
    await expect.poll(() => search("test/older")).toEqual([older]);
    expect(await search("test/older")).toEqual([older]);
    const newer = sleeper("test/newer");
    expect(await search("test/newer")).toEqual([newer]);
    // Process numbers start again at the lowest after the maximum.
    expect(new Set(await search("test/older", "test/newer"))).toEqual(new Set([older, newer]));
    expect(await search("test/nobody")).toEqual([]);
  });

  test("forgets ended processes", async () => {
    const search = searchAt({ ms: 0 });
    const pid = sleeper("test/ends");
    expect(await search("test/ends")).toEqual([pid]);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => search("test/ends")).toEqual([]);
  });

  test("searches all processes again after a while", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-table-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const elapsed = { ms: 0 };
    const search = searchAt(elapsed);
    const gate = path.join(folder, "gate");
    const later = `until [ -e ${gate} ]; do sleep 0.01; done; export ${MARK}=test/later; exec sleep 60`;
    const child = spawn("sh", ["-c", later], { env: { PATH: process.env["PATH"] }, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    expect(await search("test/later")).toEqual([]);
    await writeFile(gate, "");
    await expect.poll(() => marked("test/later")).toEqual([child.pid]);
    elapsed.ms += 10_000;
    expect(await search("test/later")).toEqual([child.pid]);
  });
});
