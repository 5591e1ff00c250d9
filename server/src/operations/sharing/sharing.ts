import type { Basics, Caller } from "#operations/context";
import { findRun, type Run } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { changing, type Keyed } from "#operations/idempotency";
import { findGranteeId, refuseToShareWith } from "#operations/sharing/grantees";
import { DAY_MS } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { granteesOf } from "#store/sharing/groups";
import {
  deleteShare,
  insertShare,
  ownersWhoShareWith,
  readersOfOwner,
  type SharedWith,
  sharesOfRuns,
} from "#store/sharing/shares";
import { granteeText } from "#workflow/people/grantee";

export type { SharedWith };

type SharingContext = Pick<Basics, "db" | "clock">;

export interface ShareInput {
  readonly address: string;
  /** An e-mail address, or `group:` and the name of a group. */
  readonly grantee: string | undefined;
  readonly message?: string | undefined;
  /** The last day of the share, `YYYY-MM-DD` in UTC. Optional: if absent, the share holds until revoked. */
  readonly validUntil?: string | undefined;
}

/** A run, and the change to its readers. */
export interface Shared {
  readonly run: Run;
}

/** Lets a user or the members of a group read a run. Sentences are REANA's. */
export async function shareRun(
  context: SharingContext & Keyed,
  caller: Caller,
  { address, grantee, message, validUntil }: ShareInput,
): Promise<Shared> {
  const run = await findRun(context, caller, address, "change");
  if (!grantee) throw noGrantee("user_email_to_share_with");
  const nowMs = context.clock.now();
  const expiresAtMs = validUntil === undefined ? null : endOfDay(validUntil, nowMs);
  const shared = await changing(context, async (db) => {
    const granteeId = await findGranteeId(db, grantee);
    await refuseToShareWith(db, caller, grantee);
    if (granteeId === caller.id) {
      throw new Refusal("malformed", "Unable to share a workflow with yourself.");
    }
    const share = {
      runSeq: run.seq,
      ownerId: caller.id,
      granteeId,
      message: message || null,
      isHidden: run.status === "deleted",
    };
    if (await insertShare(db, { ...share, sharedAtMs: nowMs, expiresAtMs })) return { run };
    throw new Refusal("conflict", `${fullNameOf(run)} is already shared with ${grantee}.`);
  });
  crashPoint("run-shared");
  return shared;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the first moment after a day, in UTC. */
function endOfDay(day: string, nowMs: number): number {
  const beginMs = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // The thirtieth of February is parsed as the second of March.
  if (Number.isNaN(beginMs) || !new Date(beginMs).toISOString().startsWith(day)) {
    throw new Refusal(
      "malformed",
      "Field 'valid_until': Date format is not valid. Please use YYYY-MM-DD format.",
    );
  }
  const endMs = beginMs + DAY_MS;
  if (endMs > nowMs) return endMs;
  throw new Refusal("malformed", "The 'valid_until' date cannot be in the past.");
}

/** Ends a share: from the next request on the run is out of sight, and open streams are closed within a second. */
export async function unshareRun(
  context: SharingContext & Keyed,
  caller: Caller,
  { address, grantee }: { readonly address: string; readonly grantee: string | undefined },
): Promise<Shared> {
  const run = await findRun(context, caller, address, "change");
  if (!grantee) throw noGrantee("user_email_to_unshare_with");
  const unshared = await changing(context, async (db) => {
    const granteeId = await findGranteeId(db, grantee);
    if (await deleteShare(db, { runSeq: run.seq, granteeId }, context.clock.now())) return { run };
    throw new Refusal("conflict", `${fullNameOf(run)} is not shared with ${grantee}.`);
  });
  crashPoint("run-unshared");
  return unshared;
}

function noGrantee(field: string): Refusal {
  return new Refusal(
    "malformed",
    `No user was given. Add ${field}, an e-mail address, or group: and a name.`,
  );
}

/** Returns the users and groups with whom a run is shared, for its owner alone. */
export async function shareStatus(
  context: SharingContext,
  caller: Caller,
  address: string,
): Promise<{ readonly run: Run; readonly shares: readonly SharedWith[] }> {
  const run = await findRun(context, caller, address, "change");
  const { seq, ownerId } = run;
  const nowMs = context.clock.now();
  return { run, shares: await sharesOfRuns(context.db, { ownerId, fromSeq: seq, toSeq: seq, nowMs }) };
}

/** Returns the addresses of the users who share runs with the caller. */
export async function listSharers({ db, clock }: SharingContext, caller: Caller): Promise<readonly string[]> {
  const granteeIds = await granteesOf(db, caller.id);
  return ownersWhoShareWith(db, { granteeIds, exceptId: caller.id }, clock.now());
}

/** Returns the users and groups with whom the caller shares runs, in alphabetical order. */
export async function listReaders({ db, clock }: SharingContext, caller: Caller): Promise<readonly string[]> {
  return (await readersOfOwner(db, caller.id, clock.now())).map(granteeText).toSorted();
}
