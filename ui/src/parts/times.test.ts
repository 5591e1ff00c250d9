import { expect, test } from "vitest";
import { bytesText, duration, timeBetween, timeOf } from "./times.ts";

test.each([
  [-5, "0 ms"],
  [45, "45 ms"],
  [400, "0.4 s"],
  [9960, "10 s"],
  [12_400, "12 s"],
  [59_600, "1 min"],
  [184_000, "3 min 4 s"],
  [7_800_000, "2 h 10 min"],
  [273_600_000, "3 d 4 h"],
])("%i ms is %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [0, "< 1 s"],
  [5000, "5 s"],
  [72_000, "1 min 12 s"],
])("between whole seconds lie %i ms: %s", (ms, text) => {
  expect(timeBetween(1000, 1000 + ms)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 KiB"],
  [300 * 1024, "300 KiB"],
  [5 * 1024 ** 3, "5.0 GiB"],
])("%i bytes are %s", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test("a time of REANA's records without a zone means UTC", () => {
  expect(timeOf("2026-11-22T12:00:00")).toBe(timeOf("2026-11-22T12:00:00Z"));
});
