import { maybeJson } from "#plumbing/formats/json";
import { parseYaml } from "#plumbing/formats/yaml";
import { isObject } from "#workflow/specification/shape";
import type { ImportCounts } from "#reana/import-report";
import type { ImportedUsers } from "#reana/import-users";
import type { Connection } from "#store/database/database";
import { currentSecrets } from "#store/users/secrets";
import { SECRET_TYPES, type SecretType } from "#workflow/people/secret";

/** A secret of a user, with its value in base64. */
export interface ReanaSecret {
  readonly name: string;
  readonly type: SecretType;
  readonly value: string;
}

export interface SecretSink {
  readonly db: Connection;
  /** Text that `kubectl get secrets --output yaml` prints. Undefined: no secrets are taken. */
  readonly secrets: string | undefined;
  readonly isDryRun: boolean;
  /** Adds a secret to the user. Returns why the secret cannot be taken, or undefined. */
  addSecret(
    user: { readonly id: string; readonly email: string },
    secret: ReanaSecret,
  ): Promise<string | undefined>;
}

/** Takes the secrets of users. A secret with the name of one that is here already is not taken. */
export async function importSecrets(
  sink: SecretSink,
  users: ImportedUsers,
  counts: ImportCounts,
): Promise<void> {
  if (sink.secrets === undefined) return;
  for (const { userId, secrets } of storesIn(sink.secrets)) {
    const user = users.get(userId);
    if (!user) {
      for (const { name } of secrets) counts.leaveOut(`${name} of ${userId}`, NO_USER);
      continue;
    }
    const known = new Set((await currentSecrets(sink.db, user.id)).map(({ name }) => name));
    for (const secret of secrets) {
      if (known.has(secret.name)) {
        counts.secrets.known += 1;
        continue;
      }
      const problem = sink.isDryRun ? undefined : await sink.addSecret(user, secret);
      if (problem === undefined) counts.secrets.taken += 1;
      else counts.leaveOut(`the secret ${secret.name} of ${user.email}`, problem);
    }
  }
}

const NO_USER = "the user of the secret is not in the table of users";

interface SecretStore {
  readonly userId: string;
  readonly secrets: readonly ReanaSecret[];
}

/** A secret of Kubernetes has at most 1 MiB. */
const TEXT_MAX_BYTES = 512 * 2 ** 20;
/** The secrets of a user are one secret of Kubernetes. The prefix is a setting of the cluster. */
const STORE_NAME = /-secretsstore-([0-9a-f]{8}-[0-9a-f-]{27})$/;

/** Finds the stores of users in a list of secrets of Kubernetes. Other secrets of the cluster are skipped. */
export function storesIn(text: string): readonly SecretStore[] {
  const listed =
    maybeJson(text) ?? parseYaml(text, { maxBytes: TEXT_MAX_BYTES, what: "The file of secrets" });
  const { items } = objectOf(listed);
  return (Array.isArray(items) ? items : [listed]).flatMap(maybeStore);
}

function maybeStore(item: unknown): SecretStore | [] {
  const { metadata, data } = objectOf(item);
  const { name, annotations } = objectOf(metadata);
  const [, userId] = STORE_NAME.exec(String(name)) ?? [];
  if (userId === undefined) return [];
  const types = objectOf(maybeJson(String(objectOf(annotations)["secrets_types"])));
  const secrets = Object.entries(objectOf(data)).map(([key, value]) => {
    const type = SECRET_TYPES.find((one) => one === types[key]) ?? "env";
    return { name: key, type, value: String(value) };
  });
  return { userId, secrets };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
