import Type, { type Static, type TSchema, type TUnsafe } from "typebox";

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

/** Bytes, of an upload's body or a download's reply. */
export function bytes(description: string): TUnsafe<never> {
  return Type.Unsafe<never>({ type: "string", format: "binary", description });
}

export const Message = Type.Object(
  { message: Type.String() },
  { title: "Message", description: "A sentence for a person." },
);

/** Every reply that is not a success. */
export const ErrorRecord = Type.Object(
  { message: Type.String({ description: "What was tried, with what, and what to do next." }) },
  { title: "Error" },
);
