import type { Selectable } from "kysely";
import type { Connection } from "#store/database/database";
import type { Tables } from "#store/database/tables";

/** The raw content of a database: the checks do not read it through the code under test. */
export interface Rows {
  readonly users: readonly Row<"users">[];
  readonly tokens: readonly Row<"tokens">[];
  readonly identities: readonly Row<"identities">[];
  readonly quotas: readonly Row<"quotas">[];
  readonly usageDays: readonly Row<"usage_days">[];
  readonly workspaces: readonly Row<"workspaces">[];
  readonly runs: readonly Row<"runs">[];
  readonly counts: readonly Row<"run_counts">[];
  readonly jobs: readonly Row<"jobs">[];
  readonly notebooks: readonly Row<"notebooks">[];
  readonly endedNotebooks: readonly Row<"ended_notebooks">[];
  readonly notifications: readonly Row<"notifications">[];
  readonly deliveries: readonly Row<"deliveries">[];
  readonly nodes: readonly Row<"run_nodes">[];
  /** The events of each run, in order. */
  readonly events: readonly Row<"run_events">[];
  readonly snapshots: readonly Row<"run_snapshots">[];
  readonly definitions: readonly Row<"run_definitions">[];
  readonly results: readonly Row<"run_results">[];
  readonly reruns: readonly Row<"reruns">[];
}

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

export async function loadRows(db: Connection): Promise<Rows> {
  const events = db.selectFrom("run_events").orderBy("run_id").orderBy("seq");
  return {
    users: await db.selectFrom("users").selectAll().execute(),
    tokens: await db.selectFrom("tokens").selectAll().execute(),
    identities: await db.selectFrom("identities").selectAll().execute(),
    quotas: await db.selectFrom("quotas").selectAll().execute(),
    usageDays: await db.selectFrom("usage_days").selectAll().execute(),
    workspaces: await db.selectFrom("workspaces").selectAll().execute(),
    runs: await db.selectFrom("runs").selectAll().execute(),
    counts: await db.selectFrom("run_counts").selectAll().execute(),
    jobs: await db.selectFrom("jobs").selectAll().execute(),
    notebooks: await db.selectFrom("notebooks").selectAll().execute(),
    endedNotebooks: await db.selectFrom("ended_notebooks").selectAll().execute(),
    notifications: await db.selectFrom("notifications").selectAll().execute(),
    deliveries: await db.selectFrom("deliveries").selectAll().execute(),
    nodes: await db.selectFrom("run_nodes").selectAll().execute(),
    events: await events.selectAll().execute(),
    definitions: await db.selectFrom("run_definitions").selectAll().execute(),
    results: await db.selectFrom("run_results").selectAll().execute(),
    reruns: await db.selectFrom("reruns").selectAll().execute(),
    snapshots: await db.selectFrom("run_snapshots").selectAll().execute(),
  };
}

export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
