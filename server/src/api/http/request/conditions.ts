/**
 * Returns whether the client already has the current version, according to `If-None-Match` (a list of entity tags or
 * `*`).
 */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => withoutWeakMark(tag) === withoutWeakMark(etag));
}

/**
 * Returns whether a range of the present file may be sent. `If-Range` names the version that the client has a part of.
 * Only its exact entity tag will do, since two changes within a second share one time, and parts of two versions must
 * not mix.
 */
export function mayTakeRange(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag;
}

function withoutWeakMark(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}
