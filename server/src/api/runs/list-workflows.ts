import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import Type, { type Static } from "typebox";
import { pageFields, pageSchema, PAGING_QUERY } from "#api/http/reply/page-record";
import { opensNotebooks } from "#api/http/access/scope";
import { type ApiContext, endpoint } from "#api/http/endpoint";
import { oneOf } from "#api/http/document/schemas";
import { parseSearch } from "#api/http/request/search-query";
import { WorkflowItem, workflowItem } from "#api/http/reply/workflow-records";
import type { Caller } from "#operations/context";
import {
  hasRuns,
  listRuns,
  type Relation,
  streamRunList,
  type RunsQuery,
} from "#operations/runs/list/list-runs";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { isRunStatus, RUN_STATUSES, type RunStatus } from "#workflow/run/run-status";

/** Maximum number of runs per request that includes outputs. */
const MAX_WITH_OUTPUTS = 200;

const Query = Type.Object({
  type: Type.Optional(
    oneOf(["batch", "interactive"], {
      description: "`interactive` lists only workflows with an open session.",
    }),
  ),
  verbose: Type.Optional(Type.Boolean({ description: "Holds include_progress and include_workspace_size." })),
  search: Type.Optional(Type.String({ description: 'JSON text: `{"name": ["part of a name"]}`.' })),
  sort: Type.Optional(
    oneOf(["desc", "asc", "disk-desc", "cpu-desc"], {
      description:
        "By creation time, by the processor time of the jobs, or by the size of the workspaces, which is " +
        "measured during the request.",
    }),
  ),
  status: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Repeated, or separated by commas. Default: all but `deleted`; with `type` or `workflow_id_or_name` all, as in REANA.",
    }),
  ),
  include_progress: Type.Optional(Type.Boolean()),
  include_workspace_size: Type.Optional(Type.Boolean()),
  workflow_id_or_name: Type.Optional(Type.String({ description: "A UUID, or a name without run number." })),
  created_since: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Lists only workflows created at the given time or later, such as `2026-11-22T00:00:00Z`.",
    }),
  ),
  tag: Type.Optional(Type.String({ description: "Lists only workflows with the given tag." })),
  parameter: Type.Optional(
    Type.Array(Type.String({ minLength: 2, maxLength: 300 }), {
      maxItems: 10,
      description:
        "Only workflows that run with this value: `half_life=2`. Repeated, for several parameters. Give " +
        "workflow_id_or_name, too. Values of more than about 200 characters are not compared.",
    }),
  ),
  include_parameters: Type.Optional(Type.Boolean({ description: "Also fills the field `parameters`." })),
  include_notes: Type.Optional(Type.Boolean({ description: "Fills `note` and `tags`." })),
  include_outputs: Type.Optional(
    Type.Boolean({
      description: `Fills \`outputs\`, with the contents of small ones. Needs a \`size\` of at most ${MAX_WITH_OUTPUTS}.`,
    }),
  ),
  shared: Type.Optional(Type.Boolean({ description: "Also lists workflows shared with the caller." })),
  shared_by: Type.Optional(
    Type.String({
      description:
        "Lists only workflows shared with the caller by the given user: an e-mail address, or `anybody`.",
    }),
  ),
  shared_with: Type.Optional(
    Type.String({
      description:
        "Only your workflows that are shared with an e-mail address or a group (`group:physics`), with `anybody`, or " +
        "with `nobody`.",
    }),
  ),
  include_session_secrets: Type.Optional(Type.Boolean()),
  ...PAGING_QUERY,
});

type ListQuery = Static<typeof Query>;

const LIST_KEYS = Object.keys(Query.properties);
/** Larger pages are streamed, so that a request cannot set the amount of memory used. */
const MAX_HELD = 500;

const WorkflowPage = pageSchema("WorkflowPage", WorkflowItem, {
  user_has_workflows: Type.Boolean({
    description: "Whether the caller owns any workflow that is not deleted.",
  }),
});

export const listWorkflowsEndpoint = endpoint({
  operation: "list-workflows",
  summary:
    "List the caller's workflows: a page, or a plain array if the query has no parameter except access_token",
  access: "user",
  schema: { querystring: Query, response: { 200: WorkflowPage } },
  streamed: Type.Array(WorkflowItem),
  async handle(context, request, reply) {
    const { query, caller, scope } = request;
    const wanted = wantedOf(query, opensNotebooks(scope));
    if (!LIST_KEYS.some((key) => Object.hasOwn(query, key))) return sendArray(context, caller, wanted, reply);
    if (query.shared_by !== undefined && query.shared_with !== undefined) throw sharedTwice();
    const { page = 1, size } = query;
    if (query.include_outputs && (size === undefined || size > MAX_WITH_OUTPUTS)) throw tooManyOutputs();
    if (size === undefined || size > MAX_HELD)
      return sendPage(context, caller, wanted, { page, size }, reply);
    const found = await listRuns(context, caller, wanted, { page, size });
    return {
      items: found.items.map((item) => workflowItem(item)),
      ...pageFields(found),
      user_has_workflows: await hasRuns(context, caller),
    };
  },
});

const ORDERS = { desc: "newest", asc: "oldest", "cpu-desc": "cpu", "disk-desc": "disk" } as const;

