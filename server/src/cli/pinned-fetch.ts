import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
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
    sent.end(Buffer.from(await request.arrayBuffer()));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const body = await buffer(answer);
    const headers = new Headers({ "content-type": answer.headers["content-type"] ?? "" });
    return new Response(body.length > 0 ? new Uint8Array(body) : null, {
      status: answer.statusCode!,
      headers,
    });
  };
}

async function connectPinned(url: URL, fingerprint: string): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = tls.connect({ host, port: Number(url.port || 443), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  if (socket.getPeerCertificate().fingerprint256 === fingerprint) return socket;
  socket.destroy();
  throw new Error("another certificate is shown there than the server of this data folder has");
}
