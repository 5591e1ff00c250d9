import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FolderInUseError, holdFolderLock } from "#store/dialects/folder-lock";

/** The folder from which `#store/…` is resolved in a script without a file. */
const SERVER_FOLDER = path.join(import.meta.dirname, "..", "..", "..");

/** Script: takes the lock, reports it, starts a child with a longer life, and waits to be killed. */
const HOLDER = `
  import { spawn } from "node:child_process";
  import { holdFolderLock } from "#store/dialects/folder-lock";
  // Collected as garbage, it would be free.
  globalThis.lock = holdFolderLock(process.argv[1]);
  const job = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  console.log(job.pid);
  setInterval(() => undefined, 1000);
`;

describe("The lock of a data folder", () => {
  let folder: string;
  let file: string;
  let holder: ChildProcess | undefined;
  let jobPid: number | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-lock-"));
    file = path.join(folder, "lock.sqlite");
  });

  afterEach(async () => {
    await killHolder();
    if (jobPid !== undefined) process.kill(jobPid, "SIGKILL");
    jobPid = undefined;
    await rm(folder, { recursive: true });
  });

  async function startHolder(...words: readonly string[]): Promise<void> {
    const started = spawn(process.execPath, ["--input-type=module", "-e", HOLDER, file, ...words], {
      cwd: SERVER_FOLDER,
      stdio: ["ignore", "pipe", "inherit"],
    });
    holder = started;
    const [line] = (await once(started.stdout, "data")) as [Buffer];
    jobPid = Number(line.toString());
  }

  async function killHolder(): Promise<void> {
    const killed = holder;
    holder = undefined;
    if (!killed) return;
    killed.kill("SIGKILL");
    await once(killed, "exit");
  }

  test("is held by one process, and free as soon as that process is killed, even if its jobs still run", async () => {
    await startHolder();
    expect(() => holdFolderLock(file)).toThrow(FolderInUseError);
    expect(() => holdFolderLock(file)).toThrow(
      new RegExp(`in use by another Reprise process( \\(pid ${holder!.pid}\\))?, which holds ${file}`),
    );
    await killHolder();
    expect(process.kill(jobPid!, 0)).toBe(true);
    holdFolderLock(file).release();
  });

  test("names the holding command, and a way to have both the command and a server", async () => {
    await startHolder("/opt/reprise.js", "run", "--watch", "secret");
    expect(() => holdFolderLock(file)).toThrow(
      `(pid ${holder!.pid}, "reprise run --watch"), which holds ${file}. Stop that one first, or choose another folder with ` +
        "--data. To have both, start the server first: `reprise run`, also with --watch, then hands its runs to it.",
    );
    await killHolder();
  });

  test("is held once within a process too, until it is released", () => {
    const lock = holdFolderLock(file);
    expect(() => holdFolderLock(file)).toThrow(FolderInUseError);
    lock.release();
    holdFolderLock(file).release();
  });

  test("is free again after a refusal: nothing of the refused one stays", async () => {
    const lock = holdFolderLock(file);
    for (let count = 0; count < 3; count += 1) expect(() => holdFolderLock(file)).toThrow(FolderInUseError);
    lock.release();
    await startHolder();
    expect(() => holdFolderLock(file)).toThrow(FolderInUseError);
  });

  test("a missing folder is another error", () => {
    expect(() => holdFolderLock(path.join(folder, "absent", "lock.sqlite"))).toThrow(
      "directory does not exist",
    );
  });
});
