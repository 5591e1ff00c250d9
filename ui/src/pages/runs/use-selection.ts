import { useState } from "react";
import type { Run } from "../../api/asks.ts";

export interface Selection {
  readonly runs: readonly Run[];
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  readonly isAll: boolean;
  readonly toggleAll: () => void;
  /** True if the runs of all other pages are selected, too. */
  readonly isEverything: boolean;
  readonly selectEverything: () => void;
  readonly clear: () => void;
}

/** The selected runs: some on this page, or all matching runs on every page. */
export function useSelection(shown: readonly Run[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [wantsEverything, setEverything] = useState(false);
  const runs = shown.filter(({ id }) => ids.has(id));
  const isAll = shown.length > 0 && runs.length === shown.length;
  const choose = (next: ReadonlySet<string>) => {
    setIds(next);
    setEverything(false);
  };
  return {
    runs,
    has: (id) => ids.has(id),
    toggle: (id) => choose(ids.has(id) ? without(ids, id) : new Set([...ids, id])),
    isAll,
    toggleAll: () => choose(isAll ? new Set() : new Set(shown.map(({ id }) => id))),
    isEverything: wantsEverything && isAll,
    selectEverything: () => setEverything(true),
    clear: () => choose(new Set()),
  };
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((one) => one !== id));
}
