/** The look of every menu and of its items. */
export const MENU =
  "z-30 max-h-[70vh] min-w-48 overflow-auto rounded-lg border border-line bg-surface p-1 shadow-lg";

export const ITEM =
  "flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 outline-none data-[disabled]:cursor-default " +
  "data-[disabled]:text-muted data-[highlighted]:bg-raised";
