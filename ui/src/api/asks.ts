import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components } from "reprise-sdk";
import { client, fileAddress, of } from "./client.ts";
import { beginOf, type Since } from "./since.ts";
import type { StartValues } from "./changes.ts";

/** Requests of each page. Every request that reads something is in this file; changes are in `changes.ts`. */

type Schemas = components["schemas"];
export type Run = Schemas["WorkflowListItem"];
export type RunStatus = Schemas["RunStatus"];
export type RunRecord = Schemas["GetStatusReply"];
export type Job = Schemas["Job"];
export type GraphNode = Schemas["GraphNode"];
export type Failure = Schemas["Failure"];

const LIVE: readonly RunStatus[] = ["queued", "pending", "running"];

export function isLive(status: RunStatus): boolean {
  return LIVE.includes(status);
}

const JOBS_PER_PAGE = 500;

// Everywhere: who is signed in.

export const session = queryOptions({
  queryKey: ["session"],
  queryFn: async () => (await client.GET("/api/session")).data!,
  staleTime: 60_000,
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
}

/** All runs, the newest first. */
export const ALL_RUNS: RunsWanted = {
  page: 1,
  search: "",
  name: "",
  status: [],
  since: "",
  whose: "",
  sort: "desc",
};

export const runs = (wanted: RunsWanted) =>
  queryOptions({
    queryKey: ["runs", wanted],
    queryFn: ({ signal }) => pageOfRuns(wanted, { include_progress: true, size: RUNS_PER_PAGE }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some((run) => isLive(run.status)) ? 2000 : 8000),
  });

/** Most runs that one action is carried out on. */
const MAX_MATCHES = 2000;
const MATCHES_PER_PAGE = 500;

/** Returns all runs that match, on whichever page they are. */
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
  { page, search, name, status, since, whose, sort }: RunsWanted,
  how: { readonly size: number; readonly include_progress?: boolean },
  signal?: AbortSignal,
): Promise<Schemas["WorkflowPage"]> {
  const query = {
    page,
    sort,
    ...how,
    ...(search !== "" && { search: JSON.stringify({ name: [search] }) }),
    ...(name !== "" && { workflow_id_or_name: name }),
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

// One run.

export const run = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/status", { params: of(id) })).data!,
  });

export const failure = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "failure"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/failure", { params: of(id) })).data!.failure,
  });

export const shares = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "shares"],
    queryFn: async () => {
      const path = "/api/workflows/{workflow_id_or_name}/share-status";
      return (await client.GET(path, { params: of(id) })).data!.shared_with;
    },
  });

export const actions = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "actions"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/actions", { params: of(id) })).data!.actions,
  });

/** The jobs of a run, or of one node of its graph, a page at a time. */
export const jobs = (id: string, node?: string) =>
  infiniteQueryOptions({
    queryKey: ["run", id, "jobs", node ?? "all"],
    initialPageParam: 1,
    queryFn: async ({ pageParam }) => {
      const query = { page: pageParam, size: JOBS_PER_PAGE, ...(node !== undefined && { node }) };
      const params = { ...of(id), query };
      return (await client.GET("/api/workflows/{workflow_id_or_name}/jobs", { params })).data!;
    },
    getNextPageParam: (last) => (last.has_next ? last.page + 1 : undefined),
  });

export const graph = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "graph"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/graph", { params: of(id) })).data!,
  });

/** Files of a workspace that are shown at once. The search finds the others. */
const FILES_SHOWN = 2000;

export const files = (id: string, search: string) =>
  queryOptions({
    queryKey: ["run", id, "files", search],
    queryFn: async () => {
      const query = {
        page: 1,
        size: FILES_SHOWN,
        ...(search !== "" && { search: JSON.stringify({ name: [search] }) }),
      };
      const params = { ...of(id), query };
      return (await client.GET("/api/workflows/{workflow_id_or_name}/workspace", { params })).data!;
    },
    placeholderData: keepPreviousData,
  });

/** Part of a file that a preview reads. */
const PREVIEW_BYTES = 512 * 1024;

export const fileStart = (id: string, name: string) =>
  queryOptions({
    queryKey: ["run", id, "file", name],
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=0-${PREVIEW_BYTES - 1}` };
      const response = await client.send(fileAddress(id, name), { headers, signal });
      const text = await response.text();
      return {
        text,
        isCut: Number(response.headers.get("content-range")?.split("/")[1] ?? 0) > PREVIEW_BYTES,
      };
    },
  });

export const specification = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "specification"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/specification", { params: of(id) })).data!,
    staleTime: 60_000,
  });

export const usage = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "usage"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/usage", { params: of(id) })).data!,
  });

export const results = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "results"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/results", { params: of(id) })).data!,
  });

export const runLog = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "run-log"],
    queryFn: async () => {
      const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/logs", { params: of(id) });
      return (JSON.parse(data!.logs) as { workflow_logs?: string }).workflow_logs ?? "";
    },
  });

export const restartPlan = (id: string, wanted: StartValues) =>
  queryOptions({
    queryKey: ["run", id, "restart-plan", wanted],
    queryFn: async () =>
      (
        await client.POST("/api/workflows/{workflow_id_or_name}/restart-plan", {
          params: of(id),
          body: wanted,
        })
      ).data!,
    placeholderData: keepPreviousData,
    retry: false,
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
