import type { AccountServices } from "#operations/users/services";
import { DAY_MS } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";
import type { TokenScope } from "#workflow/people/token-scope";

/** Limits of a token, chosen by its user or the administrator. */
export interface TokenLimits {
  /** Defaults to `everything`. */
  readonly scope?: TokenScope | undefined;
  /** If absent, the token never expires. */
  readonly days?: number | undefined;
}

export function limitsFrom(
  { clock }: Pick<AccountServices, "clock">,
  { scope = "everything", days }: TokenLimits,
): { readonly scope: TokenScope; readonly expiresAtMs: number | null } {
  return { scope, expiresAtMs: days === undefined ? null : clock.now() + days * DAY_MS };
}

/** Returns the earlier of two ends. Null means no end. */
export function earlierEnd(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** Refuses a token with a later end than its creating credential. */
export function mustEndBy(expiresAtMs: number | null, untilMs: number | null): void {
  if (untilMs === null || (expiresAtMs !== null && expiresAtMs <= untilMs)) return;
  throw new Refusal(
    "forbidden",
    "The token could not be issued: it would outlive the one that this request was made with. Choose fewer days.",
    { errorCode: "token-limits" },
  );
}
