import type { Backend } from "#backends/backend";
import { notebookPath } from "#notebooks/notebook-path";
import type { Connection } from "#store/database/database";
import { type DaskScheduler, maybeScheduler } from "#store/jobs/dask-clusters";
import { DASHBOARD_SECRET_SOCKET, DASHBOARD_SOCKET } from "#workflow/dask-dashboard";

type Connected = ReturnType<NonNullable<Backend["connect"]>>;

/** Reaches dashboards of other hosts through the servers there. */
export interface OtherDashboards {
  connect(hostId: string, runId: string, socketName: string): Connected;
}

interface DashboardsContext {
  readonly db: Connection;
  readonly hostId: string;
  readonly backends: readonly Backend[];
  /** If absent, this server reaches no dashboard of another host. */
  readonly others?: OtherDashboards | undefined;
}

/** The dashboard of a running Dask cluster. */
export interface DaskDashboard {
  readonly scheduler: DaskScheduler;
  readonly secret: string;
  /** Path below which the dashboard is served. */
  readonly path: string;
}

/** Length of 32 bytes in base64url. The scheduler runs code of its user, so its reply may be anything. */
const SECRET = /^[\w-]{43}$/;
/** The scheduler loads its pages before its first reply. */
const REPLY_MAX_MS = 20_000;

/**
 * Finds the dashboards of Dask clusters. The scheduler itself makes the secret and serves the pages on sockets in its
 * HOME, so a restarted server needs to remember nothing, and a dashboard closes with its cluster.
 */
export class DaskDashboards {
  readonly #context: DashboardsContext;

  constructor(context: DashboardsContext) {
    this.#context = context;
  }

  /** Returns the running scheduler of a run's cluster. */
  maybeScheduler(runId: string): Promise<DaskScheduler | undefined> {
    return maybeScheduler(this.#context.db, runId);
  }

  /** Returns whether this server can connect to jobs of the scheduler's backend and host. */
  isWithinReach(scheduler: DaskScheduler): boolean {
    if (!this.#backendOf(scheduler)?.connect) return false;
    return this.#isHere(scheduler) || this.#context.others !== undefined;
  }

  /** Asks a scheduler within reach for its dashboard. Undefined if the scheduler has none, as without Bokeh in its image. */
  async maybeOf(scheduler: DaskScheduler): Promise<DaskDashboard | undefined> {
    const socket = await this.#connect(scheduler, DASHBOARD_SECRET_SOCKET).catch(() => undefined);
    const secret = socket && (await reply(socket));
    if (secret === undefined || !SECRET.test(secret)) return undefined;
    return { scheduler, secret, path: notebookPath(scheduler.runId, secret) };
  }

  connect({ scheduler }: DaskDashboard): Connected {
    return this.#connect(scheduler, DASHBOARD_SOCKET);
  }

  /** Connects to a socket of a scheduler on this host, for another server. */
  async connectPeer(runId: string, socketName: string): Connected {
    const scheduler = await this.maybeScheduler(runId);
    const isKnown = [DASHBOARD_SOCKET, DASHBOARD_SECRET_SOCKET].includes(socketName);
    if (scheduler && isKnown && this.#isHere(scheduler)) return this.#connect(scheduler, socketName);
    throw new Error(`The run ${runId} has no dashboard of Dask on this host.`);
  }

  async #connect(scheduler: DaskScheduler, socketName: string): Connected {
    const { others } = this.#context;
    const { jobId, runId, hostId } = scheduler;
    if (!this.isWithinReach(scheduler)) throw new Error(`The Dask scheduler of ${runId} cannot be reached.`);
    if (!this.#isHere(scheduler)) return others!.connect(hostId!, runId, socketName);
    return this.#backendOf(scheduler)!.connect!(jobId, socketName);
  }

  #isHere({ hostId }: DaskScheduler): boolean {
    return hostId === null || hostId === this.#context.hostId;
  }

  #backendOf({ backend }: DaskScheduler): Backend | undefined {
    return this.#context.backends.find(({ name }) => name === backend);
  }
}

/** Returns the start of what a socket sends until its end. Undefined if the socket fails or is too slow. */
async function reply(socket: Awaited<Connected>): Promise<string | undefined> {
  let text = "";
  socket.setTimeout(REPLY_MAX_MS, () => socket.destroy(new Error("The Dask scheduler does not reply.")));
  try {
    for await (const chunk of socket.setEncoding("latin1")) {
      text += chunk as string;
      if (text.length > 100) break;
    }
    return text;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
