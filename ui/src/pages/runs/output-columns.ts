import { columnNames, Letters, outputsTogether } from "reprise-sdk";
import type { Run } from "../../api/asks.ts";
import { bytesText } from "../../parts/times.ts";

type Output = NonNullable<Run["outputs"]>[number];

/** A table cell for one output of a run, or for all outputs. */
export interface Cell {
  readonly text: string;
  /** A picture to show in place of the text. */
  readonly picture?: string;
}

interface OutputColumn {
  readonly title: string;
  /** Returns undefined for a run without this output. */
  readonly cellOf: (run: Run) => Cell | undefined;
  readonly hasLetters: boolean;
}

const PICTURE = /\.(png|svg|jpe?g|gif|webp)$/i;

/** Returns the columns for the outputs of runs. Short texts and pictures are shown, other contents get a letter. */
export function outputColumns(runs: readonly Run[]): readonly OutputColumn[] {
  const all = new Set(runs.flatMap(({ outputs = [] }) => outputs.map(({ name }) => name)));
  const names = columnNames(all);
  if (!names) return [allOutputs(runs, all.size)];
  return names.map((name) => {
    const letters = lettersOf(runs, (run) => contentOf(outputOf(run, name)));
    return {
      title: name,
      hasLetters: runs.some((run) => isLettered(outputOf(run, name))),
      cellOf: (run) => cellOf(outputOf(run, name), letters),
    };
  });
}

function allOutputs(runs: readonly Run[], count: number): OutputColumn {
  const together = ({ outputs = [] }: Run) => outputsTogether(outputs);
  const letters = lettersOf(runs, (run) => together(run)?.content);
  return {
    title: `Outputs (${count} files)`,
    hasLetters: letters.size > 0,
    cellOf: (run) => {
      const outputs = together(run);
      return outputs && { text: `${bytesText(outputs.bytes)} ${letters.get(outputs.content)!}` };
    },
  };
}

function outputOf({ outputs = [] }: Run, wanted: string): Output | undefined {
  return outputs.find(({ name }) => name === wanted);
}

function isPicture({ name, is_current: isCurrent }: Output): boolean {
  return isCurrent && PICTURE.test(name);
}

function isLettered(output: Output | undefined): boolean {
  return output !== undefined && output.text === undefined && !isPicture(output) && output.sha256 !== null;
}

/** Returns the digest that determines the letter of an output, or undefined without a letter. */
function contentOf(output: Output | undefined): string | undefined {
  return isLettered(output) ? output!.sha256! : undefined;
}

/** Assigns letters in the order of the list, so that sorting the table keeps all letters. */
function lettersOf(
  runs: readonly Run[],
  contentOfRun: (run: Run) => string | undefined,
): ReadonlyMap<string, string> {
  const letters = new Letters();
  const contents = runs.map(contentOfRun).filter((content) => content !== undefined);
  return new Map(contents.map((content) => [content, letters.of(content)]));
}

function cellOf(output: Output | undefined, letters: ReadonlyMap<string, string>): Cell | undefined {
  if (!output) return undefined;
  const text =
    output.text ?? [bytesText(output.bytes), letters.get(output.sha256 ?? "")].filter(Boolean).join(" ");
  return isPicture(output) ? { text, picture: output.name } : { text };
}
