import { spawnSync } from "node:child_process";

/** The first number of a range that systems give to no person, and to no container of one. */
const PRIVATE_USERS = 0x7000_0000;
/** Time for which an answer about a number counts. */
const KNOWN_MS = 60_000;
const TIMEOUT_MS = 5000;
/** The exit code of `getent` for a number that belongs to nobody. */
const NOBODY = 2;

const known = new Map<number, { readonly isSomebody: boolean; readonly atMs: number }>();

/**
 * Returns the number as which a job of this user runs under a podman of root, which maps no numbers. A number that
 * belongs to somebody of this machine is replaced by a private one: the kernel, and every service that asks it, would
 * take the job for that person. It is replaced too if the machine cannot say to whom it belongs.
 */
export function privateUser(uid: number, nowMs = performance.now()): number {
  if (uid === 0 || uid >= PRIVATE_USERS) return uid;
  const last = known.get(uid);
  const answer =
    last && nowMs - last.atMs < KNOWN_MS ? last : { isSomebody: belongsToSomebody(uid), atMs: nowMs };
  known.set(uid, answer);
  return answer.isSomebody ? PRIVATE_USERS + uid : uid;
}

function belongsToSomebody(uid: number): boolean {
  const { status } = spawnSync("getent", ["passwd", String(uid)], { stdio: "ignore", timeout: TIMEOUT_MS });
  return status !== NOBODY;
}
