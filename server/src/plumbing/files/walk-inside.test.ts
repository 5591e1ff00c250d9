import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { maybeLeavingLink, walkInside, type WalkOptions } from "#plumbing/files/walk-inside";

let base: string;
let folder: string;

folderForEach((made) => void (base = made));

beforeEach(async () => {
  folder = path.join(base, "mine");
  await mkdir(path.join(folder, "data", "deep"), { recursive: true });
  await mkdir(path.join(base, "home"));
  await writeFile(path.join(base, "home", "key"), "secret");
  await writeFile(path.join(folder, "data", "a.txt"), "a");
});

const link = (target: string, name: string) => symlink(target, path.join(folder, name));

async function placeOf(name: string, options: WalkOptions = {}): Promise<string> {
  const place = await walkInside(folder, name, options);
  await place.parent.close();
  return path.relative(folder, place.path);
}

describe("a walk", () => {
  test.each([
    ["plain folders", "data/deep/x", "data/deep/x"],
    ["a link beside", "beside/x", "data/x"],
    ["a link up and down again", "data/deep/up/x", "data/x"],
    ["a link by its whole path", "whole/x", "data/deep/x"],
    ["a chain", "chain/deep/x", "data/deep/x"],
    ["a link to the folder itself", "self/self/data/x", "data/x"],
    ["a last component that is a link", "out", "out"],
  ])("stays in the folder: %s", async (_what, name, expected) => {
    await link("data", "beside");
    await link("../../data", "data/deep/up");
    await link(path.join(folder, "data", "deep"), "whole");
    await link("beside", "chain");
    await link(".", "self");
    await link("../home", "out");
    expect(await placeOf(name)).toBe(expected);
  });

  test.each([
    ["../home", "res"],
    ["/etc", "res"],
    ["data/../../home", "res"],
    ["hop", "hop"],
  ])("ends at a link to %s, which is named", async (target, culprit) => {
    await link("../home", "hop");
    await link(target, "res");
    await expect(placeOf("res/x")).rejects.toMatchObject({ name: "LeavingLink", link: culprit });
  });

  test("does not take a path that only begins like the folder for a path in it", async () => {
    await link(`${folder}/../home`, "res");
    await link(`${folder}-other`, "other");
    await expect(placeOf("res/x")).rejects.toMatchObject({ link: "res", target: `${folder}/../home` });
    await expect(placeOf("other/x")).rejects.toMatchObject({ link: "other" });
  });

  test("makes missing folders, also at the target of a link, and no folder outside", async () => {
    await link("later/on", "soon");
    await link("../home/new", "out");
    expect(await placeOf("soon/deep/x", { makesFolders: true })).toBe("later/on/deep/x");
    await expect(placeOf("out/deep/x", { makesFolders: true })).rejects.toThrow("leads out of");
    expect(await readdir(path.join(base, "home"))).toEqual(["key"]);
  });

  test("ends at links in a circle, and names a file in the place of a folder by its path", async () => {
    await link("two", "one");
    await link("one", "two");
    await expect(placeOf("one/x")).rejects.toThrow("is a link that leads in a circle");
    await expect(placeOf("data/a.txt/x")).rejects.toThrow(path.join(folder, "data", "a.txt"));
  });

  test("holds the place, even after a renaming", async () => {
    const { parent, name } = await walkInside(folder, "data/new.txt");
    await rename(path.join(folder, "data"), path.join(folder, "old"));
    await link("../home", "data");
    await writeFile(parent.at(name), "text");
    await parent.close();
    expect(await readdir(path.join(base, "home"))).toEqual(["key"]);
    expect(await readdir(path.join(folder, "old"))).toContain("new.txt");
  });
});

test("the link that leads a path out is named, and a path that stays or does not exist has none", async () => {
  await link("../home/key", "in.txt");
  await link("in.txt", "again");
  await link("data/a.txt", "inner");
  await link("nowhere", "broken");
  const linkOf = async (name: string) => (await maybeLeavingLink(folder, name))?.link;
  expect(await Promise.all(["in.txt", "again"].map(linkOf))).toEqual(["in.txt", "in.txt"]);
  expect(await Promise.all(["inner", "broken", "none/x", "data"].map(linkOf))).toEqual(
    Array<undefined>(4).fill(undefined),
  );
});
