import type { Basics, Caller } from "#operations/context";
import { mayChange } from "#operations/permission";
import type { Run } from "#store/runs/runs";
import { sharesOfRuns } from "#store/sharing/shares";
import { emailsOf } from "#store/users/users";
import { granteeText } from "#workflow/people/grantee";

export interface PeopleOfRun {
  readonly ownerEmail: string;
  /** The users and groups with whom the run is shared. Empty for runs of others: only an owner may know. */
  readonly sharedWith: readonly string[];
}

/** Looks up the owners and readers of listed runs, with at most two queries for a page. */
export async function peopleOf(
  { db, clock }: Pick<Basics, "db" | "clock">,
  caller: Caller,
  runs: readonly Run[],
): Promise<(run: Run) => PeopleOfRun> {
  const own = runs.filter((run) => mayChange(caller, run)).map(({ seq }) => seq);
  const others = new Set(runs.filter((run) => !mayChange(caller, run)).map(({ ownerId }) => ownerId));
  const emails = others.size === 0 ? undefined : await emailsOf(db, [...others]);
  const range = {
    ownerId: caller.id,
    fromSeq: Math.min(...own),
    toSeq: Math.max(...own),
    nowMs: clock.now(),
  };
  const shares = own.length === 0 ? [] : await sharesOfRuns(db, range);
  const readers = Map.groupBy(shares, ({ runSeq }) => runSeq);
  return (run) => ({
    ownerEmail: emails?.get(run.ownerId) ?? caller.email,
    sharedWith: (readers.get(run.seq) ?? []).map(granteeText),
  });
}
