import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { collectInputs } from "#cli/run/analysis/collect-inputs";

let folder: string;

folderForEach((made) => void (folder = made));

beforeEach(async () => {
  for (const name of ["a.txt", "b.txt", ".c.txt", "data/x/1.csv", "data/2.csv", "data/2.txt", "own/db"]) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), name);
  }
});

let leftOut: readonly string[];

async function namesOf(inputFiles: string[], inputFolders: string[] = []): Promise<string[]> {
  const declared = { inputFiles, inputFolders, parameters: {}, outputs: [] };
  const inputs = await collectInputs({ folder, declared, dataFolder: path.join(folder, "own") });
  leftOut = inputs.leftOut;
  return inputs.files.map((input) => input.name);
}

describe("the inputs of an analysis", () => {
  test.each([
    ["files", ["b.txt", "./a.txt", "a.txt"], [], ["a.txt", "b.txt"]],
    ["folders with all that is in them", [], ["data/"], ["data/2.csv", "data/2.txt", "data/x/1.csv"]],
    ["a folder among the files", ["data/x"], [], ["data/x/1.csv"]],
    ["patterns", ["*.txt"], [], [".c.txt", "a.txt", "b.txt"]],
    ["patterns at any depth", ["data/**/*.csv"], [], ["data/2.csv", "data/x/1.csv"]],
    ["patterns that match a folder", ["dat?/x"], [], ["data/x/1.csv"]],
    ["nothing", [], [], []],
  ])("are %s", async (_what, files, folders, expected) => {
    expect(await namesOf(files, folders)).toEqual(expected);
  });

  test("links are followed, and a circular link is followed once", async () => {
    await symlink("a.txt", path.join(folder, "data", "link.txt"));
    await symlink("../data", path.join(folder, "data", "round"));
    await symlink("nowhere", path.join(folder, "data", "broken"));
    await symlink("data/x", path.join(folder, "linked"));
    await writeFile(path.join(folder, "data", "a.txt"), "a");
    expect(await namesOf([], ["data", "linked"])).toEqual([
      "data/2.csv",
      "data/2.txt",
      "data/a.txt",
      "data/link.txt",
      "data/x/1.csv",
      "linked/1.csv",
    ]);
  });

  test("broken links and empty folders are reported", async () => {
    await symlink("nowhere", path.join(folder, "data", "broken"));
    await mkdir(path.join(folder, "data", "empty"));
    await namesOf([], ["data"]);
    expect(leftOut).toEqual([
      "data/broken is a broken link and was left out.",
      "data/empty is an empty folder and was left out.",
    ]);
    for (let index = 0; index < 9; index += 1) await mkdir(path.join(folder, "data", `e${index}`));
    await namesOf([], ["data"]);
    expect([leftOut.length, leftOut.at(-1)]).toEqual([
      6,
      "6 more broken links and empty folders were left out.",
    ]);
    await namesOf(["data/**/*.csv"]);
    expect(leftOut).toEqual([]);
  });

  test("are not the data folder itself", async () => {
    expect(await namesOf([], ["."])).not.toContain("own/db");
    expect(await namesOf([], ["."])).toContain("data/x/1.csv");
  });

  test("missing inputs and those outside the folder are all reported together", async () => {
    await expect(namesOf(["none.txt", "a.txt", "*.root", "../a.txt"], ["/etc"])).rejects.toThrow(
      `not there: none.txt, *.root, ../a.txt (a path inside the folder is needed), ` +
        `/etc (a path inside the folder is needed). Looked in ${folder}.`,
    );
  });
});
