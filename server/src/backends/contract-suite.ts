import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { systemRandom } from "#plumbing/ids";
import type { Job, JobEnd } from "#workflow/job";

export interface BackendUnderTest {
  readonly backend: Backend;
  /** Another server over the same state: what a restart finds. */
  readonly reopen: () => Promise<Backend>;
  readonly bootId: string;
}

/** The promises of `backend.ts`, for every backend. */
export function backendContract(name: string, open: (folder: string) => Promise<BackendUnderTest>): void {
  describe(`${name} keeps the contract of a backend`, () => {
    let folder: string;
    let workspaceFolder: string;
    let subject: BackendUnderTest;
    let ends: Ends;
    const opened: Backend[] = [];

    beforeEach(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), "reprise-backend-"));
      workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
      subject = await open(folder);
      opened.push(subject.backend);
      ends = watchEnds(subject.backend);
    });

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((backend) => backend.close()));
      await rm(folder, { recursive: true, force: true });
      await rm(workspaceFolder, { recursive: true, force: true });
    });

    const request = (script: string, change: Partial<Job> = {}): JobRequest => ({
      id: systemRandom.uuid(),
      job: { ...JOB, script, ...change },
      workspaceFolder,
      bootId: subject.bootId,
    });

    const ran = async (file: string) =>
      (await readFile(path.join(workspaceFolder, file), "utf8")).trim().split("\n");

    test("a command runs in the workspace, and its exit code and output are kept", async () => {
      const job = request("echo out; echo err >&2; pwd > where; exit 3");
      expect(await subject.backend.submit(job)).toEqual({ status: "running" });
      const end = await ends.of(job.id);
      expect(end).toMatchObject({ reason: "exited", exitCode: 3 });
      expect(end.endedAtMs).toBeGreaterThanOrEqual(end.startedAtMs!);
      expect(String(await subject.backend.readLog(job.id, 0, 1000))).toBe("out\nerr\n");
      expect(await ran("where")).toEqual([workspaceFolder]);
    });

    test("submitting a known id answers with its state and starts nothing", async () => {
      const job = request("echo ran >> count; read -r line < go; exit 0");
      await writeFifo(workspaceFolder, "go");
      expect(await subject.backend.submit(job)).toEqual({ status: "running" });
      expect(await subject.backend.submit(job)).toEqual({ status: "running" });
      await writeFile(path.join(workspaceFolder, "go"), "on\n");
      const end = await ends.of(job.id);
      expect(await subject.backend.submit(job)).toEqual({ status: "ended", end });
      expect(await ran("count")).toEqual(["ran"]);
    });

    test("a job outlives its server: the next one finds its end", async () => {
      const job = request("read -r line < go; echo $line; exit 5");
      await writeFifo(workspaceFolder, "go");
      await subject.backend.submit(job);
      await subject.backend.close();
      const next = await subject.reopen();
      opened.push(next);
      const nextEnds = watchEnds(next);
      expect(await next.submit(job)).toEqual({ status: "running" });
      await writeFile(path.join(workspaceFolder, "go"), "heard\n");
      expect(await nextEnds.of(job.id)).toMatchObject({ reason: "exited", exitCode: 5 });
      expect(String(await next.readLog(job.id, 0, 100))).toBe("heard\n");
    });

    test("a job that ended while no server was there ended once", async () => {
      const job = request("echo ran >> count");
      await subject.backend.submit(job);
      const end = await ends.of(job.id);
      await subject.backend.close();
      const next = await subject.reopen();
      opened.push(next);
      expect(await next.submit(job)).toEqual({ status: "ended", end });
      expect(await ran("count")).toEqual(["ran"]);
    });

    test("cancel ends the whole tree, also what left its process group", async () => {
      const job = request(
        "(setsid sleep 1000 & echo $! > far); sleep 1000 & echo $! > near; echo up > up; wait",
      );
      await subject.backend.submit(job);
      await appears(path.join(workspaceFolder, "up"));
      const end = await subject.backend.cancel(job);
      expect(end.reason).toBe("cancelled");
      expect(await ends.of(job.id)).toEqual(end);
      for (const file of ["far", "near"]) expect(await isGone(Number((await ran(file))[0]))).toBe(true);
      expect(await subject.backend.submit(job)).toEqual({ status: "ended", end });
    });

    test("cancelling a job that was never submitted keeps it from ever starting", async () => {
      const job = request("echo ran > count");
      const end = await subject.backend.cancel(job);
      expect(end).toMatchObject({ reason: "not-started", exitCode: null });
      expect(await subject.backend.submit(job)).toEqual({ status: "ended", end });
      await expect(ran("count")).rejects.toThrow("ENOENT");
    });

    test("cancelling a job that has ended answers its own end", async () => {
      const job = request("exit 4");
      await subject.backend.submit(job);
      const end = await ends.of(job.id);
      expect(await subject.backend.cancel(job)).toEqual(end);
    });

    test("a time limit ends the job with that reason", async () => {
      const job = request("trap '' TERM; echo began; while :; do sleep 0.05; done", { timeLimitMs: 300 });
      await subject.backend.submit(job);
      expect(await ends.of(job.id)).toMatchObject({ reason: "time-limit" });
      expect(String(await subject.backend.readLog(job.id, 0, 100))).toBe("began\n");
    });

    test("a job sees what it is given, and nothing of the server's environment", async () => {
      process.env["REPRISE_TEST_SECRET"] = "leaked";
      const job = request("env; echo home=$HOME", {
        environment: { REANA_WORKSPACE: "w", ODD: "a b'\n\"c" },
      });
      await subject.backend.submit(job);
      await ends.of(job.id);
      delete process.env["REPRISE_TEST_SECRET"];
      const printed = String(await subject.backend.readLog(job.id, 0, 10_000));
      expect(printed).toContain("REANA_WORKSPACE=w\n");
      expect(printed).toContain("ODD=a b'\n\"c\n");
      expect(printed).not.toContain("leaked");
      expect(printed).not.toContain(`home=${os.homedir()}\n`);
    });

    test("a command of 300 kB and one with quotes and newlines arrive as they are", async () => {
      const long = request(`: ${"x".repeat(300_000)}\necho long`);
      const odd = request("printf '%s\\n' \"it's\" 'a\n\"b\"' \\\\ '$x'");
      await subject.backend.submit(long);
      await subject.backend.submit(odd);
      expect(await ends.of(long.id)).toMatchObject({ exitCode: 0 });
      expect(await ends.of(odd.id)).toMatchObject({ exitCode: 0 });
      expect(String(await subject.backend.readLog(long.id, 0, 100))).toBe("long\n");
      expect(String(await subject.backend.readLog(odd.id, 0, 100))).toBe('it\'s\na\n"b"\n\\\n$x\n');
    });

    test("a log is read in parts, from either end", async () => {
      const job = request("printf 0123456789");
      await subject.backend.submit(job);
      await ends.of(job.id);
      const read = async (from: number, max: number) =>
        String(await subject.backend.readLog(job.id, from, max));
      expect(await read(0, 4)).toBe("0123");
      expect(await read(4, 100)).toBe("456789");
      expect(await read(-3, 100)).toBe("789");
      expect(await read(50, 100)).toBe("");
      expect(String(await subject.backend.readLog(systemRandom.uuid(), 0, 10))).toBe("");
    });

    test("what a job left in the background can be ended", async () => {
      const job = request("setsid sleep 1000 & echo $! > far; sleep 0.05");
      await subject.backend.submit(job);
      await ends.of(job.id);
      await subject.backend.endLeftovers([job.id]);
      expect(await isGone(Number((await ran("far"))[0]))).toBe(true);
    });

    test("a command that holds a NUL is refused and never starts", async () => {
      const job = request("echo a\0b");
      await expect(subject.backend.submit(job)).rejects.toThrow("NUL");
      expect(await subject.backend.cancel(job)).toMatchObject({ reason: "not-started" });
    });

    test("removed jobs leave nothing", async () => {
      const job = request("echo gone");
      await subject.backend.submit(job);
      await ends.of(job.id);
      await subject.backend.remove([job.id]);
      expect((await subject.backend.readLog(job.id, 0, 10)).length).toBe(0);
    });
  });
}

const JOB: Job = {
  key: "k",
  name: "n",
  script: "true",
  displayCommand: "true",
  image: null,
  environment: {},
  timeLimitMs: null,
};

interface Ends {
  of(id: string): Promise<JobEnd>;
}

/** Remembers each end; two for one job are an error. */
export function watchEnds(backend: Backend): Ends {
  const ends = new Map<string, JobEnd>();
  const waiting = new Map<string, (end: JobEnd) => void>();
  backend.watch((id, end) => {
    if (ends.has(id)) throw new Error(`The end of ${id} was reported twice.`);
    ends.set(id, end);
    waiting.get(id)?.(end);
  });
  return {
    of: (id) => new Promise((resolve) => (ends.has(id) ? resolve(ends.get(id)!) : waiting.set(id, resolve))),
  };
}

async function writeFifo(folder: string, name: string): Promise<void> {
  const { execFileSync } = await import("node:child_process");
  execFileSync("mkfifo", [path.join(folder, name)]);
}

async function appears(file: string): Promise<void> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone) Z");
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}
