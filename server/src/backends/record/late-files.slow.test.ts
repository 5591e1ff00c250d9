import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { jobOf, watchEnds } from "#backends/backend-fixture";
import type { Backend, JobRequest } from "#backends/backend";
import { ForkingPlace } from "#backends/record/forking-place-fixture";
import { openRecordBackend } from "#backends/record/record-backend";
import { recordOptions } from "#backends/record/record-fixture";
import { HAS_CACHES, type TwoCaches, twoCaches } from "#backends/record/two-caches-fixture";
import { systemRandom } from "#plumbing/ids";

/** Each command makes 2,048 bytes in one file. */
const MAKES = "head -c 2048 /dev/zero > fit.root";

describe.runIf(HAS_CACHES)("on a disk that shows files late", () => {
  const world = (seconds: number, visibleMs: number, keepsContents = false) => {
    const disk = twoCaches(seconds, keepsContents);
    const place = new ForkingPlace();
    place.wrap = disk.wrap(disk.real);
    const { times, ...options } = recordOptions(disk.folder, place);
    const open = () => openRecordBackend({ ...options, times: { ...times, visibleMs } });
    const backend = open();
    onTestFinished(() => backend.close());
    const workspaceFolder = path.join(disk.folder, "workspace");
    mkdirSync(workspaceFolder);
    const request = (script: string): JobRequest => ({
      id: systemRandom.uuid(),
      job: jobOf(script, { isStamped: true }),
      workspaceFolder,
      hostToken: backend.hostToken,
    });
    return {
      disk,
      place,
      backend,
      open,
      request,
      ends: watchEnds(backend),
      file: path.join(workspaceFolder, "fit.root"),
    };
  };
  const concernsOf = (told: ReturnType<ReturnType<typeof watchEnds>["told"]>) =>
    told.flatMap((state) => (state.status === "running" && state.concern ? [state.concern] : []));
  const run = async (backend: Backend, ends: ReturnType<typeof watchEnds>, job: JobRequest) => {
    await backend.submit(job);
    return ends.of(job.id);
  };

  test("a job ends once its file appears, and names the file until then", async () => {
    const { backend, request, ends, file } = world(6, 20_000);
    expect(existsSync(file)).toBe(false);
    const job = request(MAKES);
    expect(await run(backend, ends, job)).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(statSync(file).size).toBe(2048);
    expect(concernsOf(ends.told(job.id))).toContain(
      "fit.root is not yet visible on this server (no 2048 bytes, 1 s)",
    );
  });

  test("a job ends once its file is whole", async () => {
    const { backend, request, ends, file } = world(6, 20_000);
    writeFileSync(file, "x".repeat(512));
    expect(statSync(file).size).toBe(512);
    const job = request("head -c 1536 /dev/zero >> fit.root");
    expect(await run(backend, ends, job)).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(readFileSync(file)).toHaveLength(2048);
    expect(concernsOf(ends.told(job.id))).toContain(
      "fit.root is not yet visible on this server (512 of 2048 bytes, 1 s)",
    );
  });

  test("a job whose file does not appear in time fails with the sentence, for every later server too", async () => {
    const { backend, open, request, ends, file } = world(60, 1500);
    expect(existsSync(file)).toBe(false);
    const job = request(MAKES);
    const end = await run(backend, ends, job);
    expect(end).toMatchObject({
      reason: "outputs-not-visible",
      exitCode: 0,
      detail: "fit.root is not yet visible on this server (no 2048 bytes, 1 s).",
    });
    const later = open();
    onTestFinished(() => later.close());
    expect(await later.submit(job)).toMatchObject({ status: "ended", end });
  });

  test("the next job starts once its node sees the file of the job before", async () => {
    const { disk, place, backend, request, ends, file } = world(1, 20_000);
    const node = disk.mount(5);
    expect(await run(backend, ends, request(MAKES))).toMatchObject({ exitCode: 0 });
    // The second node has seen 512 bytes, and remembers them.
    const there = path.join(node, path.relative(disk.folder, file));
    writeFileSync(path.join(disk.real, "workspace", "fit.root"), "x".repeat(512));
    expect(statSync(there).size).toBe(512);
    expect(await run(backend, ends, request(MAKES))).toMatchObject({ exitCode: 0 });
    place.wrap = disk.wrap(node);
    const reads = request("wc -c < fit.root > bytes");
    expect(await run(backend, ends, reads)).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(readFileSync(path.join(path.dirname(file), "bytes"), "utf8").trim()).toBe("2048");
    expect(concernsOf(ends.told(reads.id))).toContainEqual(
      expect.stringMatching(/^The node \S+ of the job does not see fit.root yet \(512 of 2048 bytes\)\.$/),
    );
  });

  /** Writes a content of the length of `old`, in the second of its last change. */
  const REWRITES = 'second=$(stat -c %Y fit.root); echo new > fit.root; touch -d "@$second.9" fit.root';
  const rewritten = (disk: TwoCaches, seen: string) => {
    const file = path.join(disk.real, "workspace", "fit.root");
    writeFileSync(file, "old\n");
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    // The cache keeps the content from the second reading on. A reading makes it forget the times, so look at them last.
    const there = path.join(seen, "workspace", "fit.root");
    for (let reading = 0; reading < 2; reading += 1) expect(readFileSync(there, "utf8")).toBe("old\n");
    expect(statSync(there).size).toBe(4);
  };

  test("a job ends once the new content of a file is visible, with the size and time of the old content", async () => {
    const { disk, backend, request, ends, file } = world(6, 20_000, true);
    rewritten(disk, disk.folder);
    const job = request(REWRITES);
    expect(await run(backend, ends, job)).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(readFileSync(file, "utf8")).toBe("new\n");
    expect(concernsOf(ends.told(job.id))).toContain(
      "fit.root is not yet visible on this server (an older version of 4 bytes, 1 s)",
    );
  });

  test("the next job starts once its node sees the new content", async () => {
    const { disk, place, backend, request, ends, file } = world(1, 20_000, true);
    const node = disk.mount(8);
    rewritten(disk, node);
    expect(await run(backend, ends, request(REWRITES))).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path.join(node, "workspace", "fit.root"), "utf8")).toBe("old\n");
    place.wrap = disk.wrap(node);
    const reads = request("cp fit.root read");
    expect(await run(backend, ends, reads)).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(readFileSync(path.join(path.dirname(file), "read"), "utf8")).toBe("new\n");
    expect(concernsOf(ends.told(reads.id))).toContainEqual(
      expect.stringMatching(
        /^The node \S+ of the job does not see fit.root yet \(an older version of 4 bytes\)\.$/,
      ),
    );
  });

  test("a file that somebody removed since is not waited for", async () => {
    const { backend, request, ends, file } = world(1, 20_000);
    expect(await run(backend, ends, request(MAKES))).toMatchObject({ exitCode: 0 });
    rmSync(file);
    const job = request("echo ran");
    expect(await run(backend, ends, job)).toMatchObject({ reason: "exited", exitCode: 0 });
  });
});
