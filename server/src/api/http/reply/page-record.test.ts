import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pageFields } from "#api/http/reply/page-record";

describe("a page", () => {
  test("without a size is everything", () => {
    expect(pageFields({ total: 7, page: 1 })).toEqual({
      total: 7,
      page: 1,
      has_prev: false,
      has_next: false,
    });
  });

  test("in the middle has both neighbours", () => {
    expect(pageFields({ total: 7, page: 2, size: 3 })).toEqual({
      total: 7,
      page: 2,
      has_prev: true,
      has_next: true,
      size: 3,
      from_idx: 3,
      to_idx: 6,
      links: { prev: { page: 1 }, self: { page: 2 }, next: { page: 3 } },
    });
  });

  test("past the end is empty and has no next one", () => {
    expect(pageFields({ total: 7, page: 9, size: 3 })).toMatchObject({
      from_idx: 7,
      to_idx: 7,
      has_next: false,
    });
  });

  test("walking by has_next sees every entry once", () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 50 }), (total, size) => {
        let seen = 0;
        for (let page = 1; ; page += 1) {
          const fields = pageFields({ total, page, size });
          seen += fields.to_idx! - fields.from_idx!;
          if (!fields.has_next) break;
        }
        expect(seen).toBe(total);
      }),
    );
  });
});
