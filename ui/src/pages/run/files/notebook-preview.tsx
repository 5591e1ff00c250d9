import { MarkdownText } from "./markdown-preview.tsx";
import { WithFile } from "./with-file.tsx";

type Lines = string | readonly string[];

interface Output {
  readonly text?: Lines;
  readonly data?: Readonly<Record<string, Lines>>;
}

interface Cell {
  readonly cell_type?: string;
  readonly source?: Lines;
  readonly outputs?: readonly Output[];
}

export function NotebookPreview({ run, name }: { readonly run: string; readonly name: string }) {
  return (
    <WithFile run={run} name={name}>
      {(text) => {
        const cells = cellsOf(text);
        if (!cells)
          return <p className="p-4 text-muted">This notebook is too large to be shown, or is none.</p>;
        return cells.map((cell, index) => <CellView key={index} cell={cell} />);
      }}
    </WithFile>
  );
}

function CellView({ cell }: { readonly cell: Cell }) {
  const source = joined(cell.source);
  if (cell.cell_type === "markdown") return <MarkdownText text={source} />;
  return (
    <div className="border-b border-line p-4 last:border-0">
      <pre className="rounded bg-raised p-2 font-mono text-xs whitespace-pre-wrap">{source}</pre>
      {cell.outputs?.map((output, index) => (
        <OutputView key={index} output={output} />
      ))}
    </div>
  );
}

function OutputView({ output: { text, data } }: { readonly output: Output }) {
  const picture = data?.["image/png"];
  if (picture !== undefined) {
    return (
      <img alt="Output" src={`data:image/png;base64,${joined(picture).trim()}`} className="mt-2 max-w-full" />
    );
  }
  return (
    <pre className="mt-2 font-mono text-xs whitespace-pre-wrap">{joined(text ?? data?.["text/plain"])}</pre>
  );
}

function joined(lines: Lines | undefined): string {
  return typeof lines === "string" ? lines : (lines ?? []).join("");
}

function cellsOf(text: string): readonly Cell[] | undefined {
  try {
    const { cells } = JSON.parse(text) as { cells?: unknown };
    return Array.isArray(cells) ? (cells as Cell[]) : undefined;
  } catch {
    return undefined;
  }
}
