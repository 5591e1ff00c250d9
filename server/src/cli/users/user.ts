import { inColumns } from "#cli/terminal/columns";
import { UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import type { KnownUser, UserAdmin, UserWithToken } from "#cli/users/user-admin";

/**
 * The commands about users. Each prints a sentence, a table or JSON. When a token is printed, standard output holds
 * nothing else, so that it can be redirected to a file.
 */

export async function addUser(
  cli: CliContext,
  users: UserAdmin,
  email: string,
  options: { readonly tokenFromInput: boolean; readonly asJson: boolean },
): Promise<void> {
  const user = await users.add(email, options.tokenFromInput ? await tokenFromInput(cli) : undefined);
  if (options.asJson) return cli.print(JSON.stringify(withToken(user)));
  cli.printError(`${user.email} was added. The token:`);
  cli.print(user.token);
}

async function tokenFromInput(cli: CliContext): Promise<string> {
  const token = (await cli.readInput()).trim();
  if (token === "") throw new UsageError("--token-stdin was given, but nothing came on the standard input.");
  return token;
}

/** Lists users without their tokens, because a list is easily seen by others. */
export async function listUsers(cli: CliContext, users: UserAdmin, asJson: boolean): Promise<void> {
  const all = await users.list();
  if (asJson) return cli.print(JSON.stringify(all.map(inRecord)));
  const rows = all.map((user) => [user.email, user.id, stateOf(user)] as const);
  for (const line of inColumns([["E-MAIL", "ID", "STATE"], ...rows])) cli.print(line);
}

export async function issueToken(
  cli: CliContext,
  users: UserAdmin,
  name: string,
  options: { readonly revokeOld: boolean; readonly asJson: boolean },
): Promise<void> {
  const user = await users.issueToken(name, { revokeOld: options.revokeOld });
  if (options.asJson) return cli.print(JSON.stringify(withToken(user)));
  cli.printError(`${user.email} has a new token${options.revokeOld ? "; the old ones are revoked" : ""}:`);
  cli.print(user.token);
}

export async function setDisabled(
  cli: CliContext,
  users: UserAdmin,
  name: string,
  options: { readonly disable: boolean; readonly asJson: boolean },
): Promise<void> {
  const user = options.disable ? await users.disable(name) : await users.enable(name);
  if (options.asJson) return cli.print(JSON.stringify(inRecord(user)));
  cli.print(
    options.disable
      ? `${user.email} is disabled: the user's tokens open nothing until \`reprise user enable\`.`
      : `${user.email} is enabled.`,
  );
}

function stateOf(user: KnownUser): string {
  if (user.isDisabled) return "disabled";
  return user.isAdmin ? "administrator" : "active";
}

/** Uses the field names of REANA's API. */
function inRecord(user: KnownUser) {
  return { id_: user.id, email: user.email, admin: user.isAdmin, disabled: user.isDisabled };
}

function withToken(user: UserWithToken) {
  return { id_: user.id, email: user.email, access_token: user.token };
}
