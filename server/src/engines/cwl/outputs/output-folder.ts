import path from "node:path";
import type { Collected, ListedEntry } from "#engines/engine";
import type { BoundTool } from "#engines/cwl/command/tool-context";
import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import {
  type Endless,
  LinkBudget,
  Listed,
  type LinkRules,
  type Reached,
  treeOf,
} from "#engines/cwl/values/listing";
import { followInInput } from "#engines/cwl/values/input-links";
import type { FactBook } from "#engines/cwl/values/facts";
import { basenameOf, type FileValue, filesIn } from "#engines/cwl/values/files";
import { isLiteral } from "#engines/cwl/values/present";

/** The listing of the working folder of a finished job. */
export class OutputFolder {
  readonly #folder: string;
  readonly #entries: readonly ListedEntry[];
  readonly #listed: Listed;
  readonly #sums: ReadonlyMap<string, { readonly bytes: number; readonly digest: string }>;
  readonly #facts: FactBook;
  readonly #what: string;
  /** The output under collection, for error messages. */
  where = "";
  /** Real paths of the job's inputs, by the path at which the job saw them. */
  readonly #origins: ReadonlyMap<string, string>;
  readonly #inputs: readonly FileValue[];
  /** Locations of all files and folders staged for the job. */
  readonly #staged: readonly string[];
  /** Paths in the folder of links to other files, by location. */
  readonly #places = new Map<string, string>();
  readonly #budget = new LinkBudget();

  constructor(folder: string, bound: BoundTool, collected: Collected, facts: FactBook, what: string) {
    this.#folder = folder;
    this.#facts = facts;
    this.#what = what;
    const { entries = [], isCut = false } = collected.listing ?? {};
    if (isCut)
      throw new CwlFailure(`${what}: the working folder has more than ${entries.length} files and folders.`);
    this.#entries = entries;
    this.#listed = new Listed({ entries });
    this.#sums = new Map(collected.sums?.map((sum) => [sum.path, sum]));
    this.#origins = new Map(Object.entries(bound.staged).map(([location, at]) => [at, location]));
    this.#inputs = filesIn(bound.inputs, true);
    this.#staged = Object.keys(bound.staged);
  }

  entries(): readonly ListedEntry[] {
    return this.#entries;
  }

  entry(at: string): ListedEntry | undefined {
    return this.#listed.entry(at);
  }

  pathOf(name: string): string {
    return `${this.#folder}/${name}`;
  }

