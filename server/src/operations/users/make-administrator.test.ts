import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createUser } from "#operations/users/create-user";
import { issueToken } from "#operations/users/tokens";
import { makeAdministrator } from "#operations/users/make-administrator";
import { signIn } from "#operations/users/sign-in";
import { makeToken } from "#operations/users/token-shape";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { createSeal } from "#plumbing/secrets/seal";
import { type Connection, migrate } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import { findUsers } from "#store/users/users";

describe("the administrator", () => {
  let db: Connection;
  const tokenSeal = createSeal(Buffer.alloc(32, 3), systemRandom);
  const context = () => ({ db, clock: systemClock, random: systemRandom, tokenSeal });
  const make = (token?: string, email?: string) => makeAdministrator(context(), { email, token });

  beforeEach(async () => {
    db = openSqlite(":memory:", "normal");
    await migrate(db);
  });
  afterEach(() => db.destroy());

  test("is made with a token at the first start, and found with the same one at the next", async () => {
    const first = await make();
    expect(first.admin).toMatchObject({ email: "admin@localhost", isAdmin: true });
    expect(first.token).toMatch(/^reprise\./);
    expect(await make()).toEqual(first);
    expect(await signIn(context(), { kind: "token", secret: first.token })).toMatchObject({
      caller: { id: first.admin.id, isAdmin: true },
      scope: "everything",
    });
  });

  test("gets another given address, and keeps the address", async () => {
    const first = await make(undefined, "first@example.org");
    const root = { ...first, admin: { ...first.admin, email: "root@example.org" } };
    expect(await make(undefined, "root@example.org")).toEqual(root);
    expect(await make()).toEqual(root);
    expect(await make(undefined, "Root@example.org")).toMatchObject({ admin: { email: "Root@example.org" } });
    await createUser(context(), { email: "ada@example.org" });
    await expect(make(undefined, "ada@example.org")).rejects.toThrow(
      "The administrator's address Root@example.org could not be changed: ada@example.org belongs to another user.",
    );
  });

  test("is unique, however many starts run at once", async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => make()));
    expect(new Set(made.map(({ admin, token }) => `${admin.id} ${token}`)).size).toBe(1);
    expect(await findUsers(db, {})).toHaveLength(1);
  });

  test("gets the token that is given, at the first start and later", async () => {
    expect((await make("given.at.first")).token).toBe("given.at.first");
    expect((await make("given.at.second")).token).toBe("given.at.second");
    expect((await make("given.at.second")).token).toBe("given.at.second");
    for (const token of ["given.at.first", "given.at.second"]) {
      expect(await signIn(context(), { kind: "token", secret: token })).toMatchObject({
        caller: { isAdmin: true },
      });
    }
  });

  test("gets a new token when all were revoked", async () => {
    const { admin, token } = await make();
    const issued = await issueToken(context(), { user: admin.id, revokeOthers: true });
    expect((await make()).token).toBe(issued.token);
    expect(await signIn(context(), { kind: "token", secret: token })).toBe("revoked");
  });

  test("does not take a token that is another user's, or that was revoked", async () => {
    const { admin } = await make("a.b.c");
    await createUser(context(), { email: "ada@example.org", token: "d.e.f" });
    await issueToken(context(), { user: admin.id, revokeOthers: true });
    await expect(make("d.e.f")).rejects.toThrow("it belongs to another user. Choose another one.");
    await expect(make("a.b.c")).rejects.toThrow("it was revoked. Choose another one.");
  });

  test("is not made of a user who already has the address", async () => {
    await createUser(context(), { email: "ada@example.org" });
    await expect(make(undefined, "ADA@example.org")).rejects.toThrow(
      "ADA@example.org belongs to another user",
    );
  });
});

describe("generated tokens", () => {
  test("have three parts, 32 random bytes, and are never the same", () => {
    const made = Array.from({ length: 100 }, () => makeToken(systemRandom));
    for (const token of made) {
      const [, , secret] = token.split(".");
      expect(token).toMatch(/^reprise\.[0-9a-f]{8}\.[\w-]{43}$/);
      expect(Buffer.from(secret!, "base64url")).toHaveLength(32);
    }
    expect(new Set(made).size).toBe(100);
  });
});
