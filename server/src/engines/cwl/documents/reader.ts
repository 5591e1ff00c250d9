import type { Problem } from "#engines/problem";
import type { DocumentSet, Spot } from "#engines/cwl/documents/document-set";
import { type Fields, has } from "#engines/cwl/model/fields";
import type { CwlVersion } from "#engines/cwl/model/model";
import { isMapping, type Mapping } from "#engines/cwl/model/json";
import type { RemoteInput } from "#workflow/specification/remote-inputs";
import { nearestWord } from "#plumbing/text/nearest-word";

/** State shared by the readers of a document's parts. Gathers all problems of a document in one pass. */
export class Reader {
  readonly documents: DocumentSet;
  readonly problems: Problem[] = [];
  readonly warnings: string[] = [];
  /** Root folder of file paths in documents: `""` is the workspace, `/` the whole machine. */
  readonly root: "" | "/";
  /** Inputs at addresses that the specification declares. */
  readonly declared: readonly RemoteInput[];
  /** Inputs at addresses that documents name, by their path in the workspace. */
  readonly fetched = new Map<string, RemoteInput>();
  readonly #spots = new WeakMap<object, Spot>();

  constructor(documents: DocumentSet, root: "" | "/", declared: readonly RemoteInput[]) {
    this.documents = documents;
    this.root = root;
    this.declared = declared;
  }

  /** Remembers where a part of the model was read, for what is found out once all is read. */
  placed<Part extends object>(part: Part, at: Spot): Part {
    this.#spots.set(part, at);
    return part;
  }

  /** Records that a part of the model has the place of another part. */
  placedAs(part: object, before: object): void {
    const spot = this.#spots.get(before);
    if (spot) this.#spots.set(part, spot);
  }

