import Type from "typebox";
import { JobItem, jobItem } from "#api/watch/job-record";
import { pageFields, pageSchema, PAGING_QUERY } from "#api/http/page-record";
import { endpoint } from "#api/http/endpoint";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { listJobs } from "#operations/watch/list-jobs";

/** Limits of a page, because a run may have a hundred thousand jobs. */
const DEFAULT_SIZE = 100;
const MAX_SIZE = 1000;

export const listJobsEndpoint = endpoint({
  operation: "list-jobs",
  summary: "List the jobs of a workflow in the order of their submission, a page at a time",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      ...PAGING_QUERY,
      size: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_SIZE,
          description: `The number on a page: default ${DEFAULT_SIZE}, at most ${MAX_SIZE}.`,
        }),
      ),
    }),
    response: { 200: pageSchema("JobPage", JobItem, {}) },
  },
  async handle(context, { params, query, caller }) {
    const paging = { page: query.page ?? 1, size: query.size ?? DEFAULT_SIZE };
    const jobs = await listJobs(context, caller, params.workflow_id_or_name, paging);
    return { items: jobs.items.map(({ job, logBytes }) => jobItem(job, logBytes)), ...pageFields(jobs) };
  },
});
