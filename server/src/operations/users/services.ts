import type { Outbox } from "#notifications/outbox";
import type { Basics } from "#operations/context";
import type { Quotas } from "#operations/quota/quotas";
import type { SignInProvider } from "#operations/users/sign-in-provider";
import type { UserSecrets } from "#runner/jobs/user-secrets";
import type { Gitlab } from "#sources/gitlab";

/** Dependencies of the operations on accounts, tokens and secrets. */
export interface AccountServices extends Basics {
  /**
   * Writes a token of the oldest administrator into the data folder, for commands run next to the server.
   * Optional: if absent, the next start writes the token.
   */
  readonly keepAdminToken?: () => Promise<void>;
  /** Providers by which people sign in, in the order of the sign-in page. */
  readonly signInProviders: readonly SignInProvider[];
  /** If absent, no GitLab may create runs. */
  readonly gitlab?: Gitlab;
  readonly secrets: UserSecrets;
  readonly quotas: Quotas;
  readonly outbox: Outbox;
}
