import { mkdir, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { type FakeCli, fakeCli, jumpToTimers } from "#cli/fake-cli";
import { fakeRunService, type FakeRunService, viewOf } from "#cli/run/service/fake-run-service";
import { run } from "#cli/run/run";

/** A cloned repository with links to the home of the person who runs it. */
let home: string;
let repository: string;
let service: FakeRunService;
let cli: FakeCli;

folderForEach((made) => void (home = made));

beforeEach(async () => {
  home = await realpath(home);
  repository = path.join(home, "clone");
  await mkdir(path.join(home, ".ssh"));
  await writeFile(path.join(home, ".ssh", "id"), "private");
  await mkdir(repository);
  service = fakeRunService();
  cli = jumpToTimers(fakeCli({ openRuns: async () => service }));
});

const link = (target: string, name: string) => symlink(target, path.join(repository, name));
const specification = (fields: object) =>
  writeFile(path.join(repository, "reana.yaml"), JSON.stringify(fields));
const runIt = (options: Partial<Parameters<typeof run>[2]> = {}) =>
  run(cli, {}, { analysis: repository, outputs: true, ...options });
const keys = () => readdir(path.join(home, ".ssh"));

describe("outputs behind a link out of the folder are not written", () => {
  beforeEach(async () => {
    await specification({ outputs: { files: ["res/authorized_keys"] } });
    service.files.set("res/authorized_keys", "ssh-ed25519 intruder");
  });

  test("the error names the link, its target and the option", async () => {
    await link("../.ssh", "res");
    const sentence =
      `res/authorized_keys was not written: res is a link to ../.ssh, which leads out of ${repository}. ` +
      "Remove the link, choose another folder, or allow it with --follow-links. " +
      "It is still in the workspace of clone.1.";
    await expect(runIt()).rejects.toThrow(sentence);
    expect(await keys()).toEqual(["id"]);
  });

  test("unless allowed", async () => {
    await link("../.ssh", "res");
    expect(await runIt({ followLinks: true })).toBe(0);
    expect(await keys()).toEqual(["authorized_keys", "id"]);
  });

  test.each(["deep", "."])("a link to %s in the folder goes on working", async (target) => {
    await mkdir(path.join(repository, "deep"));
    await link(target, "res");
    expect(await runIt()).toBe(0);
    const file = path.join(repository, target, "authorized_keys");
    expect(await readFile(file, "utf8")).toBe("ssh-ed25519 intruder");
  });

  test("a link in the place of the file is replaced", async () => {
    await mkdir(path.join(repository, "res"));
    await link("../../.ssh/id", "res/authorized_keys");
    expect(await runIt()).toBe(0);
    expect(await readFile(path.join(home, ".ssh", "id"), "utf8")).toBe("private");
  });

  test("also those of a failed run, of a sweep, and of a repository at an address", async () => {
    for (const name of ["failed", "sweep"]) await link("../.ssh", name);
    service.views = [viewOf("failed")];
    await expect(runIt()).rejects.toThrow("failed is a link to ../.ssh");
    service.views = [viewOf("finished")];
    await specification({
      inputs: { parameters: { x: 1 } },
      outputs: { files: ["res/authorized_keys"] },
    });
    await expect(runIt({ sweep: ["x=1,2"] })).rejects.toThrow("sweep is a link to ../.ssh");
    await link("../.ssh", "fit");
    const before = process.cwd();
    process.chdir(repository);
    try {
      service.files.set("specification", JSON.stringify({ outputs: { files: ["res/authorized_keys"] } }));
      await expect(runIt({ analysis: "https://host/owner/fit" })).rejects.toThrow("fit is a link to ../.ssh");
    } finally {
      process.chdir(before);
    }
    expect(await keys()).toEqual(["id"]);
  });

  test("by any name of a server", async () => {
    service.list = async () => [{ name: "../.ssh/authorized_keys", bytes: 1 }];
    await expect(runIt()).rejects.toThrow("The server names a file ../.ssh/authorized_keys");
    await expect(runIt({ followLinks: true })).rejects.toThrow("which was not downloaded");
    expect(await keys()).toEqual(["id"]);
  });
});

describe("inputs behind a link out of the folder are not read", () => {
  test.each([
    ["a file", { files: ["in.txt"] }, "in.txt -> ../.ssh/id"],
    ["a file in a linked folder", { files: ["linked/id"] }, "linked -> ../.ssh"],
    ["a linked folder", { directories: ["linked"] }, "linked -> ../.ssh"],
    ["a link deep in a folder", { directories: ["data"] }, "data/deep/key -> ../../../.ssh/id"],
    ["a link that a linked folder holds", { directories: ["inner"] }, "data/deep/key -> ../../../.ssh/id"],
    ["a pattern", { files: ["*.txt"] }, "in.txt -> ../.ssh/id"],
    ["a pattern below a linked folder", { files: ["linked/*"] }, "linked -> ../.ssh"],
    ["a pattern at any depth", { files: ["**/id"] }, "linked -> ../.ssh"],
  ])("%s", async (_what, inputs, links) => {
    await mkdir(path.join(repository, "data", "deep"), { recursive: true });
    await link("../.ssh", "linked");
    await link("../.ssh/id", "in.txt");
    await link("../../../.ssh/id", "data/deep/key");
    await link("data/deep", "inner");
    await specification({ inputs: { ...inputs, parameters: { x: 1 } } });
    const sentence =
      `The declared inputs were not read, because a link leads out of ${repository}: ${links}. ` +
      "Copy the files into the folder, or allow the links with --follow-links.";
    for (const options of [{}, { sweep: ["x=1,2"] }, { watch: true }])
      await expect(runIt(options)).rejects.toThrow(sentence);
    expect(service.asked).toEqual([]);
  });

  test("all of them are named together", async () => {
    await link("../.ssh", "linked");
    await link("../.ssh/id", "in.txt");
    await specification({ inputs: { directories: ["."] } });
    await expect(runIt()).rejects.toThrow(
      /: (in\.txt -> \S+, linked -> \S+|linked -> \S+, in\.txt -> \S+)\. Copy/,
    );
  });

  test("unless allowed", async () => {
    await link("../.ssh/id", "in.txt");
    await specification({ inputs: { files: ["in.txt"] } });
    expect(await runIt({ followLinks: true })).toBe(0);
    expect(service.files.get("in.txt")).toBe("private");
  });

  test("links in the folder, and links that no pattern can reach, do not matter", async () => {
    await writeFile(path.join(repository, "real.txt"), "mine");
    await link("real.txt", "in.txt");
    await link(path.join(repository, "real.txt"), "whole.txt");
    await link("../.ssh", "venv");
    await specification({ inputs: { files: ["*.txt"] } });
    expect(await runIt()).toBe(0);
    expect(service.asked).toEqual(
      expect.arrayContaining(["upload in.txt", "upload real.txt", "upload whole.txt"]),
    );
  });

  test("the specification itself, either", async () => {
    await writeFile(path.join(home, "other.yaml"), "{}");
    await link("../other.yaml", "reana.yaml");
    await expect(runIt()).rejects.toThrow(
      `${repository}/reana.yaml was not read, because a link leads out of ${repository}: reana.yaml -> ../other.yaml.`,
    );
    expect(await runIt({ followLinks: true })).toBe(0);
  });
});
