import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { type Repository, startGitHttpServer } from "../../files/git-http-server.ts";

/**
 * A local fake GitLab, written from the documentation and never compared with a real one: projects and their
 * repositories over HTTP, statuses of commits, and webhooks. Every request needs the token.
 */
export interface FakeGitlab {
  /** Such as `http://127.0.0.1:12345`. */
  readonly url: string;
  readonly token: string;
  /** Commit statuses in order of their arrival. */
  readonly statuses: readonly CommitStatus[];
  /** Webhooks by id. */
  readonly hooks: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
  /** Replies to requests of the API in place of GitLab. Returns true if it has. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  addProject(path: string, files: Readonly<Record<string, string>>): Promise<Repository>;
  close(): Promise<void>;
}

interface CommitStatus {
  readonly project: number;
  readonly sha: string;
  readonly state: string;
  readonly name: string;
  readonly description: string;
}

/** The order in which GitLab lets the status of a commit change. */
const ORDER = ["pending", "running", "success", "failed", "canceled"];

const PROJECT_ID = 15;

export async function openFakeGitlab(): Promise<FakeGitlab> {
  const token = "glpat-secret-of-ada";
  const statuses: CommitStatus[] = [];
  const hooks = new Map<number, Record<string, unknown>>();
  const server = await startGitHttpServer((request, response) => {
    const isApi = request.url!.startsWith("/api/v4/");
    if (isApi && fake.instead(request, response)) return true;
    if (!isAllowed(request, token)) return reply(response, 401, { message: "401 Unauthorized" });
    if (isApi) void answer(request, response);
    return isApi;
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, "http://gitlab");
    const body = request.method === "POST" ? ((await json(request)) as Record<string, unknown>) : {};
    const [, sha] = /^\/api\/v4\/projects\/15\/statuses\/([0-9a-f]{40})$/.exec(pathname) ?? [];
    if (sha !== undefined) return void setStatus(response, sha, body);
    const [, hook] = /^\/api\/v4\/projects\/15\/hooks(?:\/(\d+))?$/.exec(pathname) ?? [];
    if (pathname.startsWith("/api/v4/projects/15/hooks"))
      return void changeHooks(request, response, body, hook);
    if (pathname === "/api/v4/projects/15") return void reply(response, 200, PROJECT);
    if (pathname === "/api/v4/projects")
      return void reply(response, 200, [PROJECT], { "x-page": "1", "x-per-page": "20", "x-total": "1" });
    reply(response, 404, { message: "404 Project Not Found" });
  }

  function setStatus(response: ServerResponse, sha: string, body: Record<string, unknown>): boolean {
    const { state, name, description } = body as Record<string, string>;
    const before = statuses.filter((status) => status.sha === sha).at(-1);
    if (before && ORDER.indexOf(state!) <= ORDER.indexOf(before.state)) {
      const message = `Cannot transition status via :enqueue from :${before.state}`;
      return reply(response, 400, { message });
    }
    statuses.push({ project: PROJECT_ID, sha, state: state!, name: name!, description: description! });
    return reply(response, 201, { id: statuses.length, sha, status: state, name });
  }

  function changeHooks(
    request: IncomingMessage,
    response: ServerResponse,
    body: Record<string, unknown>,
    id: string | undefined,
  ): boolean {
    if (request.method === "POST") {
      const added = hooks.size + 1;
      hooks.set(added, body);
      return reply(response, 201, { id: added, url: body["url"] });
    }
    if (request.method === "DELETE")
      return hooks.delete(Number(id))
        ? reply(response, 204)
        : reply(response, 404, { message: "404 Not found" });
    return reply(
      response,
      200,
      [...hooks].map(([key, { url }]) => ({ id: key, url })),
    );
  }

  const fake: FakeGitlab = {
    url: server.url,
    token,
    statuses,
    hooks,
    instead: () => false,
    addProject: (path, files) => server.addRepository(path, files),
    close: () => server.close(),
  };
  return fake;
}

const PROJECT = {
  id: PROJECT_ID,
  name: "Fit of the Z",
  path_with_namespace: "physics/z-fit",
  web_url: "http://gitlab.example.org/physics/z-fit",
  default_branch: "main",
};

/** The API takes the token as a bearer, and Git as the password of `oauth2`. */
function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const basic = `Basic ${Buffer.from(`oauth2:${token}`).toString("base64")}`;
  return [`Bearer ${token}`, basic].includes(headers.authorization ?? "");
}

function reply(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): boolean {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
  return true;
}
