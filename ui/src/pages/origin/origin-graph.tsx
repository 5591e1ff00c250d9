import type { OriginChain } from "../../api/asks.ts";
import { layOut, NODE_PX } from "../run/graph/lay-out.ts";

interface Box {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly isStep: boolean;
}

const MARGIN_PX = 8;
/** A longer text is cut, because the box has a fixed width. */
const LETTERS_MAX = 26;

/** Draws the files and the steps of a chain, from the inputs at the top to the file at the bottom. */
export function OriginGraph({ chain }: { readonly chain: OriginChain }) {
  const boxes = boxesOf(chain);
  const edges = chain.steps.flatMap(({ job, reads, writes }) => [
    ...reads.map((file) => ({ from: fileId(file), to: job })),
    ...writes.map((file) => ({ from: job, to: fileId(file) })),
  ]);
  const places = layOut({ nodes: boxes.map((node) => ({ node })), edges });
  const all = [...places.values()];
  const width = Math.max(...all.map(({ x }) => x)) + NODE_PX.width + 2 * MARGIN_PX;
  const height = Math.max(...all.map(({ y }) => y)) + NODE_PX.height + 2 * MARGIN_PX;
  const [file] = chain.files;
  return (
    <section className="overflow-auto p-4" aria-label="Chain of files and steps" tabIndex={0}>
      <svg
        role="img"
        aria-label={`${file?.path ?? "The file"} with ${chain.steps.length} steps and ${chain.files.length - 1} other files behind it`}
        width={width}
        height={height}
        viewBox={`${-MARGIN_PX} ${-MARGIN_PX} ${width} ${height}`}
      >
        {edges.map(({ from, to }) => {
          const [a, b] = [places.get(from)!, places.get(to)!];
          const x = NODE_PX.width / 2;
          return (
            <line
              key={`${from} ${to}`}
              x1={a.x + x}
              y1={a.y + NODE_PX.height}
              x2={b.x + x}
              y2={b.y}
              stroke="var(--muted)"
            />
          );
        })}
        {boxes.map((box) => (
          <g key={box.id} transform={`translate(${places.get(box.id)!.x} ${places.get(box.id)!.y})`}>
            <title>{`${box.title} ${box.note}`}</title>
            <rect
              {...NODE_PX}
              rx={box.isStep ? 8 : 0}
              fill={box.isStep ? "var(--raised)" : "var(--surface)"}
              stroke="var(--line)"
            />
            <text x={12} y={26} fill="var(--ink)" fontSize={13} fontWeight={500}>
              {cut(box.title)}
            </text>
            <text x={12} y={46} fill="var(--muted)" fontSize={12}>
              {cut(box.note)}
            </text>
          </g>
        ))}
      </svg>
      {chain.is_cut && <p className="text-sm text-muted">The chain goes on beyond these files.</p>}
    </section>
  );
}

function boxesOf({ files, steps }: OriginChain): Box[] {
  return [
    ...files.map((file, index) => ({
      id: fileId(index),
      title: file.path,
      note: file.is_given ? `input of ${file.workflow_name}` : file.workflow_name,
      isStep: false,
    })),
    ...steps.map((step) => ({ id: step.job, title: step.label, note: step.workflow_name, isStep: true })),
  ];
}

function fileId(index: number): string {
  return `file ${index}`;
}

function cut(text: string): string {
  return text.length > LETTERS_MAX ? `…${text.slice(1 - LETTERS_MAX)}` : text;
}
