import { connect, type RepriseClient } from "reprise-sdk";
import { CommandError, UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { connectTo, type LiveServer, maybeLiveServer, retryNotices } from "#cli/connection/live-server";
import { type Call, optionOf } from "#cli/call";
import { serverVariable } from "#cli/connection/server-variables";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { codeOf } from "#plumbing/errors";
import { maybeReadFile } from "#plumbing/secrets/secret-file";

/** The address of a server and the token for it. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** The fingerprint of the server's certificate, if the certificate is verified by fingerprint. */
  readonly certificate: string | undefined;
}

/**
 * Returns a client for the server named by the options, or else by the environment, or else running on the data folder.
 */
export async function openClient(cli: CliContext, call: Call): Promise<RepriseClient> {
  return clientOf(cli, await findServer(cli, call), (sentence) => cli.printError(sentence));
}

/** A placeholder address. This process answers the requests itself. */
const THIS_PROCESS = "http://localhost";

/**
 * Passes `work` a client for a read-only command. If no server is named and none runs on the data folder, the folder is
 * read in this process.
 */
export async function withReadingClient<Result>(
  cli: CliContext,
  call: Call,
  work: (client: RepriseClient) => Promise<Result>,
): Promise<Result> {
  const server = await maybeServer(cli, call);
  if (server) return work(clientOf(cli, server, (sentence) => cli.printError(sentence)));
  const reader = await cli.openReader(call.settings);
  if (!reader) throw noServer(cli, call);
  try {
    const token = (await givenToken(cli, call)) ?? reader.adminToken;
    return await work(connect({ url: THIS_PROCESS, token, fetch: reader.fetch, retryPausesMs: [] }));
  } finally {
    await reader.close();
  }
}

/** A client for a command that changes a run. */
export interface ChangingClient {
  readonly client: RepriseClient;
  /** True if no server runs: this process then carries out the runs, until it is closed. */
  readonly isHere: boolean;
  close(): Promise<void>;
}

/**
 * Returns a client for the server of the data folder. If no server is named and none runs there, this process serves the
 * requests and carries out the runs.
 */
export async function openChangingClient(cli: CliContext, call: Call): Promise<ChangingClient> {
  const server = await maybeServer(cli, call);
  if (server) {
    const client = clientOf(cli, server, (sentence) => cli.printError(sentence));
    return { client, isHere: false, close: () => Promise.resolve() };
  }
  if (!(await holdsRuns(cli, call))) throw noServer(cli, call);
  const here = await cli.openWorker(call.settings);
  if (!here) throw withoutAddress(cli, call);
  const token = (await givenToken(cli, call)) ?? here.adminToken;
  const client = connect({ url: THIS_PROCESS, token, fetch: here.fetch, retryPausesMs: [] });
  return { client, isHere: true, close: () => here.close() };
}

/** Returns whether the data folder holds runs. A mistyped folder must not be created. */
async function holdsRuns(cli: CliContext, call: Call): Promise<boolean> {
  const reader = await cli.openReader(call.settings);
  await reader?.close();
  return reader !== undefined;
}

/** Returns a client for the server that the options or the environment name, or undefined if neither does. */
export async function maybeNamedClient(
  cli: CliContext,
  call: Pick<Call, "options" | "settings">,
  say: (sentence: string) => void = (sentence) => cli.printError(sentence),
): Promise<RepriseClient | undefined> {
  const server = await maybeNamedServer(cli, call);
  return server && clientOf(cli, server, say);
}

function clientOf(
  cli: CliContext,
  { token, ...server }: ServerAddress,
  say: (sentence: string) => void,
): RepriseClient {
  return connectTo({ ...server, pid: 0 }, token, retryNotices(cli.clock, server.url, say));
}

export async function findServer(cli: CliContext, call: Call): Promise<ServerAddress> {
  const server = await maybeServer(cli, call);
  if (server) return server;
  throw (await cli.isFolderInUse(call.settings)) ? withoutAddress(cli, call) : noServer(cli, call);
}

