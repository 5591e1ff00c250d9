/** Returns the page number in the address, or 1 if absent. */
export function pageOf(search: URLSearchParams): number {
  return Math.max(1, Math.trunc(Number(search.get("page") ?? 1)) || 1);
}
