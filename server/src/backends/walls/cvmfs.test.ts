import { mkdtemp, mkdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cvmfsProblem, maybeCvmfsFolder } from "#backends/walls/cvmfs";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-cvmfs-"));
  await mkdir(path.join(folder, "sft.cern.ch"));
});
afterAll(() => rm(folder, { recursive: true }));

test("a repository that the machine has is no problem, and any other is named", async () => {
  expect(await cvmfsProblem("sft.cern.ch", folder)).toBeUndefined();
  expect(await cvmfsProblem("atlas.cern.ch", folder)).toBe(
    `The CVMFS repository atlas.cern.ch is not on this machine: there is no ${folder}/atlas.cern.ch. ` +
      "Mount CVMFS there, or name its folder by --cvmfs.",
  );
});

test.each([
  ["/cvmfs/sft.cern.ch", "read", "/host/sft.cern.ch"],
  ["/cvmfs/sft.cern.ch/lcg", "read", "/host/sft.cern.ch/lcg"],
  ["/cvmfs/sft.cern.ch", "write", undefined],
  ["/cvmfs/../etc", "read", undefined],
  ["/cvmfs", "read", undefined],
  ["/etc", "read", undefined],
] as const)("%s to %s is the folder %s", (from, mode, expected) => {
  expect(maybeCvmfsFolder({ from, at: from, mode }, "/host")).toBe(expected);
});
