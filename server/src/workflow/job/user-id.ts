/** REANA's lowest user of a job, so that no job is a user of the system. */
export const UID_MIN = 100;
export const UID_MAX = 2 ** 31 - 2;

/** Accepts `500` and `"500"`. */
export function isUid(value: unknown): boolean {
  const isNumber = typeof value === "number" || (typeof value === "string" && /^\d{1,10}$/.test(value));
  return isNumber && Number.isInteger(Number(value)) && Number(value) >= 0 && Number(value) <= UID_MAX;
}

/** Returns REANA's sentence about a user that no job may be. Undefined if it may, and of a value that is no user. */
export function maybeLowUser(uid: unknown): string | undefined {
  if (!isUid(uid) || Number(uid) >= UID_MIN) return undefined;
  return `The "kubernetes_uid" requested (${Number(uid)}) is below the cluster-configured minimum (${UID_MIN}).`;
}
