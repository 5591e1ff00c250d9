import { type Documents, isAddress, locationOf, type NeededDocument } from "#engines/documents";
import type { Problem } from "#engines/problem";
import { messageOf, Refusal } from "#plumbing/errors";
import { readYaml, warningSentences, type YamlDocument } from "#plumbing/formats/yaml";
import type { DocumentPath } from "#plumbing/formats/yaml-places";

export interface Document {
  readonly location: string;
  readonly value: unknown;
}

/** The place of a value in the text of its document. Empty for the specification itself. */
export type TextPlace = Pick<Problem, "file" | "line" | "column">;

type Named = Omit<Problem, "message">;

interface Origin {
  readonly location: string;
  readonly path: DocumentPath;
}

const DOCUMENT_MAX_BYTES = 16 << 20;

/** The documents of a workflow, parsed on demand. Collects missing documents. */
export class Library {
  readonly needed: NeededDocument[] = [];
  readonly problems: Problem[] = [];
  readonly #documents: Documents;
  readonly #parsed = new Map<string, YamlDocument>();
  /** Maps each value with inlined references to its source value in a document. */
  readonly #sources = new WeakMap<object, object>();
  /** Places of the values of all documents in `#claimed`. Only needed for problems. */
  readonly #origins = new Map<object, Origin>();
  readonly #claimed = new Set<string>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /**
   * Returns the document named by a reference in another document. Undefined if the document is missing. `named`
   * returns the place of the reference.
   */
  document(reference: string, base: string | null, named: () => Named): Document | undefined {
    const place = locationOf(reference, base);
    if (!place.ok) {
      this.problems.push({ ...named(), message: place.reason });
      return undefined;
    }
    const { location } = place;
    if (!Object.hasOwn(this.#documents, location)) {
      this.needed.push({ location, named: named() });
      return undefined;
    }
    if (!this.#parsed.has(location)) this.#parsed.set(location, this.#parse(location));
    return { location, value: this.#parsed.get(location)!.value };
  }

  /** Returns warnings about the texts of the documents, as sentences with places. */
  warnings(): readonly string[] {
    return [...this.#parsed].flatMap(([location, document]) =>
      warningSentences(document, shownLocation(location)),
    );
  }

  /** Records that a value was made from a value of a document, and has the same place in problems. */
  madeFrom<Made extends object>(source: object, made: Made): Made {
    this.#sources.set(made, source);
    return made;
  }

  /** Returns the place of a map or list, or of one of its keys. A value outside of all documents is in `otherwise`. */
  placeOf(value: unknown, otherwise: string | null, key?: string | number): TextPlace {
    const origin = this.#maybeOrigin(value);
    if (origin === undefined) return otherwise === null ? {} : { file: shownLocation(otherwise) };
    const path = key === undefined ? origin.path : [...origin.path, key];
    return { file: shownLocation(origin.location), ...this.#parsed.get(origin.location)!.placeOf(path) };
  }

  #maybeOrigin(value: unknown): Origin | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    for (const [location, document] of this.#parsed) {
      if (!this.#claimed.has(location)) this.#claim(document.value, { location, path: [] });
      this.#claimed.add(location);
    }
    return this.#origins.get(this.#sources.get(value) ?? value);
  }

  #claim(value: unknown, origin: Origin): void {
    if (typeof value !== "object" || value === null) return;
    this.#origins.set(value, origin);
    for (const [key, child] of Object.entries(value))
      this.#claim(child, { ...origin, path: [...origin.path, Array.isArray(value) ? Number(key) : key] });
  }

  #parse(location: string): YamlDocument {
    const what = isAddress(location) ? new URL(location).pathname : location;
    try {
      return readYaml(this.#documents[location]!, { maxBytes: DOCUMENT_MAX_BYTES, what });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problems.push({ path: "workflow.file", message: messageOf(error) });
      return UNREADABLE;
    }
  }
}

const UNREADABLE: YamlDocument = { value: null, placeOf: () => ({ line: 1, column: 1 }), warnings: [] };

/** Returns a location for people. An address may hold a token in its query. */
function shownLocation(location: string): string {
  return isAddress(location) ? location.replace(/[?#].*$/s, "") : location;
}
