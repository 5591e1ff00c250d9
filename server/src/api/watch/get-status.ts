import Type from "typebox";
import { jobMap } from "#api/watch/logs-text";
import { PaceRecord, paceRecord } from "#api/watch/pace";
import { endpoint } from "#api/http/endpoint";
import { reanaTime } from "#api/http/document/schemas";
import {
  ProgressRecord,
  progressRecord,
  namedRun,
  RESTART_OF,
  RESTARTED_AS,
  restartedAs,
  RunStatusWord,
  WORKFLOW_PARAMS,
} from "#api/http/reply/workflow-records";
import { fullNameOf } from "#operations/full-name";
import { getStatus } from "#operations/watch/get-status";
import { toWireTime } from "#plumbing/clock";

export const getStatusEndpoint = endpoint({
  operation: "get-status",
  summary: "Show the status and the progress of a workflow",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        id: Type.String({ format: "uuid" }),
        name: Type.String(),
        created: reanaTime(),
        status: RunStatusWord,
        progress: ProgressRecord,
        user: Type.String({ format: "uuid" }),
        waiting_for: Type.Optional(
          Type.String({
            description: "Why a live run is not making progress at the moment, in one sentence.",
          }),
        ),
        results_note: Type.Optional(
          Type.String({
            description: "Which results of this run a later run of the workspace replaced, in a sentence.",
          }),
        ),
        doi: Type.Optional(
          Type.String({ description: "Under which the run is published, or reserved for its draft." }),
        ),
        ...RESTARTED_AS,
        ...RESTART_OF,
        pace: Type.Optional(PaceRecord),
        logs: Type.String({ description: "JSON text: the newest jobs with the ends of their logs." }),
      }),
    },
  },
  async handle(context, request) {
    const { run, progress, waitingFor, resultsNote, restartOf, pace, jobs, ...rest } = await getStatus(
      context,
      request.caller,
      request.params.workflow_id_or_name,
    );
    return {
      id: run.id,
      name: fullNameOf(run),
      created: toWireTime(run.createdAtMs),
      status: run.status,
      progress: progressRecord(run, progress),
      user: run.ownerId,
      ...(waitingFor !== undefined && { waiting_for: waitingFor }),
      ...(resultsNote !== undefined && { results_note: resultsNote }),
      ...(run.doi !== null && { doi: run.doi }),
      ...restartedAs(rest.restartedAs),
      ...(restartOf && { restart_of: namedRun(restartOf) }),
      ...(pace && { pace: paceRecord(pace, context.clock.now()) }),
      logs: JSON.stringify(jobMap(jobs)),
    };
  },
});
