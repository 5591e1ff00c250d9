import { type Collected, READ_MAX_BYTES } from "#engines/engine";
import { type BoundTool, outFolder, runtimeOf, type ToolContext } from "#engines/cwl/command/tool-context";
import { isExpression } from "#engines/cwl/documents/reader";
import { CwlFailure, type Variables } from "#engines/cwl/expressions/evaluator";
import type { FileRules, OutputBinding } from "#engines/cwl/model/bindings";
import { branchesOf, type CwlType, isPrimitive } from "#engines/cwl/model/types";
import { singleOutput, typedOutput } from "#engines/cwl/outputs/as-typed";
import { readOwnFile } from "#engines/cwl/outputs/own-file";
import { globs, OUTPUT_FILE, placeOfField, placeOfOutput } from "#engines/cwl/command/output-patterns";
import { OutputFolder } from "#engines/cwl/outputs/output-folder";
import { CONTENTS_MAX } from "#engines/cwl/values/admit";
import { mismatch } from "#engines/cwl/values/conform";
import type { FactBook } from "#engines/cwl/values/facts";
import {
  basenameOf,
  siblingPath,
  type FileValue,
  isFileValue,
  mapDeep,
  mapFiles,
  secondaryName,
} from "#engines/cwl/values/files";
import { asList, type Mapping } from "#engines/cwl/model/json";
import { isSecondaryRequired } from "#engines/cwl/values/required";
import {
  filesFromExpression,
  isLiteral,
  type Places,
  present,
  withoutContents,
} from "#engines/cwl/values/present";
import { parseGlob } from "#plumbing/text/glob";

export interface ToolEnd {
  readonly bound: BoundTool;
  readonly exitCode: number | null;
  readonly collected: Collected;
}

/** Returns the outputs of a tool after its command has succeeded. Undefined if facts are missing. */
export function collectOutputs(context: ToolContext, ended: ToolEnd, facts: FactBook): Mapping | undefined {
  const collector = new Collector(context, ended, facts);
  const values = collector.outputs();
  return facts.maybeNeeds() ? undefined : values;
}

/** Returns the outputs of a failed command, with null for unavailable outputs. Undefined if facts are missing. */
export function collectPartialOutputs(
  context: ToolContext,
  ended: ToolEnd,
  facts: FactBook,
): Mapping | undefined {
  const values = new Collector(context, ended, facts).partialOutputs();
  return facts.maybeNeeds() ? undefined : values;
}

class Collector {
  readonly #context: ToolContext;
  readonly #places: Places;
  readonly #variables: Variables;
  readonly #folder: OutputFolder;
  readonly #facts: FactBook;
  readonly #texts: ReadonlyMap<string, { readonly text: string; readonly bytes: number }>;

  constructor(context: ToolContext, { bound, exitCode, collected }: ToolEnd, facts: FactBook) {
    const { workspaceFolder, folder } = context;
    this.#context = context;
    this.#facts = facts;
    this.#places = { workspaceFolder, staged: bound.staged, mounted: bound.mounted ?? [] };
    this.#variables = {
      inputs: present(bound.inputs, this.#places) as Variables["inputs"],
      runtime: { ...runtimeOf(context, bound.promised), exitCode },
    };
    this.#folder = new OutputFolder(outFolder(folder), bound, collected, facts, context.what);
    this.#texts = new Map(collected.texts?.map((one) => [one.path, one]));
  }

