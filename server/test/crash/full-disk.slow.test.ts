import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/real-server.ts";

const FIXTURE = path.join(import.meta.dirname, "full-disk-fixture.ts");

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

test("a full disk, on either side: a single sentence, and no incomplete file under the final name", async () => {
  const { folder, remove } = await temporaryFolder();
  const { stdout, stderr, status } = spawnSync("unshare", ["-rm", process.execPath, FIXTURE, folder], {
    encoding: "utf8",
    timeout: 110_000,
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  const told = JSON.parse(stdout) as Record<string, [Outcome, string[]]> & {
    setUp: Outcome;
    filled: unknown;
    rerun: unknown;
  };
  expect(told.setUp).toMatchObject({ code: 0, stderr: "" });

  for (const [scenario, name] of [
    ["download", "fits.bin"],
    ["edge", "edge.bin"],
  ] as const) {
    const sentence = new RegExp(
      `^The disk is full: .*small/${name} was not written. Free some space there, then try again.\\n$`,
    );
    expect(told[scenario]).toEqual([{ code: 1, stdout: "", stderr: expect.stringMatching(sentence) }, []]);
  }
  expect(told["run"]).toEqual([
    {
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /\nmade.bin could not be copied to .*small\/made.bin: the disk is full\. It is still in the workspace of analysis\.1\.\n$/,
      ),
    },
    [],
  ]);
  const full = (name: string) => ({
    code: 1,
    stdout: "",
    stderr: `${name} was not stored: the disk of the workspaces is full. Free some space.\n`,
  });
  expect(told["inParts"]).toEqual([full("parts.bin"), ["edge.bin", "fits.bin"]]);
  expect(told["whole"]).toEqual([full("two/whole.bin"), ["edge.bin", "fits.bin", "one/whole.bin"]]);
  expect(told["rerun"]).toEqual({
    status: 507,
    message:
      "The workspace was not copied: the disk of the workspaces is full. Nothing was kept of the copy. Free some space.",
    left: [],
  });
  expect(told["againWithRoom"]).toEqual([
    { code: 0, stdout: "Uploaded 1 file (7 MiB) to w.1.\n", stderr: "" },
    ["edge.bin", "fits.bin", "two/whole.bin"],
  ]);
  const notDone = (what: string, place: string) => ({
    code: 1,
    stdout: "",
    stderr:
      `The backup was not ${what}: the disk of ${folder}/here/small/${place} is full. The incomplete copy was ` +
      "removed.\n",
  });
  expect(told["backup"]).toEqual([notDone("made", "backup"), []]);
  expect(told["restore"]).toEqual([notDone("restored", "data"), ["data", "data/lock.sqlite"]]);
  expect(told["filled"]).toMatchObject({
    waitingFor: expect.stringMatching(
      /^The server's disk is full \([\d.]+ (B|KiB|MiB) free\): no job starts/,
    ),
    refused: 507,
    stopped: { status: "stopped" },
    deleted: { status: "deleted" },
    next: "finished",
  });
  await remove();
});
