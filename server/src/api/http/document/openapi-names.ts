import { isDeepStrictEqual } from "node:util";

type Json = Readonly<Record<string, unknown>>;

interface Named {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { schema: Json }>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Named>>>>;
  readonly components: object;
}

/**
 * Names schemas, for use by generated clients. A schema with a `title` is listed once, among the components. The body
 * and the reply of each operation are named too, after the operation if they have no other name.
 */
export function nameSchemas(document: object): object {
  const { paths, components, ...head } = document as Document;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    nameBodies(operation);
  const schemas: Record<string, object> = {};
  const moved = move({ paths, components }, schemas) as Document;
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...head, paths: moved.paths, components: { ...moved.components, schemas: sorted } };
}

function nameBodies({ operationId, requestBody, responses }: Named): void {
  const name = operationId.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  for (const [type, body] of Object.entries(requestBody?.content ?? {}))
    nameRecord(body, type === "multipart/form-data" ? `${name}Form` : `${name}Body`);
  for (const { content } of Object.values(responses))
    for (const reply of Object.values(content ?? {})) nameRecord(reply, `${name}Reply`);
}

function nameRecord(body: { schema: Json }, title: string): void {
  const { schema } = body;
  if (schema["type"] === "object" && schema["title"] === undefined) body.schema = { title, ...schema };
}

/** Keys that hold values and not schemas. */
const VALUES = ["enum", "const", "default", "example", "examples"];

/** Moves every schema with a title to the components, and leaves a reference in its place. */
function move(node: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(node)) return node.map((item) => move(item, schemas));
  if (typeof node !== "object" || node === null) return node;
  const { title, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      VALUES.includes(key) ? (value as unknown) : move(value, schemas),
    ]),
  );
  if (typeof title !== "string") return title === undefined ? rest : { title, ...rest };
  const { isNullable, schema } = withoutNull(rest);
  const known = (schemas[title] ??= schema);
  if (!isDeepStrictEqual(known, schema)) throw new Error(`Two different schemas have the title ${title}.`);
  const reference = { $ref: `#/components/schemas/${title}` };
  return isNullable ? { anyOf: [reference, { type: "null" }] } : reference;
}

/** Removes null from a schema, because a name refers to the value and not to its absence. */
function withoutNull(schema: Json): { readonly isNullable: boolean; readonly schema: Json } {
  const { type, enum: words } = schema;
  if (!Array.isArray(type) || !type.includes("null")) return { isNullable: false, schema };
  const others = (type as unknown[]).filter((one) => one !== "null");
  return {
    isNullable: true,
    schema: {
      ...schema,
      type: others.length === 1 ? others[0] : others,
      ...(Array.isArray(words) && { enum: words.filter((word) => word !== null) }),
    },
  };
}
