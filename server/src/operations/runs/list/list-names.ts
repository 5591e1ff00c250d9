import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import type { Page } from "#operations/page";
import type { ListedRun } from "#operations/runs/list/list-runs";
import { peopleOf } from "#operations/sharing/people-of-runs";
import { progressOfRuns } from "#operations/watch/progress/progress";
import { runsInOrder } from "#store/runs/ranked-runs";
import { countRunNames, listRunNames } from "#store/runs/run-names";

export interface ListedName {
  readonly name: string;
  readonly runs: number;
  readonly last: ListedRun;
}

/** Returns a page of the names of the caller's runs, each with the newest run, most recent run first. */
export async function listNames(
  context: Pick<RunServices, "db" | "clock">,
  caller: Caller,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<Page<ListedName>> {
  const { db } = context;
  const names = await listRunNames(db, caller.id, { offset: (page - 1) * size, limit: size });
  const lasts = await runsInOrder(
    db,
    names.map(({ lastSeq }) => lastSeq),
  );
  const people = await peopleOf(context, caller, lasts);
  const progress = await progressOfRuns(db, lasts);
  const byName = new Map(lasts.map((run) => [run.name, run]));
  // A run may have been deleted since its name was read. Its name is left out.
  const items = names.flatMap(({ name, runs }) => {
    const run = byName.get(name);
    return run ? [{ name, runs, last: { run, ...people(run), progress: progress.get(run.id)! } }] : [];
  });
  return { items, total: await countRunNames(db, caller.id), page, size };
}
