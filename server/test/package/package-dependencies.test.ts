import openapiFetch from "openapi-fetch/package.json" with { type: "json" };
import { expect, test } from "vitest";
import sdk from "../../../sdk/package.json" with { type: "json" };
import source from "../../../sdk/src/package.json" with { type: "json" };
import server from "../../package.json" with { type: "json" };

test("the package depends on all needs of the SDK inside, in equal versions", () => {
  expect(server.dependencies).toMatchObject(sdk.dependencies);
  expect(sdk.dependencies).toEqual({ "openapi-fetch": openapiFetch.version });
});

test("the SDK in the checkout and its package have the same name, version and dependencies", () => {
  const { name, version, dependencies } = sdk;
  expect(source).toMatchObject({ name, version, dependencies });
});
