import { describe, expect, test } from "vitest";
import { transaction } from "#store/database/database";
import { storeFixture } from "#store/store-fixture";
import { addUser, DIALECTS } from "#store/store-suite";
import {
  deleteIdentity,
  insertIdentity,
  lockedIdentities,
  maybeLockedIdentity,
} from "#store/users/identities";

const PERSON = { issuer: "https://id.example.org", subject: "ada" };
/** Time for the removal to get ahead of the sign-in, if it does not wait. */
const HEADSTART_MS = 100;

describe.each(DIALECTS)("an identity in the store on $name", (dialect) => {
  const store = storeFixture(dialect);

  test("is removed only after a sign-in that has read it", async () => {
    const { db } = store;
    const { id: userId, email } = await addUser(db);
    const identity = {
      ...PERSON,
      userId,
      provider: "cern",
      email,
      madeAdmin: false,
      signedInAtMs: null,
      askedAtMs: null,
    };
    await insertIdentity(db, identity, 1);
    const order: string[] = [];
    const [begun, removing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const signIn = transaction(db, async (tx) => {
      expect(await maybeLockedIdentity(tx, PERSON)).toEqual(identity);
      begun.resolve();
      await removing.promise;
      await new Promise((resolve) => setTimeout(resolve, HEADSTART_MS));
      order.push("signed in");
    });
    await begun.promise;
    const removal = transaction(db, async (tx) => {
      for (const one of await lockedIdentities(tx, userId)) await deleteIdentity(tx, one);
      order.push("removed");
    });
    removing.resolve();
    await Promise.all([signIn, removal]);
    expect(order).toEqual(["signed in", "removed"]);
    expect(await transaction(db, (tx) => maybeLockedIdentity(tx, PERSON))).toBeUndefined();
  });
});
