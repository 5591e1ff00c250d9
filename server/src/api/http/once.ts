import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ApiContext, type Route, maybeFormOf } from "#api/http/endpoint";
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
    /** Set if the request has a key. The code that makes the change stores the answer with it. */
    once: Once | undefined;
  }
}

interface Once {
  readonly keyed: KeyedRequest;
  isKept: boolean;
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Maximum size of an answer that is kept. Larger ones report deletions of many files, which can be repeated. */
const KEPT_BYTES_MAX = 65_536;

/**
 * Wraps an endpoint that changes something, so that a request with an `Idempotency-Key` is carried out once. A request
 * that is sent again with the same key gets the first answer. Refusals are not kept: they have changed nothing.
 */
export function onceOnly(route: Route, context: ApiContext, status: number): Handle {
  const underWay = new Map<string, Promise<unknown>>();
  const handle: Handle = (request, reply) => route.handle(context, request, reply);
  return async (request, reply) => {
    const keyed = keyedRequest(request, route);
    if (!keyed) return handle(request, reply);
    const name = `${keyed.caller.id} ${keyed.key}`;
    // The same request may be repeated before the first has its reply. An upload does not wait for an earlier one,
    // whose connection may only look alive: its operation copes with two.
    for (let first = underWay.get(name); first && !route.upload; first = underWay.get(name)) await first;
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

/**
 * Keeps the answer of a change that is safe to repeat. Only if the server crashes before this is the change repeated.
 */
async function keepAfterwards(context: ApiContext, keyed: KeyedRequest, answer: Answer): Promise<void> {
  if (JSON.stringify(answer.body).length > KEPT_BYTES_MAX) return;
  await keepAnswer(context, context.db, keyed, answer);
}

function replay(reply: FastifyReply, { status, body }: Answer): unknown {
  reply.code(status).header("idempotency-replayed", "true");
  return body;
}

/** Returns the function that an operation calls in its transaction, or undefined if the request has no key. */
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

function keyedRequest(request: FastifyRequest, route: Route): KeyedRequest | undefined {
  const key = request.raw.headers["idempotency-key"];
  const { caller } = request;
  if (key === undefined || caller === undefined) return undefined;
  if (typeof key !== "string" || !KEY.test(key)) {
    throw new Refusal(
      "malformed",
      "The Idempotency-Key is malformed: 1 to 255 visible characters are expected.",
    );
  }
  return { caller, key, fingerprint: fingerprintOf(request, route) };
}

/** Returns a hash of the request without its token. The bytes of a file or a secret count only by their number. */
function fingerprintOf(request: FastifyRequest, route: Route): string {
  const { access_token: _, ...query } = request.query as Readonly<Record<string, unknown>>;
  const isHidden = route.upload || route.hidesBody || maybeFormOf(request) !== undefined;
  const body = isHidden ? request.raw.headers["content-length"] : request.body;
  const asked = [request.method, route.path, request.params, query, body ?? null];
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}
