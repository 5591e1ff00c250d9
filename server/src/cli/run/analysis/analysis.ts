import path from "node:path";
import type { CliContext, SettingOptions } from "#cli/context";
import type { LinkOptions } from "#cli/files/leaving-links";
import type { RunRequest } from "#cli/run/execute-run";
import type { OutputTarget } from "#cli/run/copy-outputs";
import { collectInputs, type InputFile, maybeMark } from "#cli/run/analysis/collect-inputs";
import { declaredIn } from "#cli/run/analysis/declared";
import { findSource, nameAfter, nameAfterAddress } from "#cli/run/analysis/find-specification";
import { readSpecification } from "#cli/specification/specification-file";
import { readParameters } from "#workflow/run/given-parameters";

export interface AnalysisOptions extends LinkOptions {
  /** A file, a folder or an address; undefined means this folder. */
  readonly analysis: string | undefined;
  /** Parameters as `name=value`. */
  readonly param?: readonly string[];
  readonly onFailure?: string;
  readonly keep?: string;
  readonly name?: string;
  readonly output?: string;
}

/** The analysis to run, and the folder for its outputs. */
export interface Analysis extends RunRequest {
  /** Name of new runs. */
  readonly name: string;
  /** A sentence for each declared input that has no file. */
  readonly leftOut: readonly string[];
  /** Returns the declared outputs: files, folders and patterns. They are known once the run has been created. */
  outputs(): readonly string[];
  readonly target: OutputTarget;
  readonly followLinks: boolean;
  /** A mark for each file of the analysis (the specification and the inputs) that changes when the file does. */
  readonly marks: ReadonlyMap<string, string>;
  /** Returns the marks of the copied inputs that outputs may overwrite. */
  inputMarks(): ReadonlyMap<string, string>;
}

/** Reads and checks everything that can be known before a run is created. */
export async function openAnalysis(
  cli: CliContext,
  settings: SettingOptions,
  options: AnalysisOptions,
): Promise<Analysis> {
  const source = await findSource(options.analysis ?? ".");
  if (source.kind === "git") return analysisAt(source.address, options);
  return analysisIn(source, path.resolve(cli.dataFolder(settings)), options);
}

function startOptions({ onFailure, keep }: AnalysisOptions): Readonly<Record<string, unknown>> {
  return {
    ...(onFailure !== undefined && { on_failure: onFailure }),
    ...(keep !== undefined && { keep }),
  };
}

async function analysisIn(
  { file, folder }: { readonly file: string; readonly folder: string },
  dataFolder: string,
  options: AnalysisOptions,
): Promise<Analysis> {
  const mark = (await maybeMark(file)) ?? "";
  const source = await readSpecification(file, "reprise run FILE", options);
  const declared = declaredIn(source.document);
  const parameters = readParameters(options.param ?? [], declared.parameters);
  const { files: inputs, leftOut } = await collectInputs({ folder, declared, dataFolder, ...options });
  const outputFolder = path.resolve(options.output ?? folder);
  const name = options.name ?? nameAfter(folder);
  return {
    name,
    async create(service) {
      const created = await service.create(name, source.document, source);
      return { ...created, warnings: [...source.warnings, ...created.warnings] };
    },
    prepare: async () => ({ inputs, parameters, options: startOptions(options) }),
    leftOut,
    outputs: () => declared.outputs,
    target: { root: outputFolder, below: "" },
    followLinks: options.followLinks === true,
    marks: new Map([[file, mark], ...inputs.map((input) => [input.file, input.mark] as const)]),
    inputMarks: () => (outputFolder === folder ? marksOf(inputs) : new Map()),
  };
}

/**
 * Returns an analysis at a Git address. The repository is read on creation, and its files are then in the workspace.
 */
function analysisAt(address: string, options: AnalysisOptions): Analysis {
  const name = nameAfterAddress(address);
  let outputs: readonly string[] = [];
  return {
    name: options.name ?? name,
    create: (service) => service.createFromGit(options.name ?? name, address),
    async prepare(service, { id }) {
      const declared = declaredIn(await service.specification(id));
      outputs = declared.outputs;
      const parameters = readParameters(options.param ?? [], declared.parameters);
      return { inputs: [], parameters, options: startOptions(options) };
    },
    leftOut: [],
    outputs: () => outputs,
    // The folder with the run's name may have been made by somebody else.
    target: { root: path.resolve(options.output ?? "."), below: options.output === undefined ? name : "" },
    followLinks: options.followLinks === true,
    marks: new Map(),
    inputMarks: () => new Map(),
  };
}

function marksOf(inputs: readonly InputFile[]): Map<string, string> {
  return new Map(inputs.map(({ name, mark }) => [name, mark]));
}
