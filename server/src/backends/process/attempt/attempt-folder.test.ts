import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { removeTree } from "#backends/backend-fixture";
import { makeFolder, removeAttempt } from "#backends/process/attempt/attempt-folder";

describe("a removed attempt", () => {
  let root: string;
  let folder: string;

  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), "reprise-attempt-"));
    folder = path.join(root, "attempt");
    makeFolder(folder);
    await writeFile(path.join(folder, "record"), "claimed nobody 0 .\n");
  });
  afterEach(() => rm(root, { recursive: true }));

  test("a folder is never visible without its record, because a slot would then start the job", async () => {
    // Enough files to need more than one step of removal.
    for (const name of ["a", "m", "z"]) {
      await mkdir(path.join(folder, name));
      for (let file = 0; file < 300; file += 1) await writeFile(path.join(folder, name, `${file}`), "");
    }
    let isOver = false;
    const removed = removeAttempt(folder, removeTree).finally(() => (isOver = true));
    while (!isOver) {
      if (!existsSync(path.join(folder, "record"))) expect(existsSync(folder)).toBe(false);
      await breathe();
    }
    await removed;
    expect(await readdir(root)).toEqual([]);
  });

  test("is removed after an interrupted removal, and may be absent already", async () => {
    await mkdir(path.join(root, "attempt.gone"));
    await writeFile(path.join(root, "attempt.gone", "log"), "");
    await removeAttempt(folder, removeTree);
    await removeAttempt(folder, removeTree);
    expect(await readdir(root)).toEqual([]);
  });
});
