import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { shareStatus, shareRun, unshareRun } from "#operations/sharing/sharing";

/** Reply to a change of sharing, on a server that has sharing. */
const SharingRecord = Type.Object(
  {
    message: Type.String(),
    ...RUN_NAMED,
  },
  { title: "Sharing" },
);

export const shareWorkflowEndpoint = endpoint({
  operation: "share-workflow",
  summary: "Share a workflow with another user: not on this server",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      user_email_to_share_with: Type.Optional(Type.String()),
      message: Type.Optional(Type.String()),
      valid_until: Type.Optional(Type.String()),
    }),
    response: { 200: SharingRecord },
  },
  handle: (context, { caller, params }) => shareRun(context, caller, params.workflow_id_or_name),
});

/** User to unshare with. REANA's command line sends it in the query, its page in the body. */
const WHOM = Type.Object({ user_email_to_unshare_with: Type.Optional(Type.String()) });

export const unshareWorkflowEndpoint = endpoint({
  operation: "unshare-workflow",
  summary: "Stop sharing a workflow with a user",
  access: "user",
  schema: { params: WORKFLOW_PARAMS, querystring: WHOM, body: WHOM, response: { 200: SharingRecord } },
  handle(context, { caller, params, query, body }) {
    const email = query.user_email_to_unshare_with ?? body?.user_email_to_unshare_with;
    return unshareRun(context, caller, { address: params.workflow_id_or_name, email });
  },
});

export const getShareStatusEndpoint = endpoint({
  operation: "get-share-status",
  summary: "List the users with whom a workflow is shared",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        ...RUN_NAMED,
        shared_with: Type.Array(
          Type.Object({ user_email: Type.String(), valid_until: nullable(Type.String()) }),
        ),
      }),
    },
  },
  async handle(context, { caller, params }) {
    const run = await shareStatus(context, caller, params.workflow_id_or_name);
    return { ...namedRun(run), shared_with: [] };
  },
});

const Users = Type.Array(Type.Object({ email: Type.String() }));

export const listUsersSharedWithYouEndpoint = endpoint({
  operation: "list-users-shared-with-you",
  summary: "List the users who share workflows with the caller",
  access: "user",
  schema: { response: { 200: Type.Object({ users_shared_with_you: Users }) } },
  handle: () => ({ users_shared_with_you: [] }),
});

export const listUsersYouSharedWithEndpoint = endpoint({
  operation: "list-users-you-shared-with",
  summary: "List the users with whom the caller shares workflows",
  access: "user",
  schema: { response: { 200: Type.Object({ users_you_shared_with: Users }) } },
  handle: () => ({ users_you_shared_with: [] }),
});
