import { line, scrolling, statusWord, tableOf } from "#operations/reports/page/parts";
import type { DrawnNode, RunGraph } from "#operations/watch/progress/get-graph";
import { type Markup, markup } from "#plumbing/text/markup";
import { jobsIn } from "#workflow/graph";

/** A larger graph is listed as a table: nobody reads a picture with more boxes. */
const DRAWN_MAX = 60;
const LISTED_MAX = 300;
const NAME_MAX = 24;
const [BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y, EDGE_PX] = [190, 42, 46, 16, 8];

interface Place {
  readonly node: DrawnNode;
  readonly x: number;
  readonly y: number;
}

/** Draws the steps from left to right, each to the right of the steps that it needs. The same facts follow as a table. */
export function graphDrawing({ nodes, edges }: RunGraph): Markup {
  const drawing = nodes.length === 0 || nodes.length > DRAWN_MAX ? "" : drawn({ nodes, edges });
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const before = Map.groupBy(edges, ({ to }) => to);
  const rows = nodes
    .slice(0, LISTED_MAX)
    .map((node) => [
      line(pathOf(node, nodes)),
      statusWord(node.status),
      String(jobsIn(node.counts)),
      line((before.get(node.id) ?? []).map(({ from }) => names.get(from) ?? from).join(", ")),
    ]);
  const more = nodes.length - rows.length;
  const table = tableOf("Steps and what they need", ["step", "status", ["jobs", "n"], "after"], rows);
  const note = more > 0 ? markup`<p class="muted">${more} more steps are not listed.</p>` : "";
  return markup`${drawing}
    <details>
      <summary>The graph as a table</summary>
      ${table} ${note}
    </details>`;
}

/** Returns the name with the names of the workflows around it. */
function pathOf(node: DrawnNode, nodes: readonly DrawnNode[]): string {
  const parent = node.parent === null ? undefined : nodes.find(({ id }) => id === node.parent);
  return parent ? `${pathOf(parent, nodes)} › ${node.name}` : node.name;
}

function drawn({ nodes, edges }: RunGraph): Markup {
  const inside = nodes.flatMap(({ id, parent }) => (parent === null ? [] : [{ from: parent, to: id }]));
  const places = placesOf(nodes, [...edges, ...inside]);
  const width = Math.max(...[...places.values()].map(({ x }) => x)) + BOX_WIDTH + EDGE_PX;
  const height = Math.max(...[...places.values()].map(({ y }) => y)) + BOX_HEIGHT + EDGE_PX;
  const lines = [
    ...inside.map((edge) => lineOf(places, edge, "edge inside")),
    ...edges.map((edge) => lineOf(places, edge, "edge")),
  ];
  return scrolling(
    "Graph of the steps",
    markup`<svg class="chart" viewBox="0 0 ${width} ${height}" style="min-width: ${width}px; width: ${width}px" role="img" aria-label="${summaryOf(nodes)}">
      ${lines} ${[...places.values()].map(boxOf)}
    </svg>`,
  );
}

function summaryOf(nodes: readonly DrawnNode[]): string {
  return `Graph of ${nodes.length} steps: ${nodes.map(({ name, status }) => `${line(name, NAME_MAX)} ${status}`).join(", ")}`;
}

/** Puts each node in the column after the last node that it needs. A circle, which no engine draws, ends in column 60. */
function placesOf(
  nodes: readonly DrawnNode[],
  edges: readonly { readonly from: string; readonly to: string }[],
): ReadonlyMap<string, Place> {
  const columns = new Map(nodes.map(({ id }) => [id, 0]));
  for (let round = 0; round < nodes.length; round += 1) {
    let isStable = true;
    for (const { from, to } of edges) {
      const wanted = (columns.get(from) ?? -1) + 1;
      if (!columns.has(to) || columns.get(to)! >= wanted || wanted > DRAWN_MAX) continue;
      columns.set(to, wanted);
      isStable = false;
    }
    if (isStable) break;
  }
  const filled = new Map<number, number>();
  return new Map(
    nodes.map((node) => {
      const column = columns.get(node.id)!;
      const row = filled.get(column) ?? 0;
      filled.set(column, row + 1);
      const place = { x: EDGE_PX + column * (BOX_WIDTH + GAP_X), y: EDGE_PX + row * (BOX_HEIGHT + GAP_Y) };
      return [node.id, { node, ...place }];
    }),
  );
}

function lineOf(
  places: ReadonlyMap<string, Place>,
  { from, to }: { readonly from: string; readonly to: string },
  kind: string,
): Markup {
  const [one, other] = [places.get(from), places.get(to)];
  if (!one || !other) return markup``;
  const [x1, y1] = [one.x + BOX_WIDTH, one.y + BOX_HEIGHT / 2];
  const [x2, y2] = [other.x, other.y + BOX_HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return markup`<path class="${kind}" d="M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}" />`;
}

function boxOf({ node, x, y }: Place): Markup {
  const jobs = jobsIn(node.counts);
  const note = jobs > 1 ? `${node.status}, ${jobs} jobs` : node.status;
  return markup`<g class="${node.status}">
    <rect class="box" x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="6" />
    <text x="${x + 10}" y="${y + 18}">${line(node.name, NAME_MAX)}</text>
    <text class="label" x="${x + 10}" y="${y + 34}">${note}</text>
  </g>`;
}