  outputs(): Mapping {
    const { tool, what } = this.#context;
    const own = this.#ownFile();
    if (own === "unknown") return {};
    const declared = Object.fromEntries(
      tool.outputs.map((output) => [
        output.name,
        own
          ? (own[output.name] ?? null)
          : this.#output(output.type, output.binding, output, placeOfOutput(output.name)),
      ]),
    );
    if (this.#facts.maybeNeeds()) return {};
    // The file written by the tool is the whole output object, including undeclared keys.
    const values: Mapping = { ...own, ...declared };
    for (const { name, type } of tool.outputs) {
      const reason = mismatch(values[name] ?? null, type);
      if (reason !== undefined) throw new CwlFailure(`${what}: the output \`${name}\` ${reason}.`);
    }
    return withoutContents(values) as Mapping;
  }

  partialOutputs(): Mapping {
    const own = maybeDone(() => this.#ownFile());
    if (own === "unknown") return {};
    const values = this.#context.tool.outputs.map((output) => {
      const { name, type, binding } = output;
      const value = own
        ? own[name]
        : maybeDone(() => this.#output(type, binding, output, placeOfOutput(name)));
      return [name, mismatch(value ?? null, type) === undefined ? value : null] as const;
    });
    return withoutContents(Object.fromEntries(values)) as Mapping;
  }

  /** Returns the outputs listed by the tool itself in `cwl.output.json`, if the file exists. */
  #ownFile(): Mapping | "unknown" | undefined {
    const at = this.#folder.pathOf(OUTPUT_FILE);
    const entry = this.#folder.entry(at);
    if (entry?.kind !== "file") return undefined;
    const known = this.#texts.get(at);
    const read = known && known.bytes <= CONTENTS_MAX ? known : this.#facts.text(at, READ_MAX_BYTES);
    if (!read) return "unknown";
    const { what } = this.#context;
    if (read.bytes > READ_MAX_BYTES)
      throw new CwlFailure(`${what}: ${OUTPUT_FILE} is larger than ${READ_MAX_BYTES} bytes.`);
    const values = filesFromExpression(readOwnFile(read.text, this.#context), this.#places) as Mapping;
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        this.#folder.where = `${placeOfOutput(name)} in ${OUTPUT_FILE}`;
        return [name, this.#complete(value)];
      }),
    );
  }

  #output(type: CwlType, binding: OutputBinding | undefined, rules: FileRules, where: string): unknown {
    this.#folder.where = where;
    if (!binding) return this.#withoutBinding(type, where);
    const found = this.#found(binding, where);
    // The content of a folder or a file may not be known yet: then everything is collected again.
    if (this.#facts.maybeNeeds()) return null;
    const place = `${this.#context.what}: ${where}`;
    if (binding.outputEval !== undefined) {
      const self = present(found, this.#places);
      const value = this.#context.evaluator.value(
        binding.outputEval,
        { ...this.#variables, self },
        { field: `${where}, \`outputEval\`` },
      );
      return this.#finished(
        singleOutput(filesFromExpression(value, this.#places), type, place),
        rules,
        where,
      );
    }
    const names = () => this.#folder.entries().map(({ path: at }) => this.#folder.nameOf(at));
    return this.#finished(
      typedOutput(found, { type, glob: binding.glob, names, where: place }),
      rules,
      where,
    );
  }

  #withoutBinding(type: CwlType, where: string): unknown {
    const record = branchesOf(type).find((branch) => !isPrimitive(branch) && branch.kind === "record");
    if (record === undefined || isPrimitive(record) || record.kind !== "record") return null;
    return Object.fromEntries(
      record.fields.map((field) => [
        field.name,
        this.#output(field.type, field.output, field, placeOfField(where, field.name)),
      ]),
    );
  }

