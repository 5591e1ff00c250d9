import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { needsPython } from "#plumbing/formats/python-suite";
import { cleanPath } from "#workspace/safe-path";
import type { Workspace } from "#workspace/workspace";
import { openWorkspaces, type Workspaces } from "#workspace/workspaces";

let base: string;
let folder: string;
let outside: string;
let workspaces: Workspaces;

beforeEach(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), "reprise-files-"));
  outside = path.join(base, "outside");
  for (const name of ["outside", "spaces", "incoming"]) await mkdir(path.join(base, name));
  await writeFile(path.join(outside, "secret"), "secret");
  workspaces = openWorkspaces({
    folder: path.join(base, "spaces"),
    incomingFolder: path.join(base, "incoming"),
    fsync: true,
    random: systemRandom,
    clock: systemClock,
  });
  folder = workspaces.of("w").folder;
});

afterEach(() => rm(base, { recursive: true, force: true }));

const write = (name: string, content: string) =>
  workspaces.of("w").write(name, Readable.from([Buffer.from(content)]));
const names = async (pattern?: string) =>
  (await workspaces.of("w").list(pattern === undefined ? {} : { pattern })).files.map((file) => file.name);

async function read(name: string): Promise<string> {
  const found = await workspaces.of("w").find(name);
  if (found.kind !== "file") throw new Error("an archive");
  return text(found.file.stream());
}

const forRun = () => workspaces.of("w").forRun(new AbortController().signal);
const PUBLICATION = { from: "large", to: "a", algorithm: "sha1", isSettled: false } as const;

describe("a path from outside", () => {
  test.each([
    ["/a.txt", "a.txt"],
    ["///data//./a.txt", "data/a.txt"],
    ["a\\b", "a\\b"],
    ["..a/b..", "..a/b.."],
    ["ümläut/日本", "ümläut/日本"],
  ])("%j is %j", (name, clean) => {
    expect(cleanPath(name)).toBe(clean);
  });

  test.each([
    ["", "No file_name provided"],
    ["/", "No file_name provided"],
    ["./.", "No file_name provided"],
    ["..", "'..' is not a valid path component"],
    ["a/../../b", "'..' is not a valid path component"],
    ["a\0b", "NUL"],
    ["a\ud800", "Unicode"],
    ["x".repeat(256), "255 bytes"],
    ["日".repeat(86), "255 bytes"],
    ["a/".repeat(2049), "4096 bytes"],
  ])("%j is refused", (name, message) => {
    expect(() => cleanPath(name)).toThrow(message);
  });

  test("never leads to a write outside the workspace", async () => {
    const part = fc.oneof(
      fc.constantFrom("..", ".", "", "a", "b", "\0", "~", "%2e%2e", "..\\.."),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        await write(parts.join("/"), "x").catch((error: { kind?: string }) =>
          expect(error.kind).toBe("malformed"),
        );
        expect(await readdir(outside)).toEqual(["secret"]);
        expect((await readdir(base)).sort()).toEqual(["incoming", "outside", "spaces"]);
        expect(await readdir(path.join(base, "spaces"))).toEqual(expect.not.arrayContaining(["a", "b"]));
      }),
      { numRuns: 200 },
    );
  });
});

