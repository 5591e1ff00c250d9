import { reportCommit } from "#notifications/commit-status";
import type { Caller } from "#operations/context";
import { type Launched, launchRun } from "#operations/runs/start/launch-run";
import { gitlabFor, maybeGitlabToken } from "#operations/users/gitlab-token";
import { Refusal } from "#plumbing/errors";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { Gitlab } from "#sources/gitlab";
import { insertNotification } from "#store/notifications/notifications";
import {
  type GitlabEvent,
  type IgnoredEvent,
  parseGitlabEvent,
  receiverOf,
} from "#workflow/people/gitlab-event";
import { REPORTED_STATUSES } from "#workflow/people/notification";

type LaunchCommitContext = Parameters<typeof launchRun>[0] & {
  readonly gitlab?: Gitlab;
  readonly secrets: UserSecrets;
};

/**
 * Creates a run from the commit that a webhook of GitLab reports, and starts it. The status of the commit
 * follows that of the run. If no run can be created, the commit is marked as failed.
 */
export async function launchCommit(
  context: LaunchCommitContext,
  caller: Caller,
  body: unknown,
): Promise<Launched | IgnoredEvent> {
  const { gitlab, token } = await gitlabFor(context, caller);
  const event = parseGitlabEvent(body);
  if ("ignored" in event) return event;
  try {
    return await launchRun(context, caller, {
      name: event.name,
      address: `${gitlab.repositoryOf(event.projectPath)}@${event.sha}`,
      credential: { user: "oauth2", password: token },
      parameters: {},
      recordMore: (db, runId) =>
        insertNotification(db, {
          id: context.random.uuid(),
          userId: caller.id,
          runId,
          receiver: receiverOf(event),
          statuses: REPORTED_STATUSES,
          sealed: null,
          createdAtMs: context.clock.now(),
        }),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await reportRefusal(context, caller, { gitlab, event, error });
    // GitLab switches a webhook off that is refused again and again.
    if (error.errorCode === "quota-exceeded") return { ignored: error.message };
    throw error;
  }
}

/** Reports that no run was created. The reply to GitLab does not depend on the report. */
async function reportRefusal(
  { clock, secrets }: LaunchCommitContext,
  { id: userId }: Caller,
  { gitlab, event, error }: { gitlab: Gitlab; event: GitlabEvent; error: Refusal },
): Promise<void> {
  const reporter = { gitlab, maybeToken: (user: string) => maybeGitlabToken(secrets, user) };
  const status = { commit: event, state: "failed", description: error.message } as const;
  await reportCommit({ clock, reporter, userId }, status, new AbortController().signal);
}
