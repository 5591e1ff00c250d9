import { execFileSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { needsPython } from "#plumbing/formats/python-suite";
import { openWorkspaces } from "#workspace/workspaces";

/**
 * Makes one file in each folder and links it under many names, ten times faster than making as many files.
 */
const MAKE = `
import os, sys
for d in range(11):
    os.makedirs(f"{sys.argv[1]}/many/{d}")
    os.chdir(f"{sys.argv[1]}/many/{d}")
    open("0", "w").close()
    for i in range(1, 10000 if d < 10 else 1):
        os.link("0", str(i))`;

test("more files than a list may hold: the list says so, narrower ones and archives answer", async (context) => {
  needsPython(context);
  const base = await mkdtemp(path.join(os.tmpdir(), "reprise-many-"));
  for (const name of ["spaces", "incoming"]) await mkdir(path.join(base, name));
  const workspaces = openWorkspaces({
    folder: path.join(base, "spaces"),
    incomingFolder: path.join(base, "incoming"),
    fsync: false,
    random: systemRandom,
    clock: systemClock,
  });
  execFileSync("python3", ["-c", MAKE, workspaces.of("w").folder]);

  await expect(workspaces.of("w").list({})).rejects.toThrow("Too many files to display (limit=100000).");
  expect((await workspaces.of("w").list({ pattern: "many/3", limit: 1 })).total).toBe(10_000);
  expect((await workspaces.of("w").list({ pattern: "many/*/77" })).total).toBe(10);
  expect((await workspaces.of("w").list({ search: { name: ["9999"] } })).total).toBe(10);
  expect(await workspaces.of("w").maybeUsedBytes(100_000)).toBeUndefined();

  expect((await workspaces.of("w").find("many")).kind).toBe("archive");
  const found = await workspaces.of("w").find("many/3");
  if (found.kind !== "archive") throw new Error("a file");
  const file = path.join(base, "archive.zip");
  await pipeline(found.stream(), createWriteStream(file));
  const count = "import sys,zipfile;print(len(zipfile.ZipFile(sys.argv[1]).namelist()))";
  expect(execFileSync("python3", ["-c", count, file], { encoding: "utf8" }).trim()).toBe("10000");

  await workspaces.of("w").remove();
  expect(await readdir(path.join(base, "spaces"))).toEqual([]);
  await rm(base, { recursive: true });
});
