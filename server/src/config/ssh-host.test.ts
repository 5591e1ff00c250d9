import { expect, test } from "vitest";
import { sshHost } from "#config/kinds";

test("a login host is a word that ssh cannot take for an option", () => {
  const { parse } = sshHost();
  for (const good of ["login", "ada@login.example.org", "ssh://ada@login:2222", "ssh://[::1]:22"])
    expect(parse(good, {})).toBe(good);
  for (const bad of ["-oProxyCommand=x", "a b", "ada@-x", "ssh://", "ssh://h/path", "h;x", "http://h"])
    expect(parse(bad, {})).toBeUndefined();
});
