import type { Library } from "#engines/yadage/load/library";
import { partsOf } from "#plumbing/formats/json-pointer";
import { decodedUri } from "#plumbing/text/decoded-uri";
import type { Problem } from "#engines/problem";
import { isObject } from "#workflow/specification/shape";

/** Limits on the expansion of references: a workflow of a few lines could grow without end. */
const VALUES_MAX = 1_000_000;
const DEPTH_MAX = 50;

/**
 * Replaces each `$ref` by the referenced part. References in the workflow start from the `toplevel`, and references in
 * another document from the document, as in yadage's loader. Missing documents are collected in the library.
 */
export function inlineReferences(value: unknown, base: string | null, library: Library): unknown {
  return new Inliner(library).value(value, { base, shown: base, root: value, trail: [] });
}

/**
 * Reads the workflow from a file of the `toplevel`. References in the file also start from the `toplevel`, not from the
 * folder of the file.
 */
export function inlineFile(file: string, base: string | null, library: Library): unknown {
  const found = library.document(file, base, () => ({ path: "workflow.file" }));
  if (found === undefined) return undefined;
  const { location, value } = found;
  return new Inliner(library).value(value, { base, shown: location, root: value, trail: [] });
}

interface ReferencePlace {
  /** Base location of references. Null means the workspace. */
  readonly base: string | null;
  /** Name of the document in messages. Null for the specification. */
  readonly shown: string | null;
  readonly root: unknown;
  /** References followed to reach the document. */
  readonly trail: readonly string[];
}

interface Found {
  readonly value: unknown;
  readonly place: ReferencePlace;
}

class Inliner {
  readonly #library: Library;
  #count = 0;

  constructor(library: Library) {
    this.#library = library;
  }

  /** Returns the value with all references resolved. A value without references is returned unchanged. */
  value(value: unknown, place: ReferencePlace): unknown {
    this.#count += 1;
    if (this.#count > VALUES_MAX) return undefined;
    if (this.#count === VALUES_MAX)
      this.#refuse(place, value, `The references make more than ${VALUES_MAX} values.`);
    if (Array.isArray(value)) return this.#list(value as unknown[], place);
    if (!isObject(value)) return value;
    if (typeof value.$ref === "string") {
      const found = this.#referenced(value, value.$ref, place);
      return found && this.value(found.value, found.place);
    }
    return this.#map(value, place);
  }

  #list(list: unknown[], place: ReferencePlace): unknown {
    const made = list.map((item) => this.value(item, place));
    return made.every((item, index) => item === list[index]) ? list : this.#library.madeFrom(list, made);
  }

  #map(map: Readonly<Record<string, unknown>>, place: ReferencePlace): unknown {
    const entries = Object.entries(map).map(([key, item]) => [key, this.value(item, place)] as const);
    if (entries.every(([key, item]) => item === map[key])) return map;
    return this.#library.madeFrom(map, Object.fromEntries(entries));
  }

  #referenced(holder: object, reference: string, place: ReferencePlace): Found | undefined {
    const [document = "", fragment = ""] = reference.split("#", 2);
    const inside = this.#documentOf(holder, document, place);
    if (inside === undefined) return undefined;
    const key = `${inside.base ?? ""}#${fragment}`;
    if (place.trail.includes(key))
      return this.#refuse(place, holder, `The reference "${reference}" leads back to itself.`);
    if (place.trail.length >= DEPTH_MAX)
      return this.#refuse(place, holder, `References lead through more than ${DEPTH_MAX} documents.`);
    const target = this.#part({ ...inside, trail: [...place.trail, key] }, decodedUri(fragment));
    if (target === undefined || target.value !== undefined) return target;
    const where = inside.shown ?? "the specification";
    return this.#refuse(place, holder, `The reference "${reference}" names nothing in ${where}.`);
  }

  #documentOf(holder: object, document: string, place: ReferencePlace): ReferencePlace | undefined {
    if (document === "") return place;
    const found = this.#library.document(document, place.base, () => this.#named(place, holder));
    if (found === undefined) return undefined;
    const { location, value } = found;
    return { ...place, base: location, shown: location, root: value };
  }

  /** Walks to a part of a document, following references on the way. Returns undefined if the part does not exist. */
  #part(place: ReferencePlace, pointer: string): Found | undefined {
    let found: Found = { value: place.root, place };
    for (const part of partsOf(pointer)) {
      if (isObject(found.value) && typeof found.value.$ref === "string") {
        const next = this.#referenced(found.value, found.value.$ref, found.place);
        if (next === undefined) return undefined;
        found = next;
      }
      found = { ...found, value: partOf(found.value, part) };
    }
    return found;
  }

  #refuse(place: ReferencePlace, holder: unknown, message: string): undefined {
    this.#library.problems.push({ ...this.#named(place, holder), message });
    return undefined;
  }

  #named({ shown }: ReferencePlace, holder: unknown): Omit<Problem, "message"> {
    return { path: "workflow.specification", ...this.#library.placeOf(holder, shown, "$ref") };
  }
}

function partOf(value: unknown, part: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[part];
}
