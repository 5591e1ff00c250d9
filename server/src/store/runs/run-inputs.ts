import type { Connection } from "#store/database/database";
import { maybeFirstEventOf } from "#store/events/run-events";
import { INPUTS_FETCHED } from "#workflow/run/event-kinds";
import type { FetchedInputs } from "#workflow/run/fetched-inputs";

/** Returns the fetched inputs of a run, or undefined if it has recorded none. */
export async function maybeInputsOf(db: Connection, runId: string): Promise<FetchedInputs | undefined> {
  const event = await maybeFirstEventOf(db, runId, INPUTS_FETCHED);
  return event?.body as FetchedInputs | undefined;
}

/**
 * Returns the paths and checksums that the runs of a workspace have fetched, as `path` and checksum on two lines.
 * Includes the runs of the workspace that it was copied from.
 */
export async function earlierInputsIn(db: Connection, workspaceId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("run_events")
    .innerJoin("runs", "runs.id", "run_events.run_id")
    .select("run_events.body")
    .where("run_events.kind", "=", INPUTS_FETCHED)
    .where((where) =>
      where.or([
        where("runs.workspace_id", "=", workspaceId),
        where(
          "runs.workspace_id",
          "in",
          where.selectFrom("reruns").select("source_workspace_id").where("workspace_id", "=", workspaceId),
        ),
      ]),
    )
    .execute();
  return new Set(
    rows.flatMap(({ body }) =>
      (JSON.parse(body) as FetchedInputs).files.map(({ path, sha256 }) => `${path}\n${sha256}`),
    ),
  );
}
