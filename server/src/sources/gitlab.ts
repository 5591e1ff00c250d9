import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { codeOf, messageOf, Refusal } from "#plumbing/errors";
import { maybeJson } from "#plumbing/formats/json";
import { loadRequest } from "#sources/load-request";
import { pinnedTo } from "#sources/pinned-to";
import {
  checkHost,
  hostOf,
  type HostRules,
  PROJECT_WORDS,
  type Resolve,
  resolveHost,
  systemResolve,
} from "#sources/resolve-host";
import type { GitlabCommit } from "#workflow/people/gitlab-event";

/**
 * The API of the GitLab set by the administrator. Like a Git address, it is reached at a checked address and
 * without redirects. A user's token is sent only to this host.
 */
export interface GitlabOptions extends HostRules {
  /** Such as `https://gitlab.example.org`. */
  readonly address: string;
  readonly resolve?: Resolve;
}

export interface GitlabRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path below `/api/v4`. */
  readonly path: string;
  /** The user's access token. */
  readonly token: string;
  readonly body?: object;
  readonly signal: AbortSignal;
}

export interface GitlabReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON. Undefined if the reply is empty. */
  readonly body: unknown;
}

export type CommitState = "pending" | "running" | "success" | "failed" | "canceled";

export interface Gitlab {
  /** The address of a project's repository. */
  repositoryOf(projectPath: string): string;
  /** Returns any reply. Throws a refusal if no reply arrives. */
  send(request: GitlabRequest): Promise<GitlabReply>;
}

/** Replies are lists of at most 100 projects or webhooks. */
const REPLY_MAX_BYTES = 4 * 2 ** 20;

export function openGitlab(options: GitlabOptions): Gitlab {
  const root = options.address.replace(/\/+$/, "");
  return {
    repositoryOf: (projectPath) => `${root}/${projectPath}.git`,
    async send({ method, path, token, body, signal }) {
      const url = new URL(`${root}/api/v4${path}`);
      const place = hostOf(url);
      checkHost(place, options, PROJECT_WORDS);
      const [address = ""] = await resolveHost(
        place,
        options,
        options.resolve ?? systemResolve,
        PROJECT_WORDS,
      );
      signal.throwIfAborted();
      const content = body && JSON.stringify(body);
      const headers = {
        accept: "application/json",
        authorization: `Bearer ${token}`,
        "user-agent": "reprise",
        ...(content !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(content),
        }),
      };
      const send = await loadRequest(url.protocol);
      return new Promise((resolve, reject) => {
        const failed = (error: unknown) => reject(signal.aborted ? (signal.reason as Error) : noReply(error));
        const request = send(url, { ...pinnedTo(address), method, agent: false, signal, headers });
        request.on("error", failed);
        request.once("response", (reply) => {
          replyOf(reply).then(resolve, failed);
        });
        request.end(content);
      });
    },
  };
}

async function replyOf(reply: IncomingMessage): Promise<GitlabReply> {
  let bytes = 0;
  reply.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > REPLY_MAX_BYTES) reply.destroy(new Error("the reply is too long"));
  });
  const body = maybeJson((await buffer(reply)).toString("utf8"));
  return { status: reply.statusCode ?? 0, headers: reply.headers, body };
}

function noReply(error: unknown): Refusal {
  const why = codeOf(error) ?? messageOf(error);
  return new Refusal("unavailable", `GitLab could not be reached: ${why}. Try again in a moment.`, {
    cause: error,
  });
}

export interface CommitStatus {
  readonly commit: GitlabCommit;
  readonly state: CommitState;
  readonly description: string;
}

/** GitLab refuses a longer description. */
const DESCRIPTION_MAX_LENGTH = 255;

/** Distinguishes this status from the statuses of other programs, and equals the name in REANA. */
const STATUS_NAME = "reana";

/** Sets the status of a commit. Returns the problem in a sentence, or undefined if GitLab has it. */
export async function setCommitStatus(
  gitlab: Gitlab,
  { commit, state, description }: CommitStatus,
  { token, signal }: Pick<GitlabRequest, "token" | "signal">,
): Promise<string | undefined> {
  const { status, body } = await gitlab.send({
    method: "POST",
    path: `/projects/${commit.projectId}/statuses/${commit.sha}`,
    token,
    signal,
    body: { state, name: STATUS_NAME, description: description.slice(0, DESCRIPTION_MAX_LENGTH) },
  });
  if (status >= 200 && status < 300) return undefined;
  // The status was set before, and the reply was lost.
  if (status === 400 && /cannot transition status/i.test(JSON.stringify(body ?? ""))) return undefined;
  return `GitLab returned the status ${status} for a commit of project ${commit.projectId}.`;
}
