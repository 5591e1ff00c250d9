import { describe, test } from "vitest";
import { sitDown } from "./guides/desk.ts";
import { GUIDES } from "./guides/guides.ts";
import { followGuide } from "./guides/walk.ts";

/** pip may have to fetch what a guide needs. */
const GUIDE_MS = 300_000;

describe("a reader who types what is written finds what is written", () => {
  test.concurrent.each(GUIDES)("$file", { timeout: GUIDE_MS }, async ({ prepare, ...guide }) => {
    const reader = await sitDown();
    try {
      await followGuide({ ...guide, ...(await prepare(reader)) }, reader);
    } finally {
      await reader.leave();
    }
  });
});
