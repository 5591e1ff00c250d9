import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

/** A sentence about a place in a text. Line and column are counted from 1. */
export interface Mark {
  readonly line: number;
  readonly column: number;
  /** True if the problem prevents the run from starting. */
  readonly stops: boolean;
  readonly message: string;
}

/** A remark of the server about a part of a specification: its path is `workflow.specification.steps.0`. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Places the faults of a specification in its text, in the order of the lines. */
export function marksOf(
  text: string,
  { stopping, noted }: { readonly stopping: readonly Fault[]; readonly noted: readonly Fault[] },
): readonly Mark[] {
  const placeOf = placesIn(text);
  const marked = (stops: boolean) => (fault: Fault) => ({
    ...placeOf(fault.path),
    stops,
    message: fault.message,
  });
  return [...stopping.map(marked(true)), ...noted.map(marked(false))].toSorted(
    (one, other) => one.line - other.line,
  );
}

/** Returns a function that finds the place of a path as far as the text has it. */
function placesIn(text: string): (path: string) => { readonly line: number; readonly column: number } {
  const lines = new LineCounter();
  const { contents } = parseDocument<Node>(text, { lineCounter: lines });
  return (path) => {
    const { line, col } = lines.linePos(offsetOf(contents, path) ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
}

function offsetOf(node: unknown, path: string, offset?: number): number | undefined {
  const part = path === "" ? undefined : partOf(node, path);
  if (!part) return offset;
  return offsetOf(part.value, path.slice(part.shown.length + 1), part.offset ?? offset);
}

interface Part {
  /** The key or index as written in the path. */
  readonly shown: string;
  readonly value: unknown;
  readonly offset: number | undefined;
}

/** Returns the part that the path begins with. A key may contain dots: the longest that fits is taken. */
function partOf(node: unknown, path: string): Part | undefined {
  const parts: Part[] = isMap(node)
    ? node.items.map(({ key, value }) => ({
        shown: nameOf(key, node.has("specification")),
        value,
        offset: startOf(key),
      }))
    : isSeq(node)
      ? node.items.map((value, index) => ({ shown: String(index), value, offset: startOf(value) }))
      : [];
  return parts
    .filter(({ shown }) => path === shown || path.startsWith(`${shown}.`))
    .toSorted((one, other) => other.shown.length - one.shown.length)[0];
}

/** The server renames `spec`, a name used by old clients, before validation. */
function nameOf(key: unknown, hasSpecification: boolean): string {
  const name = isScalar(key) ? String(key.value) : "";
  return name === "spec" && !hasSpecification ? "specification" : name;
}

function startOf(node: unknown): number | undefined {
  return (node as Partial<Node> | null)?.range?.[0];
}
