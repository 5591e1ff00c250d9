import { Readable } from "node:stream";
import type { buildServer } from "#api/server";
import type { FolderReader, FolderWorker } from "#cli/context";

type Api = ReturnType<typeof buildServer>;

/** Handles requests of the SDK in this process, through the routes of a server, without a socket. */
export function folderWorker(api: Api, adminToken: string, close: () => Promise<void>): FolderWorker {
  return {
    adminToken,
    fetch: (request) => fetchFrom(api, request),
    async close() {
      await api.close();
      await close();
    },
  };
}

/** Handles reading requests only, so that a folder can be read while another process uses the folder. */
export function folderReader(api: Api, adminToken: string, close: () => Promise<void>): FolderReader {
  return {
    ...folderWorker(api, adminToken, close),
    async fetch(request) {
      if (request.method !== "GET")
        throw new Error(`Without a server nothing is changed: ${request.method} was asked for.`);
      return fetchFrom(api, request);
    },
  };
}

async function fetchFrom(api: Api, request: Request): Promise<Response> {
  const answer = await api.inject({
    method: request.method as "GET",
    url: request.url,
    headers: Object.fromEntries(request.headers),
    ...(request.body && { payload: Buffer.from(await request.arrayBuffer()) }),
    // A file may be larger than memory.
    payloadAsStream: true,
  });
  const headers = Object.entries(answer.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  const hasBody = answer.statusCode !== 204 && answer.statusCode !== 304;
  const body = hasBody ? (Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>) : null;
  return new Response(body, { status: answer.statusCode, headers });
}
