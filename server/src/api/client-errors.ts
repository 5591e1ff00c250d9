import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isAnswering } from "#api/connections";
import { codeOf } from "#plumbing/errors";
import type { Log } from "#plumbing/log";

const REPLIES: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The address or the headers of the request are too long."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions of the request's body are too long."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request was not complete in time."],
};
const UNREADABLE = [400, "The request is not HTTP that this server can read."] as const;

/** What is no request yet has no reply object: the answer is written to the socket by hand. */
export function clientErrorHandler(log: Log) {
  return (error: Error, socket: Socket): void => {
    const code = codeOf(error);
    // ECONNRESET: the client is gone already, and so is whoever could read an answer.
    if (code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const [status, message] = REPLIES[code ?? ""] ?? UNREADABLE;
    log.info({ status, code }, "an unreadable request");
    socket.end(replyText(status, message), () => socket.destroy());
  };
}

/** Node answers these by itself, and not in our way. */
export function answerOddRequests(server: Server): void {
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const message = "The Expect header of the request cannot be met: only 100-continue is known.";
    response.statusCode = 417;
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.end(JSON.stringify({ message }));
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.end(replyText(405, "This server is no proxy: it opens no tunnels."));
  });
}

function replyText(status: number, message: string): string {
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
