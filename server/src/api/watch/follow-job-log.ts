import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { bytes } from "#api/http/document/schemas";
import { POLICY_OF_FILES } from "#api/http/reply/file-policy";
import { sendStream } from "#api/http/send-stream";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { followJobLog } from "#operations/watch/follow/follow-job-log";

export const followJobLogEndpoint = endpoint({
  operation: "follow-job-log",
  summary: "Read the log of a job; with follow, until the job has ended",
  access: "user",
  refuses: [429],
  produces: ["text/plain"],
  takesSignature: true,
  schema: {
    params: Type.Object({
      ...WORKFLOW_PARAMS.properties,
      job: Type.String({ description: "Id of a job, or its key for the last attempt." }),
    }),
    querystring: Type.Object({
      from: Type.Integer({
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description:
          "The first byte; a negative number counts from the end. The header `reprise-log-from` has the actual offset.",
      }),
      follow: Type.Boolean({
        default: false,
        description:
          "Continue as the log grows, until the job has ended. A response that ends normally is complete. If " +
          "it breaks off (the server restarts, the token is revoked, the run is deleted), request the rest.",
      }),
    }),
    response: {
      200: bytes(
        "The bytes as they were printed, standard output and standard error in the order of arrival.",
      ),
    },
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
    // A user's page must never run with the origin of this server, even if a browser renders the log as a
    // page.
    reply.header("content-security-policy", POLICY_OF_FILES);
    return sendStream(context, request, reply, {
      runId: log.run.id,
      chunks: (signal) => log.chunks(signal),
    });
  },
});
