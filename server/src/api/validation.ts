import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { FastifySchemaCompiler, FastifySchemaValidationError } from "fastify";
import type { TSchema } from "typebox";
import { Refusal } from "#plumbing/errors";

/**
 * Two readings of a schema: texts of an address become the numbers, flags and lists that are asked for, but a JSON
 * body has to be what it says it is.
 */
export function validatorCompiler(): FastifySchemaCompiler<TSchema> {
  const options = { useDefaults: true, strict: false, validateFormats: false };
  const lenient = new Ajv({ ...options, coerceTypes: "array", allErrors: true });
  // The first error alone: a long body could have a million of them.
  const strict = new Ajv({ ...options, coerceTypes: false });
  return ({ schema, httpPart }) => {
    if (httpPart !== "body") return compiledLater(lenient, schema, httpPart ?? "querystring");
    const validate = compiledLater(strict, schema, "body");
    // An empty body is no body, whatever the schema asks of one. The framework hands over null for none.
    return (body: unknown) => (body === null ? true : validate(body));
  };
}

/**
 * Compiles a schema for the first request that needs it, which then takes a few milliseconds more: all schemas together
 * are a sixth of the processor time of a start, and most servers never see most of them.
 */
function compiledLater(ajv: Ajv, schema: TSchema, part: string) {
  let validate: ValidateFunction | undefined;
  return (value: unknown): true | { error: Refusal } => {
    validate ??= ajv.compile(schema);
    return validate(value) ? true : { error: refusalOf(validate.errors ?? [], part) };
  };
}

/** `Field 'page': must be >= 1.`, the way REANA words it. */
export function refusalOf(
  errors: readonly (ErrorObject | FastifySchemaValidationError)[],
  part: string,
): Refusal {
  const sentences = errors.map((error) => `Field '${fieldOf(error) || part}': ${reasonOf(error)}.`);
  return new Refusal("malformed", [...new Set(sentences)].join(" "));
}

/** Of several types it may have the library says `must be object,null`. */
function reasonOf({ keyword, message = "is not valid" }: ErrorObject | FastifySchemaValidationError): string {
  return keyword === "type" ? message.replaceAll(",", " or ") : message;
}

function fieldOf(error: ErrorObject | FastifySchemaValidationError): string {
  const inside = error.instancePath.slice(1).replaceAll("/", ".");
  const missing = (error.params as { missingProperty?: string }).missingProperty;
  return [inside, missing].filter(Boolean).join(".");
}
