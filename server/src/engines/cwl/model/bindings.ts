/** The rules of a parameter about files. */
export interface FileRules {
  readonly secondaryFiles: readonly SecondaryFiles[];
  /** Addresses of formats, or expressions. */
  readonly format: readonly string[];
}

export interface SecondaryFiles {
  readonly pattern: string;
  /** A flag or an expression. Default: required for inputs, optional for outputs. */
  readonly required?: boolean | string;
}

export type LoadListing = "no_listing" | "shallow_listing" | "deep_listing";

/** The way a value becomes part of the command line. */
export interface Binding {
  readonly position?: number | string;
  readonly prefix?: string;
  readonly separate?: boolean;
  readonly itemSeparator?: string;
  readonly valueFrom?: string;
  readonly shellQuote?: boolean;
}

export interface OutputBinding {
  /** Patterns, or expressions for some. */
  readonly glob: readonly string[];
  readonly loadContents: boolean;
  readonly loadListing?: LoadListing;
  readonly outputEval?: string;
}
