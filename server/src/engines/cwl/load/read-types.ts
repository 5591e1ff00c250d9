import { fields } from "#engines/cwl/model/fields";
import { type Reader, type Scope, shortName, jsonExcerpt } from "#engines/cwl/documents/reader";
import type { Spot } from "#engines/cwl/documents/document-set";
import { LISTINGS, readBinding, readFileRules, readOutputBinding } from "#engines/cwl/load/read-bindings";
import { type CwlType, PRIMITIVES, type RecordField } from "#engines/cwl/model/types";
import { isMapping, type Mapping } from "#engines/cwl/model/json";
import { nearestWord } from "#plumbing/text/nearest-word";

/** Reads a type in any of its forms: `File[]?`, a list of alternatives, a mapping, the name of a declared type. */
export function readType(
  reader: Reader,
  scope: Scope,
  value: unknown,
  at: Spot,
  trail: readonly string[] = [],
): CwlType {
  if (typeof value === "string") return readWord(reader, scope, value, at, trail);
  if (Array.isArray(value)) {
    const of = value.flatMap((item: unknown, key) => {
      const type = readType(reader, scope, item, { parent: value, key }, trail);
      return typeof type !== "string" && type.kind === "union" ? type.of : [type];
    });
    return of.length === 1 ? of[0]! : { kind: "union", of };
  }
  if (isMapping(value)) return readMapping(reader, scope, value, trail);
  reader.refuse(at.parent, at.key, `${jsonExcerpt(value)} is no type.`);
  return "Any";
}

function readWord(reader: Reader, scope: Scope, word: string, at: Spot, trail: readonly string[]): CwlType {
  if (word.endsWith("?")) {
    const type = readWord(reader, scope, word.slice(0, -1), at, trail);
    return {
      kind: "union",
      of: ["null", ...(typeof type !== "string" && type.kind === "union" ? type.of : [type])],
    };
  }
  if (word.endsWith("[]"))
    return { kind: "array", items: readWord(reader, scope, word.slice(0, -2), at, trail) };
  const primitive = PRIMITIVES.find(
    (one) => one === word || word.endsWith(`salad.${one}`) || word.endsWith(`cwl#${one}`),
  );
  if (primitive !== undefined) return primitive;
  const name = word.slice(word.lastIndexOf("#") + 1);
  const declared = scope.types.get(name) ?? scope.types.get(shortName(name));
  if (!declared) {
    const nearest = nearestWord(word, [...PRIMITIVES, ...scope.types.keys()]);
    const hint = nearest === undefined ? "" : `; did you mean \`${nearest}\`?`;
    reader.refuse(at.parent, at.key, `The type \`${word}\` is not known${hint === "" ? "." : hint}`);
    return "Any";
  }
  if (trail.includes(name)) {
    reader.refuse(at.parent, at.key, `The type \`${name}\` contains itself.`);
    return "Any";
  }
  return readMapping(reader, scope, declared, [...trail, name]);
}

/** `outputBinding` is a mistake of v1.0 without a meaning. */
const SCHEMA_WORDS = "type name label doc outputBinding";
const SCHEMA_FIELDS = {
  array: fields({ "v1.0": `${SCHEMA_WORDS} inputBinding items` }),
  enum: fields({ "v1.0": `${SCHEMA_WORDS} inputBinding symbols` }),
  record: fields({ "v1.0": `${SCHEMA_WORDS} fields`, "v1.1": "inputBinding" }),
} as const;

function readMapping(reader: Reader, scope: Scope, value: Mapping, trail: readonly string[]): CwlType {
  registerType(scope, value);
  const binding = readBinding(reader, scope, value, "The type");
  const kind = typeof value["type"] === "string" ? shortName(value["type"]) : undefined;
  if (kind === "array" || kind === "enum" || kind === "record")
    reader.checkFields(value, SCHEMA_FIELDS[kind], scope.version, `The ${kind}`);
  switch (kind) {
    case "array": {
      const items = readType(reader, scope, value["items"], { parent: value, key: "items" }, trail);
      return { kind, items, ...(binding && { binding }) };
    }
    case "enum": {
      const symbols = reader.texts(value, "symbols", "The enum").map(shortName);
      return { kind, symbols, ...(binding && { binding }) };
    }
    case "record":
      return { kind, fields: readFields(reader, scope, value, trail), ...(binding && { binding }) };
    default:
      if (value["type"] !== undefined)
        return readType(reader, scope, value["type"], { parent: value, key: "type" }, trail);
      reader.refuse(value, "type", `${jsonExcerpt(value)} is no type: it has no field \`type\`.`);
      return "Any";
  }
}

const RECORD_FIELDS = fields({
  "v1.0": "name type label doc inputBinding outputBinding",
  "v1.1": "secondaryFiles streamable format loadContents loadListing",
});

function readFields(reader: Reader, scope: Scope, record: Mapping, trail: readonly string[]): RecordField[] {
  return reader.entries(record, "fields", "name", "type", "The record").map(({ name, mapping }) => {
    const what = `The field \`${shortName(name)}\``;
    reader.checkFields(mapping, RECORD_FIELDS, scope.version, what);
    const binding = readBinding(reader, scope, mapping, what);
    const output = readOutputBinding(reader, scope, mapping, what);
    const loadListing = reader.maybeWord(mapping, "loadListing", LISTINGS, what);
    return {
      name: shortName(name),
      type: readType(reader, scope, mapping["type"], { parent: mapping, key: "type" }, trail),
      ...readFileRules(reader, scope, mapping, what),
      loadContents: reader.flag(mapping, "loadContents", what) || hasContents(mapping),
      ...(binding && { binding }),
      ...(output && { output }),
      ...(loadListing && { loadListing }),
    };
  });
}

function hasContents(mapping: Mapping): boolean {
  return isMapping(mapping["inputBinding"]) && mapping["inputBinding"]["loadContents"] === true;
}

/** Makes the names in a declared type known, and the names of the types inside the declared type. */
export function registerType(scope: Scope, value: unknown): void {
  if (Array.isArray(value)) return value.forEach((item) => registerType(scope, item));
  if (!isMapping(value)) return;
  if (typeof value["name"] === "string" && typeof value["type"] === "string") {
    const name = value["name"].slice(value["name"].lastIndexOf("#") + 1);
    for (const one of [name, shortName(name)]) if (!scope.types.has(one)) scope.types.set(one, value);
  }
  for (const key of ["items", "fields", "type"]) {
    const inner = value[key];
    if (isMapping(inner) && key === "fields")
      Object.values(inner).forEach((item) => registerType(scope, item));
    else if (typeof inner === "object") registerType(scope, inner);
  }
}
