import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { maybeFewListed, maybeFewStamps, maybeSmallDigest } from "#workspace/read/few-files";
import { listFolder } from "#workspace/find/list-folder";
import { maybeStampsAt } from "#workspace/read/stamps";

describe("a few small files", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-few-files-"));
    await mkdir(path.join(folder, "job", "out"), { recursive: true });
    await mkdir(path.join(folder, "empty"));
    await writeFile(path.join(folder, "job", "out", "b.txt"), "content");
    await writeFile(path.join(folder, "job", "out", "a.txt"), "");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const request = (name: string) => ({ name, isDeep: true, maxEntries: 100 });
  const hash = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73";

  test.each(["job/out", "./job//out/", "empty"])("are found as in the ordinary way: %s", async (name) => {
    const { signal } = new AbortController();
    expect(maybeFewListed(folder, request(name))).toEqual(await listFolder(folder, request(name), signal));
    expect(maybeFewStamps(folder, name)).toEqual(await maybeStampsAt(folder, name, 100));
  });

  test("are each stamped and read by name", async () => {
    const name = "job/out/b.txt";
    expect(maybeFewStamps(folder, name)).toEqual(await maybeStampsAt(folder, name, 1));
    expect(maybeSmallDigest(folder, name, "sha256")).toEqual({ bytes: 7, digest: hash });
    expect(maybeSmallDigest(folder, "job/out/a.txt", "sha1")?.bytes).toBe(0);
  });

  test("are left to the ordinary way if there is anything else", async () => {
    const nothing = (name: string) => {
      expect([maybeFewListed(folder, request(name)), maybeFewStamps(folder, name)]).toEqual([
        undefined,
        undefined,
      ]);
      expect(maybeSmallDigest(folder, name, "sha256")).toBeUndefined();
    };
    nothing("job");
    nothing("job/absent");
    nothing("absent/out");
    await symlink("b.txt", path.join(folder, "job", "out", "link"));
    nothing("job/out");
    nothing("job/out/link");
    await symlink("job", path.join(folder, "other"));
    nothing("other/out");
    expect(maybeSmallDigest(folder, "other/out/b.txt", "sha256")).toBeUndefined();
    await writeFile(path.join(folder, "large"), Buffer.alloc((64 << 10) + 1));
    expect(maybeSmallDigest(folder, "large", "sha256")).toBeUndefined();
    for (let index = 0; index < 17; index += 1)
      await writeFile(path.join(folder, "empty", String(index)), "");
    nothing("empty");
  });
});
