import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import Type from "typebox";
import { endpoint, uploadOf } from "#api/http/endpoint";
import { bytes, Message } from "#api/http/document/schemas";
import { fromRequest, isForm } from "#api/http/request/upload-body";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { uploadFile } from "#operations/files/upload-file";

export const uploadFileEndpoint = endpoint({
  operation: "upload-file",
  summary: "Upload a file into a workspace, replacing one of the same name",
  access: "user",
  upload: true,
  form: Type.Object({
    file_content: bytes("The content. Without this part, the only file of the form is used."),
  }),
  needs: ["file_name"],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      file_name: Type.Optional(Type.String({ description: "Path of the file inside the workspace." })),
      executable: Type.Optional(
        Type.Boolean({ description: "Sets the execute bit of the file. REANA has no such parameter." }),
      ),
    }),
    response: { 200: Message },
  },
  async handle(context, request) {
    const { params, query, caller } = request;
    const { headers } = request.raw;
    const body = uploadOf(request);
    // Only REANA's first clients send forms, so the form reader is loaded with the first form.
    const form = isForm(headers) ? await import("#api/http/request/multipart-file") : undefined;
    await uploadFile(context, caller, {
      address: params.workflow_id_or_name,
      fileName: query.file_name,
      isExecutable: query.executable ?? false,
      bytes: form ? undefined : lengthOf(headers),
      ownsChunks: !form && body instanceof IncomingMessage,
      receive: (write) => (form ? form.writeFilePart(headers, body, write) : fromRequest(body, write)),
    });
    return { message: `${query.file_name} has been successfully uploaded.` };
  },
});

/** Returns the length of a body that is the file itself. */
function lengthOf({ "content-length": length }: IncomingHttpHeaders): number | undefined {
  return length === undefined ? undefined : Number(length);
}
