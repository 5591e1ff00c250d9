import { link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { copyTree } from "#workspace/write/copy-tree";
import { maybeStamps } from "#workspace/read/stamps";

let [top, source, target] = ["", "", ""];
beforeEach(async () => {
  top = await mkdtemp(path.join(os.tmpdir(), "reprise-copy-"));
  [source, target] = [path.join(top, "source"), path.join(top, "target")];
  await mkdir(source);
  await mkdir(target);
});
afterEach(() => rm(top, { recursive: true }));

const { signal } = new AbortController();
const copy = (isLeftOut: (name: string) => boolean = () => false) =>
  copyTree(source, target, { isLeftOut, signal });
const put = (name: string, content: string) => writeFile(path.join(source, name), content);

describe("a copy of a workspace", () => {
  test("returns the stamps of originals and copies as a later look sees them", async () => {
    await mkdir(path.join(source, "a/b"), { recursive: true });
    await put("one", "1");
    await put("a/b/two", "22");
    const [before, copied] = [await maybeStamps(source, 100), await copy()];
    const after = await maybeStamps(target, 100);
    expect(copied).toEqual({
      files: 2,
      bytes: 3,
      stamps: {
        one: [before!.stamps["one"], after!.stamps["one"]],
        "a/b/two": [before!.stamps["a/b/two"], after!.stamps["a/b/two"]],
      },
    });
  });

  test("has its own files, independent of the originals", async () => {
    await put("one", "1");
    await link(path.join(source, "one"), path.join(source, "two"));
    await copy();
    await put("one", "changed");
    expect(await readFile(path.join(target, "one"), "utf8")).toBe("1");
    expect(await readFile(path.join(target, "two"), "utf8")).toBe("1");
  });

  test("lacks the files that are left out", async () => {
    await put("one", "1");
    await put("two", "2");
    expect((await copy((name) => name === "one")).files).toBe(1);
  });

  test("takes a link to the world outside as a link, and no pipe or socket", async () => {
    await symlink("/etc/passwd", path.join(source, "link"));
    expect(await copy()).toEqual({ files: 1, bytes: 0, stamps: {} });
  });

  test("is cancelled by the signal", async () => {
    await put("one", "1");
    const stopped = AbortSignal.abort();
    const copying = copyTree(source, target, { isLeftOut: () => false, signal: stopped });
    await expect(copying).rejects.toThrow("The copy was cancelled: the server is shutting down.");
  });
});
