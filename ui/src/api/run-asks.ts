import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components, paths } from "reprise-sdk";
import { client, fileAddress, isRefusal, of } from "./client.ts";
import type { StartValues } from "./changes.ts";
import { JOBS_PER_PAGE, type JobsWanted } from "./job-pages.ts";

/** Queries and mutations of the run page. */

type Schemas = components["schemas"];
export type RunRecord = Schemas["GetStatusReply"];
export type Job = Schemas["Job"];
export type GraphNode = Schemas["GraphNode"];
export type Failure = Schemas["Failure"];
export type StepMemory = Schemas["StepMemory"];

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

/** The note and the tags of a run. */
export const notes = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "notes"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/notes", { params: of(id) })).data!,
    staleTime: 60_000,
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

/** The jobs of a run that are wanted, a page at a time. */
export const jobs = (id: string, wanted: JobsWanted = {}) =>
  infiniteQueryOptions({
    queryKey: ["run", id, "jobs", wanted],
    initialPageParam: 1,
    queryFn: async ({ pageParam }) => {
      const params = { ...of(id), query: { page: pageParam, size: JOBS_PER_PAGE, ...wanted } };
      return (await client.GET("/api/workflows/{workflow_id_or_name}/jobs", { params })).data!;
    },
    getNextPageParam: (last) => (last.has_next ? last.page + 1 : undefined),
    // The list stays while another filter is asked for, but not on the page of another run.
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  });

/** Requests a job by its id, or the last attempt by its key. Null if the run has no such job. */
export const oneJob = (id: string, named: { readonly id: string } | { readonly key: string }) =>
  queryOptions({
    queryKey: ["run", id, "job", named],
    queryFn: async () => {
      const params = { ...of(id), query: "id" in named ? { id: [named.id] } : named };
      const reply = await client.GET("/api/workflows/{workflow_id_or_name}/jobs", { params });
      return reply.data!.items.at(-1) ?? null;
    },
  });

/** Returns the records of jobs, for events that contain only ids. */
export async function jobRecords(id: string, jobIds: readonly string[]): Promise<readonly Job[]> {
  const params = { ...of(id), query: { id: [...jobIds] } };
  return (await client.GET("/api/workflows/{workflow_id_or_name}/jobs", { params })).data!.items;
}

export const graph = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "graph"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/graph", { params: of(id) })).data!,
  });

/** Maximum number of workspace files in the list. The search finds the rest. */
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

/** Number of bytes read for a preview. */
const PREVIEW_BYTES = 512 * 1024;

export const fileStart = (id: string, name: string) =>
  queryOptions({
    queryKey: ["run", id, "file", name],
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=0-${PREVIEW_BYTES - 1}` };
      try {
        const response = await client.send(fileAddress(id, name), { headers, signal });
        const size = Number(response.headers.get("content-range")?.split("/")[1] ?? 0);
        return { text: await response.text(), isCut: size > PREVIEW_BYTES };
      } catch (error) {
        // An empty file has no first byte: each range is outside.
        if (isRefusal(error) && error.status === 416) return { text: "", isCut: false };
        throw error;
      }
    },
  });

export type Definition = Schemas["GetSpecificationReply"];

export const specification = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "specification"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/specification", { params: of(id) })).data!,
    staleTime: 60_000,
  });

/** Problems of a specification, including limits too low for the usage of the run. */
export const validation = (id: string, document: object | undefined) =>
  queryOptions({
    queryKey: ["validation", id],
    queryFn: async () => {
      const { errors, warnings } = await validate(document as Schemas["Specification"], id);
      return {
        stopping: errors.filter(({ code }) => code === "start"),
        noted: [...errors.filter(({ code }) => code !== "start"), ...warnings],
      };
    },
    enabled: document !== undefined,
    staleTime: 60_000,
  });

/** Validates a specification, and its memory limits against an earlier run if given. */
export async function validate(document: Schemas["Specification"], history?: string) {
  const params = { query: { environments: false, ...(history !== undefined && { history }) } };
  return (await client.POST("/api/workflows/validate", { params, body: document })).data!;
}

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

export type Verification =
  paths["/api/workflows/{workflow_id_or_name}/verification"]["get"]["responses"]["200"]["content"]["application/json"];

export type VerificationPlan =
  paths["/api/workflows/{workflow_id_or_name}/verification/plan"]["get"]["responses"]["200"]["content"]["application/json"];

/** The cost of a verification and the obstacles. An empty step stands for the whole run. */
export const verificationPlan = (id: string, step: string) =>
  queryOptions({
    queryKey: ["run", id, "verification-plan", step],
    queryFn: async () => {
      const params = { ...of(id), ...(step !== "" && { query: { step } }) };
      return (await client.GET("/api/workflows/{workflow_id_or_name}/verification/plan", { params })).data!;
    },
  });

/** How often a verification under way is looked at. */
const VERIFYING_POLL_MS = 1000;

/** The verification of a run, or null if the run has not been verified. */
export const verification = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "verification"],
    queryFn: async (): Promise<Verification | null> => {
      try {
        const path = "/api/workflows/{workflow_id_or_name}/verification";
        return (await client.GET(path, { params: of(id) })).data!;
      } catch (error) {
        if (isRefusal(error) && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: ({ state: { data } }) =>
      data?.state === "running" || data?.cause?.state === "repeating" ? VERIFYING_POLL_MS : false,
  });

export type Publication = Schemas["Publication"];

/** How often a publication under way is looked at. */
const SENDING_POLL_MS = 1000;

export const publication = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "publication"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/publication", { params: of(id) })).data!,
    refetchInterval: ({ state: { data } }) => (data?.state === "sending" ? SENDING_POLL_MS : false),
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

/** The address of the open notebook of a run, or null if none is open. */
export const notebook = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "notebook"],
    queryFn: async () => {
      const path = "/api/workflows/{workflow_id_or_name}/interactive-session-secret";
      try {
        return (await client.GET(path, { params: of(id) })).data!.url;
      } catch (error) {
        if (isRefusal(error) && error.status === 404) return null;
        throw error;
      }
    },
  });

/** The address of the dashboard of a run's Dask cluster. The scheduler makes its pages when first asked. */
export const dashboard = (id: string) =>
  queryOptions({
    queryKey: ["run", id, "dashboard"],
    queryFn: async () =>
      (await client.GET("/api/workflows/{workflow_id_or_name}/dask-dashboard", { params: of(id) })).data!.url,
    retry: false,
  });

/** Optional features of the server. */
export const abilities = queryOptions({
  queryKey: ["abilities"],
  queryFn: async () => (await client.GET("/api/info")).data!,
  staleTime: 60_000,
});
