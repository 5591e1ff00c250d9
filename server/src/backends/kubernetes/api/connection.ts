import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { messageOf } from "#plumbing/errors";
import { type Credentials, execCredentials } from "#backends/kubernetes/api/exec-credentials";
import { type NamedUser, readKubeconfig } from "#backends/kubernetes/api/kubeconfig";

/** How to reach the API server of a cluster. */
export interface Connection {
  readonly server: URL;
  readonly namespace: string;
  /** Certificates of the authorities that the API server may have. Default: Node's own list. */
  readonly authority?: Buffer | undefined;
  /** The name in the certificate of the API server, if it is not the host of its address. */
  readonly serverName?: string | undefined;
  readonly isUnchecked?: boolean;
  /** Returns what proves the identity of this server. Tokens and certificates are read again, because they expire. */
  credentials(): Promise<Credentials>;
  /** Forgets refused credentials. */
  forget?(): void;
}

/** Settings of the connection. */
export interface ConnectionSource {
  /** The file of the connection. Default: `$KUBECONFIG`, the service account of the own Pod, or `~/.kube/config`. */
  readonly kubeconfig?: string | undefined;
  /** Default: the namespace of the service account or of the file. */
  readonly namespace?: string | undefined;
}

/** The folder of the service account in a Pod. */
const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Reads how to reach the API server. Throws a sentence if nothing says so. `account` is the folder of the service account.
 */
export function connectionOf(
  { kubeconfig, namespace }: ConnectionSource,
  env = process.env,
  account = ACCOUNT,
): Connection {
  const [named] = (kubeconfig ?? env["KUBECONFIG"] ?? "").split(path.delimiter).filter((one) => one !== "");
  const host = env["KUBERNETES_SERVICE_HOST"];
  const connection =
    named === undefined && host !== undefined
      ? ofAccount(host, env["KUBERNETES_SERVICE_PORT"] ?? "443", account)
      : ofFile(named ?? path.join(env["HOME"] ?? "/", ".kube", "config"));
  return namespace === undefined ? connection : { ...connection, namespace };
}

function ofAccount(host: string, port: string, folder: string): Connection {
  const read = (name: string) => readFileSync(path.join(folder, name));
  return {
    server: new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`),
    namespace: read("namespace").toString().trim(),
    authority: read("ca.crt"),
    // The kubelet replaces the token before it expires.
    credentials: async () => ({ token: read("token").toString().trim() }),
  };
}

function ofFile(file: string): Connection {
  const { cluster, user, namespace } = readKubeconfig(file, textOf(file));
  const exec = user.exec && execCredentials(user.exec);
  return {
    server: cluster.server,
    namespace,
    authority: cluster.authority?.(),
    serverName: cluster.serverName,
    isUnchecked: cluster.isUnchecked,
    credentials: async () => ({ ...ofUser(user), ...(await exec?.get()) }),
    ...(exec && { forget: () => exec.forget() }),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(
      `No connection to Kubernetes: ${file} cannot be read (${messageOf(error)}). Set --kubernetes-config, or run the server in a Pod with a service account.`,
      { cause: error },
    );
  }
}

function ofUser({ token, certificate, key }: NamedUser): Credentials {
  return {
    token: token?.(),
    certificate: certificate?.(),
    key: key?.(),
  };
}
