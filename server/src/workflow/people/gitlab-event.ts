import { Refusal } from "#plumbing/errors";
import { isObject } from "#workflow/specification/shape";

/** A commit of a project on the GitLab of this server. */
export interface GitlabCommit {
  readonly projectId: number;
  readonly sha: string;
}

/** The part of a GitLab event from which a run is created. */
export interface GitlabEvent extends GitlabCommit {
  /** `group/project` */
  readonly projectPath: string;
  /** Name of the workflow, taken from the project. */
  readonly name: string;
}

/** An event from which no run is created, and why. */
export interface IgnoredEvent {
  readonly ignored: string;
}

const SHA = /^[0-9a-f]{40}$/;
const PATH = /^[\w.-]+(\/[\w.-]+)+$/;
/** GitLab's words for the changes that bring commits to a merge request. */
const NEW_COMMITS: readonly unknown[] = ["open", "reopen", "update"];

/** Returns whether a body is an event of GitLab, and not a specification. */
export function isGitlabEvent(body: unknown): boolean {
  return isObject(body) && typeof body["object_kind"] === "string";
}

/** Reads a push or a merge request, in the form of GitLab's webhooks. */
export function parseGitlabEvent(body: unknown): GitlabEvent | IgnoredEvent {
  const event = objectAt(body, "");
  const kind = event["object_kind"];
  if (kind === "push") return pushed(event);
  if (kind === "merge_request") return merging(event);
  throw malformed("object_kind", "push or merge_request");
}

function pushed(event: Record<string, unknown>): GitlabEvent | IgnoredEvent {
  // Null: the branch was deleted.
  if (event["checkout_sha"] === null) return { ignored: "The push brings no commit." };
  return eventOf(event, textAt(event["checkout_sha"], "checkout_sha", SHA));
}

function merging(event: Record<string, unknown>): GitlabEvent | IgnoredEvent {
  const merge = objectAt(event["object_attributes"], "object_attributes");
  const { action, oldrev, source_project_id: source, target_project_id: target } = merge;
  // Anybody may open a merge request from a fork. Its commits would run in the name of the webhook's user.
  if (source !== target) return { ignored: "The merge request comes from another project." };
  // An update has the previous commit, unless only the title or the labels changed.
  const hasCommits = action === undefined || NEW_COMMITS.includes(action);
  if (!hasCommits || (action === "update" && oldrev === undefined))
    return { ignored: "The merge request has no new commit." };
  const commit = objectAt(merge["last_commit"], "object_attributes.last_commit");
  return eventOf(event, textAt(commit["id"], "object_attributes.last_commit.id", SHA));
}

function eventOf(event: Record<string, unknown>, sha: string): GitlabEvent {
  const project = objectAt(event["project"], "project");
  const projectId = project["id"];
  if (!Number.isSafeInteger(projectId)) throw malformed("project.id", "a number");
  const projectPath = textAt(project["path_with_namespace"], "project.path_with_namespace", PATH);
  const parts = projectPath.split("/");
  if (parts.some((part) => /^\.+$/.test(part))) throw malformed("project.path_with_namespace", "a path");
  return { projectId: projectId as number, sha, projectPath, name: parts.at(-1)!.replaceAll(".", "-") };
}

function objectAt(value: unknown, place: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw malformed(place, "an object");
}

function textAt(value: unknown, place: string, pattern: RegExp): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw malformed(place, "as GitLab sends it");
}

function malformed(place: string, wanted: string): Refusal {
  return new Refusal(
    "malformed",
    `The event of GitLab cannot be used: ${place || "the body"} is not ${wanted}. Choose push events and merge request events for the webhook.`,
  );
}

/** Names a commit as the receiver of a notification. No user can give such a receiver. */
export function receiverOf({ projectId, sha }: GitlabCommit): string {
  return `gitlab:${projectId}@${sha}`;
}

/** Returns the commit that a receiver names. Undefined for a webhook or an e-mail address. */
export function maybeCommitOf(receiver: string): GitlabCommit | undefined {
  const [, projectId, sha] = /^gitlab:(\d+)@([0-9a-f]{40})$/.exec(receiver) ?? [];
  return sha === undefined ? undefined : { projectId: Number(projectId), sha };
}
