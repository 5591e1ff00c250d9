import { readFile } from "node:fs/promises";
import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";
import { openUserAdmin } from "#cli/users/open-user-admin";
import type { UserAdmin } from "#cli/users/user-admin";
import { messageOf } from "#plumbing/errors";
import { csvLine, maybeCsvRows } from "#plumbing/formats/csv";
import { counted } from "#plumbing/text/counted";
import { printable } from "#plumbing/text/printable";
import { isEmail } from "#workflow/people/email";

/** Users as a table in CSV, to move them to another server or to add many at once. */

/** Prints all users as CSV, with their tokens if `--tokens` is given. */
export async function exportUsers(cli: CliContext, call: Call): Promise<void> {
  const users = await openUserAdmin(cli, call);
  try {
    const tokens = call.flags("tokens") ? await users.tokens() : undefined;
    cli.print(csvLine([...HEAD, ...(tokens ? ["token"] : [])]));
    for (const { id, email, isAdmin, isDisabled } of await users.list()) {
      const words = [email, yesOrNo(isAdmin), yesOrNo(isDisabled)];
      cli.print(csvLine([...words, ...(tokens ? [tokens.get(id) ?? ""] : [])]));
    }
  } finally {
    await users.close();
  }
}

const HEAD = ["email", "admin", "disabled"] as const;

function yesOrNo(is: boolean): string {
  return is ? "yes" : "no";
}

interface WantedUser {
  readonly email: string;
  /** Undefined if a token is to be created. */
  readonly token: string | undefined;
  readonly isAdmin: boolean;
  readonly isDisabled: boolean;
}

/**
 * Adds the new users of a table. Existing users stay as they are, so an interrupted import can be repeated. New tokens are
 * printed as CSV, and never again.
 */
export async function importUsers(cli: CliContext, call: Call): Promise<void> {
  const wanted = await wantedUsers(call.args[0]!);
  const users = await openUserAdmin(cli, call);
  try {
    const known = new Map((await users.list()).map((user) => [user.email.toLowerCase(), user]));
    const absent = wanted.filter(({ email }) => !known.has(email.toLowerCase()));
    if (call.flags("dryRun")) return tellPlan(cli, absent, wanted.length);
    const made = absent.filter(({ token }) => token === undefined);
    if (made.length > 0) cli.print(csvLine(["email", "token"]));
    for (const user of absent) await importOne(cli, users, user);
    cli.printError(`${counted(absent.length, "user")} added, ${wanted.length - absent.length} there before.`);
  } finally {
    await users.close();
  }
}

async function importOne(cli: CliContext, users: UserAdmin, wanted: WantedUser): Promise<void> {
  const { email, token, isAdmin, isDisabled } = wanted;
  const added = await users.add(email, token);
  // Printed at once: a later row may fail.
  if (token === undefined) cli.print(csvLine([email, added.token]));
  if (isAdmin) await users.setAdmin(added.id, true);
  if (isDisabled) await users.disable(added.id);
}

function tellPlan(cli: CliContext, absent: readonly WantedUser[], all: number): void {
  for (const { email, token } of absent)
    cli.print(
      `${email} would be added with ${token === undefined ? "a new token" : "the token of the table"}.`,
    );
  cli.printError(`Nothing was changed: ${absent.length} to add, ${all - absent.length} there already.`);
}

async function wantedUsers(file: string): Promise<readonly WantedUser[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandError(`The table ${file} cannot be read: ${messageOf(error)}.`);
  });
  const rows = maybeCsvRows(text);
  if (!rows) throw new CommandError(`${file} is not CSV: a quote is not closed, or stands inside a cell.`);
  const columns = columnsOf(file, rows);
  const users = rows.slice(columns.hasHead ? 1 : 0).map((row) => userOf(row, columns));
  const wrong = users.find(({ email }) => !isEmail(email));
  if (wrong) {
    const { email } = wrong;
    throw new CommandError(
      `${file}: "${printable(email, 100)}" is not an e-mail address. Nothing was imported.`,
    );
  }
  const emails = users.map(({ email }) => email.toLowerCase());
  const twice = emails.find((email, at) => emails.indexOf(email) !== at);
  if (twice) throw new CommandError(`${file} names ${twice} twice. Nothing was imported.`);
  return users;
}

/** Positions of the columns. A missing column is at -1. */
interface Columns extends Readonly<Record<(typeof HEAD)[number] | "token", number>> {
  readonly hasHead: boolean;
}

/** `reana-admin user-export` writes id, address and token, without a head. */
const OF_REANA: Columns = { email: 1, token: 2, admin: -1, disabled: -1, hasHead: false };

function columnsOf(file: string, [first = []]: readonly (readonly string[])[]): Columns {
  const at = (name: string) => first.findIndex((cell) => cell.toLowerCase() === name);
  const columns = { email: at("email"), token: at("token"), admin: at("admin"), disabled: at("disabled") };
  if (columns.email >= 0) return { ...columns, hasHead: true };
  if (isEmail(first[OF_REANA.email] ?? "")) return OF_REANA;
  throw new CommandError(`${file} has no column "email": the first line names the columns.`);
}

function userOf(row: readonly string[], columns: Columns): WantedUser {
  const is = (at: number) => /^(yes|true|1)$/i.test(row[at] ?? "");
  return {
    email: row[columns.email] ?? "",
    token: row[columns.token] || undefined,
    isAdmin: is(columns.admin),
    isDisabled: is(columns.disabled),
  };
}
