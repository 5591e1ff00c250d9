import type { TSchema } from "typebox";
import { expect, test } from "vitest";
import { ROUTES } from "#api/routes";
import { validatorCompiler } from "#api/http/validation";

const PARTS = ["querystring", "params", "body"] as const;

// The server compiles a schema at the first request that needs it, so a start would not notice a broken
// schema.
test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "the schemas of requests compile: %s",
  (_name, { method, path: url, schema }) => {
    const compile = validatorCompiler();
    for (const httpPart of PARTS) {
      const part: TSchema | undefined = schema[httpPart];
      if (!part) continue;
      const validate = compile({ schema: part, method, url, httpPart });
      expect(() => void validate({})).not.toThrow();
    }
  },
);

test("an invalid schema is noticed", () => {
  const schema = { type: "no such type" } as TSchema;
  const validate = validatorCompiler()({ schema, method: "GET", url: "/", httpPart: "querystring" });
  expect(() => void validate({})).toThrow("schema is invalid");
});
