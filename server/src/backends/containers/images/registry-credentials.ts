import { createHash } from "node:crypto";
import type { JobSecrets } from "#workflow/people/secret";

/** A user's credentials for a private registry. */
export interface RegistryCredentials {
  /** A file in the format of Docker's configuration, with the entry of one registry. */
  readonly authFile: string;
  /** Tells two credentials apart, without showing either. */
  readonly fingerprint: string;
}

/** File secrets with credentials for registries: the file names of Kubernetes, podman and Docker. */
const REGISTRY_SECRETS = [".dockerconfigjson", "auth.json", "config.json"] as const;

/** The address of Docker's registry in Docker's configuration. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/** Returns the credentials for a registry among a user's secrets, in a file for that registry alone. */
export function maybeCredentials(
  secrets: JobSecrets | undefined,
  registry: string,
): RegistryCredentials | undefined {
  for (const name of REGISTRY_SECRETS) {
    const file = secrets?.files.get(name);
    const entry = file && maybeEntry(file, registry);
    if (!entry) continue;
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([registry, entry]))
      .digest("hex");
    return { authFile: JSON.stringify({ auths: { [entry.key]: { auth: entry.auth } } }), fingerprint };
  }
  return undefined;
}

/**
 * Returns a sentence about a secret that is meant for registries, but holds no usable credentials for this
 * registry.
 */
export function maybeUnusableSecret(secrets: JobSecrets | undefined, registry: string): string | undefined {
  if (!secrets || maybeCredentials(secrets, registry)) return undefined;
  const name = REGISTRY_SECRETS.find((one) => secrets.files.has(one));
  return (
    name &&
    `Your secret ${name} holds no credentials for ${registry}: its JSON needs auths."${registry}".auth.`
  );
}

interface Entry {
  readonly key: string;
  readonly auth: string;
}

function maybeEntry(file: Buffer, registry: string): Entry | undefined {
  const auths = maybeAuths(file);
  const keys =
    registry === "docker.io"
      ? [DOCKER_HUB, "docker.io", "index.docker.io"]
      : [registry, `https://${registry}`];
  for (const key of keys) {
    const given = auths?.[key];
    if (typeof given !== "object" || given === null) continue;
    const { auth, username, password } = given as Readonly<Record<string, unknown>>;
    if (typeof auth === "string" && isUserAndPassword(auth)) return { key, auth };
    if (typeof username === "string" && typeof password === "string")
      return { key, auth: Buffer.from(`${username}:${password}`).toString("base64") };
  }
  return undefined;
}

/** Podman prints no more than "illegal base64", and sends an empty user for a text without a colon. */
function isUserAndPassword(auth: string): boolean {
  return /^[A-Za-z0-9+/]+=*$/.test(auth) && /^[^:]+:/.test(Buffer.from(auth, "base64").toString("latin1"));
}

function maybeAuths(file: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const document = JSON.parse(file.toString("utf8")) as { readonly auths?: unknown } | null;
    const auths = document?.auths;
    return typeof auths === "object" && auths !== null ? { ...auths } : undefined;
  } catch {
    return undefined;
  }
}
