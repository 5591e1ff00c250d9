import { type Documents, isAddress, locationOf, type NeededDocument } from "#engines/documents";
import type { Problem } from "#engines/problem";
import { messageOf, Refusal } from "#plumbing/errors";
import { parseYaml } from "#plumbing/formats/yaml";

export interface Document {
  readonly location: string;
  readonly value: unknown;
}

const DOCUMENT_MAX_BYTES = 16 << 20;

/** The documents of a workflow, parsed when they are first asked for. Collects those that are missing. */
export class Library {
  readonly needed: NeededDocument[] = [];
  readonly problems: Problem[] = [];
  readonly #documents: Documents;
  readonly #parsed = new Map<string, unknown>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** Returns the document that a reference names, seen from another one. Undefined if it is not there. */
  document(reference: string, base: string | null, named: Omit<Problem, "message">): Document | undefined {
    const place = locationOf(reference, base);
    if (!place.ok) {
      this.problems.push({ ...named, message: place.reason });
      return undefined;
    }
    const { location } = place;
    if (!Object.hasOwn(this.#documents, location)) {
      this.needed.push({ location, named });
      return undefined;
    }
    if (!this.#parsed.has(location)) this.#parsed.set(location, this.#parse(location));
    return { location, value: this.#parsed.get(location) };
  }

  #parse(location: string): unknown {
    const what = isAddress(location) ? new URL(location).pathname : location;
    try {
      return parseYaml(this.#documents[location]!, { maxBytes: DOCUMENT_MAX_BYTES, what });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problems.push({ path: "workflow.file", message: messageOf(error) });
      return null;
    }
  }
}
