import { appendFile, mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HEARD_MAX_BYTES } from "#engines/channel-ask";
import type { ChannelAsk } from "#engines/engine";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { answerChannelAsk } from "#runner/files/channel";
import { openWorkspaces } from "#workspace/workspaces";

let root: string;
let folder: string;
let abort: AbortController;

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "reprise-channel-"));
  folder = path.join(root, "w");
  await mkdir(folder);
  abort = new AbortController();
});
afterEach(() => rm(root, { recursive: true }));

function answer(ask: ChannelAsk) {
  const always = { fsync: false, random: systemRandom, clock: systemClock };
  const workspaces = openWorkspaces({ ...always, folder: root, incomingFolder: root });
  const files = workspaces.of("w").forRun(abort.signal);
  return answerChannelAsk({ files, clock: systemClock, signal: abort.signal }, ask);
}

const hear = (from = 0) => answer({ do: "hear", id: "h", path: "said", from });
const tell = (first: number, ...lines: string[]) =>
  answer({ do: "tell", id: "t", path: "said", first, lines });
const said = () => readFile(path.join(folder, "said"), "utf8");

describe("hearing", () => {
  test("returns whole lines behind a position, and leaves the one that is being written", async () => {
    await writeFile(path.join(folder, "said"), "1 a\n2 b\n3 c");
    expect(await hear()).toEqual({ kind: "heard", id: "h", lines: ["1 a", "2 b"], to: 8 });
    expect(await hear(4)).toEqual({ kind: "heard", id: "h", lines: ["2 b"], to: 8 });
  });

  test("waits for the file, and for the end of its line", async () => {
    const heard = hear();
    await appendFile(path.join(folder, "said"), "1 ");
    await new Promise((resolve) => setTimeout(resolve, 30));
    await appendFile(path.join(folder, "said"), "a\n");
    expect(await heard).toMatchObject({ lines: ["1 a"], to: 4 });
  });

  test("ends with the run", async () => {
    const heard = hear();
    abort.abort();
    await expect(heard).rejects.toThrow("aborted");
  });

  test.each([
    ["cut", async () => truncate(path.join(folder, "said"), 2), "said was cut: it had 4 bytes and has 2."],
    [
      "a line without an end",
      () => appendFile(path.join(folder, "said"), Buffer.alloc(HEARD_MAX_BYTES, "x")),
      `said has a line of more than ${HEARD_MAX_BYTES} bytes.`,
    ],
    [
      "a folder",
      async () => {
        await rm(path.join(folder, "said"));
        await mkdir(path.join(folder, "said"));
      },
      "said is a folder and not a file.",
    ],
  ])("is refused for a file that a job has broken: %s", async (_, spoil, reason) => {
    await writeFile(path.join(folder, "said"), "1 a\n");
    await spoil();
    expect(await hear(4)).toEqual({ kind: "refused", id: "h", reason });
  });
});

describe("telling", () => {
  test("appends lines once, however often it is repeated", async () => {
    await tell(1, "a", "b");
    await tell(1, "a", "b");
    await tell(2, "b", "c");
    expect(await said()).toBe("1 a\n2 b\n3 c\n");
  });

  test("a line that a crash cut off stays a line of its own", async () => {
    await writeFile(path.join(folder, "said"), "1 a\n2 b");
    await tell(2, "b", "c");
    expect(await said()).toBe("1 a\n2 b\n2 b\n3 c\n");
  });

  test("never follows a link out of the workspace", async () => {
    await writeFile(path.join(root, "outside"), "");
    await symlink("../outside", path.join(folder, "said"));
    expect(await tell(1, "a")).toMatchObject({ kind: "refused" });
    expect(await readFile(path.join(root, "outside"), "utf8")).toBe("");
  });
});
