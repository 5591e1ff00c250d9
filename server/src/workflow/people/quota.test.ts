import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstDayOf, healthOf, monthOf, periodStart, usedUpSentence } from "#workflow/people/quota";

test.each([
  [79, "healthy"],
  [80, "warning"],
  [99.9, "warning"],
  [100, "critical"],
  [1000, "critical"],
])("%d of 100 is %s", (used, health) => expect(healthOf({ used, limit: 100 })).toBe(health));

test("REANA's sentence", () => {
  expect(usedUpSentence("disk", { used: 10 * 2 ** 30, limit: 5 * 2 ** 30 })).toMatch(
    /^User quota exceeded\.\nResource: disk, usage: 10 GiB out of 5 GiB used \(200%\)\nDelete files/,
  );
});

describe("the period of a quota", () => {
  const start = (first: string, months: number, now: string) =>
    new Date(periodStart({ months, firstStartMs: Date.parse(first) }, Date.parse(now)))
      .toISOString()
      .slice(0, 10);

  test.each([
    ["2026-01-31", 1, "2026-02-27T23:59:59Z", "2026-01-31"],
    ["2026-01-31", 1, "2026-02-28", "2026-02-28"],
    ["2026-01-31", 1, "2026-03-30", "2026-02-28"],
    ["2026-01-31", 1, "2026-03-31", "2026-03-31"],
    ["2026-01-15", 3, "2026-12-31", "2026-10-15"],
    ["2026-01-15", 12, "2026-01-14", "2026-01-15"],
  ])("from %s, every %d months: at %s it began on %s", (first, months, now, began) => {
    expect(start(first, months, now)).toBe(began);
  });

  test("contains the present time, and periods follow each other without a gap", () => {
    const time = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
    fc.assert(
      fc.property(time, time, fc.integer({ min: 1, max: 24 }), (firstMs, laterMs, months) => {
        const period = { months, firstStartMs: firstMs - (firstMs % 86_400_000) };
        const now = firstMs + laterMs;
        const began = periodStart(period, now);
        expect(began).toBeLessThanOrEqual(now);
        expect(periodStart(period, began)).toBe(began);
        // A day before the start of a period belongs to the previous period.
        if (began > period.firstStartMs) expect(periodStart(period, began - 1)).toBeLessThan(began);
        expect(now - began).toBeLessThanOrEqual((months * 31 + 3) * 86_400_000);
      }),
    );
  });
});

test("months and the first days", () => {
  expect([monthOf(Date.UTC(2026, 10, 30)), firstDayOf("1970-01", 0), firstDayOf("1969-12", 2)]).toEqual([
    "2026-11",
    0,
    31,
  ]);
});
