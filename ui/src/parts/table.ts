/** The look of a heading of a column. */
export const HEAD = "border-b border-line px-3 py-2 text-left text-xs font-medium text-muted";
