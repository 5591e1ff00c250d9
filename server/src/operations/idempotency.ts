import type { Basics, Caller } from "#operations/context";
import { DAY_MS } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";
import { parseJson } from "#plumbing/formats/json";
import { type Connection, transaction } from "#store/database/database";
import { forgetStoredResults, insertStoredResult, maybeStoredResult } from "#store/users/idempotency-keys";

/**
 * Time for which the result of a request with an idempotency key is stored. The request is carried out once, however
 * often it is sent. If repeating the change would do harm, the result is stored in the same transaction.
 */
const STORED_FOR_MS = DAY_MS;

/** Request, identified by idempotency key and content. */
export interface KeyedRequest {
  readonly caller: Caller;
  readonly key: string;
  /** Hash of the request. */
  readonly fingerprint: string;
}

/** Context of a request with an optional idempotency key. */
export interface Keyed {
  readonly idempotency?: IdempotencyKey | undefined;
}

/** Thrown inside a transaction, to roll it back, if another server has carried out the same request first. */
export class CarriedOutMeanwhile extends Error {}

/** Runs `work` in one transaction and stores the result there under the request's idempotency key. */
export function changing<Result>(
  { db, idempotency }: Pick<Basics, "db"> & Keyed,
  work: (db: Connection) => Promise<Result>,
): Promise<Result> {
  return transaction(db, async (connection) => {
    const result = await work(connection);
    await idempotency?.store(connection, result);
    return result;
  });
}

/** Key of a request. The operation's result is stored as JSON under the key. */
export class IdempotencyKey {
  readonly #context: Pick<Basics, "db" | "clock" | "tokenSeal">;
  readonly #request: KeyedRequest;
  #isStored = false;

  constructor(context: Pick<Basics, "db" | "clock" | "tokenSeal">, request: KeyedRequest) {
    this.#context = context;
    this.#request = request;
  }

  /** True if the operation stored a result in the transaction of its change. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Returns the stored result, or undefined if this request is the first, or the first was more than a day ago. */
  async maybeResult(): Promise<{ readonly result: unknown } | undefined> {
    const { db, clock, tokenSeal } = this.#context;
    const { caller, key, fingerprint } = this.#request;
    const stored = await maybeStoredResult(db, { userId: caller.id, key });
    if (!stored || stored.storedAtMs < clock.now() - STORED_FOR_MS) return undefined;
    if (stored.fingerprint !== fingerprint) throw reused(key);
    const { result } = parseJson(tokenSeal.open(stored.sealed)) as { readonly result?: unknown };
    return { result };
  }

  async store(db: Connection, result: unknown): Promise<void> {
    const { clock, tokenSeal } = this.#context;
    const { caller, key, fingerprint } = this.#request;
    const storedAtMs = clock.now();
    await forgetStoredResults(db, storedAtMs - STORED_FOR_MS);
    const sealed = tokenSeal.seal(JSON.stringify({ result }));
    const isFirst = await insertStoredResult(db, { userId: caller.id, key, fingerprint, sealed, storedAtMs });
    if (!isFirst) throw new CarriedOutMeanwhile();
    this.#isStored = true;
  }
}

function reused(key: string): Refusal {
  return new Refusal(
    "conflict",
    `The Idempotency-Key ${key} was used for a different request. Use a new key for each request.`,
    { errorCode: "idempotency-key-reused" },
  );
}
