import { expect, test } from "vitest";
import { sha256Of } from "./sha256.ts";

test.each([0, 3, (1 << 20) - 1, (3 << 20) + 17])("the checksum of %i bytes", async (size) => {
  const bytes = new Uint8Array(size).map((_, index) => index % 251);
  const expected = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
  expect(await sha256Of(new Blob([bytes]))).toBe(expected);
});
