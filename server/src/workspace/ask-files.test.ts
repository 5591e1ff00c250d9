import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checksumFile, listFolder, readBeginning } from "#workspace/ask-files";

describe("the questions of a run about its files", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-ask-"));
    await mkdir(path.join(folder, "out/inner"), { recursive: true });
    await writeFile(path.join(folder, "out/a.txt"), "hello");
    await writeFile(path.join(folder, "out/inner/b.txt"), "b");
    await writeFile(path.join(folder, "outside"), "");
    await symlink("/etc/passwd", path.join(folder, "out/link"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const namesOf = async (name: string, isDeep = true, maxEntries = 100) => {
    const { entries, isCut } = await listFolder(folder, { name, isDeep, maxEntries });
    return { names: entries.map((entry) => `${entry.name} ${entry.kind}`), isCut };
  };

  test("a folder with everything below it, ordered by name; links are listed and not followed", async () => {
    expect(await namesOf("out")).toEqual({
      names: ["out/a.txt file", "out/inner folder", "out/inner/b.txt file", "out/link link"],
      isCut: false,
    });
  });

  test("a folder alone", async () => {
    expect(await namesOf("out/", false)).toEqual({
      names: ["out/a.txt file", "out/inner folder", "out/link link"],
      isCut: false,
    });
    expect(await namesOf("", false)).toEqual({ names: ["out folder", "outside file"], isCut: false });
  });

  test("a listing stops at its limit, and says so", async () => {
    const { names, isCut } = await namesOf("out", true, 2);
    expect([names.length, isCut]).toEqual([2, true]);
  });

  test.each(["nowhere", "outside", "out/link", "../x", "out/inner/../.."])("no folder: %s", async (name) => {
    await expect(namesOf(name)).rejects.toMatchObject({ name: "Refusal" });
  });

  test("the beginning of a file, and how much there is", async () => {
    expect(await readBeginning(folder, "out/a.txt", 3)).toEqual({ text: "hel", bytes: 5 });
    expect(await readBeginning(folder, "out/a.txt", 0)).toEqual({ text: "", bytes: 5 });
    expect(await readBeginning(folder, "outside", 10)).toEqual({ text: "", bytes: 0 });
  });

  test("a checksum", async () => {
    expect(await checksumFile(folder, "out/a.txt")).toEqual({
      bytes: 5,
      sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    });
  });

  test.each(["nowhere", "out", "out/link", "../x"])("no file: %s", async (name) => {
    await expect(readBeginning(folder, name, 10)).rejects.toMatchObject({ name: "Refusal" });
    await expect(checksumFile(folder, name)).rejects.toMatchObject({ name: "Refusal" });
  });
});
