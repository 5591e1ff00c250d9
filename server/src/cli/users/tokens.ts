import { inColumns } from "#cli/terminal/columns";
import { CommandError, UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";

/** The commands for the user's own tokens. A token is printed once, when it is issued. */

export async function listTokens(cli: CliContext, call: Call): Promise<void> {
  const { data } = await (await openClient(cli, call)).GET("/api/tokens");
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  printTokens(
    cli,
    data!.map(({ current, ...token }) => ({ ...token, note: current ? " (this one)" : "" })),
  );
}

interface ListedToken {
  readonly id: string;
  readonly kind: string;
  readonly name: string | null;
  readonly scope: string;
  readonly created: string;
  readonly expires: string | null;
  readonly note?: string;
}

function printTokens(cli: CliContext, tokens: readonly ListedToken[]): void {
  const rows = tokens.map((token) => [
    token.name ?? "-",
    token.kind === "session" ? "browser" : "token",
    token.scope,
    token.created.slice(0, 10),
    token.expires?.slice(0, 10) ?? "never",
    `${token.id}${token.note ?? ""}`,
  ]);
  for (const line of inColumns([["NAME", "KIND", "SCOPE", "CREATED", "EXPIRES", "ID"], ...rows]))
    cli.print(line);
}

/** Lists the tokens of another user, for the administrator. */
export async function listTokensOf(cli: CliContext, call: Call): Promise<void> {
  const params = { path: { user: call.args[0]! } };
  const { data } = await (await openClient(cli, call)).GET("/api/admin/users/{user}/tokens", { params });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  printTokens(cli, data!);
}

/** Revokes tokens of another user by their ids, for the administrator. */
export async function revokeTokensOf(cli: CliContext, call: Call): Promise<void> {
  const [user, ...ids] = call.args;
  const client = await openClient(cli, call);
  for (const token of ids) {
    const params = { path: { user: user!, token } };
    const { data } = await client.DELETE("/api/admin/users/{user}/tokens/{token}", { params });
    cli.print(call.flags("json") ? JSON.stringify({ id: token }) : data!.message);
  }
}

export async function createToken(cli: CliContext, call: Call): Promise<void> {
  const body = { name: call.args[0]!, ...limitsOf(call) };
  const { data } = await (await openClient(cli, call)).POST("/api/tokens", { body });
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const { name, scope, expires } = data!;
  const end = expires === null ? "It never expires" : `It expires on ${expires.slice(0, 10)}`;
  cli.printError(`The token ${name} allows ${WHAT[scope]}. ${end}, and is shown only now:`);
  cli.print(data!.token);
}

const WHAT = {
  read: "reading",
  runs: "runs and their files, and not the account",
  everything: "everything that you may do",
} as const;

type Scope = keyof typeof WHAT;

/** Returns the options of a new token as the API takes them. */
export function limitsOf(call: Call): { scope?: Scope; expires_in_days?: number } {
  const [scope, days] = [optionOf(call, "scope"), optionOf(call, "days")];
  if (scope !== undefined && !isScope(scope))
    throw new UsageError(`--scope ${scope}: read, runs or everything is expected.`);
  const count = Number(days);
  if (days !== undefined && (!Number.isSafeInteger(count) || count < 1))
    throw new UsageError(`--days ${days}: a whole number from 1 on is expected.`);
  return { ...(scope !== undefined && { scope }), ...(days !== undefined && { expires_in_days: count }) };
}

function isScope(text: string): text is Scope {
  return Object.hasOwn(WHAT, text);
}

/** Revokes tokens, or signs browsers out, by their names or ids. A name must mean one token. */
export async function revokeTokens(cli: CliContext, call: Call): Promise<void> {
  const client = await openClient(cli, call);
  const known = (await client.GET("/api/tokens")).data!;
  const chosen = call.args.map((text) => {
    const named = known.filter(({ id, name }) => id === text || name === text);
    if (named.length === 1) return named[0]!;
    const reason =
      named.length === 0 ? `There is no token ${text}` : `Several tokens are called ${text}: give an id`;
    throw new CommandError(`${reason}. Nothing was revoked.`);
  });
  for (const { id, name } of chosen) {
    await client.DELETE("/api/tokens/{token}", { params: { path: { token: id } } });
    cli.print(call.flags("json") ? JSON.stringify({ id, name }) : `Revoked the token ${name ?? id}.`);
  }
}
