import Type from "typebox";
import { pageFields, pageSchema, PAGING_QUERY } from "#api/http/reply/page-record";
import { endpoint } from "#api/http/endpoint";
import { nullable, toUtcTime, utcTime, utcTimeOrNull } from "#api/http/document/schemas";
import { RunStatusWord } from "#api/http/reply/workflow-records";
import { fullNameOf } from "#operations/full-name";
import { listAllRuns, type RunMetadata } from "#operations/watch/list-all-runs";

const RunMetadataRecord = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name: Type.String({ description: "With the run number: `fit.3`." }),
    owner_email: Type.String(),
    status: RunStatusWord,
    language: Type.String(),
    created: utcTime(),
    queued: nullable(utcTime()),
    started: nullable(utcTime()),
    ended: nullable(utcTime()),
    jobs: Type.Object({
      total: Type.Integer(),
      running: Type.Integer(),
      finished: Type.Integer(),
      failed: Type.Integer(),
    }),
    cpu_ms: Type.Integer(),
    host: nullable(Type.String({ description: "Id of the host driving the run." })),
    waiting_for: nullable(Type.String({ description: "A sentence, if the run waits." })),
  },
  { title: "RunMetadata" },
);

const SIZE_USUAL = 20;
const SIZE_MAX = 500;

export const listAllRunsEndpoint = endpoint({
  operation: "list-all-runs",
  summary:
    "List the runs of all users, the newest first, with the status of each and what it waits for, without their files",
  access: "admin",
  refuses: [404],
  schema: {
    querystring: Type.Object({
      status: Type.Optional(Type.Array(RunStatusWord, { description: "Absent: every status but deleted." })),
      user: Type.Optional(Type.String({ description: "UUID or e-mail address of a user." })),
      page: PAGING_QUERY.page,
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: SIZE_MAX, default: SIZE_USUAL })),
    }),
    response: { 200: pageSchema("RunMetadataPage", RunMetadataRecord, {}) },
  },
  async handle(context, { query }) {
    const { status, user, page = 1, size = SIZE_USUAL } = query;
    const found = await listAllRuns(context, { ...(status && { statuses: status }), user, page, size });
    return { items: found.items.map(metadataRecord), ...pageFields(found) };
  },
});

function metadataRecord({ run, ownerEmail, waitingFor }: RunMetadata) {
  return {
    id: run.id,
    name: fullNameOf(run),
    owner_email: ownerEmail,
    status: run.status,
    language: run.language,
    created: toUtcTime(run.createdAtMs),
    queued: utcTimeOrNull(run.queuedAtMs),
    started: utcTimeOrNull(run.startedAtMs),
    ended: utcTimeOrNull(run.finishedAtMs ?? run.stoppedAtMs),
    jobs: {
      total: run.jobsTotal,
      running: run.jobsRunning,
      finished: run.jobsFinished,
      failed: run.jobsFailed,
    },
    cpu_ms: run.cpuMs,
    host: run.heldBy,
    waiting_for: waitingFor ?? null,
  };
}
