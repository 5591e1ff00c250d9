import { describe, expect, test } from "vitest";
import { documentPath, pathPattern, wildcardName, routerPath } from "#api/http/paths";

const FILE = "/api/workflows/{workflow_id_or_name}/workspace/{file_name*}";

describe("paths of the table", () => {
  test.each([
    ["/api/ping", "/api/ping", "/api/ping", undefined],
    [
      "/api/admin/users/{user}/tokens",
      "/api/admin/users/:user/tokens",
      "/api/admin/users/:user/tokens",
      undefined,
    ],
    [
      FILE,
      "/api/workflows/:workflow_id_or_name/workspace/*",
      "/api/workflows/:workflow_id_or_name/workspace/:file_name",
      "file_name",
    ],
  ])("%s, as spelt by other tools", (path, router, document, rest) => {
    expect(routerPath(path)).toBe(router);
    expect(documentPath(path)).toBe(document);
    expect(wildcardName(path)).toBe(rest);
  });

  test.each([
    ["/api/ping", "/api/ping", true],
    ["/api/ping", "/api/ping/", true],
    ["/api/ping", "/api/pingx", false],
    ["/api/openapi.json", "/api/openapi.json", true],
    ["/api/openapi.json", "/api/openapiXjson", false],
    ["/a/{b}/c", "/a/x%2Fy/c", true],
    ["/a/{b}/c", "/a/x/y/c", false],
    ["/a/{b}/c", "/a//c", false],
    [FILE, "/api/workflows/w.1/workspace/a/b.txt", true],
    [FILE, "/api/workflows/w.1/workspace/", false],
    [FILE, "/api/workflows/w.1/workspace", false],
  ])("%s matches %s: %s", (path, address, expected) => {
    expect(pathPattern(path).test(address)).toBe(expected);
  });
});
