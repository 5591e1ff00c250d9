import fc from "fast-check";
import { expect, test } from "vitest";

import { isEmail } from "#workflow/people/email";

test.each(["ada@example.org", "a.b+c@x-y.example", "admin@localhost", "o'neil@a.b.c", "1@2.org"])(
  "%s is one",
  (text) => {
    expect(isEmail(text)).toBe(true);
  },
);

test.each([
  "",
  "@",
  "ada",
  "ada@",
  "@example.org",
  "a@b@example.org",
  ".a@example.org",
  "a..b@example.org",
  "a.@example.org",
  "a b@example.org",
  "a@exa mple.org",
  "a@-x.org",
  "a@x-.org",
  "a@x..org",
  "a@x.org.",
  "a\n@x.org",
  "a@x.org\n",
  "<a@x.org>",
  `${"a".repeat(65)}@x.org`,
  `a@${"x".repeat(64)}.org`,
  `a@${"xxxxxxxxx.".repeat(30)}org`,
])("%j is none", (text) => {
  expect(isEmail(text)).toBe(false);
});

test("the addresses of RFC 5322 that people really have", () => {
  fc.assert(fc.property(fc.emailAddress(), (text) => isEmail(text)));
});
