import { Readable } from "node:stream";
import Type from "typebox";
import { serverAddress } from "#api/http/access/server-address";
import { contentDisposition } from "#api/http/reply/content-disposition";
import { bytes } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { getCrate } from "#operations/reports/crate/get-crate";

export const getCrateEndpoint = endpoint({
  operation: "get-crate",
  summary:
    "Download a workflow that has ended as an RO-Crate: a zip with metadata, files, logs and the report",
  access: "user",
  refuses: [409],
  produces: ["application/zip"],
  takesSignature: true,
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      without_inputs: Type.Optional(
        Type.Boolean({ description: "Names inputs with their checksums, without their content." }),
      ),
      runnable: Type.Optional(
        Type.Boolean({
          description:
            "Adds what is needed to run the workflow again without a network: container images, this program, and a script.",
        }),
      ),
      license: Type.Optional(
        Type.String({
          pattern: "^https?://\\S+$",
          maxLength: 1000,
          description:
            "Address of the licence of the content, such as `https://spdx.org/licenses/CC-BY-4.0`.",
        }),
      ),
    }),
    response: { 200: bytes("A Provenance Run Crate 0.5 on RO-Crate 1.1.") },
  },
  async handle(context, request, reply) {
    const { params, query, caller } = request;
    const crate = await getCrate(context, caller, {
      address: params.workflow_id_or_name,
      hasInputs: !query.without_inputs,
      isRunnable: query.runnable === true,
      license: query.license,
      server: serverAddress(context, request),
      version: context.version,
    });
    reply
      .type("application/zip")
      .header("content-disposition", contentDisposition("attachment", crate.fileName))
      .header("cache-control", "private, no-cache");
    if (crate.pack) {
      reply.header("x-pack-starter", crate.pack.starter);
      // An upper bound, so that a client can refuse a disk that is too small before anything is written.
      reply.header("x-pack-bytes", crate.pack.bytes);
    }
    return reply.send(request.method === "HEAD" ? Readable.from([]) : crate.stream());
  },
});
