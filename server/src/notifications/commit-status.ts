import { attempt } from "#notifications/attempt";
import type { Clock } from "#plumbing/clock";
import { messageOf } from "#plumbing/errors";
import { type CommitState, type CommitStatus, type Gitlab, setCommitStatus } from "#sources/gitlab";
import type { Delivery } from "#store/notifications/deliveries";
import type { GitlabCommit } from "#workflow/people/gitlab-event";
import type { ReportedStatus } from "#workflow/people/notification";
import { fullName } from "#workflow/run/run-name";

const LIMIT_MS = 10_000;

const STATES: Readonly<Record<ReportedStatus, CommitState>> = {
  queued: "pending",
  running: "running",
  finished: "success",
  failed: "failed",
  stopped: "canceled",
};

export interface CommitReporter {
  readonly gitlab: Gitlab;
  /** Returns the access token for GitLab that a user has stored. */
  readonly maybeToken: (userId: string) => Promise<string | undefined>;
}

export const NO_GITLAB = "This server is connected to no GitLab.";
export const NO_GITLAB_TOKEN =
  "GitLab token invalid or missing: store one with the scope `api` as the secret `gitlab_access_token`.";

/** Returns the commit status to report to GitLab for a run's new status. */
export function statusOfCommit(commit: GitlabCommit, delivery: Delivery): CommitStatus {
  const { status, failure, runMajor, runMinor } = delivery;
  const reason = status === "failed" && failure !== null ? `: ${failure}` : "";
  const description = `${fullName(delivery.name, runMajor, runMinor)} is ${status}${reason}`;
  return { commit, state: STATES[status], description };
}

interface CommitStatusContext {
  readonly clock: Clock;
  readonly reporter: CommitReporter;
  /** The user whose token authorizes the request. */
  readonly userId: string;
}

/** Sets the status of a commit once. Returns the problem in a sentence, or undefined if GitLab has it. */
export function reportCommit(
  { clock, reporter, userId }: CommitStatusContext,
  status: CommitStatus,
  stopping: AbortSignal,
): Promise<string | undefined> {
  return attempt({
    clock,
    limitMs: LIMIT_MS,
    stopping,
    explain: messageOf,
    async send(signal) {
      const token = await reporter.maybeToken(userId);
      if (token === undefined) return NO_GITLAB_TOKEN;
      return setCommitStatus(reporter.gitlab, status, { token, signal });
    },
  });
}
