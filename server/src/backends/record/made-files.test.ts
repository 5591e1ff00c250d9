import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { expectedText, type MadeFile, maybeLateFile, maybeMadeFiles } from "#backends/record/made-files";

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

describe("the list of made files", () => {
  test("has sizes, times and digests, in the form of stat and sha256sum", () => {
    const digest = sha256("new");
    const text = `3 17 ./a b\n5 18 ./c\n${digest}  ./a b\n\\${digest}  ./d\\\\e\n.\n`;
    expect(maybeMadeFiles(text)).toEqual([
      { path: "a b", bytes: 3, changedAt: 17, sha256: digest },
      { path: "c", bytes: 5, changedAt: 18 },
    ]);
    expect(maybeMadeFiles(text.slice(0, -2))).toBeUndefined();
  });

  test("tells the next node the digests of small files first, up to a limit", () => {
    const file = (name: string, bytes: number) => ({ path: name, bytes, changedAt: 1, sha256: sha256(name) });
    const text = expectedText([file("large", 60 * 2 ** 20), file("small", 1), file("middle", 10 * 2 ** 20)]);
    expect(text.match(/[0-9a-f]{64} {2}.*/g)).toEqual([
      `${sha256("small")}  ./small`,
      `${sha256("middle")}  ./middle`,
    ]);
    expect(maybeMadeFiles(`${text}.\n`)).toHaveLength(3);
  });
});

describe("a made file with a digest", () => {
  const SECOND = 1_700_000_000;
  const world = (content: string, changedAt: number) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-made-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(path.join(folder, "fit"), content);
    utimesSync(path.join(folder, "fit"), changedAt, changedAt);
    return folder;
  };
  const made: MadeFile = { path: "fit", bytes: 3, changedAt: SECOND, sha256: sha256("new") };

  test.each([
    ["is seen with its content", "new", SECOND, undefined],
    ["is late with the content of before", "old", SECOND, { path: "fit", seenBytes: 3, bytes: 3 }],
    ["is seen if somebody has changed it later", "own", SECOND + 1, undefined],
  ])("%s", async (_, content, changedAt, late) => {
    expect(await maybeLateFile(world(content, changedAt), [made])).toEqual(late);
  });

  test("is read once", async () => {
    const folder = world("new", SECOND);
    const readFiles = new Set<string>();
    expect(await maybeLateFile(folder, [made], readFiles)).toBeUndefined();
    writeFileSync(path.join(folder, "fit"), "old");
    utimesSync(path.join(folder, "fit"), SECOND, SECOND);
    expect(await maybeLateFile(folder, [made], readFiles)).toBeUndefined();
  });
});
