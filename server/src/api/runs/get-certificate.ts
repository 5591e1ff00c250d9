import { Readable } from "node:stream";
import { bytes } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { contentDisposition } from "#api/http/reply/content-disposition";
import { longAnswer } from "#api/http/reply/long-answer";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { getCertificate } from "#operations/runs/verification/certificate/get-certificate";

export const getCertificateEndpoint = endpoint({
  operation: "get-certificate",
  summary: "Download the result of a verification as a folder that follows CODECHECK, signed by the server",
  access: "user",
  refuses: [409],
  produces: ["application/zip"],
  takesSignature: true,
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: bytes("A zip with `codecheck.yml`, a report, the verdicts, checksums and a signature."),
    },
  },
  async handle(context, { params, caller, method }, reply) {
    const asked = { address: params.workflow_id_or_name, version: context.version };
    const { fileName, stream } = await longAnswer(context, reply, (signal) =>
      getCertificate(context, caller, asked, signal),
    );
    reply
      .type("application/zip")
      .header("content-disposition", contentDisposition("attachment", fileName))
      .header("cache-control", "private, no-cache");
    return reply.send(method === "HEAD" ? Readable.from([]) : stream);
  },
});
