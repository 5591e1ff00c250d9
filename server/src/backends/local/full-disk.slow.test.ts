import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const BODY = path.join(import.meta.dirname, "full-disk-fixture.ts");
const SIGPIPE = os.constants.signals.SIGPIPE;
/** 64 pages and 60 names: enough to start, and quickly full. */
const DISK = "size=256k,nr_inodes=60";

describe("on a disk that is full", () => {
  let disk: string;
  let workspace: string;

  beforeEach(() => {
    disk = mkdtempSync(path.join(os.tmpdir(), "reprise-disk-"));
    workspace = mkdtempSync(path.join(os.tmpdir(), "reprise-workspace-"));
  });
  afterEach(() => {
    rmSync(disk, { recursive: true });
    rmSync(workspace, { recursive: true });
  });

  const ran = () => readFileSync(path.join(workspace, "ran"), "utf8");

  /** Runs in separate namespaces, because mounting a small disk then needs no root. */
  function play(scenario: string) {
    const mount = `mount -t tmpfs -o ${DISK} none "$0" && exec "$@"`;
    const body = [process.execPath, BODY, scenario, disk, workspace];
    const { stdout, stderr, status } = spawnSync("unshare", ["-rm", "bash", "-c", mount, disk, ...body], {
      encoding: "utf8",
      timeout: 60_000,
    });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    return JSON.parse(stdout) as { outcome: Record<string, unknown>; reports: string[] };
  }

  test("a job whose folder cannot be made is refused with a sentence, and runs once there is space", () => {
    const { outcome } = play("noFolder");
    expect(outcome).toMatchObject({
      refused: expect.stringMatching(/^The folder .* could not be made: ENOSPC/),
      cancelled: expect.stringMatching(/^The folder .* could not be made: ENOSPC/),
      state: { status: "running" },
      end: { reason: "exited", exitCode: 0 },
    });
    expect(ran()).toBe("ran\n");
  });

  test("a job whose record cannot be written does not start, is reported once, and starts once there is space", () => {
    const { outcome, reports } = play("noRecord");
    expect(outcome).toMatchObject({
      state: { status: "running" },
      before: [expect.stringContaining("is the disk full?")],
      end: { reason: "exited", exitCode: 0 },
    });
    expect(reports).toHaveLength(1);
    expect(ran()).toBe("ran\n");
  });

  test("a job whose last output does not fit has failed, even if it did not notice, and the record says so", () => {
    const { outcome, reports } = play("fullMeanwhile");
    expect(outcome).toMatchObject({ end: { reason: "output-lost", exitCode: 0 }, log: "before\n" });
    expect(reports).toEqual([]);
  });

  test("a job that fills the disk can print no more, and the record says so", () => {
    const { outcome } = play("printsUntilFull");
    expect(outcome).toMatchObject({ end: { reason: "output-lost", exitCode: 0 } });
    expect(readFileSync(path.join(workspace, "code"), "utf8")).toBe(`${128 + SIGPIPE}\n`);
  });

  test("a running job can be cancelled", () => {
    expect(play("cancelledOnFull").outcome).toMatchObject({ end: { reason: "cancelled" } });
  });
});
