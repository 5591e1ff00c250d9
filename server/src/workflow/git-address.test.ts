import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Refusal, type RefusalKind } from "#plumbing/errors";
import { parseGitAddress } from "#workflow/git-address";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";

describe("an address", () => {
  const host = { isHttps: true, host: "example.org", port: 443, ref: "HEAD", path: "" };
  test.each([
    ["https://example.org/a/b", { ...host, url: "https://example.org/a/b" }],
    ["https://example.org/a/b.git/", { ...host, url: "https://example.org/a/b.git" }],
    ["HTTPS://Example.ORG./a/b", { ...host, url: "https://example.org/a/b" }],
    ["https://example.org:8443/a", { ...host, url: "https://example.org:8443/a", port: 8443 }],
    ["http://example.org/a", { ...host, url: "http://example.org/a", isHttps: false, port: 80 }],
    ["https://example.org/a/../b/./c", { ...host, url: "https://example.org/b/c" }],
    ["https://example.org/a@v1.0", { ...host, url: "https://example.org/a", ref: "v1.0" }],
    [
      "https://example.org/a@feature/x#sub/dir",
      { ...host, url: "https://example.org/a", ref: "feature/x", path: "sub/dir" },
    ],
    [
      "https://example.org/a#sub/dir@feature/x",
      { ...host, url: "https://example.org/a", ref: "feature/x", path: "sub/dir" },
    ],
    [`https://example.org/a@${COMMIT.toUpperCase()}`, { ...host, url: "https://example.org/a", ref: COMMIT }],
    [
      "https://example.org/a#/sub/reana.yaml",
      { ...host, url: "https://example.org/a", path: "sub/reana.yaml" },
    ],
    ["https://example.org/a#", { ...host, url: "https://example.org/a" }],
    ["https://example.org/a#@v1", { ...host, url: "https://example.org/a", ref: "v1" }],
    ["https://example.org/a@HEAD#b@c", { ...host, url: "https://example.org/a", path: "b@c" }],
    [
      "https://example.org/a#my%20folder/b%40c",
      { ...host, url: "https://example.org/a", path: "my folder/b@c" },
    ],
    ["https://example.org/%40scope/a", { ...host, url: "https://example.org/%40scope/a" }],
    [
      "https://bücher.example/a",
      { ...host, url: "https://xn--bcher-kva.example/a", host: "xn--bcher-kva.example" },
    ],
    // The same host in different notations: git receives the checked URL.
    ["http://0x7f.1/a", { ...host, url: "http://127.0.0.1/a", isHttps: false, host: "127.0.0.1", port: 80 }],
    ["https://2130706433/a", { ...host, url: "https://127.0.0.1/a", host: "127.0.0.1" }],
    ["https://[::FFFF:127.0.0.1]/a", { ...host, url: "https://[::ffff:7f00:1]/a", host: "::ffff:7f00:1" }],
  ])("%s", (text, expected) => {
    expect(parseGitAddress(text)).toEqual({ ...expected, display: expect.any(String) as string });
  });

  test("is shown in a single form, which has an equal meaning as input", () => {
    const shown = parseGitAddress("https://Example.org/a/#sub@v1").display;
    expect(shown).toBe("https://example.org/a@v1#sub");
    expect(parseGitAddress(shown).display).toBe(shown);
  });
});

