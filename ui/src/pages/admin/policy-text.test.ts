import { expect, test } from "vitest";
import { policyText } from "./policy-text.ts";

const NONE = { cpu_ms: null, wall_ms: null, disk_bytes: null, max_runs: null, images: null };

test.each([
  ["", {}],
  ["500 GiB of disk · 20 runs at once", { disk_bytes: 500 * 2 ** 30, max_runs: 20 }],
  ["2 h of wall clock", { wall_ms: 7_200_000 }],
  [
    "any amount of processor time · images python, rootproject/*",
    { cpu_ms: 0, images: ["python", "rootproject/*"] },
  ],
  ["no images", { images: [] }],
])("a policy is shown as %j", (text, policy) => {
  expect(policyText({ ...NONE, ...policy })).toBe(text);
});
