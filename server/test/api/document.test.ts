import { afterAll, describe, expect, test } from "vitest";
import { openApiDocument } from "#api/openapi";
import { refusalStatuses } from "#api/http/document/refusals";
import { ROUTES } from "#api/routes";
import { ERROR_CODES } from "#plumbing/error-codes";
import { apiFixture } from "../support/api-fixture.ts";
import { readSources } from "../support/sources.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<
    string,
    { $ref?: string; description: string; content?: Record<string, { schema: { $ref?: string } }> }
  >;
}

const document = (await openApiDocument()) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, { content: Record<string, { schema: object }> }>;
  };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const api = await apiFixture();
afterAll(() => api.close());

describe("the OpenAPI document", () => {
  test("describes the only refusal without a message: the names of missing secrets", () => {
    const { responses } = document.paths["/api/secrets"]!["delete"]!;
    expect(responses["404"]!.content!["application/json"]!.schema.$ref).toBe(
      "#/components/schemas/SecretNames",
    );
  });

  test("selects no keys by a pattern: a line feed in a name would match none", () => {
    expect(JSON.stringify(document)).not.toContain("patternProperties");
  });

  test("is served as it is generated", async () => {
    const reply = await api.inject("/api/openapi.json");
    expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(reply.json()).toEqual(document);
    expect(document.openapi).toBe("3.1.0");
  });

  test("has every route of the table and nothing else", () => {
    const shown = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(shown.sort()).toEqual(
      ROUTES.map((route) => `${route.method} ${route.path.replace("*}", "}")}`).sort(),
    );
  });

  test("operations have their own names and summaries", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.sort()).toEqual(ROUTES.map((route) => route.operation).sort());
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) expect(operation.summary).toMatch(/\w/);
  });

  test.each(operations)(
    "$method $path says who may, what is missing and what goes wrong",
    ({ path, operation }) => {
      const route = ROUTES.find((one) => one.operation === operation.operationId)!;
      const credentials = [{ access_token: [] }, { bearer: [] }];
      expect(operation.security).toEqual(route.access === "anyone" ? [] : credentials);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(parameters.map(({ name, required }) => [name, required])).toEqual(
        named.map((name) => [name, true]),
      );
      const isOwn = (status: string) => status in route.schema.response;
      const refusals = Object.keys(operation.responses).filter(
        (status) => Number(status) >= 400 && !isOwn(status),
      );
      expect(refusals).toEqual(refusalStatuses(route).map(String));
      for (const status of refusals) {
        const name = operation.responses[status]!.$ref!.replace("#/components/responses/", "");
        const { schema } = document.components.responses[name]!.content["application/json"]!;
        expect(schema).toEqual({ $ref: "#/components/schemas/Error" });
      }
      const headers = (operation.parameters ?? []).filter((parameter) => parameter.in === "header");
      const takesKey = route.method !== "GET" && route.access !== "anyone";
      expect(headers.map(({ name }) => name)).toEqual(takesKey ? ["Idempotency-Key"] : []);
    },
  );

  test("bodies are typed, and a question with GET has none", () => {
    for (const { method, operation } of operations) {
      const bodies = Object.entries(operation.requestBody?.content ?? {});
      if (method === "get") expect(bodies).toEqual([]);
      for (const [type, { schema }] of bodies) {
        const isBytes = type === "application/octet-stream";
        expect([operation.operationId, schema]).toEqual([
          operation.operationId,
          isBytes ? { type: "string", format: "binary" } : { $ref: expect.any(String) },
        ]);
      }
    }
  });

  test("necessary parameters are required", () => {
    const required = operations.flatMap(({ operation }) =>
      (operation.parameters ?? [])
        .filter((parameter) => parameter.in === "query" && parameter.required)
        .map(({ name }) => `${operation.operationId} ${name}`),
    );
    expect(required).toEqual(
      expect.arrayContaining([
        "create-user email",
        "change-status status",
        "upload-file file_name",
        "move-files source",
        "move-files target",
        "get-quota resource_type",
      ]),
    );
    for (const { needs = [], schema } of ROUTES)
      for (const name of needs) expect(Object.keys(schema.querystring?.properties ?? {})).toContain(name);
  });

  test("every reference leads somewhere", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name);
  });
});

describe("codes", () => {
  test("each is a word for programs, and is used", async () => {
    const sources = readSources().filter(({ name, isTest }) => !isTest && name !== "plumbing/error-codes");
    for (const code of Object.keys(ERROR_CODES)) {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
      const users = sources.filter(({ code: text }) => text.includes(`"${code}"`));
      expect([code, users.length > 0]).toEqual([code, true]);
    }
  });
});
