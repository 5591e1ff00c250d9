import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { rowsQuery } from "#store/database/many-rows";
import { type Graph, type NodeCounts, type NodeMark, NO_JOBS } from "#workflow/graph";

/** The totals of a node's jobs, and the engine's mark if any. */
export interface NodeRecord {
  readonly node: string;
  readonly counts: NodeCounts;
  readonly mark: NodeMark | null;
}

interface NodeOfRun {
  readonly runId: string;
  readonly node: string;
}

/** Changes to the totals of a node. */
export interface NodeChange {
  readonly node: string;
  readonly change: Partial<NodeCounts>;
}

/** Adds to the totals of nodes. Must run in the transaction changing the jobs. */
export async function countNodes(
  db: Connection,
  runId: string,
  changes: readonly NodeChange[],
): Promise<void> {
  const rows = Array.from(
    Map.groupBy(changes, ({ node }) => node),
    ([node, ofNode]) => {
      const { takenOver, ...counts } = sumOf(ofNode);
      return { ...counts, taken_over: takenOver, run_id: runId, node };
    },
  );
  if (rows.length > 0) await addToNodes(db, rows);
}

function sumOf(changes: readonly NodeChange[]): NodeCounts {
  const counts = { ...NO_JOBS };
  for (const { change } of changes) {
    for (const [name, count] of Object.entries(change)) counts[name as keyof NodeCounts] += count;
  }
  return counts;
}

const NODE_COLUMNS = {
  run_id: "text",
  node: "text",
  created: "integer",
  running: "integer",
  finished: "integer",
  failed: "integer",
  stopped: "integer",
  taken_over: "integer",
  retried: "integer",
} as const;
const NODE_NAMES = Object.keys(NODE_COLUMNS) as (keyof typeof NODE_COLUMNS)[];

const addToNodes = rowsQuery(NODE_COLUMNS, (db, given) =>
  db
    .insertInto("run_nodes")
    .columns(NODE_NAMES)
    // SQLite needs a condition here: without one it parses `on conflict` as the `on` of a join.
    .expression(sql`select ${sql.join(NODE_NAMES.map((name) => sql.ref(name)))} from ${given} where true`)
    .onConflict((conflict) =>
      conflict.columns(["run_id", "node"]).doUpdateSet({
        created: sql`run_nodes.created + excluded.created`,
        running: sql`run_nodes.running + excluded.running`,
        finished: sql`run_nodes.finished + excluded.finished`,
        failed: sql`run_nodes.failed + excluded.failed`,
        stopped: sql`run_nodes.stopped + excluded.stopped`,
        taken_over: sql`run_nodes.taken_over + excluded.taken_over`,
        retried: sql`run_nodes.retried + excluded.retried`,
      }),
    ),
);

/** Stores the engine's mark on a node. The last mark holds. */
export async function markNode(db: Connection, node: NodeOfRun, mark: NodeMark): Promise<void> {
  await markRow(db, { ...node, mark });
}

const markRow = fixedQuery((db, { runId, node, mark }: NodeOfRun & { readonly mark: NodeMark }) =>
  db
    .insertInto("run_nodes")
    .values({ ...NONE, run_id: runId, node, mark })
    .onConflict((conflict) => conflict.columns(["run_id", "node"]).doUpdateSet({ mark })),
);

const { takenOver: _, ...OTHERS } = NO_JOBS;
const NONE = { ...OTHERS, taken_over: 0 };

export async function nodesOfRun(db: Connection, runId: string): Promise<NodeRecord[]> {
  const { rows } = await allNodes(db, { runId });
  return rows.map(({ run_id: _run, node, mark, taken_over: takenOver, ...counts }) => ({
    node,
    mark,
    counts: { ...counts, takenOver },
  }));
}

const allNodes = fixedQuery((db, { runId }: { runId: string }) =>
  db.selectFrom("run_nodes").selectAll().where("run_id", "=", runId).orderBy("node"),
);

/** Returns a node's totals. */
export async function nodeCounts(db: Connection, node: NodeOfRun): Promise<NodeCounts> {
  const row = (await oneNode(db, node)).rows[0];
  if (!row) return NO_JOBS;
  const { taken_over: takenOver, ...counts } = row;
  return { ...counts, takenOver };
}

const oneNode = fixedQuery((db, { runId, node }: NodeOfRun) =>
  db
    .selectFrom("run_nodes")
    .select(["created", "running", "finished", "failed", "stopped", "taken_over", "retried"])
    .where("run_id", "=", runId)
    .where("node", "=", node),
);

/** Stores the nodes and edges that an event added to the run's graph. */
export async function insertDrawing(
  db: Connection,
  runId: string,
  seq: number,
  drawing: Graph,
): Promise<void> {
  const body = JSON.stringify(drawing);
  await db.insertInto("run_drawings").values({ run_id: runId, seq, body }).execute();
}

/** Returns all additions to the run's graph since the start, in order. */
export async function drawingOf(db: Connection, runId: string): Promise<Graph> {
  const { rows } = await drawings(db, { runId });
  const parts = rows.map(({ body }) => JSON.parse(body) as Graph);
  return {
    nodes: parts.flatMap(({ nodes }) => nodes),
    edges: parts.flatMap(({ edges }) => edges),
  };
}

const drawings = fixedQuery((db, { runId }: { runId: string }) =>
  db.selectFrom("run_drawings").select("body").where("run_id", "=", runId).orderBy("seq"),
);
