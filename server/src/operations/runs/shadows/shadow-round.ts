import { compareShadow } from "#operations/runs/shadows/compare-shadow";
import type { ShadowContext } from "#operations/runs/shadows/shadow-context";
import { sendShadow } from "#operations/runs/shadows/send-shadow";
import { DAY_MS } from "#plumbing/clock";
import { openRemoteReana, RemoteAway, type RemoteReana, RemoteRefusal } from "#sources/reana-remote";
import { maybeRun } from "#store/runs/runs";
import { claimShadow, dueShadows, recordShadow, type Shadow } from "#store/shadows/shadows";
import { findUsers } from "#store/users/users";
import { notCompared, type ShadowResult } from "#workflow/run/shadow";

/** Most runs that take a step in one round. The requests of people never wait for a round. */
const MOST_AT_ONCE = 8;
/** Reservation of a run against other servers: longer than any step. */
const CLAIM_MS = 60 * 60_000;
/** Pause until the two runs are looked at again. */
const LOOK_MS = 10_000;
const FIRST_PAUSE_MS = 5000;
const LAST_PAUSE_MS = 3_600_000;
/** Age at which a run is given up: the other server was away, or one of the two runs has not ended. */
const GIVEN_UP_AFTER_MS = 7 * DAY_MS;

/**
 * Returns a function that sends runs in the outbox to another server with REANA's API, and compares both runs when they
 * have ended. A step that fails because that server is away is repeated; a refusal is the result.
 */
export function createShadowRound(
  context: ShadowContext,
  url: string,
  stopping: AbortSignal,
): () => Promise<void> {
  return async () => {
    const { db, clock } = context;
    for (const shadow of await dueShadows(db, { nowMs: clock.now(), most: MOST_AT_ONCE })) {
      if (stopping.aborted) return;
      if (!(await claimShadow(db, shadow, clock.now() + CLAIM_MS))) continue;
      await recordShadow(db, shadow.runId, await stepOf(context, shadow, { url, stopping }));
    }
  };
}

type Step = Pick<Shadow, "remoteId" | "failures" | "dueAtMs" | "problem" | "result">;

interface Target {
  readonly url: string;
  readonly stopping: AbortSignal;
}

async function stepOf(context: ShadowContext, shadow: Shadow, target: Target): Promise<Step> {
  const nowMs = context.clock.now();
  const { remoteId, failures } = shadow;
  try {
    const done = await takeStep(context, shadow, target);
    if ("result" in done) return { remoteId, failures: 0, dueAtMs: null, problem: null, result: done.result };
    if (isOld(shadow, nowMs)) return ended(shadow, notCompared("not ended within a week"));
    return { remoteId: done.remoteId, failures: 0, dueAtMs: nowMs + LOOK_MS, problem: null, result: null };
  } catch (error) {
    if (error instanceof RemoteRefusal) return ended(shadow, refused(error));
    // This server stops: the step is repeated by the next one.
    if (target.stopping.aborted) return { ...shadow, dueAtMs: nowMs };
    if (!(error instanceof RemoteAway)) throw error;
    if (isOld(shadow, nowMs)) return ended(shadow, notCompared("the other server was away for a week"));
    const dueAtMs = nowMs + pauseMs(failures + 1);
    return { remoteId, failures: failures + 1, dueAtMs, problem: error.message, result: null };
  }
}

function isOld({ createdAtMs }: Shadow, nowMs: number): boolean {
  return nowMs - createdAtMs > GIVEN_UP_AFTER_MS;
}

function ended({ remoteId, failures }: Shadow, result: ShadowResult): Step {
  return { remoteId, failures, dueAtMs: null, problem: null, result };
}

function refused({ message }: RemoteRefusal): ShadowResult {
  return { kind: "refused", cause: `refused there: ${message}`, outputs: [] };
}

/** Returns the pause after so many failures in a row: 5 s, four times as long each time, up to an hour. */
function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 4 ** (failures - 1), LAST_PAUSE_MS);
}

type Done = { readonly remoteId: string } | { readonly result: ShadowResult };

async function takeStep(context: ShadowContext, shadow: Shadow, target: Target): Promise<Done> {
  const run = await maybeRun(context.db, shadow.runId);
  if (!run || run.status === "deleted") return { result: notCompared("the run was deleted here") };
  const remote = await maybeRemote(context, shadow, target);
  if (!remote) return { result: notCompared("its user has no access token") };
  if (shadow.remoteId === null) return sendShadow(context, run, remote);
  const result = await compareShadow(context, run, { remote, id: shadow.remoteId });
  return result ? { result } : { remoteId: shadow.remoteId };
}

/** The user's oldest token: an imported token is the same on both servers. */
async function maybeRemote(
  { db, tokenSeal }: ShadowContext,
  { ownerId }: Shadow,
  target: Target,
): Promise<RemoteReana | undefined> {
  const [user] = await findUsers(db, { id: ownerId });
  const sealed = user?.sealedToken ?? null;
  return sealed === null ? undefined : openRemoteReana({ ...target, token: tokenSeal.open(sealed) });
}
