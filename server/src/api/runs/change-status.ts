import Type from "typebox";
import { keeping } from "#api/http/once";
import { endpoint } from "#api/http/endpoint";
import { StartWarning, warningOf } from "#api/runs/start-workflow";
import { START_VALUES, startValues } from "#api/runs/start-values";
import { RunStatusWord, WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { changeStatus, SUBMITTED } from "#operations/runs/change-status";
import { fullNameOf } from "#operations/full-name";
import type { StartedRun } from "#operations/runs/start-run";
import { Refusal } from "#plumbing/errors";

/** Body of the request. Other keys (`force_stop` …) are accepted: REANA's clients send some with every request. */
const Body = Type.Object({
  ...START_VALUES,
  all_runs: Type.Optional(
    Type.Boolean({
      description: "With `deleted`: also delete all other runs of that name that are not live.",
    }),
  ),
  workspace: Type.Optional(
    Type.Boolean({
      description: "With `deleted`: true, because a workspace is always deleted with its run.",
    }),
  ),
});

export const changeStatusEndpoint = endpoint({
  operation: "change-status",
  summary: "Start, restart, stop or delete a workflow",
  access: "user",
  worksOnFullDisk: true,
  needs: ["status"],
  refuses: [501],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      status: Type.Optional(Type.String({ description: "`start`, `stop` or `deleted`." })),
    }),
    body: Body,
    response: {
      200: Type.Object({
        message: Type.String(),
        workflow_id: Type.String({ format: "uuid" }),
        workflow_name: Type.String(),
        status: RunStatusWord,
        user: Type.String({ format: "uuid" }),
        warning: StartWarning,
      }),
    },
  },
  async handle(context, request) {
    const { params, query, caller, body = {} } = request;
    if (query.status === "deleted" && body.workspace === false) throw workspaceKept();
    const { run, message } = await changeStatus(context, caller, {
      address: params.workflow_id_or_name,
      word: query.status,
      ...startValues(body),
      allRuns: body.all_runs ?? false,
      keep: keeping(context, request, 200, (queued: StartedRun) => changedRecord(queued, SUBMITTED)),
    });
    request.subject = { action: String(query.status), run: fullNameOf(run) };
    return changedRecord(run, message);
  },
});

function changedRecord(run: StartedRun, message: string) {
  return {
    message,
    workflow_id: run.id,
    workflow_name: fullNameOf(run),
    status: run.status,
    user: run.ownerId,
    ...warningOf(run),
  };
}

function workspaceKept(): Refusal {
  return new Refusal("malformed", "Workspace must always be deleted when deleting a workflow.");
}
