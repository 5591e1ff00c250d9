import { expect, test } from "vitest";
import { wattHours } from "#workflow/run/energy";

const HOUR = 3_600_000;

test("an hour of one core takes 12 Wh, an hour of 1 GiB 0.3725 Wh, both times 1.67", () => {
  expect(wattHours({ cpuMs: HOUR, gibMs: 0 })).toBeCloseTo(20.04, 10);
  expect(wattHours({ cpuMs: 0, gibMs: HOUR })).toBeCloseTo(0.622_075, 10);
  expect(wattHours({ cpuMs: 2 * HOUR, gibMs: 4 * HOUR })).toBeCloseTo(42.568_3, 10);
});
