import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import type { LightMyRequestResponse } from "fastify";
import { expect } from "vitest";

const FOLDER = path.join(import.meta.dirname, "..", "..", "..", "fixtures", "reana-openapi");
/** The API descriptions with which reana-client 0.9.6 and 0.95 validate every reply. */
const VERSIONS = ["0.9.4", "0.95.0a7"];

interface Description {
  readonly paths: Record<string, Record<string, { responses: Record<string, { schema: object }> }>>;
}

/**
 * Returns a check that a reply is valid for every generation of REANA's clients that declares the operation
 * and status.
 */
export function reanaCheck() {
  const descriptions = VERSIONS.map((version) => {
    const text = readFileSync(path.join(FOLDER, `${version}.json`), "utf8");
    const description = JSON.parse(text, nullableAsType) as Description;
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema(description, "reana");
    return { version, description, ajv };
  });
  return (
    method: string,
    operation: string,
    reply: Pick<LightMyRequestResponse, "statusCode" | "json">,
  ): void => {
    for (const { version, description, ajv } of descriptions) {
      const responses = description.paths[operation]?.[method.toLowerCase()]?.responses;
      const schema = responses?.[String(reply.statusCode)]?.schema;
      if (!schema) continue;
      const local = JSON.stringify(schema).replaceAll('"#/', '"reana#/');
      const validate = ajv.compile(JSON.parse(local) as object);
      const errors = validate(reply.json()) ? [] : validate.errors;
      expect({ version, errors }).toEqual({ version, errors: [] });
    }
  };
}

/**
 * Returns the statuses declared by all descriptions with this operation. Generated clients ignore the
 * messages of undeclared statuses.
 */
export function declaredStatuses(method: string, operation: string): readonly number[] {
  const sets = VERSIONS.map((version) => {
    const description = JSON.parse(readFileSync(path.join(FOLDER, `${version}.json`), "utf8")) as Description;
    return description.paths[operation]?.[method.toLowerCase()]?.responses;
  }).filter((responses) => responses !== undefined);
  expect(sets).not.toEqual([]);
  const [first, ...others] = sets.map((responses) => Object.keys(responses).map(Number));
  return first!.filter((status) => others.every((statuses) => statuses.includes(status)));
}

/** Converts `x-nullable` to a type with null, which Swagger 2.0 cannot express. */
function nullableAsType(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("x-nullable" in value)) return value;
  const { type } = value as { type?: string };
  return value["x-nullable"] === true && type !== undefined ? { ...value, type: [type, "null"] } : value;
}
