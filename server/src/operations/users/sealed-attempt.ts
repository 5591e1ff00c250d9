import type { AccountServices } from "#operations/users/services";
import { parseJson } from "#plumbing/formats/json";

/**
 * A sign-in by a provider that has begun. The server encrypts it and gives it to the caller, who sends it back: the server
 * stores no row before a person is proven.
 */
export interface Attempt {
  /** Distinguishes the kinds of attempts, and attempts from other texts encrypted with the server's key. */
  readonly purpose: string;
  /** The id of the session or the token that the attempt makes. An attempt makes one at most. */
  readonly id: string;
  readonly provider: string;
  readonly expiresAtMs: number;
}

export function sealAttempt({ tokenSeal }: Pick<AccountServices, "tokenSeal">, attempt: Attempt): string {
  return tokenSeal.seal(JSON.stringify(attempt));
}

/** Returns an attempt, which the purpose gives its type, or undefined if it has expired or was made for something else or by another server. */
export function maybeAttempt(
  { tokenSeal, clock }: Pick<AccountServices, "tokenSeal" | "clock">,
  { purpose, provider }: Pick<Attempt, "purpose" | "provider">,
  sealed: string,
): Attempt | undefined {
  const attempt = maybeOpened(tokenSeal, sealed);
  const isUsable =
    attempt?.purpose === purpose && attempt.provider === provider && attempt.expiresAtMs > clock.now();
  return isUsable ? attempt : undefined;
}

function maybeOpened({ open }: AccountServices["tokenSeal"], sealed: string): Attempt | undefined {
  try {
    return parseJson(open(sealed)) as Attempt;
  } catch {
    // A text that this server did not encrypt is not an attempt.
    return undefined;
  }
}
