import { createMask, type Mask } from "#plumbing/secrets/mask";
import type { Connection } from "#store/database/database";
import { allSealedSecrets, currentSecrets } from "#store/users/secrets";
import type { JobSecrets } from "#workflow/people/secret";

/** The secrets of users, opened where they are needed and never kept. */
export interface UserSecrets {
  /** Returns the secrets for a job of the user's runs, or undefined if the user has none. */
  maybeForJobs(userId: string): Promise<JobSecrets | undefined>;
  /** Returns a mask for the output of the user's jobs, in which no secret may be readable. */
  mask(userId: string): Promise<Mask>;
}

/** Opens the secrets. They are sealed as base64, because a file may hold any bytes. */
export function openUserSecrets(
  db: Connection,
  seal: { readonly open: (sealed: string) => string },
): UserSecrets {
  const valueOf = (sealed: string) => Buffer.from(seal.open(sealed), "base64");
  return {
    async maybeForJobs(userId) {
      const secrets = await currentSecrets(db, userId);
      if (secrets.length === 0) return undefined;
      const values = secrets.map(({ name, type, sealed }) => ({ name, type, value: valueOf(sealed) }));
      const environment = values.filter(({ type }) => type === "env");
      const files = values.filter(({ type }) => type === "file");
      return {
        environment: Object.fromEntries(environment.map(({ name, value }) => [name, value.toString("utf8")])),
        files: new Map(files.map(({ name, value }) => [name, value])),
      };
    },
    async mask(userId) {
      const sealed = await allSealedSecrets(db, userId);
      return createMask(textsToMask(sealed.map(valueOf)));
    },
  };
}

/** Returns the value of one secret of a user, of either type. Undefined if there is none. */
export async function oneSecret(
  secrets: UserSecrets | undefined,
  userId: string,
  name: string | undefined,
): Promise<Buffer | undefined> {
  const all = name === undefined ? undefined : await secrets?.maybeForJobs(userId);
  return all && secretNamed(all, name!);
}

/** Returns the value of a secret, of either type. */
export function secretNamed({ environment, files }: JobSecrets, name: string): Buffer | undefined {
  const text = environment[name];
  return text === undefined ? files.get(name) : Buffer.from(text);
}

/** Returns the text of one secret, a variable or a file, without space around it. Undefined if it is absent or empty. */
export async function maybeSecretText(
  secrets: UserSecrets,
  userId: string,
  name: string,
): Promise<string | undefined> {
  return (await oneSecret(secrets, userId, name))?.toString("utf8").trim() || undefined;
}

/** Returns the secrets without the named ones. Undefined if none is left. */
export function withoutSecrets(
  { environment, files }: JobSecrets,
  names: ReadonlySet<string>,
): JobSecrets | undefined {
  const isGiven = ([name]: readonly [string, unknown]) => !names.has(name);
  const left = {
    environment: Object.fromEntries(Object.entries(environment).filter(isGiven)),
    files: new Map([...files].filter(isGiven)),
  };
  return Object.keys(left.environment).length + left.files.size > 0 ? left : undefined;
}

/** Shorter lines reveal nothing by themselves, and appear in many logs. */
const LINE_FROM_BYTES = 8;

/** Returns each whole secret without line ends around it, and of a secret with several lines also each long line. */
function textsToMask(values: readonly Buffer[]): readonly Buffer[] {
  // In this encoding, each byte is a character.
  const whole = values.map((value) => value.toString("latin1").trim());
  const lines = whole.flatMap((text) =>
    text.includes("\n") ? text.split("\n").map((line) => line.trim()) : [],
  );
  const wanted = [...whole, ...lines.filter((line) => line.length >= LINE_FROM_BYTES)];
  return [...new Set(wanted)].map((text) => Buffer.from(text, "latin1"));
}
