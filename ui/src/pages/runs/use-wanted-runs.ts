import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";
import { ALL_RUNS, type RunsWanted } from "../../api/asks.ts";
import { SINCE, type Since } from "../../api/since.ts";
import { pageOf } from "./page-of.ts";

const SORTS: readonly RunsWanted["sort"][] = ["desc", "asc", "cpu-desc"];
const WHOSE: readonly RunsWanted["whose"][] = ["shared-with-me", "shared-by-me"];
const SPANS = Object.keys(SINCE) as readonly Since[];

/** Keeps the filters of the list in the address, so that they survive reloads and can be shared as links. */
export function useWantedRuns(): readonly [RunsWanted, (change: Partial<RunsWanted>) => void] {
  const [search, setSearch] = useSearchParams();
  const by = search.get("by");
  const wanted = useMemo(() => parse(search), [search]);
  const change = useCallback(
    (part: Partial<RunsWanted>) => {
      // A changed filter starts at page 1.
      const next = format({ ...wanted, page: 1, ...part });
      if (by !== null) next.set("by", by);
      setSearch(next, { replace: part.page === undefined });
    },
    [wanted, by, setSearch],
  );
  return [wanted, change];
}

function parse(search: URLSearchParams): RunsWanted {
  const [sort, since, whose] = ["sort", "since", "whose"].map((name) => search.get(name));
  return {
    page: pageOf(search),
    search: search.get("search") ?? "",
    name: search.get("name") ?? "",
    status: search.getAll("status"),
    since: SPANS.find((known) => known === since) ?? "",
    whose: WHOSE.find((known) => known === whose) ?? "",
    tag: search.get("tag") ?? "",
    parameter: search.getAll("parameter"),
    sort: SORTS.find((known) => known === sort) ?? "desc",
  };
}

function format({ status, parameter, ...rest }: RunsWanted): URLSearchParams {
  const { status: _, parameter: __, ...usual } = ALL_RUNS;
  const changed = Object.entries(usual).filter(([key, value]) => rest[key as keyof typeof rest] !== value);
  return new URLSearchParams([
    ...changed.map(([key]) => [key, String(rest[key as keyof typeof rest])]),
    ...status.map((one) => ["status", one]),
    ...parameter.map((one) => ["parameter", one]),
  ]);
}
