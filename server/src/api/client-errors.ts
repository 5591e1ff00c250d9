import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
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
    const body = JSON.stringify({ message });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  };
}

/** A reply on this connection has begun: more text would only spoil it. */
function isAnswering(socket: Socket): boolean {
  const reply = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage;
  return reply?.headersSent === true;
}
