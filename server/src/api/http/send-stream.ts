import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { SILENCE_TIMEOUT_MS } from "#api/http/connections";
import { credentialOf } from "#api/http/access/credentials";
import { writeToEnd } from "#api/http/reply/send-bytes";
import type { ApiContext } from "#api/http/endpoint";
import type { Caller } from "#operations/context";
import { holdAccess } from "#operations/watch/follow/hold-access";

/**
 * Answer without a fixed end. Each piece is requested only after the last piece was sent, so slow readers
 * cost no extra memory.
 */
export interface Stream {
  readonly runId: string;
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/**
 * Sends the pieces as long as the client is connected, has access, and the server is up. Only a complete answer is
 * ended properly. Any other is broken off, so that a client does not take a part for the whole.
 */
export async function sendStream(
  context: ApiContext,
  request: FastifyRequest & { readonly caller: Caller },
  reply: FastifyReply,
  stream: Stream,
): Promise<FastifyReply> {
  // A buffering proxy would keep the answer from the client.
  reply.header("x-accel-buffering", "no");
  if (request.method === "HEAD") return reply.send(Readable.from([]));
  const closing = new AbortController();
  const response = reply.raw;
  context.openStreams.add(closing, request.caller.id);
  request.isStream = true;
  reply.hijack();
  response.once("close", () => closing.abort());
  if (response.destroyed) closing.abort();
  const asked = { caller: request.caller, token: credentialOf(request)!.secret, runId: stream.runId };
  const letGo = holdAccess(context, asked, () => closing.abort());
  try {
    response.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
    response.flushHeaders();
    await pump(response, stream.chunks(closing.signal), {
      signal: closing.signal,
      silenceTimeoutMs: context.silenceTimeoutMs,
    });
    response.end();
  } catch (error) {
    const isExpected = closing.signal.aborted;
    response.destroy();
    if (!isExpected) throw error;
  } finally {
    letGo();
    context.openStreams.delete(closing);
  }
  return reply;
}

async function pump(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  { signal, silenceTimeoutMs }: { readonly signal: AbortSignal; readonly silenceTimeoutMs: number },
): Promise<void> {
  mayBeSilent(response);
  for await (const chunk of chunks) {
    mustTakeWithin(response, silenceTimeoutMs);
    await writeToEnd(response, chunk);
    mayBeSilent(response);
  }
  signal.throwIfAborted();
}

/** Turns the timeout off: there may be nothing to send for hours. The system detects a broken connection. */
function mayBeSilent({ socket }: ServerResponse): void {
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(0);
  socket.setKeepAlive(true, SILENCE_TIMEOUT_MS);
}

/** Closes the connection if the client does not read the sent bytes within this time. */
function mustTakeWithin({ socket }: ServerResponse, ms: number): void {
  if (socket instanceof Socket) socket.setTimeout(ms);
}
