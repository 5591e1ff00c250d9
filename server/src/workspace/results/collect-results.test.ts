import { createHash } from "node:crypto";
import { chmod, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { collectResults } from "#workspace/results/collect-results";

let folder = "";
folderForEach((made) => void (folder = made));
async function put(name: string, content: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), content);
}

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

const collect = (declared: string[], earlier: string[] = [], signal = new AbortController().signal) =>
  collectResults(folder, { declared, earlier }, signal);

const names = async (declared: string[], earlier: string[] = []) =>
  (await collect(declared, earlier)).files.map((file) => file.path);

describe("the outputs of a run", () => {
  test.each<[string[], string[]]>([
    [["out.txt"], ["out.txt"]],
    [["./out.txt", "out.txt"], ["out.txt"]],
    [["plots"], ["plots/a.png", "plots/deep/b.png"]],
    [["plots/*.png"], ["plots/a.png"]],
    [["**/*.png"], ["plots/a.png", "plots/deep/b.png"]],
    [["plots/de*"], ["plots/deep/b.png"]],
    [["."], ["link", "out.txt", "plots/a.png", "plots/deep/b.png"]],
    [["link"], ["link"]],
    [["link/passwd"], []],
    [["../out.txt", "none", "/etc/passwd", "*".repeat(2000)], []],
  ])("%j are %j", async (declared, expected) => {
    await put("out.txt", "x");
    await put("plots/a.png", "a");
    await put("plots/deep/b.png", "b");
    await symlink("/etc", path.join(folder, "link"));
    expect(await names(declared)).toEqual(expected);
  });

  test("have a checksum, a size and a stamp", async () => {
    await put("out.txt", "hello\n");
    const [file] = (await collect(["out.txt"])).files;
    expect(file).toEqual({
      path: "out.txt",
      bytes: 6,
      sha256: sha256("hello\n"),
      stamp: expect.stringMatching(/^\w+-6-\w+-\w+$/) as string,
    });
  });

  test("are joined by the exact paths that earlier runs recorded", async () => {
    await put("old.txt", "x");
    await put("old/more.txt", "x");
    expect(await names([], ["old.txt", "old", "gone"])).toEqual(["old.txt"]);
  });

  test("that are large are hashed in a thread, and no file beyond 1 GiB in all", async () => {
    const large = "0123456789abcdef".repeat(200_000);
    await put("large", large);
    await put("huge", "");
    await truncate(path.join(folder, "huge"), 2 ** 30);
    const { files } = await collect(["large", "huge"]);
    expect(files.map(({ path: name, sha256: sum }) => [name, sum])).toEqual([
      ["huge", null],
      ["large", sha256(large)],
    ]);
  });

  test("keep the checksums that were ready when time was up", async () => {
    await put("small", "x");
    await put("huge", "");
    await truncate(path.join(folder, "huge"), 2 ** 30 - 1);
    const time = new AbortController();
    setTimeout(() => time.abort(), 150);
    const { files } = await collect(["small", "huge"], [], time.signal);
    expect(files.find(({ path: name }) => name === "huge")).toMatchObject({
      bytes: 2 ** 30 - 1,
      sha256: null,
    });
  });

  test("that cannot be read have no checksum", async () => {
    await put("secret", "x");
    await chmod(path.join(folder, "secret"), 0);
    const [file] = (await collect(["secret"])).files;
    // Root may read everything.
    expect(file!.sha256).toBe(process.getuid?.() === 0 ? sha256("x") : null);
  });

  test("beyond the limits are left out or have no checksum, which is said", async () => {
    for (const name of ["a", "b", "c"]) await put(`many/${name}`, "xx");
    const limits = { files: 2, hashedBytes: 3 };
    const { files, isCut } = await collectResults(
      folder,
      { declared: ["many"], earlier: ["many/c"] },
      new AbortController().signal,
      limits,
    );
    expect(isCut).toBe(true);
    expect(files.map((file) => file.sha256 !== null)).toEqual([false, true]);
    expect(files.map((file) => file.path)).toContain("many/c");
  });
});
