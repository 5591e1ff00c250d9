import Type, { type Static, type TSchema, type TUnsafe } from "typebox";
import { toWireTime } from "#plumbing/clock";
import { ERROR_CODES } from "#plumbing/error-codes";

/**
 * A value or null. Not a union: of a list of types the compiled serialiser makes straight code, of a union it makes
 * a validator that is asked for every value.
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

/** One of these words. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  options: { readonly title?: string; readonly description?: string; readonly default?: Word } = {},
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], ...options });
}

/** A time of our own endpoints: `2026-11-21T10:57:41Z`. REANA's records have `reanaTime`. */
export function utcTime(description?: string) {
  return Type.String({ format: "date-time", ...(description !== undefined && { description }) });
}

export function toUtcTime(epochMs: number): string {
  return `${toWireTime(epochMs)}Z`;
}

export function utcTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toUtcTime(epochMs);
}

/** A time in a record of REANA's, whose clients expect no zone. */
export function reanaTime(description = "UTC, `YYYY-MM-DDTHH:MM:SS`.") {
  return Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$", description });
}

/** Bytes, of an upload's body or a download's reply. */
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

/** Every reply that is not a success. */
export const ErrorRecord = Type.Object(
  {
    message: Type.String({ description: "What was tried, with what, and what to do next." }),
    code: Type.String({ description: `For programs; others may be added. ${CODES}` }),
  },
  { title: "Error", examples: [EXAMPLE] },
);
