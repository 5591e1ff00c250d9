import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, open, readdir, truncate, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { needsPython } from "#plumbing/formats/python-suite";
import { openWorkspaces, type Workspaces } from "#workspace/workspaces";

/**
 * Files that jobs may leave behind and requests that clients may send. The server must survive all and never
 * lose a file silently.
 */
let base: string;
let folder: string;
let workspaces: Workspaces;

beforeEach(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), "reprise-hostile-"));
  for (const name of ["spaces", "incoming"]) await mkdir(path.join(base, name));
  workspaces = openWorkspaces({
    folder: path.join(base, "spaces"),
    incomingFolder: path.join(base, "incoming"),
    fsync: false,
    random: systemRandom,
    clock: systemClock,
  });
  folder = workspaces.of("w").folder;
  await workspaces.of("w").create();
});

beforeEach(needsPython);

// Uses `rm`, because Node cannot remove some of the test files.
afterEach(() => void execFileSync("bash", ["-c", 'chmod -R u+rwx "$1"; rm -rf "$1"', "bash", base]));

const write = (name: string, content: string) =>
  workspaces.of("w").write(name, Readable.from([Buffer.from(content)]));
test.each([
  ["a file", "touch"],
  ["a named pipe", "mkfifo"],
  ["a link to a folder", "ln -s /tmp"],
  ["a dangling link", "ln -s /nowhere"],
])("%s in the place of the workspace: one sentence, and it can be removed", async (_what, command) => {
  execFileSync("bash", ["-c", `rmdir "$1"; ${command} "$1"`, "bash", folder]);
  const sentence = /^The files of the run are gone: its workspace was replaced/;
  for (const ask of [
    () => workspaces.of("w").create(),
    () => write("a", "text"),
    () => workspaces.of("w").find("a"),
    () => workspaces.of("w").find("*"),
    () => workspaces.of("w").maybeUsedBytes(100),
    () => workspaces.of("w").maybeStamps(100),
    () => workspaces.of("w").deleteFiles("a"),
    () => workspaces.of("w").moveFiles("a", "b"),
  ])
    await expect(ask()).rejects.toMatchObject({ kind: "absent", message: expect.stringMatching(sentence) });
  // A damaged workspace must not hide the sizes of the other workspaces.
  expect(await workspaces.maybeUsedBytesOfEach([{ id: "w", state: undefined }], 100)).toEqual([0]);
  await workspaces.of("w").remove();
  expect(await readdir(path.join(base, "spaces"))).toEqual([]);
});

const openFile = async (name: string) => {
  const found = await workspaces.of("w").find(name);
  if (found.kind !== "file") throw new Error("an archive");
  return found.file;
};
const names = async (pattern?: string) =>
  (await workspaces.of("w").list(pattern === undefined ? {} : { pattern })).files.map((file) => file.name);

async function archive(pattern: string): Promise<Readable> {
  const found = await workspaces.of("w").find(pattern);
  if (found.kind !== "archive") throw new Error("a file");
  return found.stream();
}

async function archived(pattern: string): Promise<string[]> {
  const file = path.join(base, "archive.zip");
  await writeFile(file, await buffer(await archive(pattern)));
  const list = "import json,sys,zipfile;print(json.dumps(sorted(zipfile.ZipFile(sys.argv[1]).namelist())))";
  return JSON.parse(execFileSync("python3", ["-c", list, file], { encoding: "utf8" })) as string[];
}

/** Runs a Python script in the workspace: Python accepts names of any bytes and paths of any length. */
function inWorkspace(script: string): void {
  execFileSync("python3", ["-c", `import os\nos.chdir(os.sys.argv[1])\n${script}`, folder]);
}

