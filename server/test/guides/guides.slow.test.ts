import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "./blocks.ts";
import { makeRepository, sitDown } from "./desk.ts";
import { GUIDES } from "./guides.ts";
import { followGuide } from "./walk.ts";

/** Time limit of a guide, for which pip may have to download packages. */
const GUIDE_MS = 300_000;

test("every guide has a reader", async () => {
  const guides = (await readdir(path.join(ROOT, "docs", "guides"))).map((name) => `docs/guides/${name}`);
  expect(GUIDES.map((guide) => guide.file).toSorted()).toEqual(["README.md", ...guides].toSorted());
});

describe("a reader who types the commands sees the printed output", () => {
  let folder: string;
  const repository = () => path.join(folder, "repository");

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-guides-"));
    await makeRepository(repository());
    // Every reader's server shows the page, and would otherwise build the page again.
    execFileSync(process.execPath, [path.join(ROOT, "tools", "build-page.ts")]);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.concurrent.each(GUIDES)("$file", { timeout: GUIDE_MS }, async ({ prepare, ...guide }) => {
    const reader = await sitDown(repository());
    try {
      await followGuide({ ...guide, ...(await prepare(reader)) }, reader);
    } finally {
      await reader.leave();
    }
  });
});
