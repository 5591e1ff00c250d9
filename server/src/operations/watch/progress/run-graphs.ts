import type { EngineRuntime } from "#runner/engine/engine-runtime";
import { engineInput } from "#runner/engine/engine-input";
import type { Connection } from "#store/database/database";
import { drawingOf } from "#store/jobs/run-nodes";
import type { Run } from "#store/runs/runs";
import type { Graph } from "#workflow/graph";
import type { Language } from "#workflow/language";
import type { WorkspaceFolders } from "#workspace/workspaces";

/** Number of cached graphs, for runs on display. */
const KEPT = 64;

interface GraphContext {
  readonly db: Connection;
  readonly workspaces: WorkspaceFolders;
}

/**
 * Graphs of runs: what follows from a run's definition, and what its engine has drawn since. No event is replayed. The
 * first part is kept, because the definition of a run does not change once it has been started.
 */
export class RunGraphs {
  readonly #context: GraphContext;
  readonly #runtimes: ReadonlyMap<Language, EngineRuntime>;
  readonly #kept = new Map<string, Promise<Graph>>();

  constructor(context: GraphContext, runtimes: ReadonlyMap<Language, EngineRuntime>) {
    this.#context = context;
    this.#runtimes = runtimes;
  }

  /** Returns undefined if no engine here knows the language. */
  async maybeGraph(run: Run): Promise<Graph | undefined> {
    const runtime = this.#runtimes.get(run.language);
    if (!runtime) return undefined;
    if (run.status === "created") return defined(this.#context, runtime, run);
    const { nodes, edges } = await this.#defined(runtime, run);
    const drawn = await drawingOf(this.#context.db, run.id);
    return { nodes: [...nodes, ...drawn.nodes], edges: [...edges, ...drawn.edges] };
  }

  #defined(runtime: EngineRuntime, run: Run): Promise<Graph> {
    const graph = this.#kept.get(run.id) ?? defined(this.#context, runtime, run);
    this.#kept.delete(run.id);
    this.#kept.set(run.id, graph);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT) this.#kept.delete(oldest!);
    graph.catch(() => {
      if (this.#kept.get(run.id) === graph) this.#kept.delete(run.id);
    });
    return graph;
  }
}

/** Returns the graph as far as it follows from the run's definition. */
async function defined(context: GraphContext, runtime: EngineRuntime, run: Run): Promise<Graph> {
  const session = await runtime.open(await engineInput(context, run), { ownerId: run.ownerId });
  try {
    return await session.graph();
  } finally {
    await session.close();
  }
}
