/** Whether what the client has (`If-None-Match`, a list of entity tags or `*`) is what it would get. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => withoutWeakMark(tag) === withoutWeakMark(etag));
}

/**
 * Whether a range may be taken of the file as it is now. `If-Range` tells which file the client has a part of; only
 * its exact entity tag will do, since two changes within a second share one time, and parts of two files must not mix.
 */
export function mayTakeRange(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag;
}

function withoutWeakMark(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}
