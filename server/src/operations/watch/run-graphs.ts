import type { Graph } from "#engines/engine";
import type { EngineRuntime, EngineSession } from "#runner/engine-runtime";
import { engineInput } from "#runner/engine-input";
import { replay } from "#runner/replay";
import type { Connection } from "#store/database/database";
import { nextRunEventSeq } from "#store/events/run-events";
import type { Run } from "#store/runs/runs";
import type { Language } from "#workflow/language";
import type { WorkspaceFolders } from "#workspace/workspaces";

/** Number of graphs that are kept, for runs that are being viewed. */
const KEPT = 64;

interface GraphContext {
  readonly db: Connection;
  readonly workspaces: WorkspaceFolders;
}

interface Kept {
  readonly seq: number;
  readonly graph: Promise<Graph>;
}

/**
 * Graphs of runs, as their engines draw them. A run may be driven by another server or have ended, so it is replayed
 * from its last snapshot. Requests for the same moment of a run share one replay.
 */
export class RunGraphs {
  readonly #context: GraphContext;
  readonly #hosts: ReadonlyMap<Language, EngineRuntime>;
  readonly #kept = new Map<string, Kept>();

  constructor(context: GraphContext, hosts: ReadonlyMap<Language, EngineRuntime>) {
    this.#context = context;
    this.#hosts = hosts;
  }

  /** Returns undefined if no engine here knows the language. */
  async maybeGraph(run: Run): Promise<Graph | undefined> {
    const host = this.#hosts.get(run.language);
    if (!host) return undefined;
    const seq = await nextRunEventSeq(this.#context.db, run.id);
    const kept = this.#kept.get(run.id);
    if (kept?.seq === seq) return kept.graph;
    const graph = drawn(this.#context, host, run);
    this.#keep(run.id, { seq, graph });
    return graph;
  }

  #keep(runId: string, kept: Kept): void {
    this.#kept.delete(runId);
    this.#kept.set(runId, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT) this.#kept.delete(oldest!);
    kept.graph.catch(() => {
      if (this.#kept.get(runId) === kept) this.#kept.delete(runId);
    });
  }
}

async function drawn(context: GraphContext, host: EngineRuntime, run: Run): Promise<Graph> {
  const session = await host.open(await engineInput(context, run));
  try {
    const { kind } = await replay(context.db, run.id, session);
    return kind === "fresh" ? await beforeItsStart(session) : await session.graph();
  } finally {
    await session.close();
  }
}

/**
 * Draws the steps of a run that has not started. An engine draws only what it has started, so all steps are then reset
 * to `waiting`.
 */
async function beforeItsStart(session: EngineSession): Promise<Graph> {
  await session.start();
  const { nodes, edges } = await session.graph();
  return { nodes: nodes.map((node) => ({ ...node, progress: "waiting", jobs: [] })), edges };
}
