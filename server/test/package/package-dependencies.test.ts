import openapiFetch from "openapi-fetch/package.json" with { type: "json" };
import { expect, test } from "vitest";
import sdk from "../../../sdk/package.json" with { type: "json" };
import server from "../../package.json" with { type: "json" };

test("the package depends on what the SDK in it needs, in the same versions", () => {
  expect(server.dependencies).toMatchObject(sdk.dependencies);
  expect(sdk.dependencies).toEqual({ "openapi-fetch": openapiFetch.version });
});
