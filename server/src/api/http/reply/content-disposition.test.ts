import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentDisposition } from "#api/http/reply/content-disposition";

describe("Content-Disposition", () => {
  test.each([
    ["results/a.txt", 'attachment; filename="results/a.txt"'],
    ["a b;c.txt", 'attachment; filename="a b;c.txt"'],
    ['say "hi"\\.txt', 'attachment; filename="say \\"hi\\"\\\\.txt"'],
    ["été.txt", "attachment; filename=\"ete.txt\"; filename*=UTF-8''%C3%A9t%C3%A9.txt"],
    [
      "a\r\nSet-Cookie: x",
      "attachment; filename=\"a__Set-Cookie: x\"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x",
    ],
    ["Ü/日本.txt", "attachment; filename=\"U/__.txt\"; filename*=UTF-8''%C3%9C%2F%E6%97%A5%E6%9C%AC.txt"],
    ["it's (1)*é", "attachment; filename=\"it's (1)*e\"; filename*=UTF-8''it%27s%20%281%29%2A%C3%A9"],
  ])("%j", (name, expected) => {
    expect(contentDisposition("attachment", name)).toBe(expected);
  });

  test("is always one line of printable ASCII, and says the name exactly", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        const header = contentDisposition("inline", name);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        const [, quoted, , extended] =
          /^inline; filename="((\\.|[^"\\])*)"(?:; filename\*=UTF-8''(.*))?$/.exec(header)!;
        const said =
          extended === undefined ? quoted!.replaceAll(/\\(.)/g, "$1") : decodeURIComponent(extended);
        expect(said).toBe(name);
      }),
    );
  });
});
