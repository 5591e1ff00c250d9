import { createHash } from "node:crypto";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { createFileThreads } from "#workspace/threads/file-threads";
import { type RunFiles, runFiles } from "#workspace/run-files";

const SHA256_OF_HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const SHA1_OF_HELLO = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";
const MIB = 2 ** 20;

let home: string;
let folder: string;
let files: RunFiles;
let abort: AbortController;

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), "reprise-ask-"));
  folder = path.join(home, "w");
  for (const made of ["w/out/inner", "incoming", "shared/data"])
    await mkdir(path.join(home, made), { recursive: true });
  await writeFile(at("out/a.txt"), "hello");
  await writeFile(at("out/inner/b.txt"), "b");
  await writeFile(at("beside"), "");
  await symlink("/etc/passwd", at("out/link"));
  await writeFile(path.join(home, "shared/data/x"), "shared");
  abort = new AbortController();
  files = filesOf(abort.signal);
});

afterEach(() => rm(home, { recursive: true }));

const at = (name: string) => path.join(folder, name);

function filesOf(signal: AbortSignal): RunFiles {
  const context = {
    folder,
    incomingFolder: path.join(home, "incoming"),
    fsync: true,
    random: systemRandom,
    clock: systemClock,
    threads: createFileThreads(),
    readableRoots: [{ at: path.join(home, "shared"), folder: path.join(home, "shared") }],
  };
  return runFiles(context, signal);
}

describe("a listing", () => {
  const namesOf = async (name: string, isDeep = true, maxEntries = 100, after?: string) => {
    const { entries, isCut } = await files.list({ name, isDeep, maxEntries, after });
    return { names: entries.map((entry) => `${entry.name} ${entry.kind}`), isCut };
  };

  test("holds everything below the folder, in the order of the names; links are listed and not followed", async () => {
    expect(await namesOf("out")).toEqual({
      names: ["out/a.txt file", "out/inner folder", "out/inner/b.txt file", "out/link link"],
      isCut: false,
    });
  });

  test("can be of the folder alone", async () => {
    expect(await namesOf("out/", false)).toEqual({
      names: ["out/a.txt file", "out/inner folder", "out/link link"],
      isCut: false,
    });
    expect(await namesOf("", false)).toEqual({ names: ["beside file", "out folder"], isCut: false });
  });

  test("that is cut can be continued until it is whole, in any size of page", async () => {
    for (let count = 0; count < 23; count += 1) await writeFile(at(`out/inner/${count % 2}-${count}`), "");
    const { names: whole } = await namesOf("");
    for (const size of [1, 4, 7, 26, 27, 28]) {
      const seen: string[] = [];
      for (let after: string | undefined, isMore = true; isMore;) {
        const page = await namesOf("", true, size, after);
        seen.push(...page.names);
        after = page.names.at(-1)?.split(" ")[0];
        isMore = page.isCut;
        if (isMore) expect(page.names).toHaveLength(size);
      }
      expect(seen).toEqual(whole);
    }
  });

  test.each(["nowhere", "beside", "out/link", "../x", "out/inner/../.."])("refuses %s", async (name) => {
    await expect(namesOf(name)).rejects.toMatchObject({ name: "Refusal" });
  });

  test("says that a folder could not be read", async () => {
    await chmod(at("out/inner"), 0);
    // Root may read everything.
    const { hasGap } = await files.list({ name: "out", isDeep: true, maxEntries: 9 });
    expect(hasGap).toBe(process.getuid?.() !== 0);
    await chmod(at("out/inner"), 0o755);
  });
});

