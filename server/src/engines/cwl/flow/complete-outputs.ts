import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import { FactBook, type Facts, type Needs } from "#engines/cwl/values/facts";
import { type FileValue, filesIn, mapFiles } from "#engines/cwl/values/files";
import {
  type Endless,
  LinkBudget,
  Listed,
  type LinkRules,
  LINKS_MAX,
  NOTHING,
  type Reached,
  treeOf,
} from "#engines/cwl/values/listing";
import { isLiteral } from "#engines/cwl/values/present";
import { LISTED_MAX_ENTRIES, type ListedEntry, type Listing } from "#engines/engine";

type Values = Readonly<Record<string, unknown>>;

export interface OutputOrigins {
  /** Returns the origin of an output for messages: the step and port. */
  readonly whatOf: (name: string) => string;
  /** Values that hold the inputs of the run. Links may lead to inputs outside of the workspace. */
  readonly inputs: () => readonly unknown[];
}

/** Completes the outputs of the run: checksums of inputs that are outputs too, and listings of folders. */
export function completeOutputs(
  values: Values,
  facts: Facts,
  origins: OutputOrigins,
): { readonly values: Values } | { readonly needs: Needs } {
  const book = new FactBook(facts);
  const shared = { book, budget: new LinkBudget(), given: new GivenPlaces(origins.inputs) };
  const settled = Object.entries(values).map(([name, value]) => {
    const output = new Output(shared, origins.whatOf(name));
    return [name, mapFiles(value, (file) => output.settled(file))] as const;
  });
  const needs = book.maybeNeeds();
  return needs ? { needs } : { values: Object.fromEntries(settled) };
}

/** The places of inputs, collected only if a link leads out of the workspace. */
class GivenPlaces {
  readonly #inputs: () => readonly unknown[];
  #known: ReadonlySet<string> | undefined;

  constructor(inputs: () => readonly unknown[]) {
    this.#inputs = inputs;
  }

  /** Returns whether a path is an input, or lies in an input folder. */
  has(location: string): boolean {
    this.#known ??= new Set(filesIn(this.#inputs(), true).map((file) => file.location ?? ""));
    for (let at = location; at !== ""; at = at.slice(0, at.lastIndexOf("/")))
      if (this.#known.has(at)) return true;
    return false;
  }
}

interface Shared {
  readonly book: FactBook;
  readonly budget: LinkBudget;
  readonly given: GivenPlaces;
}

class Output {
  readonly #shared: Shared;
  readonly #what: string;
  readonly #rules: LinkRules;

  constructor(shared: Shared, what: string) {
    this.#shared = shared;
    this.#what = what;
    this.#rules = {
      follow: (link, listed) => this.#follow(link, listed),
      refuse: (link, why) => this.#refuse(link, ENDLESS[why]),
    };
  }

  settled(file: FileValue): FileValue {
    const { secondaryFiles } = file;
    const own = this.#itself(file);
    return {
      ...own,
      ...(secondaryFiles && { secondaryFiles: secondaryFiles.map((one) => this.settled(one)) }),
    };
  }

  #itself(file: FileValue): FileValue {
    const { book, budget } = this.#shared;
    if (isLiteral(file))
      return { ...file, ...(file.listing && { listing: file.listing.map((one) => this.settled(one)) }) };
    if (file.class === "File") return this.#summed(file);
    const list = book.list(file.location!, true);
    if (!list) return file;
    const listing = treeOf(file.location!, this.#whole(list, file.location!), {
      deep: true,
      rules: this.#rules,
      budget,
    });
    return { ...file, listing: listing.map((one) => this.#deeplySummed(one)) };
  }

  #deeplySummed(file: FileValue): FileValue {
    if (file.class === "File") return this.#summed(file);
    return { ...file, listing: file.listing!.map((one) => this.#deeplySummed(one)) };
  }

  #summed(file: FileValue): FileValue {
    if (file.checksum !== undefined && file.size !== undefined) return file;
    const sum = this.#shared.book.sum(file.location!);
    return sum ? { ...file, size: sum.bytes, checksum: `sha1$${sum.digest}` } : file;
  }

  #whole(list: Listing, folder: string): Listed {
    if (!list.isCut) return Listed.of(list);
    throw new CwlFailure(
      `${this.#what}: the folder ${folder} has more than ${LISTED_MAX_ENTRIES} files and folders. Pack it into an archive.`,
    );
  }

  /** Follows a link in an output folder. Returns undefined if facts are missing. */
  #follow(link: ListedEntry, listed: Listed): Reached | undefined {
    let { target } = link;
    for (let links = 0; links < LINKS_MAX; links += 1) {
      if (target === "") this.#refuse(link.path, ENDLESS.circle);
      if (!target || (target.startsWith("/") && !this.#shared.given.has(target)))
        this.#refuse(
          link.path,
          "leads outside of the files of the run, or nowhere. Copy the file into the folder, or remove the link",
        );
      const known = listed.entry(target);
      const seen = known && known.kind !== "link" ? known : this.#shared.book.look(target);
      if (!seen) return undefined;
      if (seen.kind === "absent")
        this.#refuse(
          link.path,
          `leads to ${target}, which does not exist. Remove the link, or make the file`,
        );
      if (seen.kind === "link") target = seen.target;
      else return this.#reached(seen.kind, target, known && listed);
    }
    return this.#refuse(link.path, ENDLESS.circle);
  }

  #reached(kind: "file" | "folder", path: string, around: Listed | undefined): Reached | undefined {
    if (kind === "file" || around) return { kind, path, listed: around ?? NOTHING };
    const list = this.#shared.book.listBehindLink(path);
    return list && { kind, path, listed: this.#whole(list, path) };
  }

  #refuse(link: string, why: string): never {
    throw new CwlFailure(`${this.#what}: the link ${link} ${why}.`);
  }
}

const ENDLESS: Readonly<Record<Endless, string>> = {
  circle:
    "leads to a folder that it lies in, so its listing would have no end. Remove the link, or let it lead elsewhere",
  "too-much": `leads to more folders than can be listed: links to folders may add at most ${LISTED_MAX_ENTRIES} files and folders to the outputs. Replace links by files, or pack the folder into an archive`,
};