function wantedOf(query: ListQuery, mayShowSecrets: boolean): RunsQuery {
  const name = parseSearch(query.search, ["name"]).name?.[0];
  const statuses = (query.status && statusesOf(query.status)) ?? defaultStatuses(query);
  const verbose = query.verbose ?? false;
  return {
    relation: relationOf(query),
    ...(statuses && { statuses }),
    ...(name && { nameContains: name }),
    ...(query.workflow_id_or_name && { idOrName: query.workflow_id_or_name }),
    ...(query.created_since !== undefined && { createdSinceMs: timeIn(query.created_since) }),
    ...(query.tag !== undefined && { tag: query.tag }),
    ...(query.parameter && { parameters: pairsOf(query) }),
    withParameters: query.include_parameters ?? false,
    withNotes: query.include_notes ?? false,
    withOutputs: query.include_outputs ?? false,
    order: ORDERS[query.sort ?? "desc"],
    // REANA's Go client sends `verbose=true&include_progress=false`, and still shows progress and size.
    withProgress: verbose || (query.include_progress ?? false),
    withNotebooks: verbose || query.type === "interactive",
    withNotebookSecrets: mayShowSecrets && (query.include_session_secrets ?? false),
    withWorkspaceSize: verbose || (query.include_workspace_size ?? false),
  };
}

function pairsOf({ parameter = [], workflow_id_or_name: idOrName }: ListQuery): readonly string[] {
  const wrong = parameter.find((pair) => pair.indexOf("=") < 1);
  if (wrong !== undefined)
    throw new Refusal("malformed", `Field 'parameter': ${JSON.stringify(wrong)} is not a name=value.`);
  if (idOrName === undefined)
    throw new Refusal(
      "malformed",
      "Give workflow_id_or_name as well: parameters are compared among the runs of one name.",
    );
  return parameter;
}

function tooManyOutputs(): Refusal {
  return new Refusal("malformed", `Field 'size': give at most ${MAX_WITH_OUTPUTS} with include_outputs.`);
}

function timeIn(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new Refusal("malformed", "Field 'created_since': must be a time such as 2026-11-22T00:00:00Z.");
  return ms;
}

function statusesOf(lists: readonly string[]): readonly RunStatus[] | undefined {
  const words = lists.flatMap((list) => list.split(",")).filter((word) => word !== "");
  const unknown = words.find((word) => !isRunStatus(word));
  if (unknown !== undefined) {
    const known = RUN_STATUSES.join(", ");
    throw new Refusal("malformed", `Field 'status': ${printable(unknown, 100)} is not one of: ${known}.`);
  }
  return words.length === 0 ? undefined : (words as RunStatus[]);
}

/** Returns all statuses for queries that include deleted runs in REANA. Undefined means all but `deleted`. */
function defaultStatuses({
  type,
  workflow_id_or_name: idOrName,
}: ListQuery): readonly RunStatus[] | undefined {
  return type === undefined && !idOrName ? undefined : RUN_STATUSES;
}

function relationOf({ type, shared, shared_by: by, shared_with: grantee }: ListQuery): Relation {
  if (type === "interactive") return { kind: "with-notebook" };
  if (by !== undefined) return by === ANYBODY ? { kind: "shared-by" } : { kind: "shared-by", email: by };
  if (grantee === "nobody") return { kind: "unshared" };
  if (grantee !== undefined)
    return grantee === ANYBODY ? { kind: "shared-with" } : { kind: "shared-with", grantee };
  return { kind: shared ? "readable" : "own" };
}

const ANYBODY = "anybody";

function sharedTwice(): Refusal {
  return new Refusal("malformed", "You cannot filter by shared_by and shared_with at the same time.");
}

async function sendArray(context: ApiContext, caller: Caller, wanted: RunsQuery, reply: FastifyReply) {
  const { chunks } = await streamRunList(context, caller, wanted, {});
  return send(reply, jsonArray(chunks, ""));
}

async function sendPage(
  context: ApiContext,
  caller: Caller,
  wanted: RunsQuery,
  { page, size }: { page: number; size: number | undefined },
  reply: FastifyReply,
) {
  const part = size === undefined ? {} : { offset: (page - 1) * size, limit: size };
  const { total, chunks } = await streamRunList(context, caller, wanted, part);
  const userHasRuns = await hasRuns(context, caller);
  const others = { ...pageFields({ total, page, size }), user_has_workflows: userHasRuns };
  const end = JSON.stringify(others).slice(1);
  return send(reply, jsonArray(chunks, '{"items":', `,${end}`));
}

function send(reply: FastifyReply, text: AsyncIterable<string>): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(Readable.from(text, { objectMode: false }));
}

type Chunks = Awaited<ReturnType<typeof streamRunList>>["chunks"];

async function* jsonArray(chunks: Chunks, before: string, after = ""): AsyncGenerator<string> {
  let separator = `${before}[`;
  for await (const chunk of chunks) {
    const items = chunk.map((item) => JSON.stringify(workflowItem(item)));
    yield separator + items.join(",");
    separator = ",";
  }
  yield `${separator === "," ? "" : separator}]${after}`;
}
