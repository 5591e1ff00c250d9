import { once } from "node:events";
import http, { type ClientRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import tls, { type TLSSocket } from "node:tls";

/**
 * Like `fetch`, but it believes one certificate and no other. The server on this machine has a certificate for the name
 * that the world knows it by, and is reached by an address; who issued it does not matter beside its fingerprint.
 */
export function pinnedFetch(fingerprint: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    // Nothing is sent, the token least of all, before the certificate has been looked at.
    const socket = await connectPinned(url, fingerprint);
    const sent = http.request({
      createConnection: () => socket,
      method: request.method,
      path: url.pathname + url.search,
      headers: { ...Object.fromEntries(request.headers), host: url.host, connection: "close" },
    });
    const answering = once(sent, "response") as Promise<[IncomingMessage]>;
    await Promise.all([answering, sendBody(sent, request)]);
    const [answer] = await answering;
    const status = answer.statusCode!;
    const hasBody = status !== 204 && status !== 304;
    const body = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null;
    return new Response(body, { status, headers: headersOf(answer) });
  };
}

/** Files pass through: neither side holds more of one than what is on its way. */
async function sendBody(sent: ClientRequest, { body }: Request): Promise<void> {
  if (body) await pipeline(Readable.fromWeb(body), sent);
  else sent.end();
}

function headersOf({ headers }: IncomingMessage): Headers {
  const single = Object.entries(headers).filter(([, value]) => typeof value === "string");
  return new Headers(single as [string, string][]);
}

async function connectPinned(url: URL, fingerprint: string): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = tls.connect({ host, port: Number(url.port || 443), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  if (socket.getPeerCertificate().fingerprint256 === fingerprint) return socket;
  socket.destroy();
  throw new Error("another certificate is shown there than the server of this data folder has");
}