describe("refused", () => {
  const rows: readonly (readonly [string, RefusalKind, RegExp])[] = [
    ["", "malformed", /does not begin with https/],
    ["example.org/a", "malformed", /does not begin with https/],
    ["/srv/repository", "malformed", /does not begin with https/],
    ["--upload-pack=touch x", "malformed", /does not begin with https/],
    [" https://example.org/a", "malformed", /white space/],
    ["https://example.org/a\nb", "malformed", /control characters/],
    ["https:example.org/a", "malformed", /no \/\/ and no host/],
    ["https://example.org", "malformed", /names no repository/],
    ["https://example.org/", "malformed", /names no repository/],
    ["https:///a/b", "malformed", /no \/\/ and no host/],
    ["https://exa mple.org/a", "malformed", /has no host/],
    ["https://example.org:99999/a", "malformed", /has no host/],
    ["https://example.org/a?token=x", "malformed", /holds a "\?"/],
    ["https://example.org\\@evil.example/a", "malformed", /./],
    ["https://ada:secret@example.org/a", "malformed", /user name or a password/],
    ["https://token@example.org/a", "malformed", /user name or a password/],
    ["https://example.org/a@", "malformed", /names no branch/],
    ["https://example.org/a@-x", "malformed", /names no branch/],
    ["https://example.org/a@--upload-pack=x", "malformed", /names no branch/],
    ["https://example.org/a@a..b", "malformed", /names no branch/],
    ["https://example.org/a@a:b", "malformed", /names no branch/],
    ["https://example.org/a@+a", "malformed", /names no branch/],
    ["https://example.org/a@^a", "malformed", /names no branch/],
    ["https://example.org/a@refs/heads/*", "malformed", /names no branch/],
    ["https://example.org/a@a@{1}", "malformed", /names no branch/],
    ["https://example.org/a@a b", "malformed", /names no branch/],
    ["https://example.org/a@a.lock", "malformed", /names no branch/],
    ["https://example.org/a@%00", "malformed", /names no branch/],
    ["https://example.org/a@%zz", "malformed", /%/],
    ["https://example.org/a#../b", "malformed", /names no path/],
    ["https://example.org/a#b/../../c", "malformed", /names no path/],
    ["https://example.org/a#b//c", "malformed", /names no path/],
    ["https://example.org/a#.git/config", "malformed", /names no path/],
    ["https://example.org/a#b/%2e%2e/c", "malformed", /names no path/],
    [`https://example.org/${"a".repeat(3000)}`, "malformed", /longer than 2048/],
    ["ssh://git@example.org/a", "not-implemented", /not over "ssh"/],
    ["git@example.org:a/b.git", "not-implemented", /not over "ssh"/],
    ["git://example.org/a", "not-implemented", /not over "git"/],
    ["file:///etc", "not-implemented", /not over "file"/],
    ["ext::sh -c touch% /tmp/x", "not-implemented", /not over "ext"/],
    ["ftp://example.org/a", "not-implemented", /not over "ftp"/],
  ];
  test.each(rows)("%j", (text, kind, sentence) => {
    const refusal = refusalOf(text);
    expect(refusal).toMatchObject({ kind });
    expect(refusal?.message).toMatch(sentence);
    expect(refusal?.message).not.toMatch(/secret|token@/);
  });
});

function refusalOf(text: string): Refusal | undefined {
  try {
    parseGitAddress(text);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

test("any text is a plain address or refused, and never an option", () => {
  const piece = fc.constantFrom(
    "https://",
    "http:",
    "/",
    "//",
    "@",
    "#",
    "a",
    "..",
    ".git",
    "%40",
    "%2f",
    "-",
    ":",
    "[",
    "]",
    "\\",
    "ex.org",
    "1",
  );
  const addresses = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const likely = addresses.map((rest) => `https://ex.org/${rest}`);
  fc.assert(
    fc.property(fc.oneof(addresses, likely, fc.string()), (text) => {
      if (refusalOf(text) !== undefined) return;
      const { url, ref, path, host } = parseGitAddress(text);
      const parsed = new URL(url);
      expect(url).toMatch(/^https?:\/\//);
      expect([parsed.username, parsed.password, parsed.search, parsed.hash]).toEqual(["", "", "", ""]);
      expect(parsed.hostname.replace(/^\[|\]$/g, "")).toBe(host);
      expect(ref).toMatch(/^[^-+^:]/);
      expect(path.split("/")).not.toContain("..");
    }),
    { numRuns: 2000 },
  );
});
