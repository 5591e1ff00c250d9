import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { maybeStamps, maybeInputStamps } from "#workspace/read/stamps";

let folder: string;
const at = (name: string) => path.join(folder, name);

folderForEach((made) => void (folder = made));

beforeEach(async () => {
  await mkdir(at("data"));
  await writeFile(at("data/a.txt"), "one");
  await writeFile(at("b.txt"), "two");
});

describe("the stamps of a workspace", () => {
  const stamps = async () => (await maybeStamps(folder, 100))!.stamps;

  test("stay the same as long as no file is touched", async () => {
    const before = await stamps();
    expect(Object.keys(before).toSorted()).toEqual(["b.txt", "data", "data/a.txt"]);
    expect(await stamps()).toEqual(before);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["is replaced by its like", () => writeFile(at("new"), "two").then(() => rename(at("new"), at("b.txt")))],
    ["is gone", () => rm(at("b.txt"))],
    ["becomes a link", () => rm(at("b.txt")).then(() => symlink("data/a.txt", at("b.txt")))],
  ])("show when a file %s, and leave the others", async (_name, change) => {
    const before = await stamps();
    await change();
    const after = await stamps();
    expect(after["b.txt"]).not.toBe(before["b.txt"]);
    expect(after["data/a.txt"]).toBe(before["data/a.txt"]);
  });

  test("are the same for a few files, which are stamped in one go, as for files among folders", async () => {
    const among = await stamps();
    await rm(at("data"), { recursive: true });
    expect(await stamps()).toEqual({ "b.txt": among["b.txt"] });
    for (const name of ["c", "__proto__"]) await writeFile(at(name), "");
    expect(Object.keys(await stamps()).toSorted()).toEqual(["__proto__", "b.txt", "c"]);
    expect(await maybeStamps(folder, 2)).toBeUndefined();
    await symlink("b.txt", at("link"));
    expect(Object.keys(await stamps()).toSorted()).toEqual(["__proto__", "b.txt", "c", "link"]);
    for (let count = 0; count < 20; count += 1) await writeFile(at(`many-${count}`), "");
    expect((await stamps())["b.txt"]).toBe(among["b.txt"]);
  });

  test("include the time of the last change", async () => {
    const { newestMs } = (await maybeStamps(folder, 100))!;
    expect(Math.abs(newestMs - Date.now())).toBeLessThan(60_000);
  });

  test("are absent for more files than the limit, and empty for a missing folder", async () => {
    expect(await maybeStamps(folder, 2)).toBeUndefined();
    expect(await maybeStamps(at("nowhere"), 2)).toEqual({ stamps: {}, newestMs: 0 });
  });

  test("are absent if a name cannot be told from others", async () => {
    await writeFile(Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff])]), "");
    expect(await maybeStamps(folder, 100)).toBeUndefined();
    await rm(at("data"), { recursive: true });
    expect(await maybeStamps(folder, 100)).toBeUndefined();
  });

  test("include names that mean something to JavaScript", async () => {
    await writeFile(at("__proto__"), "");
    expect(Object.keys(await stamps())).toContain("__proto__");
  });
});

describe("the stamps of inputs", () => {
  const sha256Of = async (name: string) =>
    createHash("sha256")
      .update(await readFile(at(name)))
      .digest("hex");

  const SHA_OF_ONE = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";

  test("has a checksum for each file, folders file by file, and nothing for missing files", async () => {
    const inputs = await maybeInputStamps(folder, ["data/", "b.txt", "data/a.txt", "nowhere"], 10, sha256Of);
    expect(inputs).toEqual([
      { path: "b.txt", stamp: expect.any(String), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { path: "data/a.txt", stamp: expect.any(String), sha256: SHA_OF_ONE },
    ]);
    expect(inputs![1]!.stamp).toBe((await maybeStamps(folder, 10))!.stamps["data/a.txt"]);
  });

  test("is absent with more files", async () => {
    expect(await maybeInputStamps(folder, ["data", "b.txt"], 1, sha256Of)).toBeUndefined();
  });
});
