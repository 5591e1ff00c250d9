import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components, paths } from "reprise-sdk";
import { client } from "./client.ts";
import { beginOf, type Since } from "./since.ts";

/**
 * Queries for the list of runs and for comparisons. Queries for one run are in `run-asks.ts`, changes in
 * `changes.ts`.
 */

type Schemas = components["schemas"];
export type Run = Schemas["WorkflowListItem"];
export type RunStatus = Schemas["RunStatus"];

export const LIVE_STATUSES: readonly RunStatus[] = ["queued", "pending", "running"];

export function isLive(status: RunStatus): boolean {
  return LIVE_STATUSES.includes(status);
}

/** Returns whether a run has ended and kept its results. */
export function isOver(status: RunStatus): boolean {
  return status === "finished" || status === "failed" || status === "stopped";
}

// Everywhere: who is signed in.

export const session = queryOptions({
  queryKey: ["session"],
  queryFn: async () => (await client.GET("/api/session")).data!,
  staleTime: 60_000,
});

/** The facts that the server tells a page before a user is signed in. */
export const configuration = queryOptions({
  queryKey: ["configuration"],
  queryFn: async () => (await client.GET("/api/config")).data!,
  staleTime: 60_000,
});

/** The administrator's message to all users. It may change while a page is open. */
export const announcement = queryOptions({
  ...configuration,
  select: ({ announcement: text }) => text,
  refetchInterval: 300_000,
});

// The list of runs.

const RUNS_PER_PAGE = 50;

export interface RunsWanted {
  readonly page: number;
  /** Part of the name. */
  readonly search: string;
  /** A whole name without run number, or an empty text. */
  readonly name: string;
  readonly status: readonly string[];
  readonly since: Since | "";
  /** Empty: the user's own runs. */
  readonly whose: "" | "shared-with-me" | "shared-by-me";
  readonly sort: "desc" | "asc" | "cpu-desc";
  readonly tag: string;
  /** Values of parameters, as `half_life=2`. They are used with a name only. */
  readonly parameter: readonly string[];
}

/** Statuses of runs that have not been deleted. */
const CURRENT_STATUSES = [
  "created",
  "queued",
  "pending",
  "running",
  "finished",
  "failed",
  "stopped",
] as const;

/** All runs, the newest first. */
export const ALL_RUNS: RunsWanted = {
  page: 1,
  search: "",
  name: "",
  status: [],
  since: "",
  whose: "",
  sort: "desc",
  tag: "",
  parameter: [],
};

export const runs = (wanted: RunsWanted) =>
  queryOptions({
    queryKey: ["runs", wanted],
    queryFn: ({ signal }) => {
      const how = { include_progress: true, include_notes: true, size: RUNS_PER_PAGE };
      return pageOfRuns(wanted, { ...how, include_parameters: wanted.name !== "" }, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some((run) => isLive(run.status)) ? 2000 : 8000),
  });

/** Page size of the results table: the server reads the small outputs of every run. */
const RESULTS_PER_PAGE = 200;

export const runResults = (wanted: RunsWanted) =>
  queryOptions({
    queryKey: ["runs", "results", wanted],
    queryFn: ({ signal }) => {
      const how = { include_progress: true, include_parameters: true, include_outputs: true };
      return pageOfRuns(wanted, { ...how, size: RESULTS_PER_PAGE }, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some((run) => isLive(run.status)) ? 4000 : false),
  });

/** Maximum number of runs for one action. */
const MAX_MATCHES = 2000;
const MATCHES_PER_PAGE = 500;

/** Returns all matching runs, on all pages. */
export async function allMatches(wanted: RunsWanted): Promise<readonly Run[]> {
  const found: Run[] = [];
  for (let page = 1; found.length < MAX_MATCHES; page += 1) {
    const { items, has_next: hasNext } = await pageOfRuns({ ...wanted, page }, { size: MATCHES_PER_PAGE });
    found.push(...items);
    if (!hasNext) break;
  }
  return found;
}

async function pageOfRuns(
  { page, search, name, status, since, whose, sort, tag, parameter }: RunsWanted,
  how: { readonly size: number } & Partial<Record<`include_${string}`, boolean>>,
  signal?: AbortSignal,
): Promise<Schemas["WorkflowPage"]> {
  const query = {
    page,
    sort,
    ...how,
    ...(search !== "" && { search: JSON.stringify({ name: [search] }) }),
    // With a name, the server lists deleted runs too unless the statuses are given.
    ...(name !== "" && { workflow_id_or_name: name, status: [...CURRENT_STATUSES] }),
    ...(name !== "" && parameter.length > 0 && { parameter: [...parameter] }),
    ...(tag !== "" && { tag }),
    ...(whose === "shared-with-me" && { shared_by: "anybody" }),
    ...(whose === "shared-by-me" && { shared_with: "anybody" }),
    ...(status.length > 0 && { status: [...status] }),
    ...(since !== "" && { created_since: new Date(beginOf(since, Date.now())).toISOString() }),
  };
  const { data } = await client.GET("/api/workflows", { params: { query }, ...(signal && { signal }) });
  return data as Schemas["WorkflowPage"];
}

export const runNames = (page: number) =>
  queryOptions({
    queryKey: ["runs", "names", page],
    queryFn: async () => {
      const query = { page, size: RUNS_PER_PAGE };
      return (await client.GET("/api/workflow-names", { params: { query } })).data!;
    },
    placeholderData: keepPreviousData,
    refetchInterval: 8000,
  });

// Two runs.

export const comparison = (a: string, b: string) =>
  queryOptions({
    queryKey: ["comparison", a, b],
    queryFn: async () => {
      const path = { workflow_id_or_name: a, other: b };
      const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/comparison/{other}", {
        params: { path },
      });
      return data!;
    },
  });

// Where a file comes from.

export type OriginReply = paths["/api/origin"]["get"]["responses"]["200"]["content"]["application/json"];
export type OriginFile = OriginReply["items"][number];
export type OriginChain = NonNullable<OriginReply["chain"]>;

/** How often runs are looked at that the server has not read yet. */
const INDEXING_POLL_MS = 2000;

/** A file on the computer of the user. */
export interface LocalFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The runs and steps that made a file with this content, or the nearest files. */
export const origin = (file: LocalFile) =>
  queryOptions({
    queryKey: ["origin", file],
    queryFn: async () => (await client.GET("/api/origin", { params: { query: file } })).data!,
    refetchInterval: ({ state: { data } }) =>
      data && data.items.length === 0 && data.pending_runs > 0 ? INDEXING_POLL_MS : false,
  });
