import { Readable } from "node:stream";
import Type from "typebox";
import { endpoint } from "#api/http/route";
import { bytes } from "#api/http/schemas";
import { SMALL_FILE_MAX_BYTES, SMALL_FILES_MAX } from "#api/files/small-files";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { readFiles } from "#operations/files/many-files";
import { type FileRecord, headOf } from "#plumbing/file-records";

export const downloadFilesEndpoint = endpoint({
  method: "GET",
  path: "/api/workflows/{workflow_id_or_name}/files",
  operation: "download-files",
  summary: "The bytes of many small files in one answer",
  access: "user",
  produces: ["application/octet-stream"],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      name: Type.Array(Type.String(), {
        maxItems: SMALL_FILES_MAX,
        description: "Paths inside the workspace, as often as there are files.",
      }),
    }),
    response: {
      200: bytes(
        'Before each file a line, `{"name": "data/1.txt", "bytes": 3}`, with `"executable": true` if its execute bit is set. ' +
          `What is no file, is not there or is longer than ${SMALL_FILE_MAX_BYTES} bytes is left out.`,
      ),
    },
  },
  async handle(context, { params, query, caller, method }, reply) {
    const asked = { address: params.workflow_id_or_name, names: query.name, maxBytes: SMALL_FILE_MAX_BYTES };
    const files = await readFiles(context, caller, asked);
    reply.type("application/octet-stream").header("x-content-type-options", "nosniff");
    return reply.send(Readable.from(method === "HEAD" ? [] : chunks(files), { objectMode: false }));
  },
});

async function* chunks(files: AsyncIterable<FileRecord>): AsyncGenerator<Buffer> {
  for await (const { name, content, isExecutable } of files) {
    yield headOf(name, content.length, isExecutable);
    if (content.length > 0) yield content;
  }
}
