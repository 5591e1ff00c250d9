import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { copyOutputs } from "#cli/run/copy-outputs";
import { maybeMark } from "#cli/run/analysis/collect-inputs";
import { fakeRunService, type FakeRunService } from "#cli/run/service/fake-run-service";
import { NO_TRANSFER } from "#cli/terminal/transfer-line";

let folder: string;
let service: FakeRunService;

folderForEach((made) => void (folder = made));

beforeEach(async () => {
  service = fakeRunService();
  service.files.set("results/a.txt", "new a").set("results/deep/b.txt", "new b");
});

const copyBack = (outputs: string[], inputMarks = new Map<string, string>()) =>
  copyOutputs({
    service,
    run: { id: "1d", name: "fit.1" },
    outputs,
    target: { root: folder, below: "" },
    inputMarks,
    transfer: () => NO_TRANSFER,
  });

test("a folder is copied back with all its files, each once, over the existing files", async () => {
  await mkdir(path.join(folder, "results"));
  await writeFile(path.join(folder, "results", "a.txt"), "a much older one");
  const { files, absent } = await copyBack(["results", "results/a.txt"]);
  expect(files.map((file) => file.name)).toEqual(["results/a.txt", "results/deep/b.txt"]);
  expect(absent).toEqual([]);
  expect(await readFile(path.join(folder, "results", "a.txt"), "utf8")).toBe("new a");
});

test("an interrupted copy leaves the existing file, and nothing else", async () => {
  await mkdir(path.join(folder, "results"));
  await writeFile(path.join(folder, "results", "a.txt"), "older");
  service.fetch = async (_id, _name, target) => {
    await writeFile(target, "ne");
    throw new Error("The connection was lost.");
  };
  await expect(copyBack(["results"])).rejects.toThrow(
    /results\/a\.txt could not be copied to .*: The connection was lost\. It is still in the workspace of fit\.1\./,
  );
  expect(await readdir(path.join(folder, "results"))).toEqual(["a.txt"]);
  expect(await readFile(path.join(folder, "results", "a.txt"), "utf8")).toBe("older");
});

test("a path that leads out of the folder is not an output", async () => {
  service.files.set("../out.txt", "x");
  expect((await copyBack(["../out.txt", "/etc/passwd", ""])).absent).toEqual([
    "../out.txt",
    "/etc/passwd",
    "",
  ]);
});

test("an input that the run did not change is not touched", async () => {
  const file = path.join(folder, "a.txt");
  await writeFile(file, "same");
  service.files.set("a.txt", "same");
  const { mtimeMs, ino } = await stat(file);
  const { files } = await copyBack(["a.txt"], new Map([["a.txt", (await maybeMark(file))!]]));
  expect(files).toHaveLength(1);
  expect(await stat(file)).toMatchObject({ mtimeMs, ino });
  expect(await readdir(folder)).toEqual(["a.txt"]);
});
