import { findUser } from "#operations/users/accounts";
import type { AccountServices } from "#operations/users/services";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { transaction } from "#store/database/database";
import { deleteIdentity, lockedIdentities, updateIdentity } from "#store/users/identities";
import type { User } from "#store/users/users";

interface Answer {
  /** Id or e-mail address. */
  readonly user: string;
  readonly isAdmitted: boolean;
}

/**
 * Lets the person of a provider who asked first open the account of a user, or refuses all who ask. Later requests are
 * dropped in both cases, so two providers never share an account by an address.
 */
export async function answerProvider(
  { db }: Pick<AccountServices, "db">,
  { user: idOrEmail, isAdmitted }: Answer,
): Promise<{ readonly user: User; readonly provider: string }> {
  const answered = await transaction(db, async (tx) => {
    const user = await findUser(tx, idOrEmail);
    const asking = (await lockedIdentities(tx, user.id))
      .filter(({ askedAtMs }) => askedAtMs !== null)
      .toSorted((one, other) => one.askedAtMs! - other.askedAtMs!);
    const [first] = asking;
    if (!first)
      throw new Refusal("absent", `No provider of sign-in asks to open the account of ${user.email}.`);
    if (isAdmitted) await updateIdentity(tx, { ...first, askedAtMs: null });
    for (const one of isAdmitted ? asking.slice(1) : asking) await deleteIdentity(tx, one);
    return { user, provider: first.provider };
  });
  crashPoint("provider-answered");
  return answered;
}