describe("writing", () => {
  test("makes parents, replaces an existing file, and returns the size", async () => {
    expect(await write("/code/a/hello.sh", "one")).toEqual({ path: "code/a/hello.sh", bytes: 3 });
    await write("code/a/hello.sh", "two!");
    expect(await read("code/a/hello.sh")).toBe("two!");
    await write("empty", "");
    expect(await read("empty")).toBe("");
    expect(await readdir(path.join(base, "incoming"))).toEqual([]);
  });

  test("an interrupted upload leaves nothing, and keeps the earlier file", async () => {
    await write("a", "before");
    async function* broken() {
      yield Buffer.from("half");
      throw new Error("the line went dead");
    }
    await expect(workspaces.of("w").write("a", broken())).rejects.toThrow("the line went dead");
    await expect(workspaces.of("w").write("new/b", broken())).rejects.toThrow("the line went dead");
    expect(await read("a")).toBe("before");
    expect(await names()).toEqual(["a"]);
    expect(await readdir(path.join(base, "incoming"))).toEqual([]);
  });

  test("many concurrent uploads under a name leave a single whole file", async () => {
    const contents = Array.from({ length: 24 }, (_, index) => String(index).repeat(100_000));
    await Promise.all(contents.map((content) => write("same/name", content)));
    expect(contents).toContain(await read("same/name"));
    expect(await readdir(path.join(base, "incoming"))).toEqual([]);
  });

  test("a directory or a file in the way is reported", async () => {
    await write("d/f", "x");
    await expect(write("d", "x")).rejects.toThrow("A directory named 'd' is in the way");
    await expect(write("d/f/g", "x")).rejects.toThrow("the file 'f' is in the way");
  });

  test("never goes through a link", async () => {
    await workspaces.of("w").create();
    await symlink(outside, path.join(folder, "out"));
    await symlink(path.join(outside, "secret"), path.join(folder, "file"));
    await symlink("nowhere", path.join(folder, "dangling"));
    for (const name of ["out/new", "out/secret", "file", "dangling"]) {
      await expect(write(name, "x")).rejects.toThrow(/Opening symlink '\w+' is not allowed/);
    }
    expect(await readFile(path.join(outside, "secret"), "utf8")).toBe("secret");
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("refuses a link or a directory that takes the name during the upload", async () => {
    async function* meanwhile(work: () => Promise<unknown>) {
      await work();
      yield Buffer.from("x");
    }
    const linked = meanwhile(() => symlink(path.join(outside, "secret"), path.join(folder, "a")));
    await expect(workspaces.of("w").write("a", linked)).rejects.toThrow("Opening symlink 'a' is not allowed");
    const made = meanwhile(() => mkdir(path.join(folder, "b")));
    await expect(workspaces.of("w").write("b", made)).rejects.toThrow("A directory named 'b' is in the way");
    expect(await readFile(path.join(outside, "secret"), "utf8")).toBe("secret");
  });

  test("a folder that is swapped for a link again and again never leads outside", async () => {
    await mkdir(path.join(folder, "d"), { recursive: true });
    // A step that loses the race against a write that has just recreated the folder fails harmlessly.
    const swap = 'cd "$1" && while :; do mv d kept; ln -s "$2" d; rm d; mv -T kept d; rm -rf kept; done';
    // A process group of its own, so that the last `mv` or `rm` ends with the shell.
    const swapping = spawn("bash", ["-c", swap, "bash", folder, outside], {
      stdio: "ignore",
      detached: true,
    });
    const end = () => process.kill(-swapping.pid!, "SIGKILL");
    onTestFinished(() => void (swapping.signalCode ?? end()));
    for (let round = 0; round < 100; round += 1) {
      await write(`d/new${round}`, "x").catch(() => undefined);
      await read("d/secret").then(
        () => expect.unreachable("the secret was read"),
        () => undefined,
      );
      expect(await names("d")).not.toContain("d/secret");
    }
    end();
    await once(swapping, "exit");
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("a full disk is reported, and nothing is left", async () => {
    // Only root may mount a small disk; for other users the content throws the disk's error.
    const isRoot = process.geteuid!() === 0;
    const noSpace = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const small = path.join(base, "small");
    await mkdir(small);
    if (isRoot) execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", small]);
    try {
      for (const name of ["spaces", "incoming"]) await mkdir(path.join(small, name));
      const full = openWorkspaces({
        folder: path.join(small, "spaces"),
        incomingFolder: path.join(small, "incoming"),
        fsync: false,
        random: systemRandom,
        clock: systemClock,
      });
      const large = isRoot ? Readable.from([Buffer.alloc(4 << 20)]) : new Readable().destroy(noSpace);
      await expect(full.of("w").write("large", large)).rejects.toMatchObject({ kind: "no-space" });
      expect(await readdir(path.join(small, "incoming"))).toEqual([]);
      await full.of("w").write("small", Readable.from([Buffer.from("fits again")]));
    } finally {
      if (isRoot) execFileSync("umount", [small]);
    }
  });
});

describe("reading", () => {
  test("a file is read whole or in part, and has a tag that changes with it", async () => {
    await write("a", "0123456789");
    const first = await workspaces.of("w").find("a");
    if (first.kind !== "file") throw new Error("an archive");
    expect(first.file).toMatchObject({ path: "a", bytes: 10 });
    await write("a", "9876543210");
    expect(await text(first.file.stream({ start: 2, end: 4 }))).toBe("234");
    const second = await workspaces.of("w").find("a");
    if (second.kind !== "file") throw new Error("an archive");
    expect(second.file.etag).not.toBe(first.file.etag);
    await second.file.close();
    await second.file.close();
  });

  test.each(["absent", "a/absent", "absent/a", "*.none", "empty"])("%s is absent", async (name) => {
    await write("a", "x");
    await mkdir(path.join(folder, "empty"));
    await expect(workspaces.of("w").find(name)).rejects.toThrow(`${name} does not exist.`);
  });

  test("never goes through a link, a pipe or a device", async () => {
    await workspaces.of("w").create();
    await symlink(outside, path.join(folder, "out"));
    await symlink("/dev/zero", path.join(folder, "zero"));
    execFileSync("mkfifo", [path.join(folder, "pipe")]);
    await expect(read("out/secret")).rejects.toThrow("does not exist");
    await expect(read("zero")).rejects.toThrow("Opening symlink 'zero' is not allowed");
    await expect(read("out")).rejects.toThrow("Opening symlink");
    await expect(read("pipe")).rejects.toThrow("does not exist");
  });

  test("finds nothing in a workspace without a folder", async () => {
    expect(await names()).toEqual([]);
    await expect(read("a")).rejects.toThrow("does not exist");
    expect(await workspaces.of("w").maybeUsedBytes(Infinity)).toBe(0);
  });
});

describe("listing", () => {
  beforeEach(async () => {
    for (const name of ["code/a.py", "code/sub/b.py", "results/out.txt", ".hidden"]) await write(name, name);
    await symlink(outside, path.join(folder, "link"));
  });

  test.each([
    [undefined, [".hidden", "code/a.py", "code/sub/b.py", "link", "results/out.txt"]],
    ["code", ["code/a.py", "code/sub/b.py"]],
    ["/code/", ["code/a.py", "code/sub/b.py"]],
    ["code/a.py", ["code/a.py"]],
    ["code/*", ["code/a.py", "code/sub"]],
    ["**/*.py", ["code/a.py", "code/sub/b.py"]],
    ["nothing", []],
    ["cod", []],
  ])("%s", async (pattern, expected) => {
    expect(await names(pattern)).toEqual(expected);
  });

  test("pages and searches by the names on the wire", async () => {
    expect(await workspaces.of("w").list({ offset: 1, limit: 2 })).toMatchObject({
      total: 5,
      files: [{ name: "code/a.py", bytes: 9, kind: "file" }, { name: "code/sub/b.py" }],
    });
    const search = async (wanted: object) =>
      (await workspaces.of("w").list({ search: wanted })).files.map((file) => file.name);
    expect(await search({ name: ["OUT", "Results"] })).toEqual(["results/out.txt"]);
    expect(await search({ name: ["OUT", "A.PY"] })).toEqual([]);
    expect(await search({ size: ["13 bytes"] })).toEqual(["code/sub/b.py"]);
    expect(await search({ name: ["py"], "last-modified": ["1999-"] })).toEqual([]);
  });

  test("ten thousand files are listed", async (context) => {
    needsPython(context);
    await write("many/0", "x");
    // Links one file under many names, which is ten times faster than making files.
    const make = 'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(1, 10000): os.link("0", str(i))';
    execFileSync("python3", ["-c", make, path.join(folder, "many")]);
    expect((await workspaces.of("w").list({ pattern: "many", limit: 3 })).total).toBe(10_000);
  });

  test("a tree that is nested without end is refused", async () => {
    execFileSync("bash", ["-c", `cd "$1" && for i in {1..205}; do mkdir d && cd d; done`, "bash", folder]);
    await expect(names()).rejects.toThrow("Too many nested directories (the maximum is 200)");
  });
});

describe("archives", () => {
  beforeEach(needsPython);

  const CHECK = `
import sys, zipfile, json, hashlib
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({n: hashlib.sha256(archive.read(n)).hexdigest() for n in archive.namelist()}))`;

  async function unzipped(pattern: string): Promise<Record<string, string>> {
    const found = await workspaces.of("w").find(pattern);
    if (found.kind !== "archive") throw new Error("a file");
    const file = path.join(base, "archive.zip");
    await writeFile(file, await buffer(found.stream()));
    return JSON.parse(execFileSync("python3", ["-c", CHECK, file], { encoding: "utf8" })) as Record<
      string,
      string
    >;
  }

  test("hold the files of a folder or of a glob, and no links", async () => {
    const contents: Record<string, string> = { "r/a": "one", "r/sub/b": "x".repeat(3_000_000), "r/é": "" };
    for (const [name, content] of Object.entries(contents)) await write(name, content);
    await write("other", "no");
    await symlink(path.join(outside, "secret"), path.join(folder, "r/link"));
    const hashes = Object.fromEntries(
      Object.entries(contents).map(([name, content]) => [
        name,
        createHash("sha256").update(content).digest("hex"),
      ]),
    );
    expect(await unzipped("r")).toEqual(hashes);
    expect(Object.keys(await unzipped("r/*")).sort()).toEqual(["r/a", "r/é"]);
    expect(Object.keys(await unzipped("**/[ab]"))).toEqual(["r/a", "r/sub/b"]);
  });

  test("a glob with a single match is the file", async () => {
    await write("r/only.txt", "content");
    expect(await read("r/*.txt")).toBe("content");
  });

  test("leave out files that vanish during the packing", async () => {
    for (const name of ["r/a", "r/b"]) await write(name, name);
    const found = await workspaces.of("w").find("r");
    if (found.kind !== "archive") throw new Error("a file");
    await rm(path.join(folder, "r/b"));
    const file = path.join(base, "archive.zip");
    await writeFile(file, await buffer(found.stream()));
    const listed = execFileSync("python3", ["-c", CHECK, file], { encoding: "utf8" });
    expect(Object.keys(JSON.parse(listed) as object)).toEqual(["r/a"]);
  });
});

describe("a kept size", () => {
  const size = async () => (await workspaces.maybeUsedBytesOfEach([{ id: "w", state: "still" }], 1000))?.[0];
  const content = () => Readable.from([Buffer.alloc(50_000)]);
  const record = { name: "many", content: Buffer.alloc(50_000), isExecutable: false };
  const source = () => path.join(outside, "secret");

  const CHANGES: Readonly<Record<string, (workspace: Workspace) => Promise<unknown>>> = {
    write: (workspace) => workspace.write("a", content()),
    "forRun.write": () => forRun().write("a", "x".repeat(50_000)),
    "forRun.publish": () => forRun().publish(PUBLICATION),
    writeMany: (workspace) => workspace.writeMany(Readable.from([record]), async () => undefined),
    copyIn: (workspace) => workspace.copyIn("a", source(), { clock: systemClock }),
    publish: (workspace) => workspace.publish(source(), "a"),
    deleteFiles: (workspace) => workspace.deleteFiles("large"),
    moveFiles: (workspace) => workspace.moveFiles("large", "large-too"),
    prune: (workspace) => workspace.prune((name) => name === "large"),
    remove: (workspace) => workspace.remove(),
  };

  test.each(Object.keys(CHANGES))("is counted again after %s", async (verb) => {
    await write("large", "x".repeat(100_000));
    const before = await size();
    // Jobs change files without telling: the kept size stays.
    await writeFile(path.join(folder, "unseen"), Buffer.alloc(200_000));
    expect(await size()).toBe(before);
    await CHANGES[verb]!(workspaces.of("w"));
    expect(await size()).not.toBe(before);
  });
});

describe("removing", () => {
  test("takes everything away, and may be repeated", async () => {
    await write("a/b", "x");
    await mkdir(path.join(base, "spaces", ".removed-w", "half"), { recursive: true });
    await workspaces.of("w").remove();
    await workspaces.of("w").remove();
    expect(await readdir(path.join(base, "spaces"))).toEqual([]);
  });

  test("uploads that a dead server was receiving are removed", async () => {
    await writeFile(path.join(base, "incoming", "half"), "x");
    await workspaces.clearIncoming();
    expect(await readdir(path.join(base, "incoming"))).toEqual([]);
  });
});
