import type { RepriseClient } from "reprise-sdk";
import { CommandError, UsageError } from "#cli/failure";
import type { CliHost } from "#cli/host";
import { connectTo, maybeLiveServer, patienceOf } from "#cli/live-server";
import { type Call, optionOf } from "#cli/remote/call";
import { serverVariable } from "#cli/server-variables";
import { dataFolderPaths } from "#plumbing/data-folder";
import { codeOf } from "#plumbing/errors";
import { maybeReadFile } from "#plumbing/secret-file";

/** Which server is meant, and with what token. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** The fingerprint of its certificate, where it is known by that. */
  readonly certificate: string | undefined;
}

/** A client of the server that the options name, else the environment, else the live one on the data folder. */
export async function openClient(host: CliHost, call: Call): Promise<RepriseClient> {
  return clientOf(host, await findServer(host, call), (sentence) => host.complain(sentence));
}

/** A client of the server that the options or the environment name; nothing if neither does. */
export async function maybeNamedClient(
  host: CliHost,
  call: Pick<Call, "options" | "settings">,
  say: (sentence: string) => void = (sentence) => host.complain(sentence),
): Promise<RepriseClient | undefined> {
  const server = await maybeNamedServer(host, call);
  return server && clientOf(host, server, say);
}

function clientOf(
  host: CliHost,
  { token, ...server }: ServerAddress,
  say: (sentence: string) => void,
): RepriseClient {
  return connectTo({ ...server, pid: 0 }, token, patienceOf(host.clock, server.url, say));
}

export async function findServer(host: CliHost, call: Call): Promise<ServerAddress> {
  const named = await maybeNamedServer(host, call);
  return named ?? liveServer(host, call, await givenToken(host, call));
}

async function maybeNamedServer(
  host: CliHost,
  call: Pick<Call, "options" | "settings">,
): Promise<ServerAddress | undefined> {
  const variable = serverVariable(host, call.settings);
  const named = optionOf(call, "server") ?? (variable && host.environment[variable]);
  if (!named) return undefined;
  const token = await givenToken(host, call);
  if (token === undefined) {
    throw new UsageError(
      "No token was given. Put it into REPRISE_TOKEN (or REANA_ACCESS_TOKEN), or name a file that holds it: --token-file.",
    );
  }
  return { url: checkedAddress(named), token, certificate: undefined };
}

async function givenToken(
  { environment }: CliHost,
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
  throw new UsageError(
    `${text} is no address of a server: something like http://127.0.0.1:7070 is expected.`,
  );
}

/**
 * The lock on the data folder says whether a server lives, not the address that the last one left: whoever has the port
 * of a killed server by now must not be sent a token.
 */
async function liveServer(host: CliHost, call: Call, token: string | undefined): Promise<ServerAddress> {
  const folder = host.dataFolder(call.settings);
  if (!(await host.isFolderInUse(call.settings))) {
    throw new CommandError(
      `No server was named, and none runs on the data folder ${folder}. ` +
        "Start one with `reprise serve`, or name one: --server, or REPRISE_SERVER in the environment.",
    );
  }
  const left = await maybeLiveServer(folder);
  // A command may hold the folder of a server that was killed.
  const server = left && isAlive(left.pid) ? left : undefined;
  const known = token ?? (await maybeReadFile(dataFolderPaths(folder).adminToken))?.trim();
  if (server !== undefined && known) return { ...server, token: known };
  throw new CommandError(
    `The data folder ${folder} is in use, but no server says there where it listens. Try again in a moment.`,
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
