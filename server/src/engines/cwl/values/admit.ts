import { CwlFailure, type Evaluator, type Variables } from "#engines/cwl/expressions/evaluator";
import type { FileRules, LoadListing } from "#engines/cwl/model/bindings";
import type { InputParameter } from "#engines/cwl/model/model";
import { type CwlType, isPrimitive, type RecordField } from "#engines/cwl/model/types";
import { branchFor, mismatch } from "#engines/cwl/values/conform";
import type { FactBook } from "#engines/cwl/values/facts";
import { basenameOf, beside, type FileValue, isFileValue, secondaryName } from "#engines/cwl/values/files";
import { isExpression } from "#engines/cwl/documents/reader";
import { asList, isMapping, type Mapping } from "#engines/cwl/values/json";
import { isSecondaryRequired } from "#engines/cwl/values/required";
import { absorb, isLiteral, isRemote, type Places, present } from "#engines/cwl/values/present";

/** Limit on the contents of a file that a document may load. */
export const CONTENTS_MAX = 64 * 1024;

export interface Admission {
  readonly facts: FactBook;
  readonly evaluator: Evaluator;
  readonly places: Places;
  /** Whether files come from outside: they are looked at, and secondary files are searched beside them. */
  readonly isOutermost: boolean;
  /** Whether contents beyond the limit are an error, as from v1.2 on. Before, they are cut. */
  readonly refusesLongContents: boolean;
  /** How folders are listed if a parameter does not say. */
  readonly defaultListing: LoadListing;
  readonly formats: Readonly<Record<string, readonly string[]>>;
}

/**
 * Checks the values of a process against its parameters, and completes them: defaults, secondary files, contents,
 * listings. Files that are not known yet are noted in the book of facts.
 */
