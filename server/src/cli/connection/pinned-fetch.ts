import { once } from "node:events";
import http, { type ClientRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import tls, { type TLSSocket } from "node:tls";

/**
 * Returns a `fetch` that accepts one certificate only. The client reaches the server on this machine by an IP
 * address, but the certificate is for a public name. The fingerprint identifies the certificate, so the
 * issuer does not matter.
 */
export function pinnedFetch(fingerprint: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    // The certificate is checked before any data is sent, especially the token.
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

/** Streams the body: neither side holds more of a file than the part in transit. */
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
