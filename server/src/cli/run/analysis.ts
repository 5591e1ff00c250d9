import path from "node:path";
import type { CliHost, SettingOptions } from "#cli/host";
import type { Order } from "#cli/run/carry-out";
import { collectInputs, type InputFile, maybeMark } from "#cli/run/collect-inputs";
import { declaredIn } from "#cli/run/declared";
import { findSource, nameAfter, nameAfterAddress } from "#cli/run/find-specification";
import { readSpecification } from "#cli/remote/specification-file";
import { readParameters } from "#workflow/given-parameters";

export interface AnalysisOptions {
  /** A file, a folder or an address; absent: this folder. */
  readonly analysis: string | undefined;
  /** `name=value` */
  readonly param?: readonly string[];
  readonly name?: string;
  readonly output?: string;
}

/** What is to be run, and where its outputs belong. */
export interface Analysis extends Order {
  /** A sentence for each declared input that has no file. */
  readonly leftOut: readonly string[];
  /** The files, folders and patterns that it declares as outputs; known when the run has been created. */
  outputs(): readonly string[];
  readonly outputFolder: string;
  /** By what each file that it is made of is known to be unchanged: the specification and the inputs. */
  readonly marks: ReadonlyMap<string, string>;
  /** The copied inputs whose place the outputs may take. */
  inputMarks(): ReadonlyMap<string, string>;
}

/** Reads and checks all that can be known before anything is made. */
export async function openAnalysis(
  host: CliHost,
  settings: SettingOptions,
  options: AnalysisOptions,
): Promise<Analysis> {
  const source = await findSource(options.analysis ?? ".");
  if (source.kind === "git") return analysisAt(source.address, options);
  return analysisIn(source, path.resolve(host.dataFolder(settings)), options);
}

async function analysisIn(
  { file, folder }: { readonly file: string; readonly folder: string },
  dataFolder: string,
  options: AnalysisOptions,
): Promise<Analysis> {
  const mark = (await maybeMark(file)) ?? "";
  const { document: specification } = await readSpecification(file, "reprise run FILE");
  const declared = declaredIn(specification);
  const parameters = readParameters(options.param ?? [], declared.parameters);
  const { files: inputs, leftOut } = await collectInputs({ folder, declared, dataFolder });
  const outputFolder = path.resolve(options.output ?? folder);
  return {
    create: (service) => service.create(options.name ?? nameAfter(folder), specification),
    prepare: async () => ({ inputs, parameters }),
    leftOut,
    outputs: () => declared.outputs,
    outputFolder,
    marks: new Map([[file, mark], ...inputs.map((input) => [input.file, input.mark] as const)]),
    inputMarks: () => (outputFolder === folder ? marksOf(inputs) : new Map()),
  };
}

/** Whoever creates it reads the repository: its files are in the workspace then. */
function analysisAt(address: string, options: AnalysisOptions): Analysis {
  const name = nameAfterAddress(address);
  let outputs: readonly string[] = [];
  return {
    create: (service) => service.createFromGit(options.name ?? name, address),
    async prepare(service, { id }) {
      const declared = declaredIn(await service.specification(id));
      outputs = declared.outputs;
      return { inputs: [], parameters: readParameters(options.param ?? [], declared.parameters) };
    },
    leftOut: [],
    outputs: () => outputs,
    outputFolder: path.resolve(options.output ?? name),
    marks: new Map(),
    inputMarks: () => new Map(),
  };
}

function marksOf(inputs: readonly InputFile[]): Map<string, string> {
  return new Map(inputs.map(({ name, mark }) => [name, mark]));
}
