import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { maybeCollected } from "#runner/files/collect-outputs";
import { openWorkspaces } from "#workspace/workspaces";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), "reprise-collect-"));
  await mkdir(path.join(home, "w/job/plots/.cache"), { recursive: true });
  await mkdir(path.join(home, "w/data"));
  const contents = {
    "job/a.txt": "alpha",
    "job/b.txt": "beta",
    "job/.hidden.txt": "h",
    "job/plots/c.txt": "gamma",
    "job/plots/.cache/d.txt": "d",
    "data/in.txt": "input",
  };
  for (const [name, content] of Object.entries(contents))
    await writeFile(path.join(home, "w", name), content);
  await symlink("../data/in.txt", path.join(home, "w/job/in.txt"));
  await symlink("/etc/hostname", path.join(home, "w/job/out.txt"));
});
afterAll(() => rm(home, { recursive: true }));

function collect(wanted: object) {
  const workspaces = openWorkspaces({
    folder: home,
    incomingFolder: home,
    fsync: false,
    random: systemRandom,
    clock: systemClock,
  });
  const files = workspaces.of("w").forRun(new AbortController().signal);
  return maybeCollected(files, { folder: "job", ...wanted });
}

const sums = (...patterns: string[]) => ({ sums: { patterns, algorithm: "sha1" } as const });
const texts = (maxBytes: number, ...patterns: string[]) => ({ texts: { patterns, maxBytes } });

describe("what is collected at the end of a job", () => {
  test.each([
    [["*.txt"], ["a.txt", "b.txt", "in.txt"]],
    [["plots/*", "plots/c.txt"], ["plots/c.txt"]],
    [["**"], ["a.txt", "b.txt", "in.txt", "plots/c.txt"]],
    [[".*"], [".hidden.txt"]],
    [["nothing"], []],
  ])("checksums of %j", async (patterns, expected) => {
    const found = await collect(sums(...patterns));
    expect(found!.sums!.map(({ path: name }) => name)).toEqual(expected.map((name) => `job/${name}`));
    expect(found).not.toHaveProperty("listing");
  });

  test("hidden names too, if wildcards match them", async () => {
    const found = await collect({ ...sums("**"), matchesHidden: true });
    expect(found!.sums!.map(({ path: name }) => name)).toEqual(
      expect.arrayContaining(["job/.hidden.txt", "job/plots/.cache/d.txt"]),
    );
  });

  test("beginnings of texts; a link is the file in the workspace that it leads to", async () => {
    expect(await collect(texts(3, "[bi]*.txt"))).toEqual({
      texts: [
        { path: "job/b.txt", text: "bet", bytes: 4 },
        { path: "job/in.txt", text: "inp", bytes: 5 },
      ],
      isCut: false,
    });
  });

  test("texts of at most 16 MiB in all, and the result says that it is cut", async () => {
    for (const name of ["1.big", "2.big", "3.big"])
      await writeFile(path.join(home, "w/data", name), Buffer.alloc(6 << 20, "x"));
    const found = await collect({ folder: "data", ...texts(2 ** 30, "*.big") });
    expect([found!.texts!.length, found!.isCut]).toEqual([2, true]);
  });

  test("a listing alone", async () => {
    const found = await collect({ lists: true });
    expect(Object.keys(found!)).toEqual(["listing", "isCut"]);
    expect(found!.listing!.entries).toContainEqual(
      expect.objectContaining({ path: "job/in.txt", kind: "link", target: "data/in.txt" }),
    );
  });

  test("nothing, if the job did not make the folder", async () => {
    expect(await collect({ folder: "none", lists: true })).toBeUndefined();
  });
});
