import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { readPageFiles } from "#api/service/web-page/page-files";

test("the files of the page are read plain, or in the form that gzip has compressed", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-page-"));
  await mkdir(path.join(folder, "assets"));
  for (const name of ["index.html", "assets/a-1.js", "assets/a-1.js.gz", "assets/a-1.map"])
    await writeFile(path.join(folder, name), name);
  const files = (await readPageFiles(folder))!;
  expect([...files.keys()].toSorted()).toEqual(["assets/a-1.js", "index.html"]);
  const [script, index] = [files.get("assets/a-1.js")!, files.get("index.html")!];
  expect([script.isCompressed, script.isHashed, index.isCompressed, index.isHashed]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect((await script.read("gzip")).toString()).toBe("assets/a-1.js.gz");
  expect((await script.read("plain")).toString()).toBe("assets/a-1.js");
  await rm(folder, { recursive: true });
});
