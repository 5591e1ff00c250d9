import type { Call } from "#cli/call";
import { inColumns } from "#cli/terminal/columns";
import { UsageError } from "#cli/failure";
import { confirm } from "#cli/terminal/confirm";
import type { CliContext } from "#cli/context";
import { openUserAdmin } from "#cli/users/open-user-admin";
import type { KnownUser, UserAdmin, UserWithToken } from "#cli/users/user-admin";
import { counted } from "#plumbing/text/counted";

/**
 * The commands about users. Each prints a sentence, a table or JSON. A printed token is the only text on
 * standard output, so that the output can be redirected to a file.
 */

export async function addUser(cli: CliContext, call: Call): Promise<void> {
  const user = await withUsers(cli, call, async (users) => {
    const token = call.flags("tokenStdin") ? await tokenFromInput(cli) : undefined;
    return users.add(call.args[0]!, token);
  });
  if (call.flags("json")) return cli.print(JSON.stringify(withToken(user)));
  cli.printError(`${user.email} was added. The token:`);
  cli.print(user.token);
}

async function tokenFromInput(cli: CliContext): Promise<string> {
  const token = (await cli.readInput()).trim();
  if (token === "") throw new UsageError("--token-stdin was given, but standard input was empty.");
  return token;
}

/** Lists users without their tokens, because lists are easily seen by other people. */
export async function listUsers(cli: CliContext, call: Call): Promise<void> {
  const all = await withUsers(cli, call, (users) => users.list());
  if (call.flags("json")) return cli.print(JSON.stringify(all.map(inRecord)));
  const rows = all.map((user) => [user.email, user.id, stateOf(user)] as const);
  for (const line of inColumns([["E-MAIL", "ID", "STATE"], ...rows])) cli.print(line);
}

export async function issueToken(cli: CliContext, call: Call): Promise<void> {
  const revokeOld = call.flags("revokeOld");
  const user = await withUsers(cli, call, (users) => users.issueToken(call.args[0]!, { revokeOld }));
  if (call.flags("json")) return cli.print(JSON.stringify(withToken(user)));
  cli.printError(`${user.email} has a new token${revokeOld ? "; the old ones are revoked" : ""}:`);
  cli.print(user.token);
}

export async function disableUser(cli: CliContext, call: Call): Promise<void> {
  const name = call.args[0]!;
  await confirm(cli, call, `Lock ${name} out? [y/N] `, `${name} was not disabled.`);
  const user = await withUsers(cli, call, (users) => users.disable(name));
  if (call.flags("json")) return cli.print(JSON.stringify(inRecord(user)));
  cli.print(`${user.email} is disabled: the user's tokens are not accepted until \`reprise user enable\`.`);
}

export async function enableUser(cli: CliContext, call: Call): Promise<void> {
  const user = await withUsers(cli, call, (users) => users.enable(call.args[0]!));
  cli.print(call.flags("json") ? JSON.stringify(inRecord(user)) : `${user.email} is enabled.`);
}

/** Lets a provider of sign-in open the account of a user, or with `--refuse` does not. */
export async function answerProvider(cli: CliContext, call: Call): Promise<void> {
  const isAdmitted = !call.flags("refuse");
  const user = await withUsers(cli, call, (users) => users.answerProvider(call.args[0]!, isAdmitted));
  if (call.flags("json")) return cli.print(JSON.stringify(inRecord(user)));
  cli.print(
    `The provider ${isAdmitted ? "now signs in to" : "was refused, and does not open"} the account ${user.email}.`,
  );
}

/** Makes a user an administrator, or with `--revoke` an ordinary user again. */
export async function changeAdmin(cli: CliContext, call: Call): Promise<void> {
  const isAdmin = !call.flags("revoke");
  const user = await withUsers(cli, call, (users) => users.setAdmin(call.args[0]!, isAdmin));
  if (call.flags("json")) return cli.print(JSON.stringify(inRecord(user)));
  cli.print(`${user.email} is ${isAdmin ? "an administrator" : "an ordinary user"}.`);
}

/** Deletes a user after asking at a terminal, and says what becomes of the runs. */
export async function deleteUser(cli: CliContext, call: Call): Promise<void> {
  const name = call.args[0]!;
  const [withData, stopsRuns] = [call.flags("withData"), call.flags("stop")];
  const what = withData ? "with all runs and files, for good" : "and keep the runs";
  await confirm(cli, call, `Delete ${name} ${what}? [y/N] `);
  const user = await withUsers(cli, call, (users) => users.remove(name, { withData, stopsRuns }));
  const { id, email, runs, stopped } = user;
  if (call.flags("json")) return cli.print(JSON.stringify({ id_: id, email, runs, stopped }));
  if (stopped > 0) cli.print(`${counted(stopped, "run")} of ${email} ${isOrAre(stopped)} being stopped.`);
  cli.print(`Deleted ${email}: tokens, sessions, shares, memberships, secrets and notifications have ended.`);
  if (runs === 0) return;
  const all = counted(runs, "run");
  cli.print(
    withData
      ? `The server deletes ${all} with the files, 20 every ten seconds.`
      : `${all} ${isOrAre(runs)} kept, with the files. \`reprise user add ${email}\` gives them back; ` +
          `\`reprise user delete --with-data ${email}\` deletes them.`,
  );
}

function isOrAre(count: number): string {
  return count === 1 ? "is" : "are";
}

async function withUsers<Result>(
  cli: CliContext,
  call: Call,
  work: (users: UserAdmin) => Promise<Result>,
): Promise<Result> {
  const users = await openUserAdmin(cli, call);
  try {
    return await work(users);
  } finally {
    await users.close();
  }
}

function stateOf(user: KnownUser): string {
  if (user.isWaiting) return "waiting";
  if (user.isDisabled) return "disabled";
  if (user.askingProvider !== undefined) return `active, ${user.askingProvider} asks`;
  return user.isAdmin ? "administrator" : "active";
}

/** Uses the field names of REANA's API. */
function inRecord(user: KnownUser) {
  return {
    id_: user.id,
    email: user.email,
    admin: user.isAdmin,
    disabled: user.isDisabled,
    waiting: user.isWaiting,
    asking_provider: user.askingProvider ?? null,
  };
}

function withToken(user: UserWithToken) {
  return { id_: user.id, email: user.email, access_token: user.token };
}
