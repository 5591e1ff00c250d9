import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { credentialOf } from "#api/http/access/credentials";
import { cameByTls } from "#api/http/access/session-cookie";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { addHook, listProjects, removeHook } from "#operations/users/gitlab-projects";
import { Refusal } from "#plumbing/errors";

/** REANA's endpoints for the projects of its users on GitLab. */

const HookId = Type.Integer({ minimum: 1 });

export const listGitlabProjectsEndpoint = endpoint({
  operation: "list-gitlab-projects",
  summary: "List the caller's projects on GitLab, with the webhooks that create runs here",
  access: "user",
  refuses: [404, 501],
  schema: {
    querystring: Type.Object({
      search: Type.Optional(Type.String()),
      page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    }),
    response: {
      200: Type.Object({
        items: Type.Array(
          Type.Object({
            id: Type.Integer(),
            name: Type.String(),
            path: Type.String(),
            url: Type.String(),
            hook_id: nullable(HookId),
          }),
        ),
        page: Type.Integer(),
        size: Type.Integer(),
        total: nullable(Type.Integer()),
        has_next: Type.Boolean(),
        has_prev: Type.Boolean(),
      }),
    },
  },
  async handle(context, request) {
    const { search, page = 1, size = 20 } = request.query;
    const wanted = { search, page, size, receiver: receiverOf(request) };
    const { items, total, hasNext } = await listProjects(context, request.caller, wanted);
    const rows = items.map(({ hookId, ...project }) => ({ ...project, hook_id: hookId }));
    return { items: rows, page, size, total, has_next: hasNext, has_prev: page > 1 };
  },
});

/** REANA's clients send the id as a text or as a number. */
const ProjectId = Type.Union([Type.String({ pattern: "^[0-9]{1,15}$" }), HookId]);

export const addGitlabWebhookEndpoint = endpoint({
  operation: "add-gitlab-webhook",
  summary: "Let a project on GitLab create a run of the caller for each push and merge request",
  access: "user",
  isOfReanaPage: true,
  needsBody: true,
  refuses: [404, 501],
  schema: {
    body: Type.Object({ project_id: ProjectId }),
    response: { 201: Type.Object({ id: HookId }) },
  },
  async handle(context, request) {
    const { project_id: id } = bodyOf(request.body);
    const issuer = credentialOf(request)!.secret;
    const wanted = { projectId: Number(id), receiver: receiverOf(request), issuer };
    return { id: await addHook(context, request.caller, wanted) };
  },
});

export const removeGitlabWebhookEndpoint = endpoint({
  operation: "remove-gitlab-webhook",
  summary: "Remove the webhook of a project on GitLab",
  access: "user",
  isOfReanaPage: true,
  needsBody: true,
  refuses: [404, 501],
  schema: {
    body: Type.Object({ project_id: ProjectId, hook_id: HookId }),
    response: { 204: Type.Null() },
  },
  async handle(context, { caller, body }) {
    const { project_id: id, hook_id: hookId } = bodyOf(body);
    await removeHook(context, caller, { projectId: Number(id), hookId });
    return null;
  },
});

function bodyOf<Body>(body: Body | undefined): Body {
  if (body !== undefined) return body;
  throw new Refusal("malformed", "No project was given: send JSON with `project_id`.");
}

/** Returns the address to which GitLab sends events: the server's address as used by the caller. */
function receiverOf(request: FastifyRequest): string {
  return `${cameByTls(request) ? "https" : "http"}://${request.host}/api/workflows`;
}
