import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readPageFiles } from "#api/service/web-page/page-files";

test("the gzip files of the page are read as they are, or unpacked", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-page-"));
  await mkdir(path.join(folder, "assets"));
  for (const name of ["index.html", "assets/a-1.js"])
    await writeFile(path.join(folder, `${name}.gz`), gzipSync(name));
  await writeFile(path.join(folder, ".sources"), "a hash");
  const files = (await readPageFiles(folder))!;
  expect([...files.keys()].toSorted()).toEqual(["assets/a-1.js", "index.html"]);
  const [script, index] = [files.get("assets/a-1.js")!, files.get("index.html")!];
  expect([script.isHashed, index.isHashed]).toEqual([true, false]);
  expect(await script.read("gzip")).toEqual(gzipSync("assets/a-1.js"));
  expect((await script.read("plain")).toString()).toBe("assets/a-1.js");
  await rm(folder, { recursive: true });
});
