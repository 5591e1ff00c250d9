import type { Caller } from "#operations/context";
import type { AccountServices } from "#operations/users/services";
import { gitlabFor } from "#operations/users/gitlab-token";
import { issueOwnToken } from "#operations/users/own-tokens";
import { NO_GITLAB_TOKEN } from "#notifications/commit-status";
import { Refusal } from "#plumbing/errors";
import type { Gitlab, GitlabReply, GitlabRequest } from "#sources/gitlab";
import { listTokens, revokeOneToken } from "#store/users/tokens";
import { isObject } from "#workflow/specification/shape";

/** Manages the caller's projects on GitLab, and their webhooks for creating runs. */

type GitlabContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal" | "gitlab" | "secrets">;

const LIMIT_MS = 10_000;

type Ask = (request: Pick<GitlabRequest, "method" | "path" | "body">) => Promise<GitlabReply>;

/** Runs work that asks GitLab as the caller, for at most ten seconds together. */
async function asking<Result>(
  context: Pick<GitlabContext, "gitlab" | "secrets" | "clock">,
  caller: Caller,
  work: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  const { gitlab, token } = await gitlabFor(context, caller);
  const limit = new AbortController();
  const late = new Refusal("unavailable", `GitLab did not answer within ${LIMIT_MS / 1000} seconds.`);
  const cancel = context.clock.after(LIMIT_MS, () => limit.abort(late));
  try {
    return await work((request) => accepted(gitlab, { ...request, token, signal: limit.signal }));
  } finally {
    cancel();
  }
}

async function accepted(gitlab: Gitlab, request: GitlabRequest): Promise<GitlabReply> {
  const reply = await gitlab.send(request);
  if (reply.status >= 200 && reply.status < 300) return reply;
  if (reply.status === 401) throw new Refusal("not-signed-in", NO_GITLAB_TOKEN);
  const isAbsent = reply.status === 404 || reply.status === 403;
  throw new Refusal(
    isAbsent ? "absent" : "unavailable",
    `GitLab returned the status ${reply.status}. Check the project, and the scope \`api\` of your token.`,
  );
}

export interface ProjectsQuery {
  readonly search: string | undefined;
  readonly page: number;
  readonly size: number;
  /** Address of this server for webhook events. */
  readonly receiver: string;
}

export interface GitlabProject {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly url: string;
  /** Id of the webhook for creating runs on this server. Null if the project has no webhook. */
  readonly hookId: number | null;
}

export interface ProjectPage {
  readonly items: readonly GitlabProject[];
  readonly total: number | null;
  readonly hasNext: boolean;
}

/** Access level required to change a project's webhooks. */
const MAINTAINER = 40;

/** Returns the projects whose webhooks the caller may change. */
export function listProjects(
  context: GitlabContext,
  caller: Caller,
  { search, page, size, receiver }: ProjectsQuery,
): Promise<ProjectPage> {
  return asking(context, caller, async (ask) => {
    const query = new URLSearchParams({
      min_access_level: String(MAINTAINER),
      simple: "true",
      page: String(page),
      per_page: String(size),
      ...(search !== undefined && { search, search_namespaces: "true" }),
    });
    const { body, headers } = await ask({ method: "GET", path: `/projects?${query.toString()}` });
    const projects = Array.isArray(body) ? body.filter(isObject) : [];
    const items = await Promise.all(
      projects.map(async (project) => ({
        id: Number(project["id"]),
        name: String(project["name"]),
        path: String(project["path_with_namespace"]),
        url: String(project["web_url"]),
        hookId: await maybeHook(ask, Number(project["id"]), receiver),
      })),
    );
    const total = headers["x-total"];
    return {
      items,
      total: typeof total === "string" && total !== "" ? Number(total) : null,
      hasNext: Boolean(headers["x-next-page"]),
    };
  });
}

async function maybeHook(ask: Ask, projectId: number, receiver: string): Promise<number | null> {
  const { body } = await ask({ method: "GET", path: `/projects/${projectId}/hooks?per_page=100` });
  const hooks = Array.isArray(body) ? body.filter(isObject) : [];
  const own = hooks.find(({ url }) => url === receiver);
  return own ? Number(own["id"]) : null;
}

export interface HookRequest {
  readonly projectId: number;
  readonly receiver: string;
  /** The secret that the request was made with. */
  readonly issuer: string;
}

/** Name of the token with which a project's webhook creates runs. */
const tokenNameOf = (projectId: number) => `gitlab-project-${projectId}`;

/**
 * Makes GitLab report pushes to the project's main branch, and merge requests. The webhook gets a
 * separate token that can only manage runs.
 */
export function addHook(
  context: GitlabContext,
  caller: Caller,
  { projectId, receiver, issuer }: HookRequest,
): Promise<number> {
  return asking(context, caller, async (ask) => {
    const { body: project } = await ask({ method: "GET", path: `/projects/${projectId}` });
    const branch = isObject(project) ? project["default_branch"] : undefined;
    const name = tokenNameOf(projectId);
    const issued = await issueOwnToken(context, caller, { name, scope: "runs", issuer });
    try {
      const { body } = await ask({
        method: "POST",
        path: `/projects/${projectId}/hooks`,
        body: {
          url: receiver,
          token: issued.token,
          push_events: true,
          merge_requests_events: true,
          enable_ssl_verification: true,
          ...(typeof branch === "string" && { push_events_branch_filter: branch }),
        },
      });
      return isObject(body) ? Number(body["id"]) : 0;
    } catch (error) {
      await revokeOneToken(context.db, { userId: caller.id, id: issued.id }, context.clock.now());
      throw error;
    }
  });
}

/** Removes a webhook from a project, and revokes the project's tokens. */
export function removeHook(
  context: GitlabContext,
  caller: Caller,
  { projectId, hookId }: { readonly projectId: number; readonly hookId: number },
): Promise<void> {
  const { db, clock } = context;
  return asking(context, caller, async (ask) => {
    await ask({ method: "DELETE", path: `/projects/${projectId}/hooks/${hookId}` });
    const tokens = await listTokens(db, caller.id, clock.now());
    for (const { id, name } of tokens)
      if (name === tokenNameOf(projectId)) await revokeOneToken(db, { userId: caller.id, id }, clock.now());
  });
}