describe("a look", () => {
  test.each([
    ["out/a.txt", { kind: "file", bytes: 5 }],
    ["out/inner", { kind: "folder" }],
    ["out/link", { kind: "link", target: null }],
    ["nowhere/at/all", { kind: "absent" }],
    ["beside/x", { kind: "absent" }],
    ["out/link/x", { kind: "absent" }],
  ])("at %s", async (name, expected) => {
    expect(await files.look(name)).toMatchObject(expected);
  });

  test.each([
    ["../beside", "beside"],
    ["inner/./b.txt", "out/inner/b.txt"],
    ["missing", "out/missing"],
    ["chain", "beside"],
    ["..", ""],
    ["../..", null],
    ["../../w/beside", null],
    ["/etc", null],
    ["circle", null],
    ["here", null],
  ])("tells that a link to %s leads to %j", async (text, target) => {
    await symlink(at("beside"), at("out/chain"));
    await symlink("circle", at("out/circle"));
    await symlink(text, at("out/here"));
    expect(await files.look("out/here")).toMatchObject({ kind: "link", target });
    const { entries } = await files.list({ name: "out", isDeep: false, maxEntries: 9 });
    expect(entries.find(({ name }) => name === "out/here")).toMatchObject({ target });
  });
});

describe("reading", () => {
  test("returns the beginning of a file, and how much there is", async () => {
    expect(await files.read("out/a.txt", 3)).toEqual({ text: "hel", bytes: 5 });
    expect(await files.read("out/a.txt", 0)).toEqual({ text: "", bytes: 5 });
    expect(await files.read("beside", 10)).toEqual({ text: "", bytes: 0 });
  });

  test("returns checksums", async () => {
    expect(await files.digest("out/a.txt", "sha256")).toEqual({ bytes: 5, digest: SHA256_OF_HELLO });
    expect(await files.digest("out/a.txt", "sha1")).toEqual({ bytes: 5, digest: SHA1_OF_HELLO });
    await writeFile(at("large"), Buffer.alloc(3 * MIB, "x"));
    const digest = createHash("sha1")
      .update(Buffer.alloc(3 * MIB, "x"))
      .digest("hex");
    expect(await files.digest("large", "sha1")).toEqual({ bytes: 3 * MIB, digest });
  });

  test.each(["nowhere", "out", "out/link", "../x"])("refuses %s", async (name) => {
    await expect(files.read(name, 10)).rejects.toMatchObject({ name: "Refusal" });
    await expect(files.digest(name, "sha1")).rejects.toMatchObject({ name: "Refusal" });
  });

  test("a large file costs the main thread next to no time", async () => {
    await writeFile(at("huge"), "");
    await truncate(at("huge"), 128 * MIB);
    const before = process.threadCpuUsage();
    await files.digest("huge", "sha1");
    const { user, system } = process.threadCpuUsage(before);
    // Reading 128 MiB takes at least 80 ms of processor time.
    expect((user + system) / 1000).toBeLessThan(50);
  });

  test("ends soon after it is aborted", async () => {
    await writeFile(at("huge"), "");
    await truncate(at("huge"), 2 ** 40);
    const work = files.digest("huge", "sha256");
    setTimeout(() => abort.abort(new Error("stop")), 100);
    await expect(work).rejects.toThrow("stop");
  });
});

describe("a folder that every run may read", () => {
  const shared = (name: string) => path.join(home, "shared", name);

  test("is read by its absolute path", async () => {
    expect(await files.look(shared("data/x"))).toEqual({ kind: "file", bytes: 6 });
    expect(await files.look(shared(""))).toEqual({ kind: "folder", bytes: 0 });
    expect(await files.read(shared("data/x"), 3)).toEqual({ text: "sha", bytes: 6 });
    const { entries } = await files.list({ name: shared(""), isDeep: true, maxEntries: 9 });
    expect(entries.map(({ name }) => name)).toEqual([shared("data"), shared("data/x")]);
    await symlink("data/x", shared("link"));
    expect(await files.look(shared("link"))).toMatchObject({ target: shared("data/x") });
  });

  test.each(["../w/beside", "data/../../w/beside"])("is not left by %s", async (name) => {
    await expect(files.read(`${home}/shared/${name}`, 3)).rejects.toMatchObject({ name: "Refusal" });
  });

  test("is not written to, and no other path is read", async () => {
    await files.write(shared("data/x"), "mine");
    expect(await readFile(shared("data/x"), "utf8")).toBe("shared");
    expect(await files.look(path.join(home, "sharedx"))).toEqual({ kind: "absent" });
    expect(await files.look("/etc/passwd")).toEqual({ kind: "absent" });
  });
});

