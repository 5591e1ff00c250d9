import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { EXAMPLES } from "#api/http/document/examples";
import { openApiDocument } from "#api/openapi";
import { type Document, successes } from "#api/service/docs-page/document";

const document = (await openApiDocument()) as Document;
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true }).addSchema(document, "api");
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const escaped = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Returns the reasons why an example does not fit its schema. */
function faultsOf(place: readonly string[], example: unknown): unknown {
  const validate = ajv.getSchema(`api#/${[...place, "schema"].map(escaped).join("/")}`)!;
  return validate(example) ? [] : validate.errors;
}

const JSON_TYPE = "application/json";
const bodies = operations.flatMap(({ path, method, operation }) => {
  const json = operation.requestBody?.content[JSON_TYPE];
  const place = ["paths", path, method, "requestBody", "content", JSON_TYPE];
  return json ? [{ name: operation.operationId, place, example: json.example }] : [];
});
const replies = operations.flatMap(({ path, method, operation }) =>
  successes(operation).flatMap(([status, { content }]) => {
    const example = content?.[JSON_TYPE]?.example;
    const place = ["paths", path, method, "responses", status, "content", JSON_TYPE];
    return example === undefined ? [] : [{ name: operation.operationId, place, example }];
  }),
);

describe("the example", () => {
  test.each(bodies)("of the body of $name is valid", ({ place, example }) => {
    expect(example).toBeDefined();
    expect(faultsOf(place, example)).toEqual([]);
  });

  test.each(replies)("of the reply to $name is valid", ({ place, example }) => {
    expect(faultsOf(place, example)).toEqual([]);
  });

  test("an example that does not fit the schema is found", () => {
    const { place } = replies.find(({ name }) => name === "get-status")!;
    expect(faultsOf(place, { id: 1 })).not.toEqual([]);
  });
});

test("every row of the table is an example in the document", () => {
  const names = (part: "body" | "reply") =>
    Object.entries(EXAMPLES).flatMap(([name, examples]) => (examples[part] === undefined ? [] : [name]));
  expect(bodies.map(({ name }) => name).toSorted()).toEqual(names("body").toSorted());
  expect(replies.map(({ name }) => name).toSorted()).toEqual(names("reply").toSorted());
});
