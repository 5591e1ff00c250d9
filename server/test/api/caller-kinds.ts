import type { Caller } from "#operations/context";
import { closeSession, openUserSession } from "#operations/users/sessions";
import { makeToken } from "#operations/users/token-shape";
import { addToken, issueToken } from "#operations/users/tokens";
import type { TokenLimits } from "#operations/users/token-limits";
import { oneRun } from "#store/runs/runs";
import { addMember, insertGroup } from "#store/sharing/groups";
import { insertIdentity } from "#store/users/identities";
import { insertShare } from "#store/sharing/shares";
import type { ApiFixture, FixtureUser } from "../support/api-fixture.ts";
import { newBrowserSession, OWN_PAGE } from "../support/browser-session.ts";
import type { Who } from "./permission-matrix.ts";

type Headers = Readonly<Record<string, string>>;

/** Callers of each kind on one server. */
export interface Callers {
  readonly owner: FixtureUser;
  readonly tokens: Readonly<Record<Who, string | undefined>>;
  /** Headers of callers without a token. */
  readonly headers: Partial<Readonly<Record<Who, Headers>>>;
  /** Sign people in by a provider, and return the headers of the new browser. */
  readonly browsers: Partial<Readonly<Record<Who, () => Promise<Headers>>>>;
  /** The owner's group with which `share` shares a run. */
  readonly group: string;
  /** Makes a group of the owner with a user of each role and further members. Returns the id of the group. */
  makeGroup(name: string, ...others: readonly FixtureUser[]): Promise<string>;
  /** Shares a run of the owner with every caller of a shared kind, and revokes the share of one caller. */
  share(run: string): Promise<void>;
}

const HOUR_MS = 3_600_000;

export async function makeCallers(api: ApiFixture): Promise<Callers> {
  const { db, clock, random } = api.operations;
  const owner = await api.makeUser("owner@example.org");
  const [reader, formerReader] = [await api.makeUser(), await api.makeUser()];
  const roles = {
    viewer: await api.makeUser(),
    member: await api.makeUser(),
    maintainer: await api.makeUser(),
  };
  const limited = async (user: string, limits: TokenLimits) =>
    (await issueToken(api.operations, { user, revokeOthers: false, limits })).token;
  const makeGroup = async (name: string, ...others: readonly FixtureUser[]) => {
    const id = random.uuid();
    await insertGroup(db, { id, name, ownerId: owner.id, createdAtMs: 0 });
    for (const role of ["viewer", "member", "maintainer"] as const)
      await addMember(db, { groupId: id, userId: roles[role].id, role }, 0);
    for (const { id: userId } of others) await addMember(db, { groupId: id, userId, role: "member" }, 0);
    return id;
  };
  const { cookie } = await newBrowserSession(api, api.adminToken);
  const other = await newBrowserSession(api, api.adminToken);
  const group = "physicists";
  const groupId = await makeGroup(group);
  return {
    owner,
    group,
    makeGroup,
    tokens: {
      nobody: undefined,
      unknown: "reprise.00000000.nobodys",
      revoked: (await api.makeRevokedUser()).token,
      disabled: (await api.makeDisabledUser()).token,
      stranger: (await api.makeUser()).token,
      owner: owner.token,
      admin: api.adminToken,
      shared: reader.token,
      viewer: roles.viewer.token,
      member: roles.member.token,
      maintainer: roles.maintainer.token,
      device: await deviceToken(api, owner),
      formerReader: formerReader.token,
      readOnly: await limited(owner.id, { scope: "read" }),
      runsOnly: await limited(owner.id, { scope: "runs" }),
      expiredToken: await limited(owner.id, { days: 0 }),
      readOnlyAdmin: await limited(api.admin.id, { scope: "read" }),
      cookieAlone: undefined,
      cookieAndWrongKey: undefined,
      browser: undefined,
      browserOfStranger: undefined,
      browserOfAdmin: undefined,
      browserOfDisabled: undefined,
      closedBrowser: undefined,
    },
    headers: {
      cookieAlone: { ...OWN_PAGE, cookie },
      cookieAndWrongKey: { ...OWN_PAGE, cookie, "reprise-page-key": other["reprise-page-key"] },
    },
    browsers: await peopleOfProvider(api, owner),
    async share(run) {
      const { seq: runSeq, ownerId } = await oneRun(db, run);
      const share = { runSeq, ownerId, message: null, isHidden: false, sharedAtMs: clock.now() };
      await insertShare(db, { ...share, granteeId: reader.id, expiresAtMs: clock.now() + HOUR_MS });
      await insertShare(db, { ...share, granteeId: formerReader.id, expiresAtMs: clock.now() });
      await insertShare(db, { ...share, granteeId: groupId, expiresAtMs: null });
    },
  };
}

/** Makes people who sign in by a provider, as the answer of a provider does. */
async function peopleOfProvider(api: ApiFixture, owner: FixtureUser): Promise<Callers["browsers"]> {
  const person = async (user: FixtureUser, isAdmin = false) => {
    await insertIdentity(
      api.operations.db,
      {
        issuer: "https://auth.example.org",
        subject: user.id,
        userId: user.id,
        provider: "physics",
        email: user.email,
        madeAdmin: isAdmin,
        signedInAtMs: 0,
        askedAtMs: null,
      },
      0,
    );
    return () => signedIn(api, { ...user, isAdmin });
  };
  const closed = await person(owner);
  return {
    browser: closed,
    browserOfStranger: await person(await api.makeUser()),
    browserOfAdmin: await person({ ...api.admin, token: api.adminToken }, true),
    browserOfDisabled: await person(await api.makeDisabledUser()),
    async closedBrowser() {
      const headers = await closed();
      await closeSession(api.operations, headers["cookie"]!.split("=")[1]!);
      return headers;
    },
  };
}

/** Returns a token as `reprise login` gets it from a provider. */
async function deviceToken({ operations }: ApiFixture, { id: userId }: FixtureUser): Promise<string> {
  const token = makeToken(operations.random);
  const openedBy = { issuer: "https://auth.example.org", subject: userId, session: null };
  const expiresAtMs = operations.clock.now() + HOUR_MS;
  await addToken(operations, operations.db, { userId, token, name: "laptop", expiresAtMs, openedBy });
  return token;
}

async function signedIn({ operations }: ApiFixture, user: FixtureUser & Caller): Promise<Headers> {
  const { secret, pageKey } = (await openUserSession(operations, { user, browser: "Firefox" }))!;
  return { ...OWN_PAGE, cookie: `reprise-session-7070=${secret}`, "reprise-page-key": pageKey };
}