test("a run writes into an existing workspace, and never brings a removed one back", async () => {
  await files.write("new/a.txt", "a");
  expect(await readFile(at("new/a.txt"), "utf8")).toBe("a");
  await rm(folder, { recursive: true });
  await expect(files.write("new/a.txt", "a")).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringContaining("its directory was removed during the upload"),
  });
  expect(await readdir(home)).not.toContain("w");
});

describe("publishing", () => {
  const publish = (from: string, isSettled: boolean) =>
    files.publish({ from, to: "results/it", algorithm: "sha1", isSettled });

  test.each([true, false])("keeps content and mode (settled: %s)", async (isSettled) => {
    await chmod(at("out/a.txt"), 0o750);
    expect(await publish("out/a.txt", isSettled)).toEqual({
      path: "results/it",
      bytes: 5,
      digest: SHA1_OF_HELLO,
    });
    expect(await readFile(at("results/it"), "utf8")).toBe("hello");
    const made = await stat(at("results/it"));
    expect(made.mode & 0o777).toBe(0o750);
    expect(made.nlink).toBe(isSettled ? 2 : 1);
  });

  test("copies a large file in a thread", async () => {
    const content = Buffer.alloc(5 * MIB, "abc");
    await writeFile(at("large"), content, { mode: 0o640 });
    const { digest } = await publish("large", false);
    expect(digest).toBe(createHash("sha1").update(content).digest("hex"));
    expect((await readFile(at("results/it"))).equals(content)).toBe(true);
    expect((await stat(at("results/it"))).mode & 0o777).toBe(0o640);
  });

  test.each([true, false])(
    "publishes again after a crash, and leaves nothing beside (settled: %s)",
    async (isSettled) => {
      const once = await publish("out/a.txt", isSettled);
      expect(await publish("out/a.txt", isSettled)).toEqual(once);
      expect(await readdir(path.join(home, "incoming"))).toEqual([]);
    },
  );

  test.each([true, false])("replaces what was published before (settled: %s)", async (isSettled) => {
    await publish("beside", isSettled);
    await publish("out/a.txt", isSettled);
    expect(await readFile(at("results/it"), "utf8")).toBe("hello");
    await link(at("out/a.txt"), at("again"));
  });

  test("leaves nothing behind if the file was published before, as by a server that died", async () => {
    for (let times = 0; times < 2; times += 1) await publish("out/a.txt", true);
    expect((await stat(at("results/it"))).nlink).toBe(2);
    expect(await readdir(path.join(home, "incoming"))).toEqual([]);
  });

  test.each([
    ["nowhere", true],
    ["nowhere", false],
    ["out", true],
    ["out/link", true],
    ["out/link", false],
    ["../shared/data/x", true],
  ])("refuses %s (settled: %s) and leaves nothing behind", async (from, isSettled) => {
    await expect(publish(from, isSettled)).rejects.toMatchObject({ name: "Refusal" });
    expect(await files.look("results/it")).toEqual({ kind: "absent" });
    expect(await readdir(path.join(home, "incoming"))).toEqual([]);
  });

  test("an aborted read leaves no file behind", async () => {
    await writeFile(at("huge"), "");
    await truncate(at("huge"), 2 ** 40);
    const work = publish("huge", false);
    setTimeout(() => abort.abort(new Error("stop")), 100);
    await expect(work).rejects.toThrow("stop");
    expect(await files.look("results/it")).toEqual({ kind: "absent" });
    expect(await readdir(path.join(home, "incoming"))).toEqual([]);
  });
});
