/** A workflow that is run here and by plain Snakemake. Its target is the rule `all`. */
export interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Default: `Snakefile`. */
  readonly snakefile?: string;
  /** Files that differ from run to run. */
  readonly unlike?: readonly string[];
}

/** Rules that share a Snakefile with others, because each start of Snakemake takes about a second. */
export interface Part {
  readonly name: string;
  /** The files that the rule `all` needs from these rules: the items of a list. */
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
