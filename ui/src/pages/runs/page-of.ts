/** Returns the page of the list that the address asks for: the first one if it names none. */
export function pageOf(search: URLSearchParams): number {
  return Math.max(1, Math.trunc(Number(search.get("page") ?? 1)) || 1);
}
