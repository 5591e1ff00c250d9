import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { nullable, reanaTime } from "#api/http/document/schemas";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import {
  listReaders,
  listSharers,
  type SharedWith,
  shareRun,
  shareStatus,
  unshareRun,
} from "#operations/sharing/sharing";
import { toWireTime } from "#plumbing/clock";
import { granteeText } from "#workflow/people/grantee";

/** Reply to a change of sharing. */
const SharingRecord = Type.Object(
  {
    message: Type.String(),
    ...RUN_NAMED,
  },
  { title: "Sharing" },
);

/** Limit of REANA. */
const MESSAGE_LENGTH_MAX = 5000;

export const shareWorkflowEndpoint = change({
  operation: "share-workflow",
  summary: "Share a workflow with another user or a group, who may read it",
  access: "user",
  isOfReanaPage: true,
  scope: "everything",
  needsBody: true,
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      user_email_to_share_with: Type.String({
        minLength: 1,
        description: "An e-mail address, or `group:` and the name of a group.",
      }),
      message: Type.Optional(
        nullable(Type.String({ maxLength: MESSAGE_LENGTH_MAX, description: "Your words to the readers." })),
      ),
      valid_until: Type.Optional(
        nullable(Type.String({ description: "The last day of the share, `YYYY-MM-DD` in UTC." })),
      ),
    }),
    response: { 200: SharingRecord },
  },
  handle(context, request) {
    const { caller, params, body } = request;
    const grantee = body?.user_email_to_share_with;
    request.subject = { with: grantee ?? "" };
    return shareRun(context, caller, {
      address: params.workflow_id_or_name,
      grantee,
      message: body?.message ?? undefined,
      validUntil: body?.valid_until ?? undefined,
    });
  },
  toWire: ({ run }) => ({ message: "The workflow has been shared with the user.", ...namedRun(run) }),
});

/** User to unshare with. REANA's command line sends it in the query, its page in the body. */
const WHOM = Type.Object({ user_email_to_unshare_with: Type.Optional(Type.String()) });

export const unshareWorkflowEndpoint = change({
  operation: "unshare-workflow",
  summary: "Stop sharing a workflow with a user or a group, and close their open streams",
  access: "user",
  isOfReanaPage: true,
  scope: "everything",
  worksOnFullDisk: true,
  schema: { params: WORKFLOW_PARAMS, querystring: WHOM, body: WHOM, response: { 200: SharingRecord } },
  handle(context, request) {
    const { caller, params, query, body } = request;
    const grantee = query.user_email_to_unshare_with ?? body?.user_email_to_unshare_with;
    request.subject = { with: grantee ?? "" };
    return unshareRun(context, caller, { address: params.workflow_id_or_name, grantee });
  },
  toWire: ({ run }) => ({ message: "The workflow has been unshared with the user.", ...namedRun(run) }),
});

export const getShareStatusEndpoint = endpoint({
  operation: "get-share-status",
  summary: "List the users and groups with whom a workflow is shared",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        ...RUN_NAMED,
        shared_with: Type.Array(
          Type.Object({
            user_email: Type.String({ description: "Or `group:` and the name of a group." }),
            valid_until: nullable(reanaTime("The last second of the share. Null: until it is revoked.")),
          }),
        ),
      }),
    },
  },
  async handle(context, { caller, params }) {
    const { run, shares } = await shareStatus(context, caller, params.workflow_id_or_name);
    return { ...namedRun(run), shared_with: shares.map(shareRecord) };
  },
});

function shareRecord(share: SharedWith) {
  const { expiresAtMs } = share;
  return {
    user_email: granteeText(share),
    valid_until: expiresAtMs === null ? null : toWireTime(expiresAtMs - 1),
  };
}

const Users = Type.Array(Type.Object({ email: Type.String() }));

export const listUsersSharedWithYouEndpoint = endpoint({
  operation: "list-users-shared-with-you",
  summary: "List the users who share workflows with the caller",
  access: "user",
  schema: { response: { 200: Type.Object({ users_shared_with_you: Users }) } },
  handle: async (context, { caller }) => ({
    users_shared_with_you: (await listSharers(context, caller)).map((email) => ({ email })),
  }),
});

export const listUsersYouSharedWithEndpoint = endpoint({
  operation: "list-users-you-shared-with",
  summary: "List the users and groups with whom the caller shares workflows",
  access: "user",
  schema: { response: { 200: Type.Object({ users_you_shared_with: Users }) } },
  handle: async (context, { caller }) => ({
    users_you_shared_with: (await listReaders(context, caller)).map((email) => ({ email })),
  }),
});
