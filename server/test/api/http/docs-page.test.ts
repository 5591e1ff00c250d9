import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { type Document, resolved, type Schema, successes } from "#api/service/docs-page/document";
import { exampleOf } from "#api/service/docs-page/examples";
import { fieldsTable } from "#api/service/docs-page/fields";
import { docsPage } from "#api/service/docs-page/page";
import { openApiDocument } from "#api/openapi";
import { apiFixture } from "../../support/api-fixture.ts";

const api = await apiFixture();
afterAll(() => api.close());
const reply = await api.inject("/api/docs");
const page = reply.body;
const document = (await openApiDocument()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** Returns the visible text of an operation's section. */
const sectionOf = (id: string) =>
  new RegExp(`<section id="${id}">(.*?)</section>`, "s").exec(page)?.[1]?.replaceAll(/<[^>]+>/g, " ") ?? "";

describe("the page", () => {
  test("is HTML, for anyone", () => {
    expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page).toMatch(/^<!doctype html>\s*<html lang="en">/);
  });

  test("asks for nothing from anywhere, and holds no script", () => {
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|base|form)\b/i);
    expect(page).not.toMatch(/\b(src|srcset|action|on\w+|style)=/i);
    expect(page).not.toMatch(/@import|url\(/i);
    for (const [, href] of page.matchAll(/href="([^"]*)"/g))
      expect(href).toMatch(/^(#[\w-]+|\/api\/openapi\.json)$/);
  });

  test("may do nothing in a browser but show itself in its own style", () => {
    const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style!);
    expect(styles).toHaveLength(1);
    const hash = createHash("sha256").update(styles[0]!).digest("base64");
    expect(reply.headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(reply.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
  });

  test("leads to every part of itself, each under a name of its own", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id);
  });

  test.each(operations)("$method $path is on the page, with all fields", ({ path, method, operation }) => {
    const seen = sectionOf(operation.operationId);
    expect(seen.replaceAll(/\s+/g, " ")).toContain(`${method} ${path}`);
    expect(seen).toContain("curl");
    for (const { name } of operation.parameters ?? []) expect(seen).toMatch(new RegExp(`\\s${name}\\s`));
    for (const [status, { content }] of successes(operation)) {
      expect(seen).toContain(`${status} `);
      const schema = resolved(content?.["application/json"]?.schema ?? {}, document.components.schemas);
      for (const name of Object.keys(schema.properties ?? {}))
        expect(seen).toMatch(new RegExp(`\\s${name}\\s`));
    }
  });
});

describe("its parts", () => {
  const shared = {
    Named: { type: "object", required: ["n"], properties: { n: { type: "integer" } }, description: "A `n`." },
  };

  test("no text of a document becomes a tag", () => {
    const summary = `<script>alert("1 & 2")</script>`;
    const operation = { operationId: "x", summary, tags: ["server"], security: [], responses: {} };
    const shown = docsPage(
      { info: { description: "" }, paths: { "/<b>": { get: operation } }, components: { schemas: {} } },
      "<i>",
    );
    expect(shown).not.toMatch(/<script|<i>/);
    expect(shown).toContain("&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;");
  });

  test.each([
    [{ $ref: "#/components/schemas/Named" }, { n: 1 }],
    [{ anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] }, "a"],
    [{ type: "array", items: { $ref: "#/components/schemas/Named" } }, [{ n: 1 }]],
    [{ type: ["string", "null"] }, "…"],
    [{ const: true }, true],
    [{}, null],
  ] satisfies [Schema, unknown][])("an example of %j", (schema, example) => {
    expect(exampleOf(schema, shared)).toEqual(example);
  });

  test("fields of records in lists and in any key have their paths", () => {
    const named = { $ref: "#/components/schemas/Named" };
    const schema = {
      type: "object",
      properties: {
        list: { type: "array", items: named },
        any: { type: "object", additionalProperties: named },
      },
    };
    const paths = [...fieldsTable(schema, shared).text.matchAll(/<td>\s*<code>([^<]+)<\/code>\s*<\/td>/g)];
    expect(paths.map(([, path]) => path)).toEqual(["list", "list[]", "list[].n", "any", "any.*", "any.*.n"]);
  });
});
