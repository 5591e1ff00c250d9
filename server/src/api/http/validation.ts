import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { FastifySchemaCompiler, FastifySchemaValidationError } from "fastify";
import type { TSchema } from "typebox";
import { Refusal } from "#plumbing/errors";

/**
 * Returns the compiler of validators. Texts in an address are converted to the requested numbers, flags and lists, but
 * a JSON body must already have the right types.
 */
export function validatorCompiler(): FastifySchemaCompiler<TSchema> {
  const options = { useDefaults: true, strict: false, validateFormats: false };
  const lenient = new Ajv({ ...options, coerceTypes: "array", allErrors: true });
  // Stops at the first error: a long body could have a million errors.
  const strict = new Ajv({ ...options, coerceTypes: false });
  return ({ schema, httpPart }) => {
    if (httpPart !== "body") return compiledLater(lenient, schema, httpPart ?? "querystring");
    const validate = compiledLater(strict, schema, "body");
    // An empty body is valid, even if the schema requires one. The framework passes null for it.
    return (body: unknown) => (body === null ? true : validate(body));
  };
}

/**
 * Compiles a schema for the first request that needs it, which then takes a few milliseconds more. Compiling all
 * schemas takes a sixth of the processor time of a start, and most servers never use most schemas.
 */
function compiledLater(ajv: Ajv, schema: TSchema, part: string) {
  let validate: ValidateFunction | undefined;
  return (value: unknown): true | { error: Refusal } => {
    validate ??= ajv.compile(schema);
    return validate(value) ? true : { error: refusalOf(validate.errors ?? [], part) };
  };
}

/** Returns a refusal in REANA's style: `Field 'page': must be >= 1.` */
export function refusalOf(
  errors: readonly (ErrorObject | FastifySchemaValidationError)[],
  part: string,
): Refusal {
  const sentences = errors.map((error) => `Field '${fieldOf(error) || part}': ${reasonOf(error)}.`);
  return new Refusal("malformed", [...new Set(sentences)].join(" "));
}

/** Returns the reason. For several allowed types the library says `must be object,null`. */
function reasonOf({ keyword, message = "is not valid" }: ErrorObject | FastifySchemaValidationError): string {
  return keyword === "type" ? message.replaceAll(",", " or ") : message;
}

function fieldOf(error: ErrorObject | FastifySchemaValidationError): string {
  const inside = error.instancePath.slice(1).replaceAll("/", ".");
  const missing = (error.params as { missingProperty?: string }).missingProperty;
  return [inside, missing].filter(Boolean).join(".");
}
