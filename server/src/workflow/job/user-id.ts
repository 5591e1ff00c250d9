/** REANA's lowest uid of a job. Lower uids are users of the system. */
export const UID_MIN = 100;
export const UID_MAX = 2 ** 31 - 2;

/** Accepts `500` and `"500"`. */
export function isUid(value: unknown): boolean {
  const isNumber = typeof value === "number" || (typeof value === "string" && /^\d{1,10}$/.test(value));
  return isNumber && Number.isInteger(Number(value)) && Number(value) >= 0 && Number(value) <= UID_MAX;
}

/**
 * Returns REANA's sentence about a user that no job may run as. Undefined if the user is allowed, or if the
 * value is not a uid.
 */
export function maybeLowUser(uid: unknown): string | undefined {
  if (!isUid(uid) || Number(uid) >= UID_MIN) return undefined;
  return `The "kubernetes_uid" requested (${Number(uid)}) is below the cluster-configured minimum (${UID_MIN}).`;
}
