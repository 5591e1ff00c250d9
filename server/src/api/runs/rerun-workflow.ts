import Type from "typebox";
import { longChange } from "#api/http/reply/long-answer";
import { change } from "#api/http/endpoint";
import { START_VALUES, startValues } from "#api/runs/start-values";
import { RunStatusWord, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { fullNameOf } from "#operations/full-name";
import { createRerun } from "#operations/runs/start/create-rerun";

const { restart: _, ...VALUES } = START_VALUES;

const RerunRecord = Type.Object(
  {
    message: Type.String(),
    workflow_id: Type.String({ format: "uuid" }),
    workflow_name: Type.String({ description: "The new run, with its number: `w.2`." }),
    status: RunStatusWord,
    user: Type.String({ format: "uuid" }),
  },
  { title: "Rerun" },
);

export const rerunWorkflowEndpoint = change({
  operation: "rerun-workflow",
  summary: "Run a workflow again in a copy of its workspace, reusing finished steps whose results still hold",
  access: "user",
  refuses: [501],
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object(VALUES, { title: "RerunValues" }),
    response: { 201: RerunRecord },
  },
  async handle(context, request, reply) {
    const { params, caller, body = {} } = request;
    const input = { address: params.workflow_id_or_name, ...startValues(body) };
    return longChange(context, reply, (signal) => createRerun(context, caller, input, signal));
  },
  toWire: (run) => ({
    message: "Workflow submitted.",
    workflow_id: run.id,
    workflow_name: fullNameOf(run),
    status: run.status,
    user: run.ownerId,
  }),
});
