import { absenceOf, type Documents, isAddress, locationOf, type NeededDocument } from "#engines/documents";
import type { Problem } from "#engines/problem";
import { Refusal } from "#plumbing/errors";
import { MalformedYaml, readYaml, type YamlDocument } from "#plumbing/formats/yaml";

/** A parsed document. The location of the specification itself is null. */
export interface CwlDocument {
  readonly location: string | null;
  /** Base location of references in the document: usually its own location. Null means the workspace. */
  readonly base: string | null;
  readonly value: unknown;
}

/** A part of a document: a key of a mapping, or an item of a list. */
export interface Spot {
  readonly parent: object;
  readonly key: string | number;
}

interface Origin {
  readonly document: CwlDocument;
  readonly path: readonly (string | number)[];
}

/** Thrown if reading cannot continue. `problems` say why; they are empty if only documents are missing. */
export class ReadingStopped extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[] = []) {
    super("Reading the documents stopped.");
    this.problems = problems;
  }
}

const BYTES_MAX = 16 << 20;
/**
 * Limits on what imports bring into a workflow. A document counts at each import: a short chain of documents imported
 * twice doubles in size at each link.
 */
const IMPORTS_MAX = 10_000;
const IMPORTED_CHARS_MAX = 16 << 20;

/**
 * The documents of one workflow, parsed once each, with the place of every part. Missing documents are recorded, so
 * that they can be fetched together.
 */
export class DocumentSet {
  readonly needed: NeededDocument[] = [];
  readonly #texts: Documents;
  readonly #root: "" | "/";
  readonly #parsed = new Map<string, CwlDocument>();
  readonly #placed = new Map<CwlDocument, YamlDocument>();
  /** The document from which a mapping or list was read, and its value before imports were resolved. */
  readonly #origins = new WeakMap<object, Origin>();
  #imports = 0;
  #importedChars = 0;

  /** `root` is the folder of paths in locations: `""` is the workspace, `/` the whole machine. */
  constructor(texts: Documents, root: "" | "/") {
    this.#texts = texts;
    this.#root = root;
  }

  /** Adopts a workflow written in the specification itself. */
  adopt(value: unknown): CwlDocument {
    const document = { location: null, base: null, value };
    this.#claim(value, document, []);
    return document;
  }

  /** Returns a document, or undefined if the document must be fetched first. `base` is the base of its references. */
  maybeDocument(
    location: string,
    namedAt: Spot | undefined,
    base: string | null = location,
  ): CwlDocument | undefined {
    const known = this.#parsed.get(location);
    if (known) return known;
    const text = this.maybeText(location, namedAt);
    if (text === undefined) return undefined;
    const placed = this.#parse(location, text);
    const document = { location, base, value: placed.value };
    this.#parsed.set(location, document);
    this.#placed.set(document, placed);
    this.#claim(placed.value, document, []);
    return document;
  }

  maybeText(location: string, namedAt: Spot | undefined): string | undefined {
    if (Object.hasOwn(this.#texts, location)) return this.#texts[location];
    if (!this.needed.some((one) => one.location === location))
      this.needed.push({ location, named: this.place(namedAt) });
    return undefined;
  }

  /** Counts an import of a document. Stops reading if there are too many imports. */
  countImport(location: string, at: Spot): void {
    this.#imports += 1;
    this.#importedChars += this.#texts[location]?.length ?? 0;
    if (this.#imports <= IMPORTS_MAX && this.#importedChars <= IMPORTED_CHARS_MAX) return;
    const limits = `${IMPORTS_MAX} imports or ${IMPORTED_CHARS_MAX >> 20} MiB`;
    const message =
      `The imports bring in more than ${limits}; ${this.shown(location)} was the next. A document counts each ` +
      "time that it is imported: import it fewer times.";
    throw new ReadingStopped([this.problem(at, message)]);
  }

  /** Returns an optional document, or why it is unavailable. Undefined if the document must be fetched first. */
  maybeOptional(
    location: string,
    namedAt: Spot,
  ): { readonly text: string } | { readonly reason: string } | undefined {
    const text = this.#texts[location];
    const reason = this.#texts[absenceOf(location)];
    if (text !== undefined) return { text };
    if (reason !== undefined) return { reason };
    if (!this.needed.some((one) => one.location === location))
      this.needed.push({ location, named: this.place(namedAt), isOptional: true });
    return undefined;
  }

  /** Resolves a reference found at the spot. Stops reading if the reference is invalid. */
  locate(reference: string, at: Spot): string {
    return this.locateFrom(reference, this.documentOf(at.parent).base, at);
  }

  /** Resolves a reference found at the spot, relative to another document. */
  locateFrom(reference: string, base: string | null, at: Spot): string {
    const path = this.#root === "/" && !isAddress(base ?? "") ? maybeAbsolute(reference) : undefined;
    const place = path === undefined ? locationOf(reference, base) : locationOf(path, null);
    if (place.ok) return place.location;
    throw new ReadingStopped([this.problem(at, place.reason)]);
  }

  documentOf(part: object): CwlDocument {
    const origin = this.#origins.get(part);
    if (!origin) throw new Error("This is no part of a document.");
    return origin.document;
  }

  /** Records that a mapping or list was made from another value or an entry, and inherits its place in problems. */
  derive(made: object, from: object, key?: string): void {
    const origin = this.#origins.get(from);
    if (!origin) return;
    this.#origins.set(made, key === undefined ? origin : { ...origin, path: [...origin.path, key] });
  }

  problem(at: Spot | undefined, message: string): Problem {
    return { ...this.place(at), message };
  }

  place(at: Spot | undefined): Omit<Problem, "message"> {
    const origin = at && this.#origins.get(at.parent);
    if (!at || !origin) return { path: "workflow" };
    const { document } = origin;
    const path = [...origin.path, at.key];
    if (document.location === null) return { path: ["workflow", "specification", ...path].join(".") };
    const place = this.#placed.get(document)?.placeOf(path);
    return { path: path.join("."), file: this.shown(document.location), ...place };
  }

  #claim(value: unknown, document: CwlDocument, path: Origin["path"]): void {
    if (typeof value !== "object" || value === null || this.#origins.has(value)) return;
    this.#origins.set(value, { document, path });
    for (const [key, child] of Object.entries(value))
      this.#claim(child, document, [...path, Array.isArray(value) ? Number(key) : key]);
  }

  #parse(location: string, text: string): YamlDocument {
    try {
      return readYaml(text, { maxBytes: BYTES_MAX, what: "The document", schema: "core" });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const place = error instanceof MalformedYaml ? error.place : {};
      const message = error instanceof MalformedYaml ? error.sentence : error.message;
      throw new ReadingStopped([{ path: "", file: this.shown(location), ...place, message }]);
    }
  }

  /** Returns a location for people. An address may hold a token in its query. */
  shown(location: string): string {
    return isAddress(location) ? location.replace(/[?#].*$/s, "") : `${this.#root}${location}`;
  }
}

/** Returns the path without its first slash if a reference is an absolute path, or the address of a file. */
function maybeAbsolute(reference: string): string | undefined {
  return /^(?:file:\/\/)?\/(.*)$/s.exec(reference)?.[1];
}
