import { expect, test } from "vitest";
import { localTime, parseTime } from "#cli/terminal/times";

test.each([
  ["2026-11-22T13:47:55", "Europe/Zurich", "2026-11-22 14:47:55"],
  ["2026-07-22T13:47:55", "Europe/Zurich", "2026-07-22 15:47:55"],
  ["2026-11-22T23:47:55Z", "Asia/Tokyo", "2026-11-23 08:47:55"],
  ["2026-11-22T13:47:55+01:00", "UTC", "2026-11-22 12:47:55"],
])("%s in %s: %s", (text, zone, shown) => {
  expect(localTime(text, zone)).toBe(shown);
});

test("a time without a zone is UTC wherever this process runs", () => {
  expect(parseTime("1970-01-01T00:00:01")).toBe(1000);
});
