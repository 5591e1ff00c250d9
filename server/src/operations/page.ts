/** Which part of a list is asked for. */
export interface Paging {
  /** From 1 on. */
  readonly page: number;
  /** Absent: everything. */
  readonly size?: number;
}

/** One part of a list, and where it stands in the whole. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many there are on all pages. */
  readonly total: number;
  readonly page: number;
  readonly size?: number;
}

/** The part of a list that is in memory as a whole. */
export function pageOf<Item>(all: readonly Item[], paging: Paging): Page<Item> {
  const { page, size } = paging;
  if (size === undefined) return { items: all, total: all.length, page };
  return { items: all.slice((page - 1) * size, page * size), total: all.length, page, size };
}
