import { own } from "#engines/cwl/model/json";
import type { Answer, Ask, FileAsk, Listing, Look } from "#engines/engine";

/** The answers about files so far. Plain JSON: part of the state while a step waits for more. */
export interface Facts {
  readonly looks: Readonly<Record<string, Look>>;
  readonly texts: Readonly<Record<string, { readonly text: string; readonly bytes: number }>>;
  readonly lists: Readonly<Record<string, Listing>>;
  readonly sums: Readonly<Record<string, { readonly bytes: number; readonly digest: string }>>;
}

export const NO_FACTS: Facts = { looks: {}, texts: {}, lists: {}, sums: {} };

/** Facts still to be looked up. */
export interface Needs {
  readonly looks: readonly string[];
  readonly texts: readonly { readonly path: string; readonly maxBytes: number }[];
  readonly lists: readonly { readonly path: string; readonly deep: boolean }[];
  readonly sums: readonly string[];
}

/** Number of folders behind links to list together. */
const LISTS_AT_ONCE = 10;

/**
 * Looks facts up, and records missing facts. Work that needs facts starts over from the beginning after the missing
 * facts have arrived.
 */
export class FactBook {
  readonly #facts: Facts;
  readonly #looks = new Set<string>();
  readonly #texts = new Map<string, number>();
  readonly #lists = new Map<string, boolean>();
  readonly #sums = new Set<string>();

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  look(path: string): Look | undefined {
    const known = own(this.#facts.looks, path);
    if (!known) this.#looks.add(path);
    return known;
  }

  text(path: string, maxBytes: number): { readonly text: string; readonly bytes: number } | undefined {
    const known = own(this.#facts.texts, path);
    if (!known) this.#texts.set(path, maxBytes);
    return known;
  }

  list(path: string, deep: boolean): Listing | undefined {
    const known = this.#facts.lists[listKey(path, deep)];
    if (!known) this.#lists.set(path, deep);
    return known;
  }

  /**
   * Lists the folder at the end of a link. Only a few folders are requested at a time, so that links to too many
   * entries are refused before all entries are in memory.
   */
  listBehindLink(path: string): Listing | undefined {
    const known = this.#facts.lists[listKey(path, true)];
    return known || this.#lists.size >= LISTS_AT_ONCE ? known : this.list(path, true);
  }

  sum(path: string): { readonly bytes: number; readonly digest: string } | undefined {
    const known = own(this.#facts.sums, path);
    if (!known) this.#sums.add(path);
    return known;
  }

  maybeNeeds(): Needs | undefined {
    if (this.#looks.size + this.#texts.size + this.#lists.size + this.#sums.size === 0) return undefined;
    return {
      looks: [...this.#looks],
      texts: [...this.#texts].map(([path, maxBytes]) => ({ path, maxBytes })),
      lists: [...this.#lists].map(([path, deep]) => ({ path, deep })),
      sums: [...this.#sums],
    };
  }
}

const FILES_PER_ASK = 1000;

/** Turns needs into asks: one for all looks, one for all checksums, and one for each text and listing. */
export function asksFor(needs: Needs, id: (number: number) => string): FileAsk[] {
  const asks: FileAsk[] = [];
  const add = (make: (name: string) => FileAsk) => asks.push(make(id(asks.length)));
  if (needs.looks.length > 0)
    add((name) => ({ do: "look", id: name, paths: needs.looks.slice(0, FILES_PER_ASK) }));
  if (needs.sums.length > 0)
    add((name) => ({
      do: "checksum",
      id: name,
      paths: needs.sums.slice(0, FILES_PER_ASK),
      algorithm: "sha1",
    }));
  for (const { path, maxBytes } of needs.texts) add((name) => ({ do: "read", id: name, path, maxBytes }));
  for (const { path, deep } of needs.lists) add((name) => ({ do: "list", id: name, folder: path, deep }));
  return asks;
}

/** Adds an answer to the facts. Takes the question as well, because an answer names only the number of its ask. */
export function withAnswer(facts: Facts, ask: Ask, answer: Answer): Facts {
  switch (answer.kind) {
    case "looked":
      return {
        ...facts,
        looks: { ...facts.looks, ...Object.fromEntries(answer.files.map((one) => [one.path, one])) },
      };
    case "checksummed":
      return {
        ...facts,
        sums: { ...facts.sums, ...Object.fromEntries(answer.files.map((one) => [one.path, one])) },
      };
    case "read":
      if (ask.do !== "read") return facts;
      return { ...facts, texts: { ...facts.texts, [ask.path]: { text: answer.text, bytes: answer.bytes } } };
    case "listed":
      if (ask.do !== "list") return facts;
      return { ...facts, lists: { ...facts.lists, [listKey(ask.folder, ask.deep)]: answer.listing } };
    default:
      return facts;
  }
}

function listKey(path: string, deep: boolean): string {
  return `${deep ? "deep" : "shallow"}:${path}`;
}
