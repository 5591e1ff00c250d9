import Type from "typebox";
import { recordOf } from "#api/http/document/schemas";
import { endpoint } from "#api/http/endpoint";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { deleteFiles, moveFiles, pruneWorkspace } from "#operations/files/change-files";

export const moveFilesEndpoint = endpoint({
  operation: "move-files",
  summary: "Move files inside a workflow's workspace",
  access: "user",
  needs: ["source", "target"],
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      source: Type.Optional(Type.String({ description: "A file, a folder, or a pattern." })),
      target: Type.Optional(Type.String({ description: "An existing folder, or a new name." })),
    }),
    response: {
      200: Type.Object({
        message: Type.String(),
        ...RUN_NAMED,
      }),
    },
  },
  async handle(context, request) {
    const { params, query, caller } = request;
    const { source, target } = query;
    const run = await moveFiles(context, caller, {
      address: params.workflow_id_or_name,
      source,
      target,
    });
    return {
      message: `File(s) ${source} were successfully moved`,
      ...namedRun(run),
    };
  },
});

export const deleteFilesEndpoint = endpoint({
  operation: "delete-files",
  summary: "Delete a file, a folder, or the matches of a pattern",
  access: "user",
  statusOf: { malformed: 403 },
  worksOnFullDisk: true,
  schema: {
    params: Type.Object({
      ...WORKFLOW_PARAMS.properties,
      file_name: Type.String({ description: "Path of the file. Slashes may be written as %2F." }),
    }),
    response: {
      200: Type.Object({
        deleted: recordOf(Type.Object({ size: Type.Integer() }), {
          description: "Results by file name. Both are empty if no file matched.",
        }),
        failed: recordOf(Type.Object({ error: Type.String() })),
      }),
    },
  },
  async handle(context, request) {
    const { params, caller } = request;
    const wanted = { address: params.workflow_id_or_name, fileName: params.file_name };
    const { deleted, failed } = await deleteFiles(context, caller, wanted);
    return {
      deleted: Object.fromEntries([...deleted].map(([name, size]) => [name, { size }])),
      failed: Object.fromEntries([...failed].map(([name, error]) => [name, { error }])),
    };
  },
});

/** Flags of the request. REANA's clients send them in the query; the newest REANA server reads the body. */
const FLAGS = Type.Object({
  include_inputs: Type.Optional(Type.Boolean({ description: "Also delete the declared inputs." })),
  include_outputs: Type.Optional(Type.Boolean({ description: "Also delete the declared outputs." })),
});

export const pruneWorkspaceEndpoint = endpoint({
  operation: "prune-workspace",
  summary: "Delete all files of a workspace except the declared inputs and outputs",
  access: "user",
  worksOnFullDisk: true,
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: FLAGS,
    body: FLAGS,
    response: {
      200: Type.Object({
        message: Type.String(),
        workflow_id: Type.String({ format: "uuid" }),
        workflow_name: Type.String({ description: "Without the run number." }),
      }),
    },
  },
  async handle(context, { caller, params, query, body }) {
    const run = await pruneWorkspace(context, caller, {
      address: params.workflow_id_or_name,
      includeInputs: query.include_inputs ?? body?.include_inputs ?? false,
      includeOutputs: query.include_outputs ?? body?.include_outputs ?? false,
    });
    return {
      message: "The workspace has been correctly pruned.",
      workflow_id: run.id,
      workflow_name: run.name,
    };
  },
});
