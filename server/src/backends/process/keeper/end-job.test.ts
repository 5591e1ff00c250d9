import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { endJob } from "#backends/process/keeper/end-job";
import { type FoundJob, maybeJob } from "#backends/process/keeper/find-job";
import { createWatch } from "#backends/process/keeper/watch";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** The time after which the keeper kills a job that it has asked to end, and some more. */
const AFTER_GRACE_MS = 2500;
const claimOf = (id: string) => `claimed 7 - boot 1.0 ${id} 0 0 .`;

/** Starts a process group with a reaction to SIGTERM, by default none, and records it as a job in a file that stands for the slot's. */
async function startJob(
  id: string,
  onTerm = "",
): Promise<{ job: FoundJob; child: ChildProcess; record: string }> {
  const child = spawn("bash", ["-c", `trap '${onTerm}' TERM; echo; while :; do sleep 0.1; done`], {
    detached: true,
  });
  started.push(child);
  await once(child.stdout, "data");
  const record = path.join(folder, "record");
  writeFileSync(record, `\n${claimOf(id)}\ngroup ${child.pid} .\n`);
  const job = maybeJob({ pid: process.pid, state: "S", record, log: "" });
  return { job: job!, child, record };
}

const newWatch = () => createWatch({ folder, hostId: "host", containerSeconds: 60 });
const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

describe("ending a job", () => {
  test("marks the job once, and sends SIGTERM before SIGKILL", async () => {
    const { job, child, record } = await startJob("a");
    const watch = newWatch();
    endJob(watch, job, "time-limit");
    endJob(watch, job, "output-limit");
    expect(readFileSync(record, "utf8").match(/^marked .*/gm)).toEqual(["marked time-limit ."]);
    expect(isAlive(child)).toBe(true);
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  });

  test.each(["out-of-memory", "process-limit"] as const)(
    "kills the job at once for the %s",
    async (reason) => {
      const { job, child } = await startJob("a", "exit 0");
      endJob(newWatch(), job, reason, 1);
      expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    },
  );

  test("leaves the next job of its slot alone", async () => {
    const { job, child, record } = await startJob("a");
    endJob(newWatch(), job, "time-limit");
    const next = `\n${claimOf("b")}\ngroup ${child.pid} .\n`;
    writeFileSync(record, next);
    await delay(AFTER_GRACE_MS);
    expect(isAlive(child)).toBe(true);
    expect(readFileSync(record, "utf8")).toBe(next);
  });
});
