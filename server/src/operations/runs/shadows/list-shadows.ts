import type { Caller } from "#operations/context";
import type { Operations } from "#operations/operations";
import { fullNameOf } from "#operations/full-name";
import { findUser } from "#operations/users/accounts";
import type { Connection } from "#store/database/database";
import { isShadowed, listShadows as readShadows, setShadowed, type Shadow } from "#store/shadows/shadows";
import {
  countByUser,
  countCauses,
  type CountedCause,
  countProblems,
  newestKinds,
  type ShadowedUser,
  type ShadowProblem,
  unshadowedUsers,
  type WhoseShadows,
} from "#store/shadows/shadow-report";
import { emailsOf, type User } from "#store/users/users";
import { READY_AFTER, type Readiness, readinessOf } from "#workflow/run/shadow";

/** Most runs in a report. */
const MOST_RUNS = 200;

export interface ListedShadow extends Shadow {
  readonly name: string;
  readonly email: string;
}

export interface UserInReport extends ShadowedUser {
  readonly email: string;
  readonly isOn: boolean;
  readonly readiness: Readiness;
}

export interface ShadowReport {
  /** Host of the other server. If absent, no run is sent elsewhere. */
  readonly server: string | undefined;
  readonly isOn: boolean;
  readonly problems: readonly ShadowProblem[];
  readonly causes: readonly CountedCause[];
  /** Users whose runs were sent, or who have switched that off, by e-mail address. */
  readonly users: readonly UserInReport[];
  /** The newest runs that were sent. */
  readonly runs: readonly ListedShadow[];
}

/** Reports on the runs of the caller that were sent to the other server, or of all users for the administrator. */
export async function shadowReport(
  { db, runSettings }: Pick<Operations, "db" | "runSettings">,
  caller: Caller,
): Promise<ShadowReport> {
  const whose = { ownerId: caller.isAdmin ? undefined : caller.id };
  return {
    server: runSettings.shadowHost,
    isOn: await isShadowed(db, caller.id),
    problems: await countProblems(db, whose),
    causes: await countCauses(db, whose),
    users: await usersInReport(db, whose),
    runs: await newestRuns(db, whose),
  };
}

async function usersInReport(db: Connection, whose: WhoseShadows): Promise<readonly UserInReport[]> {
  const counted = new Map((await countByUser(db, whose)).map((user) => [user.ownerId, user]));
  const all = new Set(await unshadowedUsers(db));
  const off = whose.ownerId === undefined ? [...all] : [...all].filter((id) => id === whose.ownerId);
  const newest = await newestKinds(db, whose, READY_AFTER);
  const ids = [...new Set([...counted.keys(), ...off])];
  const emails = await emailsOf(db, ids);
  const users = ids.map((ownerId) => ({
    ...(counted.get(ownerId) ?? { ownerId, compared: 0, open: 0 }),
    email: emails.get(ownerId) ?? ownerId,
    isOn: !all.has(ownerId),
    readiness: readinessOf(newest.get(ownerId) ?? []),
  }));
  return users.toSorted((one, other) => one.email.localeCompare(other.email));
}

async function newestRuns(db: Connection, { ownerId }: WhoseShadows): Promise<readonly ListedShadow[]> {
  const shadows = await readShadows(db, { ownerId, most: MOST_RUNS });
  const emails = await emailsOf(
    db,
    shadows.map((one) => one.ownerId),
  );
  return shadows.map((one) => ({
    ...one,
    name: fullNameOf(one),
    email: emails.get(one.ownerId) ?? one.ownerId,
  }));
}

/** Switches the copies of a user's later runs on or off. */
export async function switchShadows(
  { db, clock }: Pick<Operations, "db" | "clock">,
  userId: string,
  isOn: boolean,
): Promise<void> {
  await setShadowed(db, userId, isOn ? null : clock.now());
}

/** Switches the copies of the later runs of a user, by id or e-mail address. */
export async function switchShadowsOf(
  context: Pick<Operations, "db" | "clock">,
  idOrEmail: string,
  isOn: boolean,
): Promise<User> {
  const user = await findUser(context.db, idOrEmail);
  await switchShadows(context, user.id, isOn);
  return user;
}
