import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { bytes } from "#api/http/schemas";
import { sendStream } from "#api/http/send-stream";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { followJobLog } from "#operations/watch/follow-job-log";

export const followJobLogEndpoint = endpoint({
  operation: "follow-job-log",
  summary:
    "What one job has printed, byte by byte, and with follow what it goes on to print until it has ended",
  access: "user",
  refuses: [429],
  produces: ["text/plain"],
  schema: {
    params: Type.Object({
      ...WORKFLOW_PARAMS.properties,
      job: Type.String({ description: "The id of a job, or its key: then its last attempt." }),
    }),
    querystring: Type.Object({
      from: Type.Integer({
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description:
          "The byte to begin with; a negative one counts from the end. The header `reprise-log-from` says which it was.",
      }),
      follow: Type.Boolean({
        default: false,
        description:
          "Go on as the log grows, until the job has ended. An answer that ends in good order is whole; one that is " +
          "broken off (the server restarts, the token is revoked, the run is deleted) is asked for again from where it broke.",
      }),
    }),
    response: { 200: bytes("The bytes as they were printed, standard output and error as they came.") },
  },
  async handle(context, request, reply) {
    const { params, query, caller } = request;
    const wanted = {
      address: params.workflow_id_or_name,
      job: params.job,
      from: query.from,
      follow: query.follow,
    };
    const log = await followJobLog(context, caller, wanted);
    reply.type("text/plain; charset=utf-8").header("reprise-log-from", String(log.from));
    // A user's page must never run as one of this server's, even if a browser takes it for one.
    reply.header("content-security-policy", "sandbox");
    return sendStream(context, request, reply, {
      workflowId: log.workflow.id,
      chunks: (signal) => log.chunks(signal),
    });
  },
});
