import { Readable } from "node:stream";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { FastifySchemaCompiler, FastifySchemaValidationError } from "fastify";
import type { TSchema } from "typebox";
import { Refusal } from "#plumbing/errors";

/**
 * Returns the compiler of validators. Texts in an address are converted to the requested numbers, flags and lists, but
 * a JSON body must already have the right types.
 */
export function validatorCompiler(): FastifySchemaCompiler<TSchema> {
  const options = { useDefaults: true, strict: false, validateFormats: false, verbose: true };
  const lenient = new Ajv({ ...options, coerceTypes: "array", allErrors: true });
  // Stops at the first error: a long body could have a million errors.
  const strict = new Ajv({ ...options, coerceTypes: false });
  return ({ schema, httpPart }) => {
    if (httpPart !== "body") return compiledLater(lenient, schema, httpPart ?? "querystring");
    const validate = compiledLater(strict, schema, "body");
    // An empty body is valid, even if the schema requires one. The framework passes null for it. A form is a stream.
    return (body: unknown) => (body === null || body instanceof Readable ? true : validate(body));
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
function reasonOf(error: ErrorObject | FastifySchemaValidationError): string {
  const { keyword, message = "is not valid" } = error;
  if (keyword === "additionalProperties") return unknownField(error as ErrorObject);
  return keyword === "type" ? message.replaceAll(",", " or ") : message;
}

/** Returns REANA's words, and adds the known fields, which reveal a misspelt name. */
function unknownField({ parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.["properties"] as object | undefined) ?? {});
  return `Unknown field. Known here: ${known.join(", ")}`;
}

/** Maximum length of an unknown name in a sentence. */
const NAME_LENGTH_MAX = 100;

function fieldOf(error: ErrorObject | FastifySchemaValidationError): string {
  const inside = error.instancePath.slice(1).replaceAll("/", ".");
  const { missingProperty, additionalProperty } = error.params as Partial<Record<string, string>>;
  return [inside, missingProperty, additionalProperty?.slice(0, NAME_LENGTH_MAX)].filter(Boolean).join(".");
}
