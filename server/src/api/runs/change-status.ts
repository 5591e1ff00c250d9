import Type from "typebox";
import { change } from "#api/http/endpoint";
import { StartWarning, warningOf } from "#api/runs/start-workflow";
import { START_VALUES, startValues } from "#api/runs/start-values";
import { namedRun, RUN_NAMED, RunStatusWord, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { changeStatus } from "#operations/runs/change-status";
import { fullNameOf } from "#operations/full-name";
import type { StartedRun } from "#operations/runs/start/start-run";
import { Refusal } from "#plumbing/errors";

/** Fields that REANA's clients send with any of the words. */
const Body = Type.Object({
  ...START_VALUES,
  force_stop: Type.Optional(
    Type.Boolean({ description: "Ignored: a stop always ends all processes of the run." }),
  ),
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

export const changeStatusEndpoint = change({
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
        ...RUN_NAMED,
        status: RunStatusWord,
        user: Type.String({ format: "uuid" }),
        warning: StartWarning,
      }),
    },
  },
  async handle(context, request) {
    const { params, query, caller, body = {} } = request;
    if (query.status === "deleted" && body.workspace === false) throw workspaceKept();
    const run = await changeStatus(context, caller, {
      address: params.workflow_id_or_name,
      word: query.status,
      ...startValues(body),
      allRuns: body.all_runs ?? false,
    });
    request.subject = { action: String(query.status), run: fullNameOf(run) };
    return run;
  },
  toWire: (run, { query, body }) => ({
    message: messageOf(run, query.status, body?.all_runs ?? false),
    ...namedRun(run),
    status: run.status,
    user: run.ownerId,
    ...warningOf(run),
  }),
});

function messageOf(run: StartedRun, word: string | undefined, allRuns: boolean): string {
  switch (word) {
    case "stop":
      return stopMessage(run);
    case "deleted":
      return allRuns
        ? `All workflows named ${run.name} successfully deleted.`
        : "Workflow successfully deleted.";
    default:
      return "Workflow submitted.";
  }
}

/** Describes a stop. The run may have ended before the stop reached it, or its processes may still be ending. */
function stopMessage(run: StartedRun): string {
  const name = fullNameOf(run);
  switch (run.status) {
    case "stopped":
      return "Workflow successfully stopped";
    case "finished":
    case "failed":
      return `Workflow ${name} ended before it could be stopped: it has ${run.status}.`;
    default:
      return `Workflow ${name} is being stopped: its processes have not all ended yet. Check its status again.`;
  }
}

function workspaceKept(): Refusal {
  return new Refusal("malformed", "Workspace must always be deleted when deleting a workflow.");
}
