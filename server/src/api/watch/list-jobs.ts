import Type from "typebox";
import { JobItem, jobItem } from "#api/watch/job-record";
import { limitedPaging, pageFields, pageSchema } from "#api/http/reply/page-record";
import { endpoint } from "#api/http/endpoint";
import { oneOf } from "#api/http/document/schemas";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { JOB_STATUSES } from "#workflow/job/job";
import { listJobs, listNamedJobs } from "#operations/watch/list-jobs";

/** Limits of a page, because a run may have a hundred thousand jobs. */
const DEFAULT_SIZE = 100;
const MAX_SIZE = 1000;
/** Limit that keeps the address short enough. */
const MAX_IDS = 100;

export const listJobsEndpoint = endpoint({
  operation: "list-jobs",
  summary: "List the jobs of a workflow in the order of their submission, a page at a time",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      ...limitedPaging(DEFAULT_SIZE, MAX_SIZE),
      sort: Type.Optional(
        oneOf(["asc", "desc"], { description: "`desc`: the newest jobs first. Default: `asc`." }),
      ),
      node: Type.Optional(
        Type.String({ maxLength: 4096, description: "Only the jobs of this node of the graph." }),
      ),
      status: Type.Optional(oneOf(JOB_STATUSES, { description: "Lists only jobs with the given status." })),
      key: Type.Optional(
        Type.String({ maxLength: 4096, description: "Lists only the attempts of the given job." }),
      ),
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: "Lists only jobs with the given text in the label or the command. Case is ignored.",
        }),
      ),
      id: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: MAX_IDS,
          description:
            "Only the jobs with these ids, all on one page: what a client that watches the events asks for. " +
            "Repeated.",
        }),
      ),
    }),
    response: { 200: pageSchema("JobPage", JobItem, {}) },
  },
  async handle(context, { params, query, caller }) {
    const { page = 1, size = DEFAULT_SIZE, sort, id: ids, node, status, key, search: text } = query;
    const filter = {
      ...(node !== undefined && { node }),
      ...(status !== undefined && { status }),
      ...(key !== undefined && { key }),
      ...(text !== undefined && { text }),
    };
    const wanted = { page, size, newestFirst: sort === "desc", filter };
    const address = params.workflow_id_or_name;
    const jobs = ids
      ? await listNamedJobs(context, caller, address, ids)
      : await listJobs(context, caller, address, wanted);
    return { items: jobs.items.map(jobItem), ...pageFields(jobs) };
  },
});
