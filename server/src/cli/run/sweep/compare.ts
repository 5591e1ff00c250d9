import { inColumns } from "#cli/terminal/columns";
import { duration } from "#cli/terminal/duration";
import { shortSize } from "#plumbing/text/human-size";

/** Results of a sweep for one combination of parameters. */
export interface Compared {
  readonly runName: string;
  /** A `name=value` for each swept parameter. */
  readonly combination: readonly string[];
  readonly status: string;
  readonly tookMs: number;
  readonly outputs: readonly ComparedOutput[];
  /** Declared outputs that a finished run did not produce. */
  readonly absent: readonly string[];
}

export interface ComparedOutput {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The content, if that is one short line of text. */
  readonly text?: string;
  /** Path of the local copy, if the output was copied back. */
  readonly file?: string;
}

/** Number of outputs up to which each has a column. Beyond that, one column stands for all of them. */
const MAX_OUTPUT_COLUMNS = 4;

/** Formats a table of all runs. Short texts are shown; among other outputs, equal ones have the same letter. */
export function comparison(runs: readonly Compared[]): string[] {
  const parameters = runs[0]?.combination.map((pair) => pair.slice(0, pair.indexOf("="))) ?? [];
  const names = [...new Set(runs.flatMap((run) => run.outputs.map((output) => output.name)))].toSorted();
  const columns = names.length <= MAX_OUTPUT_COLUMNS ? names.map(oneOutput) : [allOutputs(names.length)];
  const letters = columns.map(() => letterer());
  const rows = runs.map((run) => [
    run.runName,
    ...run.combination.map((pair) => pair.slice(pair.indexOf("=") + 1)),
    run.status,
    duration(run.tookMs),
    ...columns.map((column, index) => cellOf(column.of(run.outputs), letters[index]!)),
  ]);
  const head = ["RUN", ...parameters, "STATUS", "DURATION", ...columns.map((column) => column.head)];
  const table = inColumns([head, ...rows]);
  const hasLetters = letters.some((letter) => letter.isUsed());
  return hasLetters ? [...table, "Within a column, the same letter means the same content."] : table;
}

interface Column {
  readonly head: string;
  of(outputs: readonly ComparedOutput[]): Cell | undefined;
}

interface Cell {
  readonly bytes: number;
  readonly content: string;
  readonly text?: string;
}

function oneOutput(name: string): Column {
  return {
    head: name,
    of(outputs) {
      const output = outputs.find((one) => one.name === name);
      if (output === undefined) return undefined;
      const { bytes, sha256: content, text } = output;
      return { bytes, content, ...(text !== undefined && { text }) };
    },
  };
}

function allOutputs(count: number): Column {
  return {
    head: `OUTPUTS (${count} FILES)`,
    of(outputs) {
      if (outputs.length === 0) return undefined;
      const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
      const lines = outputs.map(({ name, sha256 }) => `${sha256} ${name}`).toSorted();
      return { bytes, content: lines.join("\n") };
    },
  };
}

function cellOf(cell: Cell | undefined, { letterOf }: Letters): string {
  if (cell === undefined) return "-";
  return cell.text ?? `${shortSize(cell.bytes)} ${letterOf(cell.content)}`;
}

interface Letters {
  letterOf(content: string): string;
  isUsed(): boolean;
}

/** Returns letters in the order in which contents appear: a, b, … z, aa, ab, … */
function letterer(): Letters {
  const known = new Map<string, string>();
  return {
    isUsed: () => known.size > 0,
    letterOf(content) {
      const letter = known.get(content) ?? lettersOf(known.size);
      known.set(content, letter);
      return letter;
    },
  };
}

function lettersOf(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}
