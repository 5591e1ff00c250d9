import { type IncomingMessage, METHODS, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { AllowedMethods } from "#api/http/allowed-methods";
import { afterReplies } from "#api/http/connections";
import { errorText } from "#api/http/reply/error-replies";
import { codeOf } from "#plumbing/errors";
import type { Log } from "#plumbing/log";

interface RawReply {
  readonly status: number;
  readonly message: string;
  readonly allow?: string;
}

const REPLIES: Readonly<Record<string, RawReply>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "The address or the headers of the request are too long." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    message: "The chunk extensions of the request's body are too long.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request was not complete in time." },
};
const UNREADABLE: RawReply = { status: 400, message: "The request is not HTTP that this server can read." };

/**
 * Writes the reply directly to the socket, because unparsed input has no reply object. The replies to earlier
 * requests of the connection come first, and no later input is read as a request.
 */
export function clientErrorHandler(log: Log, methods: AllowedMethods) {
  const ending = new WeakSet<Socket>();
  return (error: Error, socket: Socket): void => {
    const code = codeOf(error);
    // ECONNRESET: the client has already gone, so no reply can be read.
    if (code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    if (ending.has(socket)) return;
    ending.add(socket);
    const reply = unknownMethod(error, methods) ?? REPLIES[code ?? ""] ?? UNREADABLE;
    log.info({ status: reply.status, code }, "an unreadable request");
    afterReplies(socket, (mayWrite) => {
      if (mayWrite) socket.end(replyText(reply), () => socket.destroy());
      else socket.destroy();
    });
  };
}

const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]{1,100}) (\/\S*) HTTP\/1\.[01]\r\n/;

/** Returns the reply to a well-formed request with a method unknown to Node, whose parser stops at the first word. */
function unknownMethod(error: Error, methods: AllowedMethods): RawReply | undefined {
  const { rawPacket } = error as { rawPacket?: Buffer };
  if (codeOf(error) !== "HPE_INVALID_METHOD" || rawPacket === undefined) return undefined;
  const [, method = "", target = ""] = REQUEST_LINE.exec(rawPacket.toString("latin1")) ?? [];
  // The method is known, so the unknown method belongs to a later request of the same packet.
  if (method === "" || METHODS.includes(method)) return undefined;
  return methods.noRoute(method, target);
}

/** Rejects CONNECT and unknown `Expect` headers in JSON. Node would reply by itself. */
export function rejectConnectAndExpect(server: Server, methods: AllowedMethods): void {
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const message = "The Expect header of the request cannot be met: only 100-continue is known.";
    response.statusCode = 417;
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.setHeader("x-content-type-options", "nosniff");
    response.end(errorText({ status: 417, message }));
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.end(replyText(methods.neverAllowed("This server is no proxy: it opens no tunnels.")));
  });
}

function replyText({ status, message, allow }: RawReply): string {
  const body = errorText({ status, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: application/json; charset=utf-8",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(allow === undefined ? [] : [`Allow: ${allow}`]),
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
