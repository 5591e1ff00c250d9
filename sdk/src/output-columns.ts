/**
 * The rule by which the terminal and the page compare the outputs of several runs in a table: a column for
 * each output, or a single column if there are many outputs. Within a column, equal letters mean equal
 * contents.
 */

/**
 * Maximum number of outputs with individual columns. Beyond the maximum, one column stands for all outputs.
 */
const MAX_OUTPUT_COLUMNS = 4;

interface Output {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string | null;
}

/**
 * Returns the names of the outputs that have a column, in order. Undefined if one column stands for all
 * outputs.
 */
export function columnNames(names: Iterable<string>): readonly string[] | undefined {
  const all = new Set(names);
  return all.size > MAX_OUTPUT_COLUMNS ? undefined : [...all].toSorted();
}

/**
 * Summarizes all outputs of a run for one cell: the total size, and a text that is equal for equal contents.
 */
export function outputsTogether(
  outputs: readonly Output[],
): { readonly bytes: number; readonly content: string } | undefined {
  if (outputs.length === 0) return undefined;
  const lines = outputs.map(({ name, sha256 }) => `${sha256} ${name}`).toSorted();
  return { bytes: outputs.reduce((sum, { bytes }) => sum + bytes, 0), content: lines.join("\n") };
}

/** Gives letters in the order in which contents appear: a, b, … z, aa, ab, … Equal contents have the same letter. */
export class Letters {
  readonly #known = new Map<string, string>();

  of(content: string): string {
    const letter = this.#known.get(content) ?? letterAt(this.#known.size);
    this.#known.set(content, letter);
    return letter;
  }

  /** True if a content has a letter. */
  get areUsed(): boolean {
    return this.#known.size > 0;
  }
}

function letterAt(index: number): string {
  const last = String.fromCodePoint(97 + (index % 26));
  return index < 26 ? last : letterAt(Math.floor(index / 26) - 1) + last;
}
