import Type from "typebox";
import { pageFields, pageSchema, PAGING_QUERY } from "#api/http/reply/page-record";
import { endpoint } from "#api/http/endpoint";
import { reanaTime } from "#api/http/document/schemas";
import { parseSearch } from "#api/http/request/search-query";
import { Size, sizeRecord, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { type FileEntry, listFiles } from "#operations/files/list-files";
import { toWireTime } from "#plumbing/clock";

const FileItem = Type.Object(
  {
    name: Type.String({ description: "Relative to the workspace." }),
    size: Size,
    "last-modified": reanaTime(),
  },
  { title: "File" },
);

const SEARCH_FIELDS = ["name", "size", "last-modified"] as const;

export const listFilesEndpoint = endpoint({
  operation: "list-files",
  summary: "List the files of a workspace",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      file_name: Type.Optional(
        Type.String({ description: "A file, a folder, or a pattern (`*`, `?`, `[]`, `**`)." }),
      ),
      search: Type.Optional(
        Type.String({
          description:
            'JSON text: `{"name": [..], "size": [..], "last-modified": [..]}`: parts of names and times, whole sizes.',
        }),
      ),
      ...PAGING_QUERY,
    }),
    response: { 200: pageSchema("FilePage", FileItem, {}) },
  },
  async handle(context, request) {
    const { params, query, caller } = request;
    const { file_name: pattern, page = 1, size } = query;
    const files = await listFiles(context, caller, {
      address: params.workflow_id_or_name,
      ...(pattern && { pattern }),
      search: parseSearch(query.search, SEARCH_FIELDS),
      paging: { page, ...(size !== undefined && { size }) },
    });
    return { items: files.items.map(fileItem), ...pageFields(files) };
  },
});

function fileItem({ name, bytes, modifiedAtMs }: FileEntry) {
  return { name, size: sizeRecord(bytes), "last-modified": toWireTime(modifiedAtMs) };
}
