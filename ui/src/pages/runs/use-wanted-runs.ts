import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";
import type { RunsWanted } from "../../api/asks.ts";

const SORTS: readonly RunsWanted["sort"][] = ["desc", "asc", "cpu-desc"];

/** What the list shows, kept in the address: a link or a reload shows the same. */
export function useWantedRuns(): readonly [RunsWanted, (change: Partial<RunsWanted>) => void] {
  const [search, setSearch] = useSearchParams();
  const wanted = useMemo(() => parse(search), [search]);
  const change = useCallback(
    (part: Partial<RunsWanted>) => {
      // Another selection begins at its first page.
      setSearch(format({ ...wanted, page: 1, ...part }), { replace: part.page === undefined });
    },
    [wanted, setSearch],
  );
  return [wanted, change];
}

function parse(search: URLSearchParams): RunsWanted {
  const sort = search.get("sort");
  return {
    page: Math.max(1, Math.trunc(Number(search.get("page") ?? 1)) || 1),
    search: search.get("search") ?? "",
    status: search.getAll("status"),
    sort: SORTS.find((known) => known === sort) ?? "desc",
  };
}

function format({ page, search, status, sort }: RunsWanted): URLSearchParams {
  return new URLSearchParams([
    ...(search === "" ? [] : [["search", search]]),
    ...status.map((one) => ["status", one]),
    ...(sort === "desc" ? [] : [["sort", sort]]),
    ...(page === 1 ? [] : [["page", String(page)]]),
  ]);
}
