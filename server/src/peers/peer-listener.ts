import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { codeOf, messageOf, Refusal } from "#plumbing/errors";
import type { Seal } from "#plumbing/secrets/seal";
import {
  type Answer,
  CONNECTION_PROTOCOL,
  maybeQuestion,
  type Question,
  QUESTION_HEADER,
  sealed,
} from "#peers/messages";

/** The answers of a server to the other servers of its shared folder, by the name of the question. */
export type Answers = Readonly<Record<string, (...details: never[]) => Promise<unknown>>>;
/** The connections opened by a server, by name. */
export type Connections = Readonly<Record<string, (...details: never[]) => Promise<Socket>>>;

export interface Offer {
  readonly answers: Answers;
  readonly connections: Connections;
}

export interface PeerListenerOptions {
  readonly hostId: string;
  readonly seal: Seal;
  /** Answers from the beginning. */
  readonly answers: Answers;
  readonly log: { warn(details: object, message: string): void };
}

export interface PeerListener {
  /** The address for the other servers: `10.0.0.5:7071`. */
  readonly address: string;
  /** Adds further answers. */
  answer(more: Offer): void;
  close(): Promise<void>;
}

type Offering = PeerListenerOptions & Offer;

/** Longest question: it names thousands of jobs. */
const QUESTION_MAX_BYTES = 2 ** 20;

/** Listens for the other servers of the shared folder. Port 0 chooses a free one. */
export async function listenForPeers(
  options: PeerListenerOptions,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<PeerListener> {
  const server = createServer();
  const connected = new Set<Duplex>();
  let offer: Offer = { answers: options.answers, connections: {} };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    answerTo(request, response, { ...options, ...offer }).catch((err: unknown) => {
      options.log.warn({ err }, "A question of another server could not be answered.");
      response.destroy();
    });
  });
  server.on("upgrade", (request: IncomingMessage, peer: Duplex, head: Buffer) => {
    connected.add(peer);
    peer.once("close", () => connected.delete(peer));
    connect(request, { peer, head }, { ...options, ...offer }).catch(() => peer.destroy());
  });
  await listening(server, host, port);
  const name = host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host;
  return {
    address: `${name}:${(server.address() as AddressInfo).port}`,
    answer({ answers, connections }) {
      offer = {
        answers: { ...offer.answers, ...answers },
        connections: { ...offer.connections, ...connections },
      };
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      for (const peer of connected) peer.destroy();
      await closed;
    },
  };
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host.replace(/^\[|\]$/g, ""));
  try {
    await once(server, "listening");
  } catch (error) {
    const problem = `The server cannot listen for other servers on ${host}:${port}: ${messageOf(error)}. Set --peer-address.`;
    throw new Error(problem, { cause: error });
  }
}

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  options: Offering,
): Promise<void> {
  const text = await maybeBody(request);
  const question = text === undefined ? undefined : maybeQuestion(options.seal, text);
  if (!question || request.method !== "POST") return refuseForged(response, options);
  const answer = await answerOf(question, options);
  response.writeHead(200, { "content-type": "text/plain" }).end(sealed(options.seal, answer));
}

/** Returns undefined if the body is longer than any question. */
async function maybeBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > QUESTION_MAX_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function refuseForged(response: ServerResponse, { log }: PeerListenerOptions): void {
  log.warn({}, "A request at the address for other servers was refused: it did not come from one of them.");
  response.writeHead(403, { "content-type": "application/json", connection: "close" });
  response.end('{"message":"Only the servers of the shared folder may ask here."}\n');
}

async function answerOf(
  { to, nonce, about, details }: Question,
  { hostId, answers }: Offering,
): Promise<Answer> {
  if (to !== hostId) return { nonce, failure: `this is the host ${hostId}` };
  const answer = Object.hasOwn(answers, about) ? answers[about] : undefined;
  if (!answer)
    return {
      nonce,
      failure: `it does not know the question ${about}: it is starting, or its version is another`,
    };
  try {
    return { nonce, value: await answer(...(details as never[])) };
  } catch (error) {
    if (error instanceof Refusal) return { nonce, refusal: { kind: error.kind, message: error.message } };
    return { nonce, failure: messageOf(error) };
  }
}

/** Opens a connection for another server, and passes bytes on both ways. */
async function connect(
  request: IncomingMessage,
  { peer, head }: { readonly peer: Duplex; readonly head: Buffer },
  { hostId, seal, connections }: Offering,
): Promise<void> {
  peer.on("error", () => peer.destroy());
  const question = maybeQuestion(seal, String(request.headers[QUESTION_HEADER] ?? ""));
  if (!question || request.headers.upgrade !== CONNECTION_PROTOCOL) {
    return void peer.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  }
  const open = Object.hasOwn(connections, question.about) ? connections[question.about] : undefined;
  if (!open || question.to !== hostId) throw new Error("The question is for another server.");
  const socket = await open(...(question.details as never[]));
  const answer = sealed(seal, { nonce: question.nonce, value: null });
  peer.write(
    `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${CONNECTION_PROTOCOL}\r\n` +
      `${QUESTION_HEADER}: ${answer}\r\n\r\n`,
  );
  if (head.length > 0) socket.write(head);
  await Promise.all([pipeline(peer, socket), pipeline(socket, peer)]).catch((error: unknown) => {
    socket.destroy();
    if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  });
}