/** Runs the work as an unprivileged user, because permissions do not restrict root. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  if (process.geteuid!() !== 0) return work();
  execFileSync("chown", ["-R", "65534:65534", base]);
  process.seteuid!(65534);
  try {
    await work();
  } finally {
    process.seteuid!(0);
  }
}

describe("an upload", () => {
  test("that breaks before it is read fails alone, and the server continues", async () => {
    const content = new PassThrough();
    const writing = workspaces.of("w").write("a", content);
    content.destroy(new Error("the line went dead"));
    await expect(writing).rejects.toThrow("the line went dead");
    expect([await names(), await readdir(path.join(base, "incoming"))]).toEqual([[], []]);
  });

  test("that breaks at once leaves no temporary file, however often", async () => {
    for (let round = 0; round < 100; round += 1) {
      const content = new PassThrough();
      if (round % 2 === 0) content.write("some");
      content.destroy(new Error("the line went dead"));
      await expect(workspaces.of("w").write("a", content)).rejects.toThrow("the line went dead");
    }
    expect([await names(), await readdir(path.join(base, "incoming"))]).toEqual([[], []]);
  });

  test.each([
    { code: "ENOSPC", errno: -os.constants.errno.ENOSPC },
    { code: "Unknown system error -122", errno: -os.constants.errno.EDQUOT },
  ])("that finds no room is refused ($code)", async (systemError) => {
    async function* full() {
      yield Buffer.from("half");
      throw Object.assign(new Error("write"), systemError);
    }
    await expect(workspaces.of("w").write("a", full())).rejects.toMatchObject({ kind: "no-space" });
    expect(await readdir(path.join(base, "incoming"))).toEqual([]);
  });

  test("with a name that could not be listed is refused", async () => {
    await write(`${"d/".repeat(200)}f`, "x");
    expect(await names()).toHaveLength(1);
    await expect(write(`${"d/".repeat(201)}f`, "x")).rejects.toThrow("deeper than 200 directories");
  });
});

describe("a file", () => {
  test("that shrinks while it is read is an error, and is never returned in part", async () => {
    await write("a", "x".repeat(3 << 20));
    const stream = (await openFile("a")).stream();
    await truncate(path.join(folder, "a"), 5);
    await expect(buffer(stream)).rejects.toThrow("became shorter while it was read");
  });

  test("a growing file is read up to the size at the opening", async () => {
    await write("empty", "");
    await write("log", "one");
    const files = [await openFile("empty"), await openFile("log")];
    for (const name of ["empty", "log"]) await writeFile(path.join(folder, name), "one and more");
    expect(await Promise.all(files.map((file) => text(file.stream())))).toEqual(["", "one"]);
  });

  test("of many gigabytes is read at the end without the beginning", async () => {
    const handle = await open(path.join(folder, "large"), "w");
    await handle.write("the end", 20 * 2 ** 30);
    await handle.close();
    const file = await openFile("large");
    expect(file.bytes).toBe(20 * 2 ** 30 + 7);
    expect(await text(file.stream({ start: 20 * 2 ** 30 + 4, end: file.bytes - 1 }))).toBe("end");
  });

  test("from before the earliest time of the zip format is archived", async () => {
    await write("d/a", "x");
    await write("d/b", "x");
    execFileSync("touch", ["-d", "1960-01-01", path.join(folder, "d/a")]);
    expect(await archived("d")).toEqual(["d/a", "d/b"]);
  });

  test("whose name is not UTF-8 is listed, archived and removed", async () => {
    inWorkspace(
      `os.mkdir("d"); open(b"d/caf\\xe9","w").close(); os.mkdir(b"d/\\xff"); open(b"d/\\xff/a","w").close()`,
    );
    expect(await names()).toEqual(["d/caf\ufffd", "d/\ufffd/a"]);
    expect(await archived("d")).toEqual(["d/caf\ufffd", "d/\ufffd/a"]);
    await workspaces.of("w").remove();
    expect(await readdir(path.join(base, "spaces"))).toEqual([]);
  });

  test("with a name that is not a path on other systems is archived", async () => {
    for (const name of ["d/..\\..\\up", "d/c:", "d/a\nb"]) await write(name, "x");
    expect(await archived("d")).toEqual(["d/.._.._up", "d/a\nb", "d/c:"]);
  });
});

describe("a folder", () => {
  test("called like a pattern is archived alone", async () => {
    for (const name of ["d*/a", "d*/b", "d2/c"]) await write(name, "x");
    expect(await archived("d*")).toEqual(["d*/a", "d*/b"]);
  });

  test("deeper than any path is refused with a sentence, and removed", async () => {
    await write("top", "12345");
    inWorkspace(`for _ in range(250):\n  os.mkdir("d" * 200); os.chdir("d" * 200); open("f", "w").close()`);
    await expect(names()).rejects.toThrow("Too many nested directories");
    await expect(workspaces.of("w").find("*")).rejects.toThrow("Too many nested directories");
    expect(await names("top")).toEqual(["top"]);
    expect(await workspaces.of("w").maybeUsedBytes(Infinity)).toBeGreaterThan(0);
    await workspaces.of("w").remove();
    expect(await readdir(path.join(base, "spaces"))).toEqual([]);
  });

  test("without permissions hides its files, keeps the rest, and is removed", async () => {
    await asNobody(async () => {
      for (const name of ["seen", "dark/a", "blind/a", "fixed/sub/a", "r/shut", "r/b"])
        await write(name, "x");
      await chmod(path.join(folder, "dark"), 0o000);
      await chmod(path.join(folder, "blind"), 0o444);
      await chmod(path.join(folder, "fixed/sub"), 0o555);
      await chmod(path.join(folder, "fixed"), 0o555);
      await chmod(path.join(folder, "r/shut"), 0o000);
      expect(await names()).toEqual(["fixed/sub/a", "r/b", "r/shut", "seen"]);
      expect(await workspaces.of("w").maybeUsedBytes(Infinity)).toBeGreaterThan(0);
      for (const name of ["r/shut", "dark/a", "dark"]) {
        await expect(workspaces.of("w").find(name)).rejects.toMatchObject({ kind: "forbidden" });
      }
      await expect(write("fixed/new", "x")).rejects.toMatchObject({ kind: "forbidden" });
      await expect(workspaces.of("w").find("*")).rejects.toMatchObject({ kind: "forbidden" });
      await expect(archive("r").then(buffer)).rejects.toThrow("r/shut cannot be read");
      await workspaces.of("w").remove();
      expect(await readdir(path.join(base, "spaces"))).toEqual([]);
    });
  });

  test("of the workspace itself without permissions is removed", async () => {
    await asNobody(async () => {
      await write("a/b", "x");
      await chmod(folder, 0o000);
      await workspaces.of("w").remove();
      expect(await readdir(path.join(base, "spaces"))).toEqual([]);
    });
  });

  test("that is removed by several at once, and written into, is gone in the end", async () => {
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => write(`d${index % 5}/e/f${index}`, "x")));
      const late = write("late/file", "x").catch((error: unknown) => error);
      await Promise.all([1, 2, 3].map(() => workspaces.of("w").remove()));
      await late;
      await workspaces.of("w").remove();
      expect(await readdir(path.join(base, "spaces"))).toEqual([]);
    }
  });
});

describe("held files", () => {
  const isClosed = async (stream: Readable) => {
    if (!stream.closed) await new Promise((resolve) => stream.once("close", resolve));
  };
  const held = async () => (await readdir("/proc/self/fd")).length;

  test("are let go, however it ends", async () => {
    for (const name of ["a/b/c/d", "a/b/e", "a/f"]) await write(name, "x".repeat(2 << 20));
    inWorkspace(`os.mkfifo("pipe"); os.symlink("a", "link")`);
    const before = await held();
    await (await openFile("link/f")).close();
    for (const name of ["a/b/none", "link", "link/none", "pipe", "a/f/g"])
      await workspaces
        .of("w")
        .find(name)
        .catch(() => undefined);
    await (await openFile("a/f")).close();
    const left = (await openFile("a/f")).stream();
    left.destroy();
    const leaving = await archive("a");
    for await (const chunk of leaving) if ((chunk as Buffer).length > 0) break;
    await Promise.all([left, leaving].map(isClosed));
    await names("a/*");
    expect(await held()).toBe(before);
  });
});
