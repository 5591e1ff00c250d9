import { useState } from "react";
import type { Run } from "../../api/asks.ts";

export interface Selection {
  readonly runs: readonly Run[];
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  readonly isAll: boolean;
  readonly toggleAll: () => void;
  readonly clear: () => void;
}

/** The selected runs of the page that is shown. */
export function useSelection(shown: readonly Run[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const runs = shown.filter(({ id }) => ids.has(id));
  const isAll = shown.length > 0 && runs.length === shown.length;
  return {
    runs,
    has: (id) => ids.has(id),
    toggle: (id) => setIds(ids.has(id) ? without(ids, id) : new Set([...ids, id])),
    isAll,
    toggleAll: () => setIds(isAll ? new Set() : new Set(shown.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((one) => one !== id));
}
