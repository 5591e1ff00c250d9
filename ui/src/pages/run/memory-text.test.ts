import { expect, test } from "vitest";
import { memoryText } from "./memory-text.ts";

const MIB = 2 ** 20;

test.each([
  [65 * MIB, 256 * MIB, "65.0 MiB of 256 MiB"],
  [65 * MIB, null, "65.0 MiB"],
  [null, 256 * MIB, "up to 256 MiB"],
  [null, null, undefined],
])("a peak of %j and a limit of %j", (peak, limit, text) => {
  expect(memoryText({ peak_bytes: peak, memory_limit_bytes: limit, sampled: ["cpu_ms"] })).toBe(text);
});

test("a peak that was measured at intervals may have been larger", () => {
  const usage = { peak_bytes: 65 * MIB, memory_limit_bytes: 256 * MIB, sampled: ["peak_bytes" as const] };
  expect(memoryText(usage)).toBe("≥ 65.0 MiB of 256 MiB");
});
