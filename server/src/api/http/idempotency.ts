import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ApiContext, maybeFormOf, type Route } from "#api/http/endpoint";
import { CarriedOutMeanwhile, IdempotencyKey, type KeyedRequest } from "#operations/idempotency";
import { Refusal } from "#plumbing/errors";

type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Maximum size of a stored result. Larger results report deletions of many files, which can be repeated. */
const STORED_BYTES_MAX = 65_536;

/** Returns the handler of a route. A request that changes something and has an `Idempotency-Key` is carried out once. */
export function handlerOf(
  route: Route,
  context: ApiContext,
  { takesKey }: { readonly takesKey: boolean },
): Handle {
  const handle: Handle = route.toWire
    ? async (request, reply) => wireOf(route, { request, reply }, await route.handle(context, request, reply))
    : (request, reply) => route.handle(context, request, reply);
  return takesKey ? onlyOnce(route, context, handle) : handle;
}

/**
 * Wraps the handler of a route that changes data. A repeated request with the same key gets the result of the
 * first request, mapped to the wire in the same way. Refusals are not stored, because they change no data.
 */
function onlyOnce(route: Route, context: ApiContext, handle: Handle): Handle {
  const underWay = new Map<string, Promise<unknown>>();
  return async (request, reply) => {
    const keyed = keyedRequest(request, route);
    if (!keyed) return handle(request, reply);
    const name = `${keyed.caller.id} ${keyed.key}`;
    // A client may repeat a request before the first has its reply. An upload does not wait for an earlier
    // upload, because the earlier connection may only look alive: the operation handles two at once.
    for (let first = underWay.get(name); first && !route.upload; first = underWay.get(name)) await first;
    const key = new IdempotencyKey(context, keyed);
    const work = carryOut(route, { ...context, idempotency: key }, { request, reply, key });
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
  readonly key: IdempotencyKey;
}

async function carryOut(route: Route, context: ApiContext, { request, reply, key }: Parts): Promise<unknown> {
  const before = await key.maybeResult();
  if (before) return wireOf(route, { request, reply }, replayed(reply, before));
  try {
    const result = await route.handle(context, request, reply);
    // The handler itself sent a refusal, or bytes.
    if (reply.sent) return undefined;
    if (!key.isStored) await storeAfterwards(context, key, result);
    return wireOf(route, { request, reply }, result);
  } catch (error) {
    const other = error instanceof CarriedOutMeanwhile ? await key.maybeResult() : undefined;
    if (other) return wireOf(route, { request, reply }, replayed(reply, other));
    throw error;
  }
}

function wireOf(route: Route, { request, reply }: Omit<Parts, "key">, result: unknown): unknown {
  return route.toWire ? route.toWire(result, request, reply) : result;
}

/**
 * Stores the result of a change that is safe to repeat. Only if the server crashes before this is the change repeated.
 */
async function storeAfterwards({ db }: ApiContext, key: IdempotencyKey, result: unknown): Promise<void> {
  if (JSON.stringify({ result }).length <= STORED_BYTES_MAX) await key.store(db, result);
}

function replayed(reply: FastifyReply, { result }: { readonly result: unknown }): unknown {
  reply.header("idempotency-replayed", "true");
  return result;
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
