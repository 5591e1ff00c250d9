import { NO_GITLAB, NO_GITLAB_TOKEN } from "#notifications/commit-status";
import type { Caller } from "#operations/context";
import type { AccountServices } from "#operations/users/services";
import { Refusal } from "#plumbing/errors";
import { maybeSecretText, type UserSecrets } from "#runner/jobs/user-secrets";
import type { Gitlab } from "#sources/gitlab";

/** The secret with a user's token for GitLab, under the name used by REANA. */
const TOKEN_SECRET = "gitlab_access_token";

/** Returns the access token for GitLab that a user has stored, as a variable or a file. */
export function maybeGitlabToken(secrets: UserSecrets, userId: string): Promise<string | undefined> {
  return maybeSecretText(secrets, userId, TOKEN_SECRET);
}

/** Returns this server's GitLab, and the caller's token for GitLab. */
export async function gitlabFor(
  { gitlab, secrets }: Pick<AccountServices, "gitlab" | "secrets">,
  caller: Caller,
): Promise<{ readonly gitlab: Gitlab; readonly token: string }> {
  if (!gitlab) throw new Refusal("not-implemented", `${NO_GITLAB} Its administrator can set one (--gitlab).`);
  const token = await maybeGitlabToken(secrets, caller.id);
  if (token === undefined) throw new Refusal("not-signed-in", NO_GITLAB_TOKEN);
  return { gitlab, token };
}
