import { admitting, personOf, type ProviderContext } from "#operations/users/provider-sign-in";
import { endProvider } from "#operations/users/remove-provider";
import type { SignInProvider } from "#operations/users/sign-in-provider";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { transaction } from "#store/database/database";
import { type CheckedPerson, claimCheck, duePeople, keepRefreshToken } from "#store/users/identities";
import { hasSessionOf } from "#store/users/tokens";

/** Limit on the people of a provider checked in a round. A large institute thus does not overload its provider. */
const MOST_AT_ONCE = 20;

/**
 * Returns a function that asks each provider again about its people who are signed in. A person who has left, or whom the
 * rules no longer admit, is signed out. Groups and the right of an administrator follow the claims. While a provider is
 * away, everybody stays signed in.
 */
export function createRecheck(context: ProviderContext): () => Promise<void> {
  return async () => {
    for (const provider of context.signInProviders) await recheck(context, provider);
  };
}

async function recheck(context: ProviderContext, provider: SignInProvider): Promise<void> {
  const { recheckMs } = provider.rules;
  if (recheckMs === undefined) return;
  const nowMs = context.clock.now();
  const which = { provider: provider.name, checkedUntilMs: nowMs - recheckMs, nowMs, most: MOST_AT_ONCE };
  for (const person of await duePeople(context.db, which)) {
    if (!(await claimCheck(context.db, person, context.clock.now()))) continue;
    crashPoint("check-claimed");
    if (!(await checkPerson(context, provider, person))) return;
  }
}

/** Returns false if the provider is away, so that nobody else is asked about in this round. */
async function checkPerson(
  context: ProviderContext,
  provider: SignInProvider,
  person: CheckedPerson,
): Promise<boolean> {
  // A person who is signed in nowhere proves to be there at the next sign-in.
  if (!(await hasSessionOf(context.db, person, context.clock.now()))) {
    await keepRefreshToken(context.db, person, { sealed: null, atMs: context.clock.now() });
    return true;
  }
  try {
    const found = await provider.openId.refresh(person, context.tokenSeal.open(person.sealed));
    if (found === "gone") await signOut(context, provider, person);
    else
      await follow(context, provider, {
        ...personOf(provider, found, person.userId),
        needsFirstToken: false,
      });
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The provider's own fault, such as a changed secret of the client, is in the log and ends no session.
    return error.kind !== "unavailable";
  }
}

async function follow(
  context: ProviderContext,
  provider: SignInProvider,
  person: ReturnType<typeof personOf> & { readonly userId?: string },
): Promise<void> {
  try {
    await admitting(context, provider, person, async () => undefined);
    crashPoint("person-followed");
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "forbidden") throw error;
    await signOut(context, provider, { ...person, userId: person.userId! });
  }
}

/** Ends what the provider gave a person, who can sign in again if the provider and the rules allow it. */
async function signOut(
  context: ProviderContext,
  provider: SignInProvider,
  person: Pick<CheckedPerson, "issuer" | "subject" | "userId">,
): Promise<void> {
  const { ended, hasChangedAdmin } = await transaction(context.db, async (db) => {
    await keepRefreshToken(db, person, { sealed: null, atMs: context.clock.now() });
    return endProvider({ ...context, db }, { ...person, provider: provider.name });
  });
  crashPoint("person-signed-out");
  if (hasChangedAdmin) await context.keepAdminToken?.();
  provider.note({ userId: person.userId, ended }, "a person may no longer come in, and was signed out");
}
