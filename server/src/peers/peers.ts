import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { toWireTime } from "#plumbing/clock";
import { messageOf, Refusal, type RefusalKind } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import type { Seal } from "#plumbing/secrets/seal";
import {
  type Answer,
  CONNECTION_PROTOCOL,
  openAnswer,
  type Question,
  QUESTION_HEADER,
  sealed,
} from "#peers/messages";
import type { Connection } from "#store/database/database";
import { type HostAddress, maybeHostAddress } from "#store/hosts/hosts";

/**
 * The other servers of the shared folder. Their addresses come from the database alone. A question to a host that is
 * silent is refused as unavailable, with the host and the time of its last sign of life.
 */
export interface Peers {
  /** Returns the answer of the server of a host. */
  ask(hostId: string, about: string, ...details: unknown[]): Promise<unknown>;
  /** Opens a connection to something on that host. */
  connect(hostId: string, about: string, ...details: unknown[]): Promise<Socket>;
  close(): void;
}

export interface PeersOptions {
  readonly db: Connection;
  readonly seal: Seal;
  readonly random: Pick<Random, "uuid">;
}

/** A server of the same data center answers in milliseconds, unless its machine is stuck. */
const ANSWER_TIMEOUT_MS = 2000;

export function openPeers({ db, seal, random }: PeersOptions): Peers {
  const agent = new Agent({ keepAlive: true });
  const questionTo = (to: string, about: string, details: readonly unknown[]): Question => ({
    to,
    nonce: random.uuid(),
    about,
    details,
  });
  return {
    async ask(hostId, about, ...details) {
      const host = await presentHost(db, hostId);
      const question = questionTo(hostId, about, details);
      return valueOf(
        host,
        await answered(host, seal, question, agent).catch((error) => noAnswer(host, error)),
      );
    },
    async connect(hostId, about, ...details) {
      const host = await presentHost(db, hostId);
      const question = questionTo(hostId, about, details);
      return connected(host, seal, question).catch((error) => noAnswer(host, error));
    },
    close: () => agent.destroy(),
  };
}

type Reachable = HostAddress & { readonly address: string };

async function presentHost(db: Connection, id: string): Promise<Reachable> {
  const host = await maybeHostAddress(db, id);
  if (!host) throw away(`The host ${id} has left this database for good.`);
  const { name, isPresent, seenAtMs, address } = host;
  if (isPresent && address !== null) return { ...host, address };
  if (isPresent)
    throw away(`The server of the host ${name} (${id}) is starting, or has no address for others.`);
  if (seenAtMs === 0) throw away(`The server of the host ${name} (${id}) has been stopped.`);
  throw away(`The host ${name} (${id}) has been silent since ${toWireTime(seenAtMs).replace("T", " ")} UTC.`);
}

function away(sentence: string, cause?: unknown): Refusal {
  return new Refusal("unavailable", sentence, { cause });
}

function noAnswer({ name, id, address, seenAtMs }: Reachable, error: unknown): never {
  const seen = toWireTime(seenAtMs).replace("T", " ");
  throw away(
    `The server of the host ${name} (${id}) does not answer at ${address} (${messageOf(error)}). ` +
      `It was last seen at ${seen} UTC.`,
    error,
  );
}

async function answered(
  { address }: Reachable,
  seal: Seal,
  question: Question,
  agent: Agent,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpRequest(`http://${address}/`, { method: "POST", agent }, resolve);
  request.once("error", reject);
  const endTimer = withTimeout(request);
  try {
    request.end(sealed(seal, question));
    const response = await promise;
    const parts: Buffer[] = [];
    for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
    if (response.statusCode !== 200) throw new Error(`it answers with status ${response.statusCode}`);
    return openAnswer(seal, Buffer.concat(parts).toString("utf8"), question.nonce);
  } finally {
    endTimer();
  }
}

/** Ends a request without an answer in time. Returns a function that ends the watch. */
function withTimeout(request: ClientRequest): () => void {
  const timer = setTimeout(
    () => request.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`)),
    ANSWER_TIMEOUT_MS,
  );
  return () => clearTimeout(timer);
}

function valueOf(host: Reachable, answer: Answer): unknown {
  if ("value" in answer) return answer.value;
  if ("refusal" in answer) throw new Refusal(answer.refusal.kind as RefusalKind, answer.refusal.message);
  return noAnswer(host, new Error(answer.failure));
}

async function connected({ address }: Reachable, seal: Seal, question: Question): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const headers = {
    connection: "upgrade",
    upgrade: CONNECTION_PROTOCOL,
    [QUESTION_HEADER]: sealed(seal, question),
  };
  const request = httpRequest(`http://${address}/`, { headers });
  request.once("error", reject);
  request.once("response", ({ statusCode }) => {
    request.destroy();
    reject(new Error(`it answers with status ${statusCode}`));
  });
  request.once("upgrade", (response, socket: Socket, head) => {
    if (head.length > 0) socket.unshift(head);
    try {
      openAnswer(seal, String(response.headers[QUESTION_HEADER] ?? ""), question.nonce);
      resolve(socket);
    } catch (error) {
      socket.destroy();
      reject(error);
    }
  });
  const endTimer = withTimeout(request);
  request.end();
  return promise.finally(endTimer);
}
