/** A workflow that is run here and by plain Snakemake. Its target is the rule `all`. */
export interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Default: `Snakefile`. */
  readonly snakefile?: string;
  /** Files that differ from run to run. */
  readonly unlike?: readonly string[];
}
