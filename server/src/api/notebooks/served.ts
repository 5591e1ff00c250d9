import type { Socket } from "node:net";
import { CLOSED, ELSEWHERE, type Page } from "#api/notebooks/notebook-pages";
import type { Operations } from "#operations/operations";
import { isSame } from "#plumbing/secrets/is-same";

/** A place of the second origin within reach of this server: an open notebook, or the dashboard of a Dask cluster. */
export interface Served {
  readonly runId: string;
  readonly secret: string;
  /** Path below which everything is served. */
  readonly path: string;
  /** The page below the path that a browser sees first. */
  readonly firstPage: string;
  readonly connect: () => Promise<Socket>;
}

type Places = Pick<Operations, "notebooks" | "dashboards">;

/**
 * Returns the place of a run that the address names by its path, or by its secret in `token`. A run may have a notebook
 * and a dashboard. An address that names neither belongs to the notebook, or else to the dashboard.
 */
export async function servedAt(places: Places, runId: string, address: string): Promise<Page | Served> {
  const notebook = await notebookOf(places, runId);
  if (notebook && !("status" in notebook) && isNamed(notebook, address)) return notebook;
  const dashboard = await maybeDashboardOf(places, runId);
  if (dashboard && (!notebook || isNamed(dashboard, address))) return dashboard;
  return notebook ?? CLOSED;
}

function isNamed({ path, secret }: Served, address: string): boolean {
  const token = new URL(address, "http://notebook").searchParams.get("token") ?? "";
  return isSame(address.slice(0, path.length), path) || isSame(token, secret);
}

async function notebookOf({ notebooks }: Places, runId: string): Promise<Page | Served | undefined> {
  const notebook = await notebooks.maybeOf(runId);
  if (!notebook || notebook.status === "closing" || notebook.isOwnerDisabled) return undefined;
  if (!notebooks.isWithinReach(notebook)) return ELSEWHERE;
  return {
    runId,
    secret: notebooks.secretOf(notebook),
    path: notebooks.pathOf(notebook),
    firstPage: "lab",
    connect: () => notebooks.connect(notebook),
  };
}

async function maybeDashboardOf({ dashboards }: Places, runId: string): Promise<Served | undefined> {
  const scheduler = await dashboards.maybeScheduler(runId);
  if (!scheduler || scheduler.isOwnerDisabled || !dashboards.isWithinReach(scheduler)) return undefined;
  const dashboard = await dashboards.maybeOf(scheduler);
  return (
    dashboard && {
      runId,
      secret: dashboard.secret,
      path: dashboard.path,
      firstPage: "status",
      connect: () => dashboards.connect(dashboard),
    }
  );
}
