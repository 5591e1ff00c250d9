import { Readable } from "node:stream";
import Type from "typebox";
import { endpoint, uploadOf } from "#api/http/endpoint";
import { bytes } from "#api/http/document/schemas";
import { fromRequest } from "#api/http/request/upload-body";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { readFiles, uploadFiles } from "#operations/files/many-files";
import { type FileRecord, headOf, readFileRecords } from "#plumbing/files/file-records";

/**
 * Maximum size of a file transferred in memory, several per request. A larger file has a request of its own.
 */
const SMALL_FILE_MAX_BYTES = 1 << 20;
/** Maximum number of files in one answer. */
const SMALL_FILES_MAX = 200;

export const uploadFilesEndpoint = endpoint({
  operation: "upload-files",
  summary: "Upload many small files into a workspace, replacing those of the same names",
  access: "user",
  refuses: [413],
  upload: true,
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        message: Type.String(),
        files: Type.Integer(),
        bytes: Type.Integer(),
      }),
    },
  },
  async handle(context, request) {
    const { params, caller } = request;
    const stored = await fromRequest(uploadOf(request), (body) =>
      uploadFiles(context, caller, {
        address: params.workflow_id_or_name,
        files: readFileRecords(body, SMALL_FILE_MAX_BYTES),
      }),
    );
    return { message: `${stored.files} files have been successfully uploaded.`, ...stored };
  },
});

export const downloadFilesEndpoint = endpoint({
  operation: "download-files",
  summary: "Download many small files in one response",
  access: "user",
  produces: ["application/octet-stream"],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      name: Type.Array(Type.String(), {
        maxItems: SMALL_FILES_MAX,
        description: "Path inside the workspace; repeat it for each file.",
      }),
    }),
    response: {
      200: bytes(
        'Before each file a line, `{"name": "data/1.txt", "bytes": 3}`, with `"executable": true` if its execute bit is set. ' +
          `Paths that are missing, not files, or longer than ${SMALL_FILE_MAX_BYTES} bytes are left out.`,
      ),
    },
  },
  async handle(context, { params, query, caller, method }, reply) {
    const asked = { address: params.workflow_id_or_name, names: query.name, maxBytes: SMALL_FILE_MAX_BYTES };
    const files = await readFiles(context, caller, asked);
    reply.type("application/octet-stream");
    return reply.send(Readable.from(method === "HEAD" ? [] : chunks(files), { objectMode: false }));
  },
});

async function* chunks(files: AsyncIterable<FileRecord>): AsyncGenerator<Buffer> {
  for await (const { name, content, isExecutable } of files) {
    yield headOf(name, content.length, isExecutable);
    if (content.length > 0) yield content;
  }
}
