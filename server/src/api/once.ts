import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ApiContext, type Endpoint, maybeFormOf } from "#api/route";
import {
  type Answer,
  AnsweredMeanwhile,
  type Keep,
  keepAnswer,
  type KeyedRequest,
  maybeAnswer,
} from "#operations/kept-answers";
import { Refusal } from "#plumbing/errors";

declare module "fastify" {
  interface FastifyRequest {
    /** Set when the request has a key: whoever makes its change keeps the answer with it. */
    once: Once | undefined;
  }
}

interface Once {
  readonly keyed: KeyedRequest;
  isKept: boolean;
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Larger answers are not kept; they are those to deletions of many files, which may as well be carried out again. */
const KEPT_BYTES_MAX = 65_536;

/**
 * An endpoint that changes something, such that a request with an `Idempotency-Key` is carried out once: whoever sends it
 * again, with the same key, gets the answer of the first time. Refusals are not kept: they have changed nothing.
 */
export function onceOnly(endpoint: Endpoint, context: ApiContext, status: number): Handle {
  const underWay = new Map<string, Promise<unknown>>();
  const handle: Handle = (request, reply) => endpoint.handle(context, request, reply);
  return async (request, reply) => {
    const keyed = keyedRequest(request, endpoint);
    if (!keyed) return handle(request, reply);
    const name = `${keyed.caller.id} ${keyed.key}`;
    // The same request may come again before the first has been answered. Bytes do not wait for those of a connection
    // that may only look alive: whoever takes them knows what to do with two.
    for (let first = underWay.get(name); first && !endpoint.upload; first = underWay.get(name)) await first;
    const work = carryOut(context, handle, { request, reply, keyed, status });
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    underWay.set(name, settled);
    try {
      return await work;
    } finally {
      if (underWay.get(name) === settled) underWay.delete(name);
    }
  };
}

interface Parts {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly keyed: KeyedRequest;
  readonly status: number;
}

async function carryOut(
  context: ApiContext,
  handle: Handle,
  { request, reply, keyed, status }: Parts,
): Promise<unknown> {
  const before = await maybeAnswer(context, keyed);
  if (before) return replay(reply, before);
  const once: Once = { keyed, isKept: false };
  request.once = once;
  try {
    const body = await handle(request, reply);
    if (!once.isKept && body !== reply) await keepAfterwards(context, keyed, { status, body });
    return body;
  } catch (error) {
    const other = error instanceof AnsweredMeanwhile ? await maybeAnswer(context, keyed) : undefined;
    if (other) return replay(reply, other);
    throw error;
  }
}

/** For what may be carried out again: the end is the same, and only a server that dies just now does it twice. */
async function keepAfterwards(context: ApiContext, keyed: KeyedRequest, answer: Answer): Promise<void> {
  if (JSON.stringify(answer.body).length > KEPT_BYTES_MAX) return;
  await keepAnswer(context, context.db, keyed, answer);
}

function replay(reply: FastifyReply, { status, body }: Answer): unknown {
  reply.code(status).header("idempotency-replayed", "true");
  return body;
}

/** For an operation to call in its transaction; nothing when the request has no key. */
export function keeping<Result>(
  context: ApiContext,
  { once }: Pick<FastifyRequest, "once">,
  status: number,
  answerOf: (result: Result) => object,
): Keep<Result> | undefined {
  if (!once) return undefined;
  return async (db, result) => {
    await keepAnswer(context, db, once.keyed, { status, body: answerOf(result) });
    once.isKept = true;
  };
}

const KEY = /^[\u0021-\u007e]{1,255}$/;

function keyedRequest(request: FastifyRequest, endpoint: Endpoint): KeyedRequest | undefined {
  const key = request.raw.headers["idempotency-key"];
  const { caller } = request;
  if (key === undefined || caller === undefined) return undefined;
  if (typeof key !== "string" || !KEY.test(key)) {
    throw new Refusal(
      "malformed",
      "The Idempotency-Key is malformed: 1 to 255 visible characters are expected.",
    );
  }
  return { caller, key, fingerprint: fingerprintOf(request, endpoint) };
}

/** What was asked, however the token came. The bytes of a file, or of a secret, count by their number. */
function fingerprintOf(request: FastifyRequest, endpoint: Endpoint): string {
  const { access_token: _, ...query } = request.query as Readonly<Record<string, unknown>>;
  const isHidden = endpoint.upload || endpoint.hidesBody || maybeFormOf(request) !== undefined;
  const body = isHidden ? request.raw.headers["content-length"] : request.body;
  const asked = [request.method, endpoint.path, request.params, query, body ?? null];
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}
