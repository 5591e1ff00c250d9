import { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { SILENCE_TIMEOUT_MS } from "#api/http/connections";
import type { ApiContext } from "#api/http/endpoint";

type StreamsContext = Pick<ApiContext, "openStreams">;

/**
 * Does work for one answer that may take minutes. The connection may be silent during the work. The signal aborts if
 * the client disconnects or the server closes.
 */
export async function longAnswer<Result>(
  context: StreamsContext,
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  const abort = () => closing.abort();
  reply.raw.once("close", abort);
  try {
    return await inSilence(context, reply, closing, work);
  } finally {
    reply.raw.off("close", abort);
  }
}

/** Does work while the connection may be silent. The server aborts the work when it closes. */
async function inSilence<Result>(
  { openStreams }: StreamsContext,
  { raw: response, request }: FastifyReply,
  closing: AbortController,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  openStreams.add(closing, request.caller!.id);
  mayBeSilent(response.socket, 0);
  try {
    return await work(closing.signal);
  } finally {
    mayBeSilent(response.socket, SILENCE_TIMEOUT_MS);
    openStreams.delete(closing);
  }
}

function mayBeSilent(socket: unknown, ms: number): void {
  if (socket instanceof Socket) socket.setTimeout(ms);
}

/**
 * Does the work of a change, and continues when its client disconnects. The client can repeat the request
 * with the same idempotency key, and gets the result of the same work.
 */
export function longChange<Result>(
  context: StreamsContext,
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return inSilence(context, reply, new AbortController(), work);
}
