import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import { jobOf, watchEnds } from "#backends/backend-fixture";
import { ForkingPlace } from "#backends/record/forking-place-fixture";
import { probeProblem } from "#backends/record/probe-job";
import { openRecordBackend } from "#backends/record/record-backend";
import { recordOptions } from "#backends/record/record-fixture";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";

const MAY_MOUNT = process.getuid?.() === 0 && existsSync("/usr/bin/unshare");

/** Jobs on a node whose view of the shared folder is wrong. */
describe.runIf(MAY_MOUNT)("a node that cannot use the shared folder", () => {
  const world = (mount: string) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-unusable-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const place = new ForkingPlace();
    const script = `mount --make-rprivate / && ${mount.replaceAll("FOLDER", folder)} && exec "$@"`;
    place.wrap = ["unshare", "--mount", "sh", "-c", script, "node"];
    const backend = openRecordBackend(recordOptions(folder, place));
    onTestFinished(() => backend.close());
    mkdirSync(path.join(folder, "workspace"));
    return { folder, place, backend };
  };
  const run = async ({ folder, backend }: ReturnType<typeof world>) => {
    const ends = watchEnds(backend);
    const id = systemRandom.uuid();
    const job = jobOf("echo ran > ran");
    const workspaceFolder = path.join(folder, "workspace");
    await backend.submit({ id, job, workspaceFolder, hostToken: backend.hostToken });
    const end = await ends.of(id);
    return { end, firstLine: String(await backend.readLog(id, 0, 1000)).split("\n")[0] };
  };

  const READ_ONLY = "mount --bind -o ro FOLDER FOLDER && mount -o remount,bind,ro FOLDER";

  test("because it is mounted read-only says so in the first line of the job", async () => {
    const the = world(READ_ONLY);
    const { end, firstLine } = await run(the);
    const sentence = /^The node \S+ cannot use \S+: Read-only file system\. The folder must be mounted there/;
    expect(end).toMatchObject({ reason: "not-started", detail: expect.stringMatching(sentence) });
    expect(firstLine).toBe(`reprise: ${end.detail}`);
  });

  test.each([
    ["not mounted", "mount -t tmpfs none FOLDER"],
    ["another disk at the same path", "mount -t tmpfs none FOLDER && mkdir -p FOLDER/records"],
  ])("because there is %s says so in the first line of the job", async (_, mount) => {
    const the = world(mount);
    const { end, firstLine } = await run(the);
    expect(end.reason).toBe("not-started");
    expect(end.detail).toBe(
      `The process has ended. The node here could not write into ${the.folder}: mount the data folder on every node, at the ` +
        "same path, writable for the user of the server and with free space, or let --data lead to a folder that every node sees.",
    );
    expect(firstLine).toBe(`reprise: ${end.detail}`);
  });

  test.each([
    ["read-only", READ_ONLY],
    ["not mounted", "mount -t tmpfs none FOLDER"],
  ])("is found by the probe: %s", async (_, mount) => {
    const { folder, place } = world(mount);
    const problem = await probeProblem(place, path.join(folder, "probes"), systemClock);
    expect(problem).toContain(`The node here could not write into ${folder}`);
  });
});