  nameOf(at: string): string {
    return at.slice(this.#folder.length + 1);
  }

  /** Returns the path of a file in the folder: the location, or the path of the link to it. */
  placeOf({ location = "" }: FileValue): string {
    return this.#places.get(location) ?? location;
  }

  itself(): FileValue {
    return { class: "Directory", location: this.#folder, basename: path.posix.basename(this.#folder) };
  }

  /** Returns an entry as a value. A link counts as its target. */
  fileOf(entry: ListedEntry): FileValue {
    const basename = path.posix.basename(entry.path);
    if (entry.kind === "folder") return { class: "Directory", location: entry.path, basename };
    if (entry.kind === "file") return { class: "File", location: entry.path, basename, size: entry.bytes };
    const target = this.#targetOf(entry);
    this.#places.set(target, entry.path);
    return { class: this.#isFolder(target) ? "Directory" : "File", location: target, basename };
  }

  /** Returns whether the target of a link is a folder. An entry that was only staged for the job is looked at. */
  #isFolder(target: string): boolean {
    if (target === this.#folder) return true;
    const entry = this.entry(target);
    if (entry) return entry.kind === "folder";
    const input = this.#inputs.find(({ location }) => location === target);
    if (input) return input.class === "Directory";
    return this.#facts.look(target)?.kind === "folder";
  }

  withListing(folder: FileValue, deep: boolean): FileValue {
    if (isLiteral(folder)) return folder;
    const { location } = folder;
    const isInside = this.#isInside(location!);
    const list = isInside ? undefined : this.#facts.list(location!, deep);
    if (!isInside && !list) return folder;
    const rules: LinkRules = {
      follow: (link, listed) => this.#follow(link, listed, deep),
      refuse: (link, why) => this.#refuseLink(link, why),
    };
    const listed = list ? Listed.of(list) : this.#listed;
    return { ...folder, listing: treeOf(location!, listed, { deep, rules, budget: this.#budget }) };
  }

  /** Returns the target of a link in a listed folder. Undefined if the target is not yet known. */
  #follow(link: ListedEntry, listed: Listed, deep: boolean): Reached | undefined {
    if (listed !== this.#listed) return followInInput(link, listed, { facts: this.#facts, deep });
    const target = this.#targetOf(link);
    if (!this.#isFolder(target)) return { kind: "file", path: target, listed };
    if (this.#isInside(target)) return { kind: "folder", path: target, listed };
    const list = this.#facts.list(target, true);
    return list && { kind: "folder", path: target, listed: Listed.of(list) };
  }

  #refuseLink(link: string, why: Endless): never {
    const reason =
      why === "circle"
        ? "leads to a folder that it lies in, so its listing would have no end"
        : "leads to more folders than can be listed";
    throw new CwlFailure(`${this.#place}: the link ${this.#shown(link)} ${reason}.`);
  }

  exists(file: FileValue): boolean {
    const { location } = file;
    if (isLiteral(file) || location === this.#folder) return true;
    return this.entry(location!) !== undefined || this.#isGiven(location!);
  }

  /** Adds size and checksum. Refuses missing files, and files out of the job's reach. */
  complete(file: FileValue): FileValue {
    const { location } = file;
    if (isLiteral(file)) return file;
    const entry = this.entry(location!);
    if (entry?.kind === "link")
      return this.complete({ ...file, location: this.#targetOf(entry), basename: basenameOf(file) });
    if (!this.exists(file))
      throw new CwlFailure(
        `${this.#place}: ${this.#shown(location!)} is named as an output, but it does not exist in the job's folder.`,
      );
    if (file.class === "Directory") return file;
    if (entry?.kind === "folder")
      throw new CwlFailure(
        `${this.#place}: ${this.#shown(location!)} is named as a File, but it is a folder.`,
      );
    const known = this.#sums.get(location!) ?? this.#sums.get(this.placeOf(file));
    if (known) return { ...file, size: known.bytes, checksum: `sha1$${known.digest}` };
    if (file.checksum !== undefined && file.size !== undefined) return file;
    const input = this.#inputOf(location!);
    if (input?.checksum !== undefined) return { ...file, size: input.size!, checksum: input.checksum };
    // An entry not yet known to be a file may be a folder.
    if (!entry && !input && this.#facts.look(location!)?.kind !== "file") return file;
    const sum = this.#facts.sum(location!);
    return sum ? { ...file, size: sum.bytes, checksum: `sha1$${sum.digest}` } : file;
  }

  /** Returns the target of a link. Only the job's own files and inputs are allowed as targets. */
  #targetOf(entry: ListedEntry): string {
    const origin = this.#origins.get(entry.path);
    if (origin !== undefined && !origin.startsWith("_:")) return origin;
    const { target } = entry;
    const real = target && (this.#origins.get(target) ?? target);
    if (real === this.#folder) return real;
    const isInside = real && this.#isInside(real);
    if (real && (isInside ? this.entry(real) : this.#isGiven(real))) return real;
    if (isInside)
      throw new CwlFailure(
        `${this.#place}: the link ${this.nameOf(entry.path)} leads to ${this.nameOf(real)}, which does not exist.`,
      );
    throw new CwlFailure(
      `${this.#place}: the link ${this.nameOf(entry.path)} leads outside of the job's folder, which no output may.`,
    );
  }

  #isInside(location: string): boolean {
    return location === this.#folder || location.startsWith(`${this.#folder}/`);
  }

  /** Returns whether a path is an input of the job, or lies in an input folder. */
  #isGiven(location: string): boolean {
    if (this.#inputOf(location) !== undefined) return true;
    return this.#staged.some((one) => location === one || location.startsWith(`${one}/`));
  }

  /**
   * Returns the entries that a pattern may match: entries of the folder, and entries of linked input folders if the
   * pattern continues inside them.
   */
  entriesFor(pattern: string): readonly ListedEntry[] {
    const depth = pattern.includes("**") ? Infinity : pattern.split("/").length;
    return this.#entries.flatMap((entry) => {
      const isDeeper = this.nameOf(entry.path).split("/").length < depth;
      if (entry.kind !== "link" || !isDeeper) return [entry];
      const file = this.fileOf(entry);
      if (file.class !== "Directory" || this.#isInside(file.location!)) return [entry];
      const list = this.#facts.list(file.location!, true);
      const inside = list?.entries.map(({ path: at, bytes }): ListedEntry => ({
        path: entry.path + at.slice(file.location!.length),
        kind: "link",
        bytes,
        target: at,
      }));
      return [entry, ...(inside ?? [])];
    });
  }

  #inputOf(location: string): FileValue | undefined {
    return this.#inputs.find(
      (one) =>
        one.location === location || (one.class === "Directory" && location.startsWith(`${one.location}/`)),
    );
  }

  get #place(): string {
    return this.where === "" ? this.#what : `${this.#what}: ${this.where}`;
  }

  #shown(location: string): string {
    return this.#isInside(location) ? this.nameOf(location) : location;
  }
}
