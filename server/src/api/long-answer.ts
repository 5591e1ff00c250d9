import { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { SILENCE_TIMEOUT_MS } from "#api/connections";
import type { ApiContext } from "#api/route";

/**
 * Work for one answer that may take minutes. Meanwhile the connection may be silent; when the client goes away or the
 * server is closed, the signal says so.
 */
export async function longAnswer<Result>(
  { openStreams }: Pick<ApiContext, "openStreams">,
  { raw: response, request }: FastifyReply,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  const abort = () => closing.abort();
  response.once("close", abort);
  openStreams.add(closing, request.caller!.id);
  mayBeSilent(response.socket, 0);
  try {
    return await work(closing.signal);
  } finally {
    mayBeSilent(response.socket, SILENCE_TIMEOUT_MS);
    openStreams.delete(closing);
    response.off("close", abort);
  }
}

function mayBeSilent(socket: unknown, ms: number): void {
  if (socket instanceof Socket) socket.setTimeout(ms);
}

/**
 * The same for a change that is carried out to its end when its client goes away: a client that lost its connection asks
 * again with the same key, and joins what is under way.
 */
export async function longChange<Result>(
  { openStreams }: Pick<ApiContext, "openStreams">,
  { raw: response, request }: FastifyReply,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  openStreams.add(closing, request.caller!.id);
  mayBeSilent(response.socket, 0);
  try {
    return await work(closing.signal);
  } finally {
    mayBeSilent(response.socket, SILENCE_TIMEOUT_MS);
    openStreams.delete(closing);
  }
}
