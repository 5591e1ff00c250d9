import type { AccountServices } from "#operations/users/services";
import { findProvider } from "#operations/users/provider-sign-in";
import { crashPoint } from "#plumbing/crash-points";
import { revokeProviderSessions } from "#store/users/tokens";

interface ProviderLogout {
  readonly provider: string;
  readonly token: string;
}

/** The clock of the provider may be behind by this much. */
const TOLERANCE_MS = 60_000;

/**
 * Ends the sessions of a person that a provider opened, because the person signed out there. Sessions that were opened
 * after the token was issued stay. A token that is sent again therefore changes nothing, so none is remembered.
 */
export async function logOutByProvider(
  context: Pick<AccountServices, "db" | "clock" | "signInProviders">,
  { provider: name, token }: ProviderLogout,
): Promise<{ readonly ended: number }> {
  const provider = findProvider(context, name);
  const { issuedAtMs, ...sessions } = await provider.openId.checkLogout(token);
  const which = { ...sessions, openedUntilMs: issuedAtMs + TOLERANCE_MS };
  const ended = await revokeProviderSessions(context.db, which, context.clock.now());
  crashPoint("provider-sessions-ended");
  return { ended };
}
