import { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { SILENCE_TIMEOUT_MS } from "#api/http/connections";
import type { ApiContext } from "#api/http/endpoint";

/**
 * Does work for one answer that may take minutes. The connection may be silent during the work. The signal aborts if
 * the client disconnects or the server closes.
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
 * Does work for a change that continues when its client disconnects. The client can repeat the request with the same
 * idempotency key, and then gets the result of the same work.
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
