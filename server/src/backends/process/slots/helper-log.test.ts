import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { withLocal } from "#backends/local/local-fixture";
import { withHelperLog } from "#backends/process/slots/helper-log";
import { createJobSlots } from "#backends/process/slots/job-slots";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));
const logOf = (jobs: string) => path.join(jobs, "helpers.log");
const TOO_LONG = "x".repeat(70_000);

describe("the log of slots and keeper", () => {
  const complain = () =>
    withHelperLog(folder, async (stderr) => {
      spawnSync("bash", ["-c", "echo fault >&2"], { stdio: ["ignore", "ignore", stderr] });
    });

  test("keeps the output of earlier shells", async () => {
    await complain();
    await complain();
    expect(readFileSync(logOf(folder), "utf8")).toBe("fault\nfault\n");
  });

  test("is emptied before a start if it is too long", async () => {
    appendFileSync(logOf(folder), TOO_LONG);
    await complain();
    expect(readFileSync(logOf(folder), "utf8")).toBe("fault\n");
  });

  test("is not written where a job has put a link", async () => {
    symlinkSync(path.join(folder, "other"), logOf(folder));
    await complain();
    expect(existsSync(path.join(folder, "other"))).toBe(false);
  });

  test("names the control group that a slot could not join", async () => {
    const group = {
      folders: ["/no/such"],
      joinFiles: ["/no/such/group"],
      timeFile: undefined,
      remove: () => undefined,
    } as const;
    const slots = createJobSlots(folder, "boot", () => group);
    slots.prepare();
    const said = () => (existsSync(logOf(folder)) ? readFileSync(logOf(folder), "utf8") : "");
    while (!said().includes("/no/such/group: No such file or directory")) await delay(10);
    slots.close();
  });

  test(
    "holds nothing about jobs that fail, are killed or exceed a limit",
    withLocal(async (local) => {
      const backend = local.open({ maxOutputBytes: 1000 });
      const scripts = ["no-such-program", "kill -9 $$", "yes", "(sleep 1000 &); exit 3", "chmod 0 ~; exit 3"];
      await Promise.all(scripts.map((script) => local.run(backend, script)));
      expect(readFileSync(logOf(local.folder), "utf8")).toBe("");
    }),
  );

  test(
    "is emptied by the keeper while a job runs",
    withLocal(async (local) => {
      const ended = local.run(local.open(), "echo >started; until [ -e go ]; do sleep 0.05; done");
      await local.written("started");
      appendFileSync(logOf(local.folder), TOO_LONG);
      while (statSync(logOf(local.folder)).size > 0) await delay(10);
      writeFileSync(path.join(local.workspaceFolder, "go"), "");
      expect((await ended).end.exitCode).toBe(0);
    }),
  );
});
