import path from "node:path";
import { connect, type ConnectOptions, type RepriseClient } from "reprise-sdk";
import { pinnedFetch } from "#cli/connection/pinned-fetch";
import type { Clock } from "#plumbing/clock";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { parseJson } from "#plumbing/formats/json";
import { maybeReadFile } from "#plumbing/secrets/secret-file";

/** The file in which the running server describes itself. A killed server leaves the file behind. */
export interface LiveServer {
  readonly url: string;
  readonly pid: number;
  /** The fingerprint of the server's certificate, if the server uses TLS. */
  readonly certificate: string | undefined;
  /** `SQLite`, or `PostgreSQL, reprise at db.example.org`. */
  readonly database?: string | undefined;
}

export async function maybeLiveServer(dataFolder: string): Promise<LiveServer | undefined> {
  const file = dataFolderPaths(dataFolder).server;
  const text = await maybeReadFile(file);
  if (text === undefined) return undefined;
  const { url, pid, certificate, database } = parseJson(text, path.basename(file)) as Partial<LiveServer>;
  return url !== undefined && pid !== undefined ? { url, pid, certificate, database } : undefined;
}

/**
 * Returns options for a client that a person waits for: report once if the server does not answer, and once if it is
 * slow.
 */
export function retryNotices(
  clock: Clock,
  url: string,
  say: (sentence: string) => void,
): Pick<ConnectOptions, "onRetry" | "onSlow" | "after"> {
  const told = new Set<string>();
  const tellOnce = (sentence: string) => {
    if (!told.has(sentence)) say(sentence);
    told.add(sentence);
  };
  return {
    onRetry: (reason) => tellOnce(`${reason}; trying again for a while …`),
    onSlow: () => tellOnce(`${url} is slow to respond; waiting …`),
    after: (ms, callback) => clock.after(ms, callback),
  };
}

/** Returns a client of a live server. Without a token, the client can use only the public endpoints. */
export function connectTo(
  { url, certificate }: LiveServer,
  token?: string,
  options: Pick<ConnectOptions, "onRetry" | "onSlow" | "after"> = {},
): RepriseClient {
  return connect({
    url,
    ...options,
    ...(token !== undefined && { token }),
    ...(certificate !== undefined && { fetch: pinnedFetch(certificate) }),
  });
}
