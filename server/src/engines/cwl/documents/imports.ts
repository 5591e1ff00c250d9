import { type DocumentSet, ReadingStopped, type Spot } from "#engines/cwl/documents/document-set";
import { isMapping, type Mapping } from "#engines/cwl/model/json";

/** Limit on imports inside imports. */
const DEPTH_MAX = 50;

/**
 * Replaces every `$import`, `$include` and `$mixin` below a spot by the content named. Parts without imports stay the
 * same objects, so that problems in them keep their place. A missing document leaves `null`: reading starts over after
 * the document has been fetched.
 */
export function withImports(documents: DocumentSet, value: unknown, trail: readonly string[] = []): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item: unknown) => withImports(documents, item, trail));
    return same(
      documents,
      value,
      items,
      items.every((item, index) => item === value[index]),
    );
  }
  const mapping = value as Mapping;
  if (typeof mapping["$import"] === "string")
    return imported(documents, mapping["$import"], { parent: value, key: "$import" }, trail);
  if (typeof mapping["$include"] === "string") {
    return included(documents, mapping["$include"], { parent: value, key: "$include" });
  }
  if (typeof mapping["$mixin"] === "string") return mixed(documents, mapping, mapping["$mixin"], trail);
  const entries = Object.entries(mapping).map(
    ([key, item]) => [key, withImports(documents, item, trail)] as const,
  );
  const isSame = entries.every(([key, item]) => item === mapping[key]);
  return same(documents, value, Object.fromEntries(entries), isSame);
}

function same(documents: DocumentSet, before: object, made: object, isSame: boolean): object {
  if (isSame) return before;
  documents.derive(made, before);
  return made;
}

function included(documents: DocumentSet, reference: string, at: Spot): string | null {
  const location = documents.locate(reference, at);
  documents.countImport(location, at);
  return documents.maybeText(location, at) ?? null;
}

function imported(documents: DocumentSet, reference: string, at: Spot, trail: readonly string[]): unknown {
  if (reference.startsWith("#")) return importedType(documents, reference, at, trail);
  const location = documents.locate(reference, at);
  if (trail.includes(location) || trail.length >= DEPTH_MAX)
    throw new ReadingStopped([documents.problem(at, `${documents.shown(location)} imports itself.`)]);
  documents.countImport(location, at);
  const document = documents.maybeDocument(location, at);
  if (!document) return null;
  const fragment = reference.split("#", 2)[1];
  const value = withImports(documents, document.value, [...trail, location]);
  return fragment === undefined ? value : (partNamed(value, fragment) ?? value);
}

/** Returns the type with the name: cwltool packs a type once, and names it at later uses. */
function importedType(documents: DocumentSet, name: string, at: Spot, trail: readonly string[]): unknown {
  const type = typeNamed(documents.documentOf(at.parent).value, name);
  if (type === undefined) throw new ReadingStopped([documents.problem(at, lostByPacking(name))]);
  if (trail.includes(name) || trail.length >= DEPTH_MAX)
    throw new ReadingStopped([documents.problem(at, `The type ${name} contains itself.`)]);
  return withImports(documents, type, [...trail, name]);
}

const TYPES: readonly unknown[] = ["record", "enum", "array"];

function typeNamed(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (isMapping(value) && value["name"] === name && TYPES.includes(value["type"])) return value;
  for (const child of Object.values(value)) {
    const found = typeNamed(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Explains a dangling reference: cwltool packs a wrong reference for a step if an output has the same id. */
function lostByPacking(reference: string): string {
  return `"${reference}" names no document. If cwltool packed this one, a step has the name of an output: rename one.`;
}

/** Finds the part of a document with the given `id` or `name`. */
function partNamed(value: unknown, fragment: string): unknown {
  const items = Array.isArray(value)
    ? value
    : isMapping(value) && Array.isArray(value["$graph"])
      ? value["$graph"]
      : [];
  return items.find(
    (item) =>
      isMapping(item) && [item["id"], item["name"]].some((id) => String(id).replace(/^#/, "") === fragment),
  );
}

function mixed(
  documents: DocumentSet,
  mapping: Mapping,
  reference: string,
  trail: readonly string[],
): unknown {
  const base = imported(documents, reference, { parent: mapping, key: "$mixin" }, trail);
  if (!isMapping(base)) return base;
  const { $mixin: _, ...own } = mapping;
  const made = { ...base, ...own };
  documents.derive(made, mapping);
  return made;
}
