import Type, { type Static, type TSchema, type TUnsafe } from "typebox";

/**
 * A value or null. Not a union: of a list of types the compiled serialiser makes straight code, of a union it makes
 * a validator that is asked for every value.
 */
export function nullable<Schema extends TSchema & { readonly type: string }>(
  schema: Schema,
): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, "null"] });
}

/** One of these words. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  options: { readonly description?: string; readonly default?: Word } = {},
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], ...options });
}

/** A schema with an `$id`, standing once in the document. It has to be a row of `shared-schemas.ts`. */
export function shared<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema>> {
  const { $id } = schema as { $id?: string };
  if ($id === undefined) throw new Error("A shared schema needs an $id.");
  return Type.Unsafe<Static<Schema>>({ $ref: `${$id}#` });
}

/** Bytes, of an upload's body or a download's reply. */
export function bytes(description: string): TUnsafe<never> {
  return Type.Unsafe<never>({ type: "string", format: "binary", description });
}

export const Message = Type.Object(
  { message: Type.String({ description: "What was tried, with what, and what to do." }) },
  { $id: "Message", description: "A sentence for a person." },
);
