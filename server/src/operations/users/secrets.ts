import type { Caller } from "#operations/context";
import type { AccountServices } from "#operations/users/services";
import { changing, type Keyed } from "#operations/idempotency";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { type Connection, transaction } from "#store/database/database";
import {
  allSealedSecrets,
  currentSecrets,
  forgetUnusedSecrets,
  insertSecret,
  lockSecrets,
  removeSecrets,
  type StoredSecret,
} from "#store/users/secrets";
import { secretProblem, type SecretType } from "#workflow/people/secret";

export type SecretName = Pick<StoredSecret, "name" | "type">;

type SecretsContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal">;

/** Lists names and types, never values: a secret is not shown again to anyone. */
export async function listSecrets({ db }: Pick<SecretsContext, "db">, caller: Caller): Promise<SecretName[]> {
  const secrets = await currentSecrets(db, caller.id);
  return secrets.map(({ name, type }) => ({ name, type }));
}

export interface SecretGiven {
  readonly name: string;
  readonly type: SecretType;
  /** Value in base64. */
  readonly value: string;
}

export interface SecretsToAdd {
  readonly secrets: readonly SecretGiven[];
  /** Replace existing secrets. Otherwise, any name in use makes the call fail without a change. */
  readonly overwrite: boolean;
}

/** Limit per user in Kubernetes, and so in REANA, in bytes. */
const TOTAL_BYTES_MAX = 2 ** 20;
/** Limit including removed secrets that may be in a log. They are all decrypted each time the user reads a log. */
const KEPT_BYTES_MAX = 2 * TOTAL_BYTES_MAX;

/** Adds all given secrets, or fails without a change. Running jobs keep their values. */
export async function addSecrets(
  context: SecretsContext & Keyed,
  caller: Caller,
  wanted: SecretsToAdd,
): Promise<void> {
  if (wanted.secrets.length === 0) throw new Refusal("malformed", "No secret was given.");
  const rows = wanted.secrets.map((secret) => rowOf(context, secret));
  await changing(context, async (db) => {
    await lockSecrets(db, caller.id);
    const before = await currentSecrets(db, caller.id);
    const taken = before.find(({ name }) => rows.some((row) => row.name === name));
    if (taken && !wanted.overwrite) throw exists(taken.name);
    const names = rows.map(({ name }) => name);
    mustFit([...before.filter(({ name }) => !names.includes(name)), ...rows]);
    const createdAtMs = context.clock.now();
    await forget(db, caller, names, createdAtMs);
    for (const row of rows) {
      await insertSecret(db, { ...row, id: context.random.uuid(), userId: caller.id, createdAtMs });
    }
    if (bytesOf(await allSealedSecrets(db, caller.id)) > KEPT_BYTES_MAX) throw tooManyKept();
  });
  crashPoint("secrets-added");
}

function rowOf({ tokenSeal }: SecretsContext, { name, type, value }: SecretGiven): StoredSecret {
  const bytes = Buffer.from(value, "base64");
  // Node skips characters outside base64.
  const isBase64 = bytes.toString("base64").replaceAll("=", "") === value.replaceAll(/[\s=]/g, "");
  if (!isBase64) throw new Refusal("malformed", "Invalid base64 value.");
  const problem = secretProblem(name, type, bytes);
  if (problem !== undefined) throw new Refusal("malformed", problem);
  return { name, type, sealed: tokenSeal.seal(bytes.toString("base64")) };
}

/** Refusal in REANA's wording. */
function exists(name: string): Refusal {
  return new Refusal(
    "conflict",
    `Operation cancelled. Secret ${name} already exists. If you want change it use overwrite`,
    { errorCode: "secret-exists" },
  );
}

/** Returns the size before sealing, which makes a value larger by a third twice. */
function bytesOf(sealed: readonly string[]): number {
  return sealed.reduce((sum, { length }) => sum + Math.floor((length * 9) / 16), 0);
}

function mustFit(secrets: readonly StoredSecret[]): void {
  if (bytesOf(secrets.map(({ sealed }) => sealed)) <= TOTAL_BYTES_MAX) return;
  throw new Refusal(
    "too-large",
    `The secrets of a user may have ${TOTAL_BYTES_MAX} bytes together; with these there would be more. Delete some first.`,
  );
}

function tooManyKept(): Refusal {
  return new Refusal(
    "too-large",
    "Too many secrets were replaced or deleted that the logs of runs may contain. They are kept, so that " +
      `they stay masked there, and may have ${KEPT_BYTES_MAX} bytes together. Delete the runs that started ` +
      "before, with their workspaces.",
  );
}

/** Thrown if any secret to delete does not exist. No secret is deleted in such a case. */
export class MissingSecrets extends Refusal {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super("absent", `Secrets ${names.join(", ")} do not exist. Nothing was deleted`);
    this.names = names;
  }
}

/** Deletes all given secrets, or fails. */
export async function deleteSecrets(
  context: Pick<SecretsContext, "db" | "clock">,
  caller: Caller,
  names: readonly string[],
): Promise<void> {
  await transaction(context.db, async (db) => {
    await lockSecrets(db, caller.id);
    const known = new Set((await currentSecrets(db, caller.id)).map(({ name }) => name));
    const missing = names.filter((name) => !known.has(name));
    if (missing.length > 0) throw new MissingSecrets(missing);
    await forget(db, caller, names, context.clock.now());
  });
  crashPoint("secrets-deleted");
}

async function forget(db: Connection, caller: Caller, names: readonly string[], atMs: number): Promise<void> {
  if (names.length === 0) return;
  await removeSecrets(db, caller.id, names, atMs);
  await forgetUnusedSecrets(db, caller.id);
}
