import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ForkingPlace } from "#backends/record/forking-place-fixture";
import { probeProblem } from "#backends/record/probe-job";
import { systemClock } from "#plumbing/clock";

describe("the probe of a node", () => {
  const folderOfTest = () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-probe-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };

  test("accepts a complete node, and leaves no file", async () => {
    const folder = folderOfTest();
    expect(await probeProblem(new ForkingPlace(), folder, systemClock)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("names the programs that a node lacks", async () => {
    const place = new ForkingPlace();
    place.wrap = ["/usr/bin/env", `PATH=${onlyCoreutils()}`];
    expect(await probeProblem(place, folderOfTest(), systemClock)).toBe(
      "A node has no setsid, awk in the PATH of its jobs: install what is missing there.",
    );
  });

  test("says that a node does not see the folder", async () => {
    const place = new ForkingPlace();
    place.wrap = ["true"];
    const folder = folderOfTest();
    expect(await probeProblem(place, folder, systemClock)).toContain(
      `could not write into ${folder}: mount the data folder on every node`,
    );
  });

  /** Returns a folder with the programs of a node, without two of them. */
  function onlyCoreutils(): string {
    const folder = folderOfTest();
    for (const program of ["sh", "bash", "grep", "sed", "find", "stat", "xargs", "mkdir", "ln"]) {
      const file = ["/usr/bin", "/bin"].map((one) => path.join(one, program)).find((one) => existsSync(one))!;
      symlinkSync(file, path.join(folder, program));
    }
    return folder;
  }
});
