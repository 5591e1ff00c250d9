import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RepriseClient, Specification } from "reprise-sdk";
import { uploadFiles } from "reprise-sdk/node";
import type { FailureReport } from "#workflow/reports";
import type { SpecificationWarning } from "#workflow/specification/specification";
import {
  type SpecificationSource,
  createdWarnings,
  namingPlace,
} from "#cli/specification/specification-fault";
import { readResumably } from "#cli/connection/resumable-read";
import type { CreatedRun, JobView, RunService, RunView, WorkspaceFile } from "#cli/run/service/run-service";
import { modeOf } from "#plumbing/files/file-mode";

/** Carries out the runs of `reprise run` through the API of a server. */
export function runsOverHttp(client: RepriseClient): RunService {
  const setStatus = (id: string, status: string) =>
    client.PUT("/api/workflows/{workflow_id_or_name}/status", { params: { ...of(id), query: { status } } });
  return {
    server: client.url,
    async create(name, specification, file) {
      const query = { workflow_name: name };
      const body = specification as Specification;
      const send = () => client.POST("/api/workflows", { params: { query }, body });
      return created(await namingPlace(file, send), file);
    },
    async createFromGit(name, address) {
      const query = { spec: address, workflow_name: name };
      return created(await client.POST("/api/workflows", { params: { query } }));
    },
    async find(name) {
      const route = "/api/workflows/{workflow_id_or_name}/status";
      const { data } = await client.GET(route, { params: of(name) });
      return { id: data!.id, name: data!.name, warnings: [] };
    },
    async specification(id) {
      const route = "/api/workflows/{workflow_id_or_name}/specification";
      return (await client.GET(route, { params: of(id) })).data!.specification;
    },
    upload: (run, files, sending) => uploadFiles(client, { workflow: run, files, ...sending }),
    async start(id, { parameters, options }) {
      const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/start", {
        params: of(id),
        body: { input_parameters: { ...parameters }, operational_options: { ...options } },
      });
      return data!.warning;
    },
    view: (id) => runView(client, id),
    failure: (id) => maybeFailure(client, id),
    async *printed(id, jobId, from) {
      const answer = await client.send(`/api/workflows/${id}/jobs/${jobId}/log?from=${from}`);
      yield* answer.body ?? [];
    },
    async stop(id) {
      await setStatus(id, "stop");
    },
    async discard(id) {
      await setStatus(id, "deleted");
    },
    list: (id, pattern) => listFiles(client, id, pattern),
    async read(id, name) {
      return Readable.from((await readResumably(client, addressOf(id, name))).content, { objectMode: false });
    },
    async fetch(id, name, target, onBytes) {
      const { content, isExecutable } = await readResumably(client, addressOf(id, name));
      const counted = countedIn(content, onBytes);
      await pipeline(counted, createWriteStream(target, { flags: "wx", mode: modeOf(isExecutable) }));
    },
    close: async () => ({ unfinished: [] }),
  };
}

/** Returns the path parameters for a request to the API. */
function of(id: string) {
  return { path: { workflow_id_or_name: id } };
}

async function runView(client: RepriseClient, id: string): Promise<RunView> {
  const route = "/api/workflows/{workflow_id_or_name}/status";
  const { data } = await client.GET(route, { params: of(id) });
  const { waiting_for: waitingFor, progress } = data!;
  return {
    status: data!.status,
    waitingFor,
    tookMs: progress.wall_ms ?? undefined,
    jobsTotal: progress.total.total,
    jobsFinished: progress.finished.total,
    jobs: await newestJobs(client, id),
  };
}

async function maybeFailure(client: RepriseClient, id: string): Promise<FailureReport | undefined> {
  const route = "/api/workflows/{workflow_id_or_name}/failure";
  const { failure } = (await client.GET(route, { params: of(id) })).data!;
  return failure ? { sentence: failure.sentence, lastLines: failure.last_lines } : undefined;
}

async function listFiles(
  client: RepriseClient,
  id: string,
  pattern: string,
): Promise<readonly WorkspaceFile[]> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/workspace", {
    params: { ...of(id), query: { file_name: pattern } },
  });
  return data!.items.map(({ name, size }) => ({ name, bytes: size.raw }));
}

function addressOf(id: string, name: string): string {
  return `/api/workflows/${id}/workspace/${encodeURIComponent(name)}`;
}

async function* countedIn(
  content: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of content) {
    yield chunk;
    onBytes(chunk.length);
  }
}

interface CreatedRecord {
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly validation_warnings?: readonly SpecificationWarning[];
}

function created({ data }: { readonly data?: CreatedRecord }, file?: SpecificationSource): CreatedRun {
  const { workflow_id: id, workflow_name: name, validation_warnings: warnings = [] } = data!;
  return { id, name, warnings: createdWarnings(warnings, file) };
}

/** Number of jobs that are read. The newest matter most. */
const JOBS_ON_PAGE = 400;

async function newestJobs(client: RepriseClient, id: string): Promise<JobView[]> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/jobs", {
    params: { ...of(id), query: { sort: "desc", size: JOBS_ON_PAGE } },
  });
  return data!.items.map(jobView).toReversed();
}

interface JobRow extends Omit<JobView, "tookMs" | "shownCommand"> {
  readonly display_command: string;
  readonly usage: { readonly wall_ms: number | null };
}

function jobView({ display_command: shownCommand, usage, ...job }: JobRow): JobView {
  const { id, step, label, command, reason } = job;
  const status = job.status === "queued" ? "created" : job.status;
  return { id, step, label, command, shownCommand, status, reason, tookMs: usage.wall_ms ?? undefined };
}