function withoutAddress(cli: CliContext, call: Call): CommandError {
  return new CommandError(
    `The data folder ${cli.dataFolder(call.settings)} is in use, by a command without a server or by a server that has ` +
      "not published its address yet. Try again in a moment.",
  );
}

function noServer(cli: CliContext, call: Call): CommandError {
  return new CommandError(
    `No server was named, and none runs on the data folder ${cli.dataFolder(call.settings)}. ` +
      "Start one with `reprise serve`, or name one: --server, or REPRISE_SERVER in the environment.",
  );
}

/** Returns undefined if no server is named and none runs on the data folder. */
async function maybeServer(cli: CliContext, call: Call): Promise<ServerAddress | undefined> {
  return (await maybeNamedServer(cli, call)) ?? maybeLiveAddress(cli, call);
}

async function maybeNamedServer(
  cli: CliContext,
  call: Pick<Call, "options" | "settings">,
): Promise<ServerAddress | undefined> {
  const url = maybeNamedAddress(cli, call);
  if (url === undefined) return undefined;
  const token = await givenToken(cli, call);
  if (token === undefined) {
    throw new UsageError(
      "No token was given. Put it into REPRISE_TOKEN (or REANA_ACCESS_TOKEN), or name a file that holds it: --token-file.",
    );
  }
  return { url, token, certificate: undefined };
}

/** Returns the address that the options or the environment name, or undefined if neither does. */
function maybeNamedAddress(cli: CliContext, call: Pick<Call, "options" | "settings">): string | undefined {
  const variable = serverVariable(cli, call.settings);
  const named = optionOf(call, "server") ?? (variable && cli.environment[variable]);
  return named ? checkedAddress(named) : undefined;
}

/** Returns a client without a token for the public endpoints of the server, to get a token there. */
export async function openPublicClient(cli: CliContext, call: Call): Promise<RepriseClient> {
  const url = maybeNamedAddress(cli, call);
  const { token: _, ...server } = url === undefined ? await findServer(cli, call) : { url, token: undefined };
  const notices = retryNotices(cli.clock, server.url, (sentence) => cli.printError(sentence));
  return connectTo({ certificate: undefined, ...server, pid: 0 }, undefined, notices);
}

/** Returns whether a server is named, but no token for it. */
export async function lacksToken(cli: CliContext, call: Call): Promise<boolean> {
  return maybeNamedAddress(cli, call) !== undefined && (await givenToken(cli, call)) === undefined;
}

async function givenToken(
  { environment }: CliContext,
  call: Pick<Call, "options">,
): Promise<string | undefined> {
  const file = optionOf(call, "tokenFile");
  if (file === undefined) {
    return environment["REPRISE_TOKEN"] || environment["REANA_ACCESS_TOKEN"] || undefined;
  }
  const token = (await maybeReadFile(file))?.trim();
  if (!token) throw new UsageError(`There is no token in the file ${file}.`);
  return token;
}

function checkedAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return text.replace(/\/+$/, "");
  throw new UsageError(`${text} is not a server address. Use one like http://127.0.0.1:7070.`);
}

/**
 * Returns the server on the data folder if the folder's lock is held. The address file alone is not enough: another
 * program may now listen on the port of a killed server, and must not be sent a token.
 */
async function maybeLiveAddress(cli: CliContext, call: Call): Promise<ServerAddress | undefined> {
  if (!(await cli.isFolderInUse(call.settings))) return undefined;
  const folder = cli.dataFolder(call.settings);
  const server = await maybeLiveServer(folder);
  const given = await givenToken(cli, call);
  const token = given ?? (await maybeReadFile(dataFolderPaths(folder).adminToken))?.trim();
  // The lock may be held by a command instead, after the server was killed.
  return server && token && isAlive(server) ? { ...server, token } : undefined;
}

function isAlive({ pid }: LiveServer): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
