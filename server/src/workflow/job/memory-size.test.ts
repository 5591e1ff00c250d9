import { expect, test } from "vitest";
import { maybeMemoryBytes } from "#workflow/job/memory-size";

test.each([
  ["256Mi", 268_435_456],
  ["1.5G", 1_500_000_000],
  ["0.5Ki", 512],
  ["1000", 1000],
  [1000, 1000],
  ["2Ei", 2 ** 61],
])("%s is %d bytes", (text, bytes) => {
  expect(maybeMemoryBytes(text)).toBe(bytes);
});

test.each([undefined, null, "", "Mi", "1 Gi", "1gi", "-1", "1e3", "1.Gi", {}])("%s is no amount", (text) => {
  expect(maybeMemoryBytes(text)).toBeUndefined();
});
