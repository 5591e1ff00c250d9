import Type from "typebox";
import { change } from "#api/http/endpoint";
import { StartValues, startValues } from "#api/runs/start-values";
import { RunStatusWord, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { fullNameOf } from "#operations/full-name";
import { restartRun } from "#operations/runs/start/restart-run";
import { type StartedRun, startRun } from "#operations/runs/start/start-run";
import { runNumber } from "#workflow/run/run-name";

/** Set only after a warning. REANA's replies have no such field. */
export const StartWarning = Type.Optional(
  Type.String({
    description:
      "Warnings about the documents of a start, or the results that a restart of a finished run replaces, in sentences.",
  }),
);

/** Reply to a start and to a restart. */
export const StartedRecord = Type.Object(
  {
    message: Type.String(),
    workflow_id: Type.String({ format: "uuid" }),
    workflow_name: Type.String({ description: "Without the run number." }),
    run_number: Type.String(),
    status: RunStatusWord,
    user: Type.String({ format: "uuid" }),
    warning: StartWarning,
  },
  { title: "StartedRun" },
);

export const startWorkflowEndpoint = change({
  operation: "start-workflow",
  summary: "Start a workflow, or restart one that has ended, as REANA's clients do",
  access: "user",
  refuses: [501],
  schema: {
    params: WORKFLOW_PARAMS,
    body: StartValues,
    response: { 200: StartedRecord },
  },
  async handle(context, request) {
    const { params, caller, body = {} } = request;
    const input = { address: params.workflow_id_or_name, ...startValues(body) };
    const begin = input.restart ? restartRun : startRun;
    const run = await begin(context, caller, input);
    request.subject = { action: input.restart ? "restart" : "start", run: fullNameOf(run) };
    return run;
  },
  toWire: startedRecord,
});

export function startedRecord(run: StartedRun) {
  return {
    message: "Workflow submitted.",
    workflow_id: run.id,
    // Clients append the run number themselves.
    workflow_name: run.name,
    run_number: runNumber(run.runMajor, run.runMinor),
    status: run.status,
    user: run.ownerId,
    ...warningOf(run),
  };
}

export function warningOf({ warning }: Pick<StartedRun, "warning">): { readonly warning?: string } {
  return warning === undefined ? {} : { warning };
}