export function admit(
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
  // Expressions about one file see the inputs as they were given.
  const seen = present(values, admission.places) as Variables["inputs"];
  const visitor = new Visitor(admission, seen, what);
  return Object.fromEntries(
    parameters.map((parameter) => [
      parameter.name,
      visitor.visit(values[parameter.name], parameter.type, parameter, `the input \`${parameter.name}\``),
    ]),
  );
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
    this.#checkFormat(file, rules, where);
    const looked = this.#looked(file, "file", where);
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
    const looked = this.#withSecondaries(this.#looked(folder, "folder", where), rules, where);
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
    const list = this.#admission.facts.list(looked.location!, deep);
    if (!list) return looked;
    return { ...looked, listing: treeOf(looked.location!, list.entries, deep) };
  }

  /** Looks at a file from outside: it must be there, and be what it is said to be. */
  #looked(file: FileValue, kind: "file" | "folder", where: string): FileValue {
    // A file that a job made has a size. One of a default, or of an expression, has none.
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
      return this.#looked({ ...named, location: sight.target }, kind, where);
    if (sight.kind !== kind) {
      const found =
        sight.kind === "absent" || sight.kind === "link"
          ? "does not exist"
          : `is a ${sight.kind}, not a ${kind}`;
      throw new CwlFailure(`${this.#what}: ${where}: ${location} ${found}.`);
    }
    return kind === "file" ? { ...named, size: sight.bytes } : named;
  }

  #withSecondaries(given: FileValue, rules: Rules, where: string): FileValue {
    const found = (given.secondaryFiles ?? []).map(
      (one) => this.visit(one, "Any", NO_RULES, where) as FileValue,
    );
    const file = found.length > 0 ? { ...given, secondaryFiles: found } : given;
    for (const { pattern, required } of rules.secondaryFiles) {
      const variables = { inputs: this.#inputs, self: present(file, this.#admission.places) };
      const isRequired =
        required === undefined ||
        isSecondaryRequired(this.#admission.evaluator, required, variables, this.#what);
      for (const wanted of this.#named(pattern, file, variables)) {
        const name = typeof wanted === "string" ? wanted : basenameOf(wanted);
        if (found.some((one) => basenameOf(one) === lastName(name))) continue;
        const one = this.#secondary(wanted, file);
        if (one !== undefined && one !== "unknown") found.push(one);
        if (one === undefined && isRequired)
          throw new CwlFailure(
            `${this.#what}: ${where}: the secondary file ${name} of ${basenameOf(file)} is missing (pattern \`${pattern}\`).`,
          );
      }
    }
    return found.length > 0 ? { ...file, secondaryFiles: found } : file;
  }

  #named(pattern: string, file: FileValue, variables: Variables): readonly (string | FileValue)[] {
    if (!isExpression(pattern)) return [secondaryName(basenameOf(file), pattern)];
    const result = absorb(this.#admission.evaluator.value(pattern, variables), this.#admission.places);
    return asList(result)
      .flat()
      .filter((one): one is string | FileValue => {
        if (typeof one === "string" || isFileValue(one)) return true;
        if (one === null) return false;
        throw new CwlFailure(
          `${this.#what}: the pattern \`${pattern}\` of \`secondaryFiles\` names neither a file nor a text.`,
        );
      });
  }

  /** Finds a secondary file beside its primary file, if files may be searched. */
  #secondary(wanted: string | FileValue, primary: FileValue): FileValue | "unknown" | undefined {
    const location =
      typeof wanted === "string"
        ? isLiteral(primary)
          ? undefined
          : beside(primary.location!, wanted)
        : wanted.location;
    if (!this.#admission.isOutermost || location === undefined) return undefined;
    const sight = this.#admission.facts.look(location);
    if (!sight) return "unknown";
    const named = typeof wanted === "string" ? undefined : wanted.basename;
    const base = { location, basename: named ?? basenameOf({ class: "File", location }) };
    switch (sight.kind) {
      case "file":
        return { class: "File", ...base, size: sight.bytes };
      case "folder":
        return { class: "Directory", ...base };
      case "link":
        return sight.target ? { class: "File", ...base, location: sight.target } : undefined;
      case "absent":
        return undefined;
    }
  }

  #checkFormat(file: FileValue, rules: Rules, where: string): void {
    if (rules.format.length === 0) return;
    const { evaluator, formats } = this.#admission;
    const allowed = rules.format.flatMap((one) =>
      asList(evaluator.value(one, { inputs: this.#inputs })).map((format) => {
        if (typeof format === "string") return format;
        throw new CwlFailure(
          `${this.#what}: ${where}: \`format\` gives ${JSON.stringify(format)}, not the address of a format.`,
        );
      }),
    );
    if (file.format === undefined)
      throw new CwlFailure(
        `${this.#what}: ${where}: ${basenameOf(file)} has no format; ${allowed.join(" or ")} is wanted.`,
      );
    const kinds = formats[file.format] ?? [file.format];
    if (allowed.some((one) => kinds.includes(one))) return;
    throw new CwlFailure(
      `${this.#what}: ${where}: ${basenameOf(file)} has the format ${file.format}, which is no ${allowed.join(" and no ")}.`,
    );
  }
}

/** Returns the last part of a path: `sub/a.idx/` → `a.idx`. */
function lastName(path: string): string {
  return path.replace(/\/$/, "").replace(/^.*\//, "");
}

const NO_RULES: Rules = { secondaryFiles: [], format: [], loadContents: false, loadListing: "no_listing" };

interface Entry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly bytes: number;
  readonly target?: string | null;
}

/** Makes the listing of a folder from the entries below it. */
export function treeOf(folder: string, entries: readonly Entry[], deep: boolean): FileValue[] {
  const children = entries.filter(
    ({ path }) => path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/"),
  );
  return children.flatMap((entry): FileValue[] => {
    const base = { location: entry.path, basename: entry.path.slice(folder.length + 1) };
    if (entry.kind === "folder")
      return [{ class: "Directory", ...base, ...(deep && { listing: treeOf(entry.path, entries, deep) }) }];
    if (entry.kind === "link" && !entry.target) return [];
    const location = entry.kind === "link" ? entry.target! : base.location;
    return [{ class: "File", ...base, location, ...(entry.kind === "file" && { size: entry.bytes }) }];
  });
}
