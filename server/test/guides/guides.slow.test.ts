import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./blocks.ts";
import { sitDown } from "./desk.ts";
import { GUIDES } from "./guides.ts";
import { followGuide } from "./walk.ts";

/** Time limit of a guide, for which pip may have to download packages. */
const GUIDE_MS = 300_000;

test("every guide has a reader", async () => {
  const guides = (await readdir(path.join(ROOT, "docs", "guides"))).map((name) => `docs/guides/${name}`);
  expect(GUIDES.map((guide) => guide.file).toSorted()).toEqual(["README.md", ...guides].toSorted());
});

describe("a reader who types the commands sees the printed output", () => {
  test.concurrent.each(GUIDES)("$file", { timeout: GUIDE_MS }, async ({ prepare, ...guide }) => {
    const reader = await sitDown();
    try {
      await followGuide({ ...guide, ...(await prepare(reader)) }, reader);
    } finally {
      await reader.leave();
    }
  });
});
