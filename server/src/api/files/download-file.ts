import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { parseRange } from "#api/http/request/byte-range";
import { isUnchanged, mayTakeRange } from "#api/http/request/conditions";
import { contentDisposition } from "#api/http/reply/content-disposition";
import { POLICY_OF_FILES } from "#api/http/reply/file-policy";
import { previewType } from "#api/http/reply/preview-type";
import { sendError } from "#api/http/reply/error-replies";
import { endpoint } from "#api/http/endpoint";
import { bytes } from "#api/http/document/schemas";
import { sendBytes } from "#api/http/reply/send-bytes";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { type Download, downloadFile, type OpenFile } from "#operations/files/download-file";
import { mayExecute } from "#plumbing/files/file-mode";

export const downloadFileEndpoint = endpoint({
  operation: "download-file",
  summary: "Download a file; or a folder or the matches of a pattern as a zip",
  access: "user",
  refuses: [416],
  produces: ["application/octet-stream", "application/zip"],
  takesSignature: true,
  schema: {
    params: Type.Object({
      ...WORKFLOW_PARAMS.properties,
      file_name: Type.String({ description: "Path of the file. Slashes may be written as %2F." }),
    }),
    querystring: Type.Object({
      preview: Type.Optional(
        Type.Boolean({
          description: "Lets a browser show pictures, web pages and PDFs instead of saving them.",
        }),
      ),
      file_name: Type.Optional(Type.String({ description: "Ignored; some clients repeat the path here." })),
    }),
    response: {
      200: bytes("The content. The header `Reprise-Executable: true` says that its execute bit is set."),
      206: bytes("The requested range."),
      304: Type.Null(),
    },
  },
  async handle(context, request, reply) {
    const { params, query, caller } = request;
    const wanted = { address: params.workflow_id_or_name, fileName: params.file_name };
    const download = await downloadFile(context, caller, wanted);
    // A user's page must never run with the origin of this server, even if a browser renders the file as a
    // page.
    reply.header("content-security-policy", POLICY_OF_FILES);
    if (download.kind === "archive") return sendArchive(request, reply, download);
    try {
      await sendFile(request, reply, download.file, query.preview ?? false);
    } finally {
      await download.file.close();
    }
    return reply;
  },
});

/**
 * Browsers refuse to show a PDF in a sandbox. PDF viewers run apart from every page, and accept only PDF
 * content.
 */
const POLICY_OF_PDF = "frame-ancestors 'self'";

function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  download: Extract<Download, { kind: "archive" }>,
): FastifyReply {
  reply
    .type("application/zip")
    .header("content-disposition", contentDisposition("attachment", download.fileName));
  return reply.send(isHead(request) ? nothing() : download.stream());
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: OpenFile,
  preview: boolean,
): Promise<unknown> {
  const { headers } = request.raw;
  describe(reply, file, preview);
  if (isUnchanged(headers["if-none-match"], file.etag)) return reply.code(304).send(nothing());
  const ifRange = headers["if-range"] as string | undefined;
  const range = parseRange(mayTakeRange(ifRange, file.etag) ? headers.range : undefined, file.bytes);
  if (range === "unsatisfiable") return sendUnsatisfiable(reply, file, headers.range!);
  const { first, last } = range === "whole" ? { first: 0, last: file.bytes - 1 } : range;
  if (range !== "whole") reply.code(206).header("content-range", `bytes ${first}-${last}/${file.bytes}`);
  const length = last - first + 1;
  reply.header("content-length", String(length));
  if (isHead(request)) return reply.send(nothing());
  return sendBytes(reply, file, { start: first, bytes: length });
}

function describe(reply: FastifyReply, file: OpenFile, preview: boolean): void {
  const type = preview ? previewType(file.path) : undefined;
  reply
    .type(type ?? "application/octet-stream")
    .header("content-disposition", contentDisposition(type ? "inline" : "attachment", file.path))
    .header("etag", file.etag)
    .header("last-modified", new Date(file.modifiedAtMs).toUTCString())
    .header("accept-ranges", "bytes")
    .header("cache-control", "private, no-cache");
  if (type === "application/pdf") reply.header("content-security-policy", POLICY_OF_PDF);
  if (mayExecute(file.mode)) reply.header("reprise-executable", "true");
}

function sendUnsatisfiable(reply: FastifyReply, file: OpenFile, range: string): FastifyReply {
  reply.header("content-range", `bytes */${file.bytes}`).removeHeader("content-disposition");
  const message = `${file.path} has ${file.bytes} bytes, and none of them are in the range ${range.slice(0, 100)}.`;
  return sendError(reply, { status: 416, message });
}

function isHead(request: FastifyRequest): boolean {
  return request.method === "HEAD";
}

/** Returns an empty stream. The framework measures any other body and would reply to HEAD with that length. */
function nothing(): Readable {
  return Readable.from([]);
}
