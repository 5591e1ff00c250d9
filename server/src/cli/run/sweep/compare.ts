import { columnNames, Letters, outputsTogether } from "reprise-sdk";
import { inColumns } from "#cli/terminal/columns";
import { duration } from "#plumbing/text/duration";
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
  /** The content, if it is a short line of text. */
  readonly text?: string;
  /** Path of the local copy, if the output was copied back. */
  readonly file?: string;
}

/**
 * Formats a table of all runs. Short texts are shown. Other outputs are shown as letters; equal letters mean
 * equal contents.
 */
export function comparison(runs: readonly Compared[]): string[] {
  const parameters = runs[0]?.combination.map((pair) => pair.slice(0, pair.indexOf("="))) ?? [];
  const all = new Set(runs.flatMap((run) => run.outputs.map((output) => output.name)));
  const columns = columnNames(all)?.map(oneOutput) ?? [allOutputs(all.size)];
  const letters = columns.map(() => new Letters());
  const rows = runs.map((run) => [
    run.runName,
    ...run.combination.map((pair) => pair.slice(pair.indexOf("=") + 1)),
    run.status,
    duration(run.tookMs),
    ...columns.map((column, index) => cellOf(column.of(run.outputs), letters[index]!)),
  ]);
  const head = ["RUN", ...parameters, "STATUS", "DURATION", ...columns.map((column) => column.head)];
  const table = inColumns([head, ...rows]);
  const hasLetters = letters.some((letter) => letter.areUsed);
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
  return { head: `OUTPUTS (${count} FILES)`, of: outputsTogether };
}

function cellOf(cell: Cell | undefined, letters: Letters): string {
  if (cell === undefined) return "-";
  return cell.text ?? `${shortSize(cell.bytes)} ${letters.of(cell.content)}`;
}