  #found(binding: OutputBinding, where: string): FileValue[] {
    const patterns = globs(binding, where, this.#context, this.#variables);
    const files = patterns.flatMap((pattern) => this.#matching(pattern));
    return files.map((file) =>
      binding.loadContents && file.class === "File"
        ? this.#withContents(file, where)
        : this.#listed(file, binding),
    );
  }

  /** Returns what a pattern matches, in the order of the names. A leading dot has to be written. */
  #matching(pattern: string): FileValue[] {
    if (pattern === ".") return [this.#folder.itself()];
    const glob = parseGlob(pattern, { leavesHidden: true });
    return this.#folder
      .entriesFor(pattern)
      .filter(({ path: at }) => glob.matches(this.#folder.nameOf(at)))
      .map((entry) => this.#folder.fileOf(entry));
  }

  #listed(file: FileValue, binding: OutputBinding): FileValue {
    const wanted =
      binding.loadListing ??
      (this.#context.effective["LoadListingRequirement"]?.["loadListing"] as string | undefined);
    const standard = this.#context.tool.version === "v1.0" ? "deep_listing" : "no_listing";
    const how = wanted ?? standard;
    if (file.class !== "Directory" || how === "no_listing") return file;
    return this.#folder.withListing(file, how === "deep_listing");
  }

  #withContents(file: FileValue, where: string): FileValue {
    const { what, tool } = this.#context;
    const read =
      this.#texts.get(this.#folder.placeOf(file)) ?? this.#facts.text(file.location!, CONTENTS_MAX);
    if (!read) return file;
    if (read.bytes > CONTENTS_MAX && tool.version === "v1.2")
      throw new CwlFailure(
        `${what}: ${where}: ${basenameOf(file)} has ${read.bytes} bytes; at most ${CONTENTS_MAX} can be loaded with \`loadContents\`.`,
      );
    return { ...file, contents: read.text };
  }

  /** Completes the files of an output: secondary files, format, size and checksum. */
  #finished(value: unknown, rules: FileRules, where: string): unknown {
    const complete = this.#complete(value);
    if (rules.secondaryFiles.length === 0 && rules.format.length === 0) return complete;
    return mapFiles(complete, (file) => {
      const withSecondaries = this.#withSecondaries(file, rules, where);
      const [format] = rules.format;
      if (format === undefined || file.class !== "File") return withSecondaries;
      const self = present(file, this.#places);
      const named = this.#context.evaluator.value(
        format,
        { ...this.#variables, self },
        { field: `${where}, \`format\`` },
      );
      if (typeof named === "string") return { ...withSecondaries, format: named };
      const { what } = this.#context;
      throw new CwlFailure(`${what}: ${where}: \`format\` is ${JSON.stringify(named)}, not a text.`);
    });
  }

  #withSecondaries(file: FileValue, { secondaryFiles }: FileRules, where: string): FileValue {
    const { evaluator, what } = this.#context;
    const self = present(file, this.#places);
    const variables = { ...this.#variables, self };
    const found = [...(file.secondaryFiles ?? [])];
    for (const { pattern, required } of secondaryFiles) {
      const named = isExpression(pattern)
        ? asList(
            filesFromExpression(
              evaluator.value(pattern, variables, { field: `${where}, \`secondaryFiles\`` }),
              this.#places,
            ),
          ).flat()
        : [secondaryName(basenameOf(file), pattern)];
      for (const one of named) {
        const secondary = this.#secondary(one, file);
        if (secondary && !found.some((other) => basenameOf(other) === basenameOf(secondary)))
          found.push(secondary);
        if (
          !secondary &&
          one !== null &&
          required !== undefined &&
          isSecondaryRequired(evaluator, required, variables, what)
        )
          throw new CwlFailure(
            `${what}: ${where}: a secondary file of ${basenameOf(file)} is missing (pattern \`${pattern}\`).`,
          );
      }
    }
    return found.length > 0 ? { ...file, secondaryFiles: found } : file;
  }

  #secondary(named: unknown, primary: FileValue): FileValue | undefined {
    if (isFileValue(named))
      return this.#folder.exists(named) ? (this.#complete(named) as FileValue) : undefined;
    if (typeof named !== "string" || isLiteral(primary)) return undefined;
    const place = this.#folder.placeOf(primary);
    const entry = this.#folder.entry(siblingPath(place, named));
    return entry && (this.#complete(this.#folder.fileOf(entry)) as FileValue);
  }

  #complete(value: unknown): unknown {
    return mapFiles(value, (file) => mapDeep(file, (one) => this.#folder.complete(one)));
  }
}

/** Returns the result of work, or undefined if the workflow makes it impossible. */
function maybeDone<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CwlFailure) return undefined;
    throw error;
  }
}
