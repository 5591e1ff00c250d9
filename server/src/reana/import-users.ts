import type { ImportCounts } from "#reana/import-report";
import { openToken } from "#reana/open-token";
import { crashPoint } from "#plumbing/crash-points";
import { type Connection, transaction } from "#store/database/database";
import type { ReanaDatabase } from "#store/reana/reana-database";
import type { ReanaToken, ReanaUser } from "#store/reana/reana-rows";
import { putLimit, putPeriod } from "#store/users/quotas";
import { insertUser, maybeUserByEmail } from "#store/users/users";

export interface UserSink {
  readonly db: Connection;
  /** REANA's `REANA_SECRET_KEY`, the key of encrypted tokens. */
  readonly secretKey: string | undefined;
  /** Counts the users and tokens to import, without changes. */
  readonly isDryRun: boolean;
  /** Adds a token to the user. Returns false if it is known, of any user. */
  addToken(db: Connection, token: { readonly userId: string; readonly token: string }): Promise<boolean>;
  /** Returns whether that token is one of the user. */
  hasToken(db: Connection, token: { readonly userId: string; readonly token: string }): Promise<boolean>;
}

/** The users here by their ids in REANA. */
export type ImportedUsers = ReadonlyMap<string, { readonly id: string; readonly email: string }>;

/** Takes all users with their tokens and limits. A user with the same e-mail address is the same user. */
export async function importUsers(
  source: ReanaDatabase,
  sink: UserSink,
  counts: ImportCounts,
): Promise<ImportedUsers> {
  const tokens = Map.groupBy(await source.tokens(), (token) => token.userId);
  const users = new Map<string, { id: string; email: string }>();
  for (const user of await source.users()) {
    const id = await transaction(sink.db, (db) =>
      importUser(db, sink, user, tokens.get(user.id) ?? [], counts),
    );
    crashPoint("reana-user-imported");
    users.set(user.id, { id, email: user.email });
  }
  return users;
}

async function importUser(
  db: Connection,
  sink: UserSink,
  user: ReanaUser,
  tokens: readonly ReanaToken[],
  counts: ImportCounts,
): Promise<string> {
  const known = await maybeUserByEmail(db, user.email);
  counts.users[known ? "known" : "taken"] += 1;
  const id = known?.id ?? user.id;
  if (!known && !sink.isDryRun) {
    const createdAtMs = Math.round(user.createdAtMs);
    await insertUser(db, { id, email: user.email, isAdmin: false, disabledAtMs: null, createdAtMs });
    await putLimits(db, id, user);
  }
  for (const token of tokens) await importToken(db, sink, { ...user, id }, token, counts);
  return id;
}

/** REANA keeps 0 for no limit, as the tables here do. */
async function putLimits(db: Connection, id: string, user: ReanaUser): Promise<void> {
  if (user.cpuLimitMs !== null) await putLimit(db, id, "cpu", user.cpuLimitMs);
  if (user.diskLimitBytes !== null) await putLimit(db, id, "disk", user.diskLimitBytes);
  if (user.periodMonths !== null)
    await putPeriod(db, id, { months: user.periodMonths, startMs: user.periodStartMs });
}

async function importToken(
  db: Connection,
  sink: UserSink,
  { id: userId, email }: Pick<ReanaUser, "id" | "email">,
  { sealed, status }: ReanaToken,
  counts: ImportCounts,
): Promise<void> {
  if (status !== "active" || sealed === null) return;
  const leaveOut = (reason: string) => counts.leaveOut(`the token of ${email}`, reason);
  if (sink.secretKey === undefined) return leaveOut("REANA's secret key was not given");
  const token = maybeOpen(sealed, sink.secretKey);
  if (token === undefined) return leaveOut("REANA's secret key does not open it: it is another key");
  if (await sink.hasToken(db, { userId, token })) counts.tokens.known += 1;
  else if (sink.isDryRun || (await sink.addToken(db, { userId, token }))) counts.tokens.taken += 1;
  else leaveOut("another user has the same token, or it was revoked here");
}

function maybeOpen(sealed: string, secretKey: string): string | undefined {
  try {
    return openToken(sealed, secretKey);
  } catch {
    return undefined;
  }
}
