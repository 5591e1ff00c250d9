/** A workflow run by Reprise and by plain Snakemake. The target is the rule `all`. */
export interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Default: `Snakefile`. */
  readonly snakefile?: string;
  /** Files with different contents in each run. */
  readonly unlike?: readonly string[];
}

/** Rules that share a Snakefile with further parts, because each start of Snakemake takes about a second. */
export interface Part {
  readonly name: string;
  /** The files of these rules needed by the rule `all`: the items of a list. */
  readonly targets: string;
  readonly rules: string;
  readonly files: Readonly<Record<string, string>>;
}

export function caseOf(parts: readonly Part[]): Case {
  const targets = parts.map((part) => `        ${part.targets.trim()},\n`).join("");
  const rules = parts.map((part) => part.rules).join("");
  const all = `rule all:\n    default_target: True\n    input:\n${targets}`;
  return {
    name: parts.map(({ name }) => name).join("; "),
    files: Object.assign(
      { Snakefile: `${rules}${all}` },
      ...parts.map(({ files }) => files),
    ) as Case["files"],
  };
}
