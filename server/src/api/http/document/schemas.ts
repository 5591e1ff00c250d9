import Type, { type Static, type TSchema, type TUnsafe } from "typebox";
import { toWireTime } from "#plumbing/clock";
import { ERROR_CODES } from "#plumbing/error-codes";

/**
 * Returns the schema of a value or null. It is not a union: for a list of types the compiled serialiser is straight
 * code, for a union it is a validator that runs for every value.
 */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const { type, enum: words } = schema as { type?: string; enum?: readonly unknown[] };
  if (type === undefined) throw new Error("Only a schema with a type can be nullable.");
  return Type.Unsafe<Static<Schema> | null>({
    ...schema,
    type: [type, "null"],
    ...(words && { enum: [...words, null] }),
  });
}

/**
 * Returns the schema of an object with names chosen by a user as keys. `Type.Record` must not be used: its
 * key pattern does not match a line feed, so that a value under a name with a line feed is neither checked
 * nor serialised.
 */
export function recordOf<Schema extends TSchema>(
  values: Schema,
  options: { readonly description?: string } = {},
): TUnsafe<Record<string, Static<Schema>>> {
  return Type.Unsafe<Record<string, Static<Schema>>>({
    type: "object",
    additionalProperties: values,
    ...options,
  });
}

/** Returns the schema of a text that must be one of the words. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  options: { readonly title?: string; readonly description?: string; readonly default?: Word } = {},
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], ...options });
}

/** Returns the schema of a time in our own endpoints: `2026-11-21T10:57:41Z`. REANA's records use `reanaTime`. */
export function utcTime(description?: string) {
  return Type.String({ format: "date-time", ...(description !== undefined && { description }) });
}

export function toUtcTime(epochMs: number): string {
  return `${toWireTime(epochMs)}Z`;
}

export function utcTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toUtcTime(epochMs);
}

/** Returns the schema of a time in REANA's records, whose clients expect no zone. */
export function reanaTime(description = "UTC, `YYYY-MM-DDTHH:MM:SS`.") {
  return Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$", description });
}

/** Returns the schema of bytes, for an upload's body or a download's reply. */
export function bytes(description: string): TUnsafe<never> {
  return Type.Unsafe<never>({ type: "string", format: "binary", description });
}

export const Message = Type.Object(
  { message: Type.String() },
  { title: "Message", description: "A sentence for a person." },
);

const CODES = Object.entries(ERROR_CODES)
  .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
  .join(" ");

const EXAMPLE = {
  message: "Workflow fit.3 could not be started because it is already running.",
  code: "run-live",
};

/** Reply that is not a success. */
export const ErrorRecord = Type.Object(
  {
    message: Type.String({ description: "What was tried, with what, and what to do next." }),
    code: Type.String({ description: `For programs; others may be added. ${CODES}` }),
  },
  { title: "Error", examples: [EXAMPLE] },
);
