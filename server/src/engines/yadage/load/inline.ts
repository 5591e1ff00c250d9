import type { Library } from "#engines/yadage/load/library";
import { maybeAt } from "#plumbing/formats/json-pointer";
import type { Problem } from "#engines/problem";
import { isObject } from "#workflow/specification/shape";

/** Limits for what references make of a workflow: one of a few lines could grow without end. */
const VALUES_MAX = 1_000_000;
const DEPTH_MAX = 50;

/**
 * Puts what each `$ref` names in its place. References of the specification start from the `toplevel`, those of another
 * document from that document. Missing documents are collected in the library.
 */
export function inlineReferences(value: unknown, base: string | null, library: Library): unknown {
  return new Inliner(library).value(value, { base, root: value, trail: [] });
}

interface Place {
  /** Location of the document. Null for the specification without a toplevel. */
  readonly base: string | null;
  readonly root: unknown;
  /** References that led here. */
  readonly trail: readonly string[];
}

class Inliner {
  readonly #library: Library;
  #count = 0;

  constructor(library: Library) {
    this.#library = library;
  }

  value(value: unknown, place: Place): unknown {
    this.#count += 1;
    if (this.#count > VALUES_MAX) return undefined;
    if (this.#count === VALUES_MAX)
      this.#refuse(place, `The references make more than ${VALUES_MAX} values.`);
    if (Array.isArray(value)) return value.map((item: unknown) => this.value(item, place));
    if (!isObject(value)) return value;
    const { $ref: reference } = value;
    if (typeof reference === "string") return this.#referenced(reference, place);
    const entries = Object.entries(value).map(([key, item]) => [key, this.value(item, place)]);
    return Object.fromEntries(entries) as unknown;
  }

  #referenced(reference: string, place: Place): unknown {
    const [document = "", fragment = ""] = reference.split("#", 2);
    const found =
      document === ""
        ? { location: place.base, value: place.root }
        : this.#library.document(document, place.base, namedIn(place));
    if (found === undefined) return undefined;
    const key = `${found.location ?? ""}#${fragment}`;
    if (place.trail.includes(key))
      return this.#refuse(place, `The reference "${reference}" leads back to itself.`);
    if (place.trail.length >= DEPTH_MAX)
      return this.#refuse(place, `References lead through more than ${DEPTH_MAX} documents.`);
    const target = fragment === "" ? found.value : maybeAt(found.value, decodeURI(fragment));
    if (target === undefined)
      return this.#refuse(
        place,
        `The reference "${reference}" names nothing in ${found.location ?? "the specification"}.`,
      );
    return this.value(target, { base: found.location, root: found.value, trail: [...place.trail, key] });
  }

  #refuse(place: Place, message: string): undefined {
    this.#library.problems.push({ ...namedIn(place), message });
    return undefined;
  }
}

function namedIn({ base, trail }: Place): Omit<Problem, "message"> {
  const path = "workflow.specification";
  return trail.length === 0 || base === null ? { path } : { path, file: base };
}
