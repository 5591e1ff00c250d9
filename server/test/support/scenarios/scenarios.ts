import { Ajv } from "ajv";
import type { LightMyRequestResponse } from "fastify";
import { expect, test } from "vitest";
import { openApiDocument } from "#api/openapi";
import type { Route } from "#api/http/endpoint";
import { ROUTES } from "#api/routes";
import type { ApiFixture } from "../api-fixture.ts";
import { reanaCheck } from "../reana-schemas.ts";

/** A request and its response. In every table, refusals come before successes. */
export interface Scenario {
  readonly name: string;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text unchanged. */
  readonly body?: string | Buffer | object;
  readonly status: number;
  /** The whole JSON of the reply; a text is the sentence of a refusal. */
  readonly reply?: unknown;
  /** The code of a refusal. */
  readonly code?: string;
  readonly replyHeaders?: Readonly<Record<string, unknown>>;
}

/**
 * Defines a test for each row. Each reply must also match the OpenAPI document, and REANA's schemas if they know such a
 * reply.
 */
export async function runScenarios(api: ApiFixture, rows: readonly Scenario[]): Promise<void> {
  const conforms = await documentCheck(api.routes);
  test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const { method = "GET", url, headers, body } = row;
    const reply = await api.inject({
      method,
      url,
      ...(headers && { headers: { ...headers } }),
      ...(body !== undefined && { payload: body }),
    });
    expect([reply.statusCode, reply.body]).toEqual([row.status, expect.any(String)]);
    const wanted =
      typeof row.reply === "string"
        ? { message: row.reply, ...(row.status >= 400 && { code: row.code ?? expect.any(String) }) }
        : row.reply;
    if (wanted !== undefined) expect(reply.json()).toEqual(wanted);
    if (row.replyHeaders) expect(reply.headers).toMatchObject(row.replyHeaders);
    if (method !== "HEAD") conforms(method, url, reply);
  });
}

/**
 * Checks replies. Refusals are exactly `{"message", "code"}`. Other JSON replies validate against the OpenAPI document
 * and REANA's.
 */
async function documentCheck(routes: readonly Route[] = ROUTES) {
  const document = (await openApiDocument(routes)) as {
    paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  };
  const reana = reanaCheck();
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(document, "document");
  const patterns = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(
      `^${path.replaceAll(/\{(file_name|name)\}$/g, ".+").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`,
    ),
  }));
  return (method: string, url: string, reply: LightMyRequestResponse): void => {
    if (reply.statusCode >= 400) {
      expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(reply.json()).toEqual({
        message: expect.stringMatching(/\S/),
        code: expect.stringMatching(/^[a-z-]+$/),
      });
      return;
    }
    const path = patterns.find(({ pattern }) => pattern.test(url.split("?")[0]!))?.path ?? "";
    const response = document.paths[path]?.[method.toLowerCase()]?.responses[reply.statusCode];
    expect(response, `${method} ${path} ${reply.statusCode} is in the document`).toBeDefined();
    const schema = response!.content?.["application/json"]?.schema;
    if (!schema || !String(reply.headers["content-type"]).startsWith("application/json")) return;
    const validate = ajv.compile(withReferences(schema));
    expect(validate(reply.json()) ? [] : validate.errors).toEqual([]);
    // The plain array is a format of our own.
    if (!(path === "/api/workflows" && Array.isArray(reply.json()))) reana(method, path, reply);
  };
}

interface Response {
  readonly content?: Record<string, { schema: object }>;
}

/** Makes the document's references absolute. */
function withReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
}
