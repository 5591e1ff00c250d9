import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { linkedFrom } from "#workspace/find/linked-files";

let folder: string;

folderForEach((made) => void (folder = made));

const LINKS = {
  out: "middle",
  middle: "real",
  latest: "runs/2",
  "by-folder": "latest/plot",
  other: "spare",
  outside: "/etc/passwd",
  circle: "circle",
};
const FILES = ["real", "spare", "runs/1/plot", "runs/2/plot", "runs/2/deep/x"];

beforeEach(async () => {
  for (const name of FILES) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), name);
  }
  for (const [name, target] of Object.entries(LINKS)) await symlink(target, path.join(folder, name));
});

test.each([
  ["a chain of links", ["out"], ["middle", "out", "real"]],
  ["a linked folder", ["latest"], ["latest", "runs/2/deep/x", "runs/2/plot"]],
  ["a file behind a linked folder", ["latest/plot"], ["latest", "runs/2/deep/x", "runs/2/plot"]],
  ["a link through a linked folder", ["by-folder"], ["by-folder", "latest", "runs/2/plot"]],
  ["a pattern", ["oth*"], ["other", "spare"]],
  ["links to the outside and in a circle", ["outside", "circle"], []],
  ["a file", ["real"], []],
])("named files need the targets of links: %s", async (_what, names, expected) => {
  const isLinked = await linkedFrom(folder, names);
  expect([...FILES, ...Object.keys(LINKS)].filter(isLinked).toSorted()).toEqual(expected);
});
