import { describe, expect, test } from "vitest";
import { locationOf } from "#engines/documents";

describe("the location of a document", () => {
  test.each([
    ["tool.cwl", null, "tool.cwl"],
    ["./tools/a.cwl#main", null, "tools/a.cwl"],
    ["../b.cwl", "tools/a.cwl", "b.cwl"],
    ["my%20tool.cwl", "tools/a.cwl", "tools/my tool.cwl"],
    ["100%", null, "100%"],
    ["https://host.org/a/../b.cwl#x", "tools/a.cwl", "https://host.org/b.cwl"],
    ["../c.cwl", "https://host.org/x/a/b.cwl", "https://host.org/x/c.cwl"],
    ["/c.cwl", "https://host.org/x/a/b.cwl", "https://host.org/c.cwl"],
  ])("%s in %s is %s", (reference, base, location) => {
    expect(locationOf(reference, base)).toEqual({ ok: true, location });
  });

  test.each([
    ["#main", "tools/a.cwl", '"#main" names no document.'],
    ["..", "tools/a.cwl", '".." names no document.'],
    ["../../x", "tools/a.cwl", '"../../x" leads out of the workspace.'],
    ["%2e%2e/x", null, '"%2e%2e/x" leads out of the workspace.'],
    ["/etc/passwd", null, '"/etc/passwd" is an absolute path. Give one relative to the document.'],
    [
      "file:///etc/passwd",
      null,
      '"file:///etc/passwd" has the scheme "file": only paths and http or https addresses are read.',
    ],
    ["https://", null, '"https://" is no address.'],
    ["https://a:b@host.org/x", null, "An address with a user name or a password is not read."],
  ])("%s in %s is refused", (reference, base, reason) => {
    expect(locationOf(reference, base)).toEqual({ ok: false, reason });
  });
});
