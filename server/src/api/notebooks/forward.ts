import { type ClientRequest, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { othersCookies } from "#api/notebooks/notebook-cookie";

/** Hop-by-hop headers, which are not forwarded. */
const OF_CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** A request for a notebook, and the connection to its server. */
interface Forwarded {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly secret: string;
}

/** Sends a request on to the notebook server, and its reply back. */
export async function forward(forwarded: Forwarded, response: ServerResponse): Promise<void> {
  const { request } = forwarded;
  const outgoing = requestTo(forwarded, {});
  const replied = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
  });
  request.pipe(outgoing);
  response.once("close", () => outgoing.destroy());
  const reply = await replied;
  // The path of a notebook is a secret: no other origin may learn it from a link.
  response.writeHead(reply.statusCode ?? 502, {
    ...without(reply.headers),
    "referrer-policy": "same-origin",
  });
  await pipeline(reply, response);
}

/** Connects both sides of a WebSocket. Resolves when either is closed. */
export async function forwardUpgrade(forwarded: Forwarded, client: Duplex, head: Buffer): Promise<void> {
  const outgoing = requestTo(forwarded, { connection: "Upgrade", upgrade: "websocket" });
  const answered = new Promise<[IncomingMessage, Socket, Buffer] | undefined>((resolve, reject) => {
    outgoing.once("upgrade", (...answer: [IncomingMessage, Socket, Buffer]) => resolve(answer));
    outgoing.once("response", () => resolve(undefined));
    outgoing.once("error", reject);
  });
  outgoing.end();
  const answer = await answered;
  if (!answer) {
    client.end("HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n");
    return;
  }
  const [reply, server, first] = answer;
  client.write(
    `HTTP/1.1 101 Switching Protocols\r\n${rawHeaders(reply)}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`,
  );
  client.write(first);
  server.write(head);
  await Promise.allSettled([pipeline(client, server), pipeline(server, client)]);
}

function requestTo(
  { request, socket, secret }: Forwarded,
  more: Readonly<Record<string, string>>,
): ClientRequest {
  const { authorization: _, cookie: __, ...headers } = without(request.headers);
  const cookie = othersCookies(request);
  return send({
    createConnection: () => socket,
    method: request.method,
    path: request.url,
    headers: { ...headers, ...(cookie && { cookie }), authorization: `token ${secret}`, ...more },
  });
}

function without(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)));
}

function rawHeaders(reply: IncomingMessage): string {
  return Object.entries(without(reply.headers))
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`))
    .join("\r\n");
}
