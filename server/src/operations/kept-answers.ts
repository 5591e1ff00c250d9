import type { Caller, Operations } from "#operations/context";
import { Refusal } from "#plumbing/errors";
import { parseJson } from "#plumbing/json";
import type { Connection } from "#store/database";
import { forgetKeptAnswers, insertKeptAnswer, maybeKeptAnswer } from "#store/kept-answers";

/**
 * Time for which the answer to a request with an idempotency key is kept. The request is carried out once, however
 * often it is sent. If repeating the change would do harm, the answer is stored in the same transaction.
 */
const KEPT_FOR_MS = 24 * 3_600_000;

/** Called with the result of the operation, inside the transaction that makes the change. */
export type Keep<Result> = (db: Connection, result: Result) => Promise<void>;

/** Request, identified by its idempotency key and its content. */
export interface KeyedRequest {
  readonly caller: Caller;
  readonly key: string;
  /** Hash of what was asked. */
  readonly fingerprint: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Thrown inside a transaction, to roll it back, if another server has carried out the same request first. */
export class AnsweredMeanwhile extends Error {}

type Context = Pick<Operations, "db" | "clock" | "tokenSeal">;

/** Returns the earlier answer, or undefined if this request is the first, or the first was more than a day ago. */
export async function maybeAnswer(context: Context, request: KeyedRequest): Promise<Answer | undefined> {
  const { caller, key, fingerprint } = request;
  const kept = await maybeKeptAnswer(context.db, { userId: caller.id, key });
  if (!kept || kept.keptAtMs < context.clock.now() - KEPT_FOR_MS) return undefined;
  if (kept.fingerprint === fingerprint) return parseJson(context.tokenSeal.open(kept.sealed)) as Answer;
  throw new Refusal(
    "conflict",
    `The Idempotency-Key ${key} was used for a different request. Use a new key for each request.`,
    { errorCode: "idempotency-key-reused" },
  );
}

export async function keepAnswer(
  { clock, tokenSeal }: Omit<Context, "db">,
  db: Connection,
  { caller, key, fingerprint }: KeyedRequest,
  answer: Answer,
): Promise<void> {
  const keptAtMs = clock.now();
  await forgetKeptAnswers(db, keptAtMs - KEPT_FOR_MS);
  const sealed = tokenSeal.seal(JSON.stringify(answer));
  if (!(await insertKeptAnswer(db, { userId: caller.id, key, fingerprint, sealed, keptAtMs }))) {
    throw new AnsweredMeanwhile();
  }
}
