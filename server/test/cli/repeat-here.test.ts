import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openReader, openWorker, startLocal } from "#app/start";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { readConfig } from "#config/read";
import { isOver } from "#workflow/run/run-status";

/** Tests of `restart` and `rerun` on a data folder that no server uses: the command carries out the run itself. */
let folder: string;
let data: string;

const configOf = (options: Readonly<Record<string, unknown>>) =>
  readConfig({
    HOME: folder,
    REPRISE_DATA: String(options["dataFolder"]),
    REPRISE_CONTAINERS: "none",
    REPRISE_SANDBOX: "none",
  });

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-repeat-"));
  data = path.join(folder, "data");
  const runs = await startLocal(configOf({ dataFolder: data }));
  const steps = [
    { name: "make", commands: ["date +%N > made.txt"] },
    { name: "check", commands: ["cp made.txt checked.txt; test ${limit} -gt 3"] },
  ];
  const { id } = await runs.create("fit", {
    inputs: { parameters: { limit: 1 } },
    outputs: { files: ["checked.txt"] },
    workflow: { type: "serial", specification: { steps } },
  });
  await runs.start(id, { parameters: {}, options: {} });
  await vi.waitUntil(async () => isOver((await runs.view(id)).status), { timeout: 50_000 });
  await runs.close();
  await import("#cli/run/follow-here");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function reprise(...args: string[]) {
  const cli = fakeCli({
    dataFolder: (options) => String(options["dataFolder"]),
    openReader: (options) => openReader(configOf(options), "1.2.3"),
    openWorker: (options) => openWorker(configOf(options), "1.2.3"),
  });
  const code = await runCli([...args, "--data", data], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("restart and rerun run here, reuse what holds, and end with the exit code of the run", async () => {
  const planned = await reprise("restart", "fit", "--plan", "-p", "limit=5");
  expect(planned.printed.at(-1)).toBe(
    "A restart of fit.1 would run 1 of 2 commands, keep 1. Nothing was changed.",
  );

  const again = await reprise("restart", "fit.1");
  expect(again.code).toBe(1);
  expect(again.errors).toContain('Step "check" failed: its command exited with code 1.');

  const mended = await reprise("restart", "fit.1.1", "-p", "limit=5");
  expect(mended.code).toBe(0);
  expect(mended.errors).toEqual(
    expect.arrayContaining([
      "Restarted as fit.1.2: 1 command reused, 1 to run.",
      expect.stringMatching(/^fit\.1\.2 finished after /),
      "Its files: reprise download fit.1.2",
    ]),
  );

  const rerun = await reprise("rerun", "fit.1.2", "--json");
  expect(rerun.code).toBe(0);
  expect(JSON.parse(rerun.printed.at(-1)!)).toMatchObject({ run: "fit.2", status: "finished" });
});

test("a folder without runs is refused and not made", async () => {
  const absent = path.join(folder, "absent");
  const cli = fakeCli({
    dataFolder: () => absent,
    openReader: () => openReader(configOf({ dataFolder: absent }), "1.2.3"),
  });
  expect(await runCli(["restart", "fit", "--data", absent], cli)).toBe(1);
  expect(cli.errors[0]).toContain("none runs on the data folder");
  await expect(readFile(absent)).rejects.toThrow("ENOENT");
});
