import { existsSync, readdirSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import type { StageEntry } from "#workflow/job/stage";
import type { StageRequest } from "#workspace/staging/stage-files";
import type { Workspace } from "#workspace/workspace";
import { openWorkspaces, type Workspaces } from "#workspace/workspaces";

describe("staging", () => {
  let top: string;
  let workspaces: Workspaces;
  let workspace: Workspace;

  beforeEach(async () => {
    top = await mkdtemp(path.join(os.tmpdir(), "reprise-staging-"));
    const [folder, incomingFolder] = [path.join(top, "workspaces"), path.join(top, "incoming")];
    await mkdir(incomingFolder);
    const given = { folder, incomingFolder, fsync: true, random: systemRandom, clock: systemClock };
    workspaces = openWorkspaces(given);
    workspace = workspaces.of("w");
    await workspace.create();
    await mkdir(inside("data"));
    await writeFile(inside("data/a.txt"), "a");
    await writeFile(inside("data/tool"), "#!/bin/sh\n", { mode: 0o555 });
    await chmod(inside("data/tool"), 0o555);
    await symlink("a.txt", inside("data/link"));
  });
  afterEach(() => rm(top, { recursive: true }));

  const inside = (name: string) => path.join(workspace.folder, name);
  const kept = (...names: string[]) => path.join(top, "workspaces", ".staging-w", "job", ...names);
  const stage = (entries: readonly StageEntry[], change: Partial<StageRequest> = {}) =>
    workspace.stage({
      jobId: "job",
      entries,
      assertLease: async () => undefined,
      signal: new AbortController().signal,
      ...change,
    });
  /** All paths of the workspace. */
  const everything = async () =>
    (await readdir(workspace.folder, { recursive: true })).map(String).toSorted();

  const MIXED: readonly StageEntry[] = [
    { at: "job/in", folder: true },
    { at: "job/in/a.txt", link: "data/a.txt" },
    { at: "job/in/all", link: "data" },
    { at: "job/in/deep/er/note", text: "é\n" },
    { at: "job/run.sh", text: "#!/bin/sh\n", isExecutable: true },
    { at: "job/own", copy: "data" },
    { at: "tool", copy: "data/tool" },
  ];

  test("puts links, copies, texts and folders in their places", async () => {
    await stage(MIXED);
    expect(await readlink(inside("job/in/a.txt"))).toBe("../../data/a.txt");
    expect(await readFile(inside("job/in/a.txt"), "utf8")).toBe("a");
    expect(await readlink(inside("job/in/all"))).toBe("../../data");
    expect(await readFile(inside("job/in/deep/er/note"), "utf8")).toBe("é\n");
    expect((await lstat(inside("job/run.sh"))).mode & 0o111).not.toBe(0);
    expect((await readdir(inside("job/own"))).toSorted()).toEqual(["a.txt", "link", "tool"]);
    expect(await readlink(inside("job/own/link"))).toBe("a.txt");
    await writeFile(inside("job/own/a.txt"), "changed");
    expect(await readFile(inside("data/a.txt"), "utf8")).toBe("a");
    // A copy belongs to the job, so the owner may write.
    expect((await lstat(inside("tool"))).mode & 0o777).toBe(0o755);
    expect((await lstat(inside("data/tool"))).mode & 0o777).toBe(0o555);
  });

  test("a job staged again finds the changed files", async () => {
    await stage(MIXED);
    await writeFile(inside("job/run.sh"), "changed");
    await rm(inside("tool"));
    const before = await everything();
    await stage(MIXED);
    expect(await everything()).toEqual(before);
    expect(await readFile(inside("job/run.sh"), "utf8")).toBe("changed");
  });

  test("a forgotten job leaves no file beside the workspace", async () => {
    await stage(MIXED);
    await workspace.forgetStaged(["job", "unknown"]);
    expect(existsSync(kept())).toBe(false);
    await stage([{ at: "x", text: "" }]);
    await workspace.endStaging(await workspace.stagedJobs());
    expect(await readdir(path.join(top, "workspaces"))).toEqual(["w"]);
    await stage([{ at: "y", text: "" }], { jobId: "last" });
    await workspace.remove();
    expect(await readdir(path.join(top, "workspaces"))).toEqual([]);
  });

  test("the end of a run leaves what a restart in its workspace is staging", async () => {
    await stage(MIXED);
    const ofRun = await workspace.stagedJobs();
    // The end is recorded, and a restart prepares files before the ended run has forgotten its own.
    await stage([{ at: "next", text: "2" }], {
      jobId: "restarted",
      assertLease: () => workspace.endStaging(ofRun),
    });
    expect(await readFile(inside("next"), "utf8")).toBe("2");
    expect(await workspace.stagedJobs()).toEqual(["restarted"]);
  });

  test.each([0, 1, 2])(
    "a server that died after %i of 2 renames has a successor that continues",
    async (placed) => {
      const entries: readonly StageEntry[] = [
        { at: "one", text: "1" },
        { at: "two/three", folder: true },
      ];
      await stage(entries);
      const places = ["one", "two/three"];
      for (const index of [0, 1].slice(placed))
        await rename(inside(places[index]!), kept("ready", "trees", String(index)));
      await stage(entries);
      expect(await readFile(inside("one"), "utf8")).toBe("1");
      expect(await readdir(inside("two"))).toEqual(["three"]);
    },
  );

  test("a server starts the preparation again if an earlier server died during the preparation", async () => {
    await mkdir(kept("part-1", "trees", "0"), { recursive: true });
    await mkdir(kept("discarded", "trees"), { recursive: true });
    await stage([{ at: "one", text: "1" }]);
    expect(await readFile(inside("one"), "utf8")).toBe("1");
    expect(await readdir(kept())).toEqual(["ready"]);
  });

  test("a server without the lease of the run changes no file", async () => {
    const lost = new Error("lost");
    const before = await everything();
    await expect(stage(MIXED, { assertLease: () => Promise.reject(lost) })).rejects.toBe(lost);
    expect(await everything()).toEqual(before);
    // Another server takes over between the last check and the rename.
    const faster = () => stage([{ at: "one", text: "1" }]);
    await expect(stage([{ at: "one", text: "late" }], { assertLease: faster })).rejects.toThrow("ENOENT");
    expect(await readFile(inside("one"), "utf8")).toBe("1");
    expect(await readdir(kept())).toEqual(["ready"]);
  });

  test("of two servers that prepare at the same time, the files of the faster count", async () => {
    const faster = async () => {
      await mkdir(kept("ready", "trees"), { recursive: true });
      await writeFile(kept("ready", "trees", "0"), "1");
    };
    await stage([{ at: "one", text: "late" }], { assertLease: faster });
    expect(await readFile(inside("one"), "utf8")).toBe("1");
    expect(await readdir(kept())).toEqual(["ready"]);
  });

  test("a cancelled staging leaves no file", async () => {
    const stopping = new AbortController();
    const before = await everything();
    await writeFile(inside("data/large"), Buffer.alloc(256 << 20, "x"));
    const staging = stage([{ at: "own", copy: "data" }], { signal: stopping.signal });
    await expect
      .poll(
        () =>
          readdirSync(kept("..")).includes("job") &&
          readdirSync(kept(), { recursive: true }).some((name) => String(name).endsWith("/large")),
        { interval: 1 },
      )
      .toBe(true);
    stopping.abort();
    await expect(staging).rejects.toThrow();
    expect(await everything()).toEqual([...before, "data/large"].toSorted());
    expect(await readdir(kept())).toEqual([]);
    const never = stage([{ at: "one", text: "1" }], { signal: stopping.signal });
    await expect(never).rejects.toThrow();
    expect(existsSync(inside("one"))).toBe(false);
  });

  describe("refuses bad input by name, before anything is there", () => {
    test.each<[StageEntry | StageEntry[], string]>([
      [{ at: "data/a.txt", text: "" }, "data/a.txt cannot be staged. Something of that name exists already."],
      [{ at: "data", folder: true }, "data cannot be staged. Something of that name exists already."],
      [{ at: "data/link", text: "" }, "data/link cannot be staged. Something of that name exists already."],
      [{ at: "data/a.txt/b", text: "" }, "data/a.txt/b cannot be staged. a.txt is no folder."],
      [{ at: "out/b", text: "" }, "out/b cannot be staged. out is a link."],
      [{ at: "../b", text: "" }, "'..' is not a valid path component"],
      [{ at: "", folder: true }, "No file_name provided"],
      [{ at: "x", link: "absent" }, "x cannot be staged. absent does not exist."],
      [{ at: "x", copy: "data/absent/y" }, "x cannot be staged. data/absent/y does not exist."],
      [{ at: "x", copy: "data/link" }, "x cannot be staged. data/link is a link, or behind one."],
      [{ at: "x", link: "out/secret" }, "x cannot be staged. out/secret is a link, or behind one."],
      [{ at: "x", link: "../secret" }, "x cannot be staged. '..' is not a valid path component"],
      [
        [
          { at: "x/y", text: "" },
          { at: "x//y", link: "data" },
        ],
        "Two files of the job are to be staged at x/y.",
      ],
      [
        [
          { at: "x", copy: "data" },
          { at: "x/y", text: "" },
        ],
        "x/y cannot be staged inside x, which is not made as a folder.",
      ],
    ])("%j", async (bad, sentence) => {
      await mkdir(path.join(top, "outside"));
      await writeFile(path.join(top, "outside", "secret"), "");
      await symlink("../../outside", inside("out"));
      const before = await everything();
      const fine: StageEntry[] = [
        { at: "fine/first", text: "1" },
        { at: "zzz", copy: "data" },
      ];
      await expect(stage([...fine, ...[bad].flat()])).rejects.toThrow(sentence);
      expect(await everything()).toEqual(before);
      expect(await readdir(path.join(top, "outside"))).toEqual(["secret"]);
    });

    test("more than fits on the disk", async () => {
      const huge = inside("data/huge");
      await writeFile(huge, "");
      await truncate(huge, 2 ** 43);
      const before = await everything();
      await expect(
        stage([
          { at: "fine", text: "" },
          { at: "x", copy: "data/huge" },
        ]),
      ).rejects.toThrow(/^x cannot be staged\. The copy needs 8 TiB, and .+ are free on the disk\./);
      expect(await everything()).toEqual(before);
      expect(await readdir(kept())).toEqual([]);
    });
  });

  test("a place that is taken during staging fails the job, and what was placed before is removed", async () => {
    const entries: readonly StageEntry[] = [
      { at: "one", text: "1" },
      { at: "two", text: "2" },
    ];
    const before = await everything();
    const taken = stage(entries, { assertLease: () => writeFile(inside("two"), "of another job") });
    await expect(taken).rejects.toThrow("two cannot be staged. Something of that name exists already.");
    expect(await everything()).toEqual([...before, "two"].toSorted());
    expect(await readFile(inside("two"), "utf8")).toBe("of another job");
    expect(existsSync(kept())).toBe(false);
  });
});
