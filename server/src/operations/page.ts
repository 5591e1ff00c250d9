/** Requested part of a list. */
export interface Paging {
  /** Number of the page, starting at 1. */
  readonly page: number;
  /** Maximum number of entries. If absent, all are returned. */
  readonly size?: number;
}

/** Part of a list, with its position in the whole. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Number of items on all pages. */
  readonly total: number;
  readonly page: number;
  readonly size?: number;
}

/** Returns one page of a list held completely in memory. */
export function pageOf<Item>(all: readonly Item[], paging: Paging): Page<Item> {
  const { page, size } = paging;
  if (size === undefined) return { items: all, total: all.length, page };
  return { items: all.slice((page - 1) * size, page * size), total: all.length, page, size };
}