  /** Returns a problem with a part of the model, at the source of the part. */
  problemWith(part: object, message: string): Problem {
    return this.documents.problem(this.#spots.get(part), message);
  }

  refuse(parent: object, key: string | number, message: string): void {
    this.problems.push(this.documents.problem({ parent, key }, message));
  }

  /** Refuses fields unknown for a mapping. Extensions have a prefix (`s:author`) and are ignored. */
  checkFields(mapping: Mapping, fields: Fields, version: CwlVersion, what: string): void {
    for (const key of Object.keys(mapping)) {
      if (key.includes(":") || key.startsWith("$")) continue;
      const since = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (since === undefined)
        this.refuse(
          mapping,
          key,
          `${what}: the field \`${key}\` is not known${this.#hint(key, Object.keys(fields))}.`,
        );
      else this.checkVersion(mapping, key, since, version, `${what}: the field \`${key}\``);
    }
  }

  /** Refuses fields of later versions of CWL than the version of the document. */
  checkVersion(
    parent: object,
    key: string | number,
    since: CwlVersion,
    version: CwlVersion,
    what: string,
  ): void {
    if (!has(version, since))
      this.refuse(parent, key, `${what} needs \`cwlVersion: ${since}\`, and the document says ${version}.`);
  }

  /** Returns the word if it is allowed. */
  maybeWord<Word extends string>(
    mapping: Mapping,
    key: string,
    allowed: readonly Word[],
    what: string,
  ): Word | undefined {
    const value = mapping[key];
    if (value === undefined || value === null) return undefined;
    const word = typeof value === "string" ? value.replace(/^.*[#/]/, "") : "";
    const found = allowed.find((one) => one === word);
    if (found === undefined)
      this.refuse(
        mapping,
        key,
        `${what}: \`${key}\` is ${jsonExcerpt(value)}, not one of ${allowed.join(", ")}.`,
      );
    return found;
  }

  maybeText(mapping: Mapping, key: string, what: string): string | undefined {
    const value = mapping[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    this.refuse(mapping, key, `${what}: \`${key}\` is ${jsonExcerpt(value)}, not a text.`);
    return undefined;
  }

  flag(mapping: Mapping, key: string, what: string): boolean {
    const value = mapping[key];
    if (value === undefined || value === null) return false;
    if (typeof value === "boolean") return value;
    this.refuse(mapping, key, `${what}: \`${key}\` is ${jsonExcerpt(value)}, not true or false.`);
    return false;
  }

  /** Returns the texts of a field that holds a text or a list of texts. */
  texts(mapping: Mapping, key: string, what: string): readonly string[] {
    const value = mapping[key];
    if (value === undefined || value === null) return [];
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const wrong = items.find((item) => typeof item !== "string");
    if (wrong === undefined) return items as readonly string[];
    this.refuse(mapping, key, `${what}: \`${key}\` holds ${jsonExcerpt(wrong)}, not a text.`);
    return [];
  }

  /** Returns the documentation or the label of a part. */
  maybeDoc(mapping: Mapping, what: string): string | undefined {
    const label = this.maybeText(mapping, "label", what);
    const doc = this.texts(mapping, "doc", what).join("\n").trim();
    return doc === "" ? label : doc;
  }

  numbers(mapping: Mapping, key: string, what: string): readonly number[] {
    const value = mapping[key] ?? [];
    if (Array.isArray(value) && value.every((item) => Number.isInteger(item))) return value as number[];
    this.refuse(mapping, key, `${what}: \`${key}\` is not a list of whole numbers.`);
    return [];
  }

  /**
   * Reads a list of mappings, or a mapping from the name of each entry to its content. A content that is not a mapping
   * is the value of the field `field`.
   */
  entries(parent: Mapping, key: string, name: string, field: string | undefined, what: string): Entry[] {
    const value = parent[key];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return this.#listed(key, value, name, what);
    if (!isMapping(value)) {
      this.refuse(parent, key, `${what}: \`${key}\` is ${jsonExcerpt(value)}, not a list or a mapping.`);
      return [];
    }
    return Object.entries(value).map(([id, content]) => ({
      name: id,
      at: { parent: value, key: id },
      mapping: this.#contentOf(value, id, content, field),
    }));
  }

  #listed(key: string, items: readonly unknown[], name: string, what: string): Entry[] {
    return items.flatMap((item, index) => {
      if (!isMapping(item) || typeof item[name] !== "string") {
        this.refuse(items, index, `${what}: an entry of \`${key}\` has no \`${name}\`.`);
        return [];
      }
      return [{ name: item[name], at: { parent: items, key: index }, mapping: item }];
    });
  }

  #contentOf(parent: Mapping, id: string, content: unknown, field: string | undefined): Mapping {
    if (isMapping(content)) return content;
    const made: Mapping = field === undefined || content === null ? {} : { [field]: content };
    this.documents.derive(made, parent, id);
    if (field === undefined && content !== null)
      this.refuse(parent, id, `\`${id}\` is ${jsonExcerpt(content)}, not a mapping.`);
    return made;
  }

  #hint(word: string, allowed: readonly string[]): string {
    const nearest = nearestWord(word, allowed);
    return nearest === undefined ? "" : `; did you mean \`${nearest}\`?`.replace(/\?$/, "");
  }
}

export interface Entry {
  readonly name: string;
  readonly at: Spot;
  readonly mapping: Mapping;
}

/** Returns the place of a field of an entry, or of the whole entry if it is written in short form. */
export function spotIn({ at, mapping }: Entry, key: string): Spot {
  const isWritten = Reflect.get(at.parent, at.key) === mapping && mapping[key] !== undefined;
  return isWritten ? { parent: mapping, key } : at;
}

/** Settings shared by all parts of one process while it is read. */
export interface Scope {
  readonly version: CwlVersion;
  readonly namespaces: Readonly<Record<string, string>>;
  /** Named types of the process and of the processes around it. */
  readonly types: Map<string, Mapping>;
}

const SHOWN_MAX = 60;

export function jsonExcerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}

/** Returns the last part of an id: `#main/align/reads` → `reads`. */
export function shortName(id: string): string {
  const fragment = id.slice(id.lastIndexOf("#") + 1);
  return fragment.slice(fragment.lastIndexOf("/") + 1);
}

/** Writes out a prefix of `$namespaces`: `edam:format_1930` → `http://edamontology.org/format_1930`. */
export function expandPrefix(text: string, { namespaces }: Pick<Scope, "namespaces">): string {
  const prefix = /^([^:/]+):(?!\/\/)/.exec(text)?.[1];
  const base = prefix === undefined ? undefined : namespaces[prefix];
  return base === undefined ? text : `${base}${text.slice(prefix!.length + 1)}`;
}

export function isExpression(text: string): boolean {
  return text.includes("$(") || text.includes("${");
}
