import Type, { type TSchema } from "typebox";

/** Fields of REANA's pages: which part of a list this is. The last four are present only if a size was requested. */
const PAGE_FIELDS = {
  total: Type.Integer({ description: "The number on all pages." }),
  page: Type.Integer(),
  has_prev: Type.Boolean(),
  has_next: Type.Boolean(),
  size: Type.Optional(Type.Integer()),
  from_idx: Type.Optional(Type.Integer()),
  to_idx: Type.Optional(Type.Integer()),
  links: Type.Optional(
    Type.Object(
      {
        prev: Type.Optional(Type.Object({ page: Type.Integer() })),
        self: Type.Object({ page: Type.Integer() }),
        next: Type.Optional(Type.Object({ page: Type.Integer() })),
      },
      { title: "PageLinks" },
    ),
  ),
};

export function pageSchema<Item extends TSchema, Extra extends Record<string, TSchema>>(
  title: string,
  item: Item,
  extra: Extra,
) {
  return Type.Object({ items: Type.Array(item), ...PAGE_FIELDS, ...extra }, { title });
}

/** Far beyond any list, and small enough for every integer type it passes through. */
const MAX_PAGE = 1_000_000_000;

export const PAGING_QUERY = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: "Number, starting at 1." })),
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      description: "The maximum number on a page; without it, all are returned.",
    }),
  ),
};

/** Returns the paging query for a list that is always paged. */
export function limitedPaging(usual: number, most: number) {
  const description = `The number on a page: default ${usual}, at most ${most}.`;
  return { ...PAGING_QUERY, size: Type.Optional(Type.Integer({ minimum: 1, maximum: most, description })) };
}

/** Returns all fields of a page except its items. */
export function pageFields({
  total,
  page,
  size,
}: {
  total: number;
  page: number;
  size?: number | undefined;
}) {
  if (size === undefined) return { total, page, has_prev: false, has_next: false };
  const fromIdx = Math.min((page - 1) * size, total);
  const toIdx = Math.min(page * size, total);
  const hasPrev = page > 1;
  const hasNext = toIdx < total;
  return {
    total,
    page,
    has_prev: hasPrev,
    has_next: hasNext,
    size,
    from_idx: fromIdx,
    to_idx: toIdx,
    links: {
      ...(hasPrev && { prev: { page: page - 1 } }),
      self: { page },
      ...(hasNext && { next: { page: page + 1 } }),
    },
  };
}
