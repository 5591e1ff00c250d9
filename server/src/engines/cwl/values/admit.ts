import { CwlFailure, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";
import type { FileRules, LoadListing } from "#engines/cwl/model/bindings";
import type { CwlModel, InputParameter } from "#engines/cwl/model/model";
import { type CwlType, isPrimitive, type RecordField } from "#engines/cwl/model/types";
import { branchFor, mismatch } from "#engines/cwl/values/conform";
import type { FactBook } from "#engines/cwl/values/facts";
import { basenameOf, type FileValue, isFileValue, siblingPath } from "#engines/cwl/values/files";
import { checkFormat } from "#engines/cwl/values/check-format";
import { isMapping, type Mapping } from "#engines/cwl/model/json";
import { followInInput, leadsAround } from "#engines/cwl/values/input-links";
import { type Endless, LinkBudget, Listed, type LinkRules, treeOf } from "#engines/cwl/values/listing";
import { LISTED_MAX_ENTRIES } from "#engines/engine";
import { isLiteral, isRemote, type Places, present } from "#engines/cwl/values/present";
import { withSecondaryFiles } from "#engines/cwl/values/secondary-files";

/** Maximum size of file contents loaded by a document. */
export const CONTENTS_MAX = 64 * 1024;

export interface Admission {
  readonly facts: FactBook;
  readonly evaluator: Evaluator;
  readonly places: Places;
  /** True if files come from outside: the files are looked up, and secondary files are searched in the same folder. */
  readonly isOutermost: boolean;
  readonly jobDocument?: CwlModel["jobDocument"];
  /** True if contents beyond the limit are an error, as from v1.2 on. Before, they are cut. */
  readonly refusesLongContents: boolean;
  /** The depth of folder listings unless a parameter sets `loadListing`. */
  readonly defaultListing: LoadListing;
  readonly formats: Readonly<Record<string, readonly string[]>>;
}

/**
 * Checks the values of a process against its parameters, and completes them: defaults, secondary files, contents,
 * listings. Unknown files are noted in the book of facts.
 */
export function completeInputs(
  parameters: readonly InputParameter[],
  given: Mapping,
  admission: Admission,
  what: string,
): Readonly<Record<string, unknown>> {
  const values = Object.fromEntries(
    parameters.map((parameter) => [parameter.name, chosen(parameter, given[parameter.name])]),
  );
  for (const { name, type } of parameters) {
    const reason = mismatch(values[name], type);
    if (reason === undefined) continue;
    const sentence =
      values[name] === null ? `is missing (its type is ${reason.replace(/^is null, not /, "")})` : reason;
    throw new CwlFailure(`${what}: the input \`${name}\` ${sentence}.`);
  }
  // Expressions about a file see the inputs as given.
  const seen = present(values, admission.places) as Variables["inputs"];
  const visitor = new Visitor(admission, seen, what);
  const admitted = Object.fromEntries(
    parameters.map((parameter) => [
      parameter.name,
      visitor.visit(values[parameter.name], parameter.type, parameter, `the input \`${parameter.name}\``),
    ]),
  );
  // Missing files are named together. Nothing is refused before all files have been looked up.
  if (visitor.missing.length > 0 && !admission.facts.maybeNeeds())
    throw new CwlFailure(`${what}: ${together(visitor.missing)}.`);
  return admitted;
}

/** Maximum number of missing files named in a sentence. */
const NAMED_MAX = 20;

function together(missing: readonly string[]): string {
  const named = missing.slice(0, NAMED_MAX).join("; ");
  return missing.length > NAMED_MAX ? `${named}; and ${missing.length - NAMED_MAX} more` : named;
}

function chosen(parameter: InputParameter, value: unknown): unknown {
  return value === null || value === undefined ? (parameter.default ?? null) : value;
}

/** The rules of a parameter, or of a field of a record, for the files in its value. */
interface Rules extends FileRules {
  readonly loadContents: boolean;
  readonly loadListing?: LoadListing;
}

class Visitor {
  readonly #admission: Admission;
  readonly #inputs: Variables["inputs"];
  readonly #what: string;
  /** Sentences about missing files. */
  readonly missing: string[] = [];
  readonly #budget = new LinkBudget();

  constructor(admission: Admission, inputs: Variables["inputs"], what: string) {
    this.#admission = admission;
    this.#inputs = inputs;
    this.#what = what;
  }

  visit(value: unknown, type: CwlType, rules: Rules, where: string): unknown {
    const branch = branchFor(value, type);
    if (isFileValue(value))
      return value.class === "File" ? this.#file(value, rules, where) : this.#folder(value, rules, where);
    if (branch === undefined || isPrimitive(branch)) return this.#untyped(value, branch, rules, where);
    if (branch.kind === "array" && Array.isArray(value))
      return value.map((item, index) => this.visit(item, branch.items, rules, `${where}[${index}]`));
    if (branch.kind === "record" && isMapping(value)) return this.#record(value, branch.fields, rules, where);
    return value;
  }

  /** Visits the files of a value of the type `Any`. */
  #untyped(value: unknown, branch: CwlType | undefined, rules: Rules, where: string): unknown {
    if (branch !== "Any") return value;
    if (Array.isArray(value)) return value.map((item) => this.visit(item, "Any", rules, where));
    if (!isMapping(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.visit(item, "Any", rules, where)]),
    );
  }

  #record(value: Mapping, fields: readonly RecordField[], rules: Rules, where: string): Mapping {
    const visited = fields.map((field) => {
      const own: Rules = {
        ...field,
        secondaryFiles: field.secondaryFiles.length > 0 ? field.secondaryFiles : rules.secondaryFiles,
      };
      return [
        field.name,
        this.visit(value[field.name] ?? null, field.type, own, `${where}, field \`${field.name}\``),
      ] as const;
    });
    return { ...value, ...Object.fromEntries(visited) };
  }

  #file(file: FileValue, rules: Rules, where: string): FileValue {
    const { evaluator, formats } = this.#admission;
    const place = `${this.#what}: ${where}`;
    checkFormat(file, { format: rules.format, inputs: this.#inputs, evaluator, formats, where: place });
    const looked = this.#maybeLooked(file, "file", where);
    if (!looked) return file;
    const complete = this.#withSecondaries(looked, rules, where);
    if (!rules.loadContents || complete.contents !== undefined) return complete;
    return this.#withContents(complete, where);
  }

  #withContents(file: FileValue, where: string): FileValue {
    const { facts, refusesLongContents } = this.#admission;
    const read = facts.text(file.location!, CONTENTS_MAX);
    if (!read) return file;
    if (read.bytes > CONTENTS_MAX && refusesLongContents)
      throw new CwlFailure(
        `${this.#what}: ${where}: ${basenameOf(file)} has ${read.bytes} bytes; at most ${CONTENTS_MAX} can be loaded with \`loadContents\`.`,
      );
    return { ...file, contents: read.text };
  }

  #folder(folder: FileValue, rules: Rules, where: string): FileValue {
    const found = this.#maybeLooked(folder, "folder", where);
    if (!found) return folder;
    const looked = this.#withSecondaries(found, rules, where);
    const wanted = rules.loadListing ?? this.#admission.defaultListing;
    if (isLiteral(looked)) {
      return looked.listing
        ? {
            ...looked,
            listing: looked.listing.map((one) => this.visit(one, "Any", NO_RULES, where) as FileValue),
          }
        : looked;
    }
    if (wanted === "no_listing") {
      const { listing: _, ...bare } = looked;
      return bare;
    }
    const deep = wanted === "deep_listing";
    const { facts } = this.#admission;
    const list = facts.list(looked.location!, deep);
    if (!list) return looked;
    const links: LinkRules = {
      follow: (link, listed) =>
        leadsAround(link) ? undefined : followInInput(link, listed, { facts, deep }),
      refuse: (link, why) => this.#refuseLink(link, why, where),
    };
    const listing = treeOf(looked.location!, Listed.of(list), { deep, rules: links, budget: this.#budget });
    return { ...looked, listing };
  }

  /** Refuses a link in an input folder that leads to too many entries. A circular link is left out. */
  #refuseLink(link: string, why: Endless, where: string): void {
    if (why === "circle") return;
    throw new CwlFailure(
      `${this.#what}: ${where}: the link ${link} leads to more folders than can be listed: links to folders may add at most ${LISTED_MAX_ENTRIES} files and folders.`,
    );
  }

  /** Looks up a file from outside. Records the file as missing unless it exists and has the declared class. */
  #maybeLooked(file: FileValue, kind: "file" | "folder", where: string): FileValue | undefined {
    // A file made by a job has a size. A file from a default or an expression does not.
    const isKnown = !this.#admission.isOutermost && (file.class === "Directory" || file.size !== undefined);
    if (isKnown) return file;
    if (isLiteral(file))
      return { ...file, ...(file.contents !== undefined && { size: Buffer.byteLength(file.contents) }) };
    const { location } = file;
    if (isRemote(location!))
      throw new CwlFailure(
        `${this.#what}: ${where}: ${location} is an address. Files are read from the workspace alone: download it first.`,
      );
    const named = { ...file, basename: basenameOf(file) };
    const sight = this.#admission.facts.look(location!);
    if (!sight) return named;
    if (sight.kind === "link" && sight.target)
      return this.#maybeLooked({ ...named, location: sight.target }, kind, where);
    if (sight.kind !== kind) {
      const found =
        sight.kind === "absent" || sight.kind === "link"
          ? `does not exist${this.#whereItStarts(location!)}`
          : `is a ${sight.kind}, not a ${kind}`;
      this.missing.push(`${where}: ${location} ${found}`);
      return undefined;
    }
    return kind === "file" ? { ...named, size: sight.bytes } : named;
  }

  /** Explains the base folder of a missing file's path. Mentions the file if it lies in the folder of the document. */
  #whereItStarts(location: string): string {
    const { jobDocument: document, facts } = this.#admission;
    if (!document?.location.includes("/") || !document.files.includes(location)) return "";
    const beside = siblingPath(document.location, location);
    const exists = ["file", "folder"].includes(facts.look(beside)?.kind ?? "absent");
    const start = ` (paths in ${document.location} start at the root of the workspace`;
    return exists ? `${start}: write ${beside}, which exists)` : `${start})`;
  }

  #withSecondaries(given: FileValue, { secondaryFiles }: Rules, where: string): FileValue {
    const found = (given.secondaryFiles ?? []).map(
      (one) => this.visit(one, "Any", NO_RULES, where) as FileValue,
    );
    const file = found.length > 0 ? { ...given, secondaryFiles: found } : given;
    const onMissing = (sentence: string) => void this.missing.push(sentence);
    const search = { ...this.#admission, inputs: this.#inputs, what: this.#what, where, onMissing };
    return withSecondaryFiles(file, secondaryFiles, search);
  }
}

const NO_RULES: Rules = { secondaryFiles: [], format: [], loadContents: false, loadListing: "no_listing" };
