import { Readable } from "node:stream";
import type { buildServer } from "#api/server";
import type { FolderReader } from "#cli/context";

/**
 * Handles requests of the SDK in this process, through the same routes as a server and without a socket. Only reading requests are handled, so a folder can be read beside the process that uses it.
 */
export function folderReader(
  server: ReturnType<typeof buildServer>,
  adminToken: string,
  close: () => Promise<void>,
): FolderReader {
  return {
    adminToken,
    fetch: (request) => fetchFrom(server, request),
    async close() {
      await server.close();
      await close();
    },
  };
}

async function fetchFrom(server: ReturnType<typeof buildServer>, request: Request): Promise<Response> {
  if (request.method !== "GET")
    throw new Error(`Without a server nothing is changed: ${request.method} was asked for.`);
  const answer = await server.inject({
    method: "GET",
    url: request.url,
    headers: Object.fromEntries(request.headers),
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
