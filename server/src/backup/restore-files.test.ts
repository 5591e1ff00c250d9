import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { contentOf } from "#backup/checked-file";
import { backupPaths, type ListedFile, type Manifest } from "#backup/manifest";
import { restoreFiles } from "#backup/restore-files";

describe("the links of a backup that somebody else has written", () => {
  let folder: string;
  const place = (name: string) => path.join(folder, name);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "forged-"));
    for (const name of ["backup", "data", "outside"]) await mkdir(place(name));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function restoreList(...entries: readonly ListedFile[]): Promise<void> {
    const { list } = backupPaths(place("backup"));
    await writeFile(list, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    const files = { ...(await contentOf(list)), count: entries.length };
    await restoreFiles(place("backup"), { files } as Manifest, place("data"));
  }

  const link = (name: string, target: string): ListedFile => ({ path: name, kind: "link", target });
  const folderAt = (name: string): ListedFile => ({ path: name, kind: "folder", mode: 0o700, mtime: 0 });
  const refusal = () => `The backup ${place("backup")} is damaged: files.jsonl is not what was written.`;

  test("are restored in place", async () => {
    await restoreList(folderAt("workspaces"), folderAt("workspaces/w"), link("workspaces/w/a", "/etc"));
    expect(await readlink(place("data/workspaces/w/a"))).toBe("/etc");
  });

  test.each([
    [
      "a link below a link that leads outside",
      [link("workspaces/w", "../../outside"), link("workspaces/w/a", "/x")],
    ],
    ["a folder of links below a link", [link("jobs/j", "../../outside"), link("jobs/j/new/a", "/x")]],
    ["a link below a link to another part", [link("workspaces/w", "../jobs"), link("workspaces/w/a", "/x")]],
    ["a link in place of a part of the data folder", [link("workspaces", "../outside")]],
    ["a link in place of a secret", [link("secret.key", "../outside/key")]],
    ["a link in place of a folder", [folderAt("workspaces/w"), link("workspaces/w", "../../outside")]],
  ])("are refused if there is %s", async (_what, entries) => {
    await expect(restoreList(folderAt("workspaces"), folderAt("jobs"), ...entries)).rejects.toThrow(
      refusal(),
    );
    expect(await readdir(place("outside"))).toEqual([]);
    expect(await readdir(place("data/jobs")).catch(() => [])).not.toContain("a");
  });
});
