import { resolved, type Schema, type Shared } from "#api/service/docs-page/document";
import { prose, table } from "#api/service/docs-page/markup";
import { markup, type Markup } from "#plumbing/text/markup";

interface Field {
  /** Path of a field: `progress.total.job_ids[]`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string;
}

/** Depth to which nested records are shown. No record of this API is nested deeper. */
const DEPTH_MAX = 8;

/** Returns a table of all fields in a body. A body without fields has one row without a name. */
export function fieldsTable(schema: Schema, shared: Shared): Markup {
  const fields = [...fieldsOf(schema, shared, { path: "", isRequired: true, depth: 0 })];
  const rows = fields.map(
    ({ path, type, isRequired, text }) =>
      markup`<tr>
        <td>${path === "" ? "" : markup`<code>${path}</code>`}</td>
        <td>${type}${isRequired ? "" : ", optional"}</td>
        <td>${prose(text)}</td>
      </tr>`,
  );
  return table(["field", "type"], rows);
}

interface FieldPlace {
  readonly path: string;
  readonly isRequired: boolean;
  readonly depth: number;
}

function* fieldsOf(given: Schema, shared: Shared, place: FieldPlace): Generator<Field> {
  const schema = resolved(given, shared);
  const { path, isRequired, depth } = place;
  const inner = [...innerOf(schema, place)];
  const text = given.description ?? schema.description ?? "";
  // A record with listed fields has a row of its own only if it has a description.
  if (path !== "" || inner.length === 0 || text !== "")
    yield { path, type: typeOf(schema, shared), isRequired, text };
  if (depth >= DEPTH_MAX) return;
  for (const [child, at] of inner) yield* fieldsOf(child, shared, { ...at, depth: depth + 1 });
}

function* innerOf(
  schema: Schema,
  { path }: FieldPlace,
): Generator<readonly [Schema, Omit<FieldPlace, "depth">]> {
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) ?? false;
    yield [child, { path: path === "" ? name : `${path}.${name}`, isRequired }];
  }
  const values = schema.additionalProperties;
  if (typeof values === "object" && hasInner(values)) yield [values, { path: `${path}.*`, isRequired: true }];
  if (schema.items && hasInner(schema.items)) yield [schema.items, { path: `${path}[]`, isRequired: true }];
  for (const one of schema.anyOf ?? []) if (hasInner(one)) yield [one, { path, isRequired: true }];
}

function hasInner({ $ref, properties, items, anyOf, additionalProperties }: Schema): boolean {
  return (
    [$ref, properties, items, anyOf].some((part) => part !== undefined) ||
    typeof additionalProperties === "object"
  );
}

/** Returns the type for people: `text`, `whole number or nothing`, `list of texts`, or the allowed words. */
export function typeOf(given: Schema, shared: Shared): string {
  const schema = resolved(given, shared);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(", ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, shared)))].join(" or ");
  if (schema.items) return `list of ${typeOf(schema.items, shared)}`;
  const types = [schema.type ?? "any value"].flat().map((type) => WORDS[type] ?? type);
  return types.join(" or ") + (schema.format === undefined ? "" : ` (${schema.format})`);
}

const WORDS: Readonly<Record<string, string>> = { integer: "whole number", object: "record", array: "list" };
