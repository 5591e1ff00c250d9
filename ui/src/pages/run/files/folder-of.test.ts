import { expect, test } from "vitest";
import { entriesOf } from "./folder-of.ts";

const file = (name: string, raw: number, changed: string) => ({
  name,
  size: { raw },
  "last-modified": changed,
});
const FILES = [
  file("b10.txt", 5, "2026-11-22T10:00:00"),
  file("b9.txt", 7, "2026-11-22T12:00:00"),
  file("data/one.csv", 10, "2026-11-22T11:00:00"),
  file("data/deep/two.csv", 20, "2026-11-22T13:00:00"),
];

test("a folder shows the entries, folders first, with the total size of the contents", () => {
  expect(entriesOf(FILES, "", "name").map(({ name, bytes, files }) => [name, bytes, files])).toEqual([
    ["data", 30, 2],
    ["b9.txt", 7, 1],
    ["b10.txt", 5, 1],
  ]);
  expect(entriesOf(FILES, "data", "size").map(({ path, isFolder }) => [path, isFolder])).toEqual([
    ["data/deep", true],
    ["data/one.csv", false],
  ]);
  expect(entriesOf(FILES, "", "modified")[0]).toMatchObject({ modified: "2026-11-22T13:00:00" });
  expect(entriesOf(FILES, "nowhere", "name")).toEqual([]);
});
