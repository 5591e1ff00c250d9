import { LISTED_MAX_ENTRIES, type ListedEntry, type Listing } from "#engines/engine";
import type { FileValue } from "#engines/cwl/values/files";

/** The entries of a listing, by path and by folder. */
export class Listed {
  static readonly #known = new WeakMap<Listing, Listed>();
  readonly #byPath: ReadonlyMap<string, ListedEntry>;
  readonly #byFolder: ReadonlyMap<string, readonly ListedEntry[]>;

  constructor({ entries }: Pick<Listing, "entries">) {
    this.#byPath = new Map(entries.map((entry) => [entry.path, entry]));
    this.#byFolder = Map.groupBy(entries, ({ path }) => path.slice(0, Math.max(path.lastIndexOf("/"), 0)));
  }

  /** Returns the indexed entries of a listing. Each listing is indexed once. */
  static of(listing: Listing): Listed {
    const listed = Listed.#known.get(listing) ?? new Listed(listing);
    Listed.#known.set(listing, listed);
    return listed;
  }

  entry(path: string): ListedEntry | undefined {
    return this.#byPath.get(path);
  }

  inside(folder: string): readonly ListedEntry[] {
    return this.#byFolder.get(folder) ?? [];
  }
}

/** The empty listing, also used if the entries are not needed. */
export const NOTHING = new Listed({ entries: [] });

/** The target of a link, and the listing with the target. */
export interface Reached {
  readonly kind: "file" | "folder";
  readonly path: string;
  readonly listed: Listed;
}

/** Reason why a linked folder cannot be listed. */
export type Endless = "circle" | "too-much";

export interface LinkRules {
  /** Returns the target of a link. Undefined leaves the link out. */
  readonly follow: (link: ListedEntry, listed: Listed) => Reached | undefined;
  /** Throws if the link is an error. If the function returns, the link is left out. */
  readonly refuse: (link: string, why: Endless) => void;
}

/** The limit of Linux on chains of links. */
export const LINKS_MAX = 40;

/** Maximum nesting of folders reached through links. */
const DEEP_MAX = 400;

/** Limits the entries that links add to listings: a few links in each of some folders can lead to millions. */
export class LinkBudget {
  #left = LISTED_MAX_ENTRIES;

  has(entries: number): boolean {
    this.#left -= entries;
    return this.#left >= 0;
  }
}

interface TreeOptions {
  readonly deep: boolean;
  readonly rules: LinkRules;
  readonly budget: LinkBudget;
}

/** Makes the listing of a folder. A link counts as its target. */
export function treeOf(folder: string, listed: Listed, options: TreeOptions): FileValue[] {
  return new Tree(options).listing({ kind: "folder", path: folder, listed }, undefined);
}

class Tree {
  readonly #options: TreeOptions;
  /** The folders around the current folder. */
  readonly #above = new Set<string>();

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  /** Lists a folder. `link` is the last link on the path to the folder. */
  listing({ path, listed }: Reached, link: string | undefined): FileValue[] {
    this.#above.add(path);
    const values = listed.inside(path).flatMap((entry) => this.#value(entry, listed, link));
    this.#above.delete(path);
    return values;
  }

  #value(entry: ListedEntry, listed: Listed, above: string | undefined): FileValue[] {
    const { kind, path } = entry;
    const basename = path.slice(path.lastIndexOf("/") + 1);
    if (kind === "file") return [{ class: "File", location: path, basename, size: entry.bytes }];
    const isLink = kind === "link";
    const reached = isLink ? this.#options.rules.follow(entry, listed) : { kind, path, listed };
    if (!reached) return [];
    const base = { location: reached.path, basename };
    if (reached.kind === "file") return [{ class: "File", ...base }];
    if (!this.#options.deep) return [{ class: "Directory", ...base }];
    const link = isLink ? path : above;
    const endless = link === undefined ? undefined : this.#endless(reached);
    if (endless) this.#options.rules.refuse(link!, endless);
    return endless ? [] : [{ class: "Directory", ...base, listing: this.listing(reached, link) }];
  }

  /** Checks a folder reached by a link. The work per link is bounded by the number of its entries. */
  #endless({ path, listed }: Reached): Endless | undefined {
    if (this.#above.has(path)) return "circle";
    const isFew = this.#options.budget.has(1 + listed.inside(path).length);
    return isFew && this.#above.size < DEEP_MAX ? undefined : "too-much";
  }
}
