import type { Caller } from "#operations/context";
import type { Operations } from "#operations/operations";
import { fullNameOf } from "#operations/full-name";
import { maybeRun } from "#store/runs/runs";
import { isShadowed, listShadows as readShadows, setShadowed, type Shadow } from "#store/shadows/shadows";
import { emailsOf } from "#store/users/users";

/** Most runs in a report. */
const MOST_RUNS = 1000;

export interface ListedShadow extends Shadow {
  readonly name: string;
  readonly email: string;
}

export interface ShadowReport {
  readonly isOn: boolean;
  readonly runs: readonly ListedShadow[];
  /** Causes with the number of runs, the most frequent first. Runs without a result are left out. */
  readonly causes: readonly { readonly cause: string; readonly runs: number }[];
}

/** Returns the newest runs of the caller that were sent to the other server, or of all users for the administrator. */
export async function shadowReport({ db }: Pick<Operations, "db">, caller: Caller): Promise<ShadowReport> {
  const ownerId = caller.isAdmin ? undefined : caller.id;
  const shadows = await readShadows(db, { ownerId, most: MOST_RUNS });
  const emails = await emailsOf(
    db,
    shadows.map((one) => one.ownerId),
  );
  const runs: ListedShadow[] = [];
  for (const shadow of shadows) {
    const run = await maybeRun(db, shadow.runId);
    const name = run ? fullNameOf(run) : shadow.runId;
    runs.push({ ...shadow, name, email: emails.get(shadow.ownerId) ?? shadow.ownerId });
  }
  const counts = Map.groupBy(
    runs.flatMap(({ result }) => (result ? [result.cause] : [])),
    (cause) => cause,
  );
  const causes = [...counts].map(([cause, all]) => ({ cause, runs: all.length }));
  return {
    isOn: await isShadowed(db, caller.id),
    runs,
    causes: causes.toSorted((one, other) => other.runs - one.runs),
  };
}

/** Switches the copies of the caller's later runs on or off. */
export async function switchShadows(
  { db, clock }: Pick<Operations, "db" | "clock">,
  caller: Caller,
  isOn: boolean,
): Promise<void> {
  await setShadowed(db, caller.id, isOn ? null : clock.now());
}
