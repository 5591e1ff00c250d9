import { spawnSync } from "node:child_process";

/** The first number of a range that systems give to no person, and to no person's container. */
const PRIVATE_USERS = 0x7000_0000;
/** Lifetime of an answer about a number. */
const KNOWN_MS = 60_000;
const TIMEOUT_MS = 5000;
/** The exit code of `getent` for a number that belongs to nobody. */
const NOBODY = 2;

const known = new Map<number, { readonly isSomebody: boolean; readonly atMs: number }>();

/**
 * Returns the user id of a job under a podman of root, which maps no ids. An id that belongs to a person on
 * this machine is replaced by a private id: the kernel, and every service that asks the kernel, would take
 * the job for that person. The id is also replaced if the machine cannot tell its owner.
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
