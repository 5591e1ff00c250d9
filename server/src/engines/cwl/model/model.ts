import type { Binding, FileRules, LoadListing, OutputBinding } from "#engines/cwl/model/bindings";
import type { RemoteInput } from "#workflow/specification/remote-inputs";
import type { CwlType } from "#engines/cwl/model/types";

/** A workflow ready to run: all documents merged, upgraded to v1.2, as plain JSON. */
export interface CwlModel {
  /** The main process, by number. */
  readonly main: number;
  readonly processes: readonly Process[];
  /** Values of the inputs as given. Locations are paths. */
  readonly job: Readonly<Record<string, unknown>>;
  /** Files and folders at addresses, which the run fetches before its first job. */
  readonly remoteInputs?: readonly RemoteInput[];
  /** The input document and the files named in it, if their paths are relative to the workspace. */
  readonly jobDocument?: { readonly location: string; readonly files: readonly string[] };
  /** Requirements from the input object (`cwl:requirements`). */
  readonly jobRequirements: readonly Requirement[];
  readonly warnings: readonly string[];
  /** Superclasses of formats: each format mapped to the formats it specialises. */
  readonly formats: Readonly<Record<string, readonly string[]>>;
}

export type Process = Tool | ExpressionTool | Workflow;

export type CwlVersion = "v1.0" | "v1.1" | "v1.2";

interface ProcessBase {
  /** Name for people: the fragment of the id, or the file name. */
  readonly name: string;
  /** The documentation, or the label. */
  readonly doc?: string;
  readonly version: CwlVersion;
  readonly inputs: readonly InputParameter[];
  readonly requirements: readonly Requirement[];
  readonly hints: readonly Requirement[];
}

export interface Requirement {
  readonly class: string;
  readonly [field: string]: unknown;
}

export interface Tool extends ProcessBase {
  readonly kind: "tool";
  readonly outputs: readonly ToolOutput[];
  readonly baseCommand: readonly string[];
  readonly arguments: readonly Argument[];
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly successCodes: readonly number[];
  readonly temporaryFailCodes: readonly number[];
  readonly permanentFailCodes: readonly number[];
}

export interface ExpressionTool extends ProcessBase {
  readonly kind: "expression";
  readonly outputs: readonly ToolOutput[];
  readonly expression: string;
}

export interface Workflow extends ProcessBase {
  readonly kind: "workflow";
  readonly outputs: readonly WorkflowOutput[];
  readonly steps: readonly WorkflowStep[];
}

export interface InputParameter extends FileRules {
  readonly name: string;
  /** The documentation, or the label. */
  readonly doc?: string;
  readonly type: CwlType;
  /** The default value, which may be null. Omitted if there is no default. */
  readonly default?: unknown;
  readonly binding?: Binding;
  readonly loadContents: boolean;
  readonly loadListing?: LoadListing;
}

export type Argument = string | Binding;

export interface ToolOutput extends FileRules {
  readonly name: string;
  readonly type: CwlType;
  readonly binding?: OutputBinding;
}

export type LinkMerge = "merge_nested" | "merge_flattened";
export type PickValue = "first_non_null" | "the_only_non_null" | "all_non_null";

/** The source of a value: `["reads"]` is an input of the workflow, `["align", "bam"]` the output of a step. */
export type Source = readonly [input: string] | readonly [step: string, output: string];

export interface Sink {
  readonly sources: readonly Source[];
  /** True if the sources were given as a list: one source in a list is merged too. */
  readonly isList: boolean;
  readonly linkMerge: LinkMerge;
  readonly hasLinkMerge: boolean;
  readonly pickValue?: PickValue;
}

export interface WorkflowOutput extends Sink {
  readonly name: string;
  readonly type: CwlType;
  readonly format: readonly string[];
}

export interface StepInput extends Sink {
  readonly name: string;
  readonly default?: unknown;
  readonly valueFrom?: string;
  readonly loadContents: boolean;
  readonly loadListing?: LoadListing;
}

export type ScatterMethod = "dotproduct" | "nested_crossproduct" | "flat_crossproduct";

export interface WorkflowStep {
  readonly name: string;
  readonly run: number;
  readonly inputs: readonly StepInput[];
  readonly outputs: readonly string[];
  readonly requirements: readonly Requirement[];
  readonly hints: readonly Requirement[];
  readonly scatter: readonly string[];
  readonly scatterMethod: ScatterMethod;
  readonly when?: string;
}
