import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { limitedPaging, pageFields, pageSchema } from "#api/http/reply/page-record";
import { WorkflowItem, workflowItem } from "#api/http/reply/workflow-records";
import { listNames } from "#operations/runs/list/list-names";

const DEFAULT_SIZE = 50;
const MAX_SIZE = 500;

const WorkflowName = Type.Object(
  {
    name: Type.String({ description: "A name without run number." }),
    workflows: Type.Integer({ description: "Number of workflows with the name." }),
    last: WorkflowItem,
  },
  { title: "WorkflowName", description: "Newest workflow of the name." },
);

export const listNamesEndpoint = endpoint({
  operation: "list-workflow-names",
  summary: "List the names of the caller's workflows, each with its newest workflow; the newest first",
  access: "user",
  schema: {
    querystring: Type.Object({
      ...limitedPaging(DEFAULT_SIZE, MAX_SIZE),
    }),
    response: { 200: pageSchema("WorkflowNamePage", WorkflowName, {}) },
  },
  async handle(context, { query, caller }) {
    const { page = 1, size = DEFAULT_SIZE } = query;
    const names = await listNames(context, caller, { page, size });
    return {
      items: names.items.map(({ name, runs, last }) => ({
        name,
        workflows: runs,
        last: workflowItem(last),
      })),
      ...pageFields(names),
    };
  },
});
