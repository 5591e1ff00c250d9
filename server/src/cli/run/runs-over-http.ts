import { Readable } from "node:stream";
import type { RepriseClient } from "reprise-sdk";
import { errorLines } from "#cli/run/error-lines";
import type { CreatedRun, JobLook, RunService } from "#cli/run/run-service";

/** The runs of `reprise run` beside a live server: through its API. */
export function runsOverHttp(client: RepriseClient): RunService {
  const of = (id: string) => ({ path: { workflow_id_or_name: id } });
  const setStatus = (id: string, status: string) =>
    client.PUT("/api/workflows/{workflow_id_or_name}/status", { params: { ...of(id), query: { status } } });
  return {
    async create(name, specification) {
      const query = { workflow_name: name };
      return created(await client.POST("/api/workflows", { params: { query }, body: specification }));
    },
    async createFromGit(name, address) {
      const query = { spec: address, workflow_name: name };
      return created(await client.POST("/api/workflows", { params: { query } }));
    },
    async specification(id) {
      const route = "/api/workflows/{workflow_id_or_name}/specification";
      return (await client.GET(route, { params: of(id) })).data!.specification;
    },
    async upload(id, name, content) {
      await client.POST("/api/workflows/{workflow_id_or_name}/workspace", {
        params: { ...of(id), query: { file_name: name } },
        headers: { "content-type": "application/octet-stream" },
        body: "",
        bodySerializer: () => Readable.toWeb(content),
        ...STREAMED,
      });
    },
    async start(id, parameters) {
      await client.POST("/api/workflows/{workflow_id_or_name}/start", {
        params: of(id),
        body: { input_parameters: { ...parameters } },
      });
    },
    async look(id) {
      const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", { params: of(id) });
      const { status, waiting_for: waitingFor, progress, logs } = data!;
      return {
        status,
        waitingFor,
        jobsTotal: progress.total.total,
        jobsFinished: progress.finished.total,
        jobs: jobsIn(logs),
      };
    },
    async failure(id) {
      const route = "/api/workflows/{workflow_id_or_name}/logs";
      const { data } = await client.GET(route, { params: { ...of(id), query: { size: 1 } } });
      const { workflow_logs: engineLog } = JSON.parse(data!.logs) as { workflow_logs: string | null };
      return errorLines(engineLog ?? "");
    },
    async stop(id) {
      await setStatus(id, "stop");
    },
    async discard(id) {
      await setStatus(id, "deleted");
    },
    async list(id, pattern) {
      const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/workspace", {
        params: { ...of(id), query: { file_name: pattern } },
      });
      return data!.items.map(({ name, size }) => ({ name, bytes: size.raw }));
    },
    async read(id, name) {
      const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/workspace/{file_name}", {
        params: { path: { workflow_id_or_name: id, file_name: name } },
        parseAs: "stream",
      });
      // There is none of an empty file.
      return data ? Readable.fromWeb(data) : Readable.from([]);
    },
    close: async () => ({ jobsGoOn: 0 }),
  };
}

/** `fetch` sends what is read meanwhile only when it is told so; the types of the API know nothing of it. */
const STREAMED = { duplex: "half" } as object;

interface CreatedRecord {
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly validation_warnings?: readonly { readonly message: string }[];
}

function created({ data }: { readonly data?: CreatedRecord }): CreatedRun {
  const { workflow_id: id, workflow_name: name, validation_warnings: warnings = [] } = data!;
  return { id, name, warnings: warnings.map((warning) => warning.message) };
}

interface LoggedJob {
  readonly job_name: string;
  readonly cmd: string;
  readonly status: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** The newest jobs, from the JSON text that REANA's status carries. */
function jobsIn(logs: string): JobLook[] {
  return Object.entries(JSON.parse(logs) as Record<string, LoggedJob>).map(([id, job]) => ({
    id,
    step: job.job_name,
    command: job.cmd,
    status: job.status,
    startedAtMs: msOf(job.started_at),
    finishedAtMs: msOf(job.finished_at),
  }));
}

function msOf(wireTime: string | null): number | undefined {
  return wireTime === null ? undefined : Date.parse(`${wireTime}Z`);
}
