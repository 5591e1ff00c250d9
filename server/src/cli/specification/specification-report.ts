import type { TextPosition } from "#plumbing/formats/line-and-column";
import type { Graph } from "#workflow/graph";
import type { SpecificationWarning } from "#workflow/specification/specification";

/** The file of a specification to check. */
export interface SpecificationPlace {
  /** True if documents may be read through links that leave the folder. */
  readonly followLinks?: boolean;
  /** The base folder of its paths. */
  readonly folder: string;
  /** Returns the place of a path of the document: `reana.yaml, line 4, column 9`. */
  placeOf(path: string): string;
}

/** The server for a workflow, with its languages only. */
export interface NamedServer {
  readonly languages: readonly string[];
}

/** A fault, with its place if the fault is in another document than the specification. */
export interface SpecificationFault extends SpecificationWarning, Partial<TextPosition> {
  readonly file?: string;
}

export interface SpecificationReport {
  /** Errors for which every start is refused. */
  readonly errors: readonly SpecificationFault[];
  readonly warnings: readonly SpecificationFault[];
  /** The steps of a serial workflow. The steps of other languages are known only to their engines. */
  readonly steps: readonly SpecifiedStep[];
  /** The graph as far as it is known before the run. Empty for a serial workflow. */
  readonly graph: Graph;
  /** The jobs without dependencies. Known only for a CWL document with inputs. */
  readonly firstJobs: readonly FirstJob[];
}

export interface FirstJob {
  readonly name: string;
  readonly command: string;
}

export interface SpecifiedStep {
  /** Empty for a step without a name. */
  readonly name: string;
  readonly image: string | null;
  readonly commands: readonly string[];
}
