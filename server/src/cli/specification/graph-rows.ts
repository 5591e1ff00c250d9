import { printable } from "#plumbing/text/printable";
import type { Graph } from "#workflow/graph";

const NAME_SHOWN_MAX = 60;

/**
 * Returns a row for each node of a graph: the name, indented below the workflow, the jobs, and the
 * dependencies.
 */
export function graphRows({ nodes, edges }: Graph): string[][] {
  const depths = new Map<string, number>();
  const names = new Map(nodes.map(({ id, name }) => [id, printable(name, NAME_SHOWN_MAX)]));
  return nodes.map(({ id, parent, jobs }) => {
    const depth = parent === null ? 0 : (depths.get(parent) ?? 0) + 1;
    depths.set(id, depth);
    const before = edges.filter(({ to }) => to === id).map(({ from }) => names.get(from) ?? from);
    return [
      "  ".repeat(depth) + names.get(id)!,
      jobs === null ? "?" : String(jobs),
      before.length === 0 ? "-" : before.join(", "),
    ];
  });
}
