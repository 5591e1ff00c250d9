import { expect, test } from "vitest";
import { treeOf } from "#engines/cwl/values/listing";

const folder = (path: string) => ({ path, kind: "folder", bytes: 0 }) as const;
const file = (path: string) => ({ path, kind: "file", bytes: 2 }) as const;
const link = (path: string, target: string | null) => ({ path, kind: "link", bytes: 0, target }) as const;

test("a link in a folder counts as the file or the folder that it leads to", () => {
  const entries = [folder("d/lib"), file("d/lib/a"), link("d/lib64", "d/lib"), link("d/b", "d/lib/a")];
  const inside = [{ class: "File", location: "d/lib/a", basename: "a", size: 2 }];
  expect(treeOf("d", entries, true)).toEqual([
    { class: "Directory", location: "d/lib", basename: "lib", listing: inside },
    { class: "Directory", location: "d/lib", basename: "lib64", listing: inside },
    { class: "File", location: "d/lib/a", basename: "b" },
  ]);
  expect(treeOf("d", entries, false)[1]).toEqual({
    class: "Directory",
    location: "d/lib",
    basename: "lib64",
  });
});

test("a link that leads back to its own folder ends the listing", () => {
  const entries = [folder("d/lib"), link("d/lib/again", "d/lib")];
  const again = JSON.stringify(treeOf("d", entries, true)).match(/"again"/g);
  expect(again).toHaveLength(4);
});

test("a link that leads out of the workspace is left out", () => {
  expect(treeOf("d", [link("d/out", null)], true)).toEqual([]);
});
