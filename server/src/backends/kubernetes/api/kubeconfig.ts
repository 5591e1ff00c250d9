import { readFileSync } from "node:fs";
import path from "node:path";
import { parseYaml } from "#plumbing/formats/yaml";

type Values = Readonly<Record<string, unknown>>;

/** The cluster of a file for kubectl. */
interface NamedCluster {
  readonly server: URL;
  readonly authority: (() => Buffer) | undefined;
  readonly serverName: string | undefined;
  readonly isUnchecked: boolean;
}

/** The user of a file for kubectl. Each value is read when it is needed, because others may replace its file. */
export interface NamedUser {
  readonly token: (() => string) | undefined;
  readonly certificate: (() => Buffer) | undefined;
  readonly key: (() => Buffer) | undefined;
  readonly exec: ExecSource | undefined;
}

/** A program for credentials. */
export interface ExecSource {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
}

interface Kubeconfig {
  readonly cluster: NamedCluster;
  readonly user: NamedUser;
  readonly namespace: string;
}

const MAX_BYTES = 4 * 2 ** 20;

/** Reads the current context of a file for kubectl. Throws a sentence if a part is missing. */
export function readKubeconfig(file: string, text: string): Kubeconfig {
  const config = mapOf(parseYaml(text, { maxBytes: MAX_BYTES, what: file, schema: "core" }));
  const folder = path.dirname(path.resolve(file));
  const current = textIn(config, "current-context");
  if (current === undefined)
    throw new Error(`${file} has no current-context: \`kubectl config use-context NAME\` sets it.`);
  const context = entryOf(file, config, "context", current);
  const cluster = entryOf(file, config, "cluster", textIn(context, "cluster"));
  const user = entryOf(file, config, "user", textIn(context, "user"));
  return {
    cluster: clusterOf(file, cluster, folder),
    user: userOf(user, folder),
    namespace: textIn(context, "namespace") ?? "default",
  };
}

/** Returns the entry of that name in the list of a kind. */
function entryOf(file: string, config: Values, kind: string, name: string | undefined): Values {
  const list = config[`${kind}s`];
  const found = Array.isArray(list) ? list.map(mapOf).find((one) => one["name"] === name) : undefined;
  if (!found)
    throw new Error(`${file} names the ${kind} ${JSON.stringify(name)}, and describes no such ${kind}.`);
  return mapOf(found[kind]);
}

function clusterOf(file: string, cluster: Values, folder: string): NamedCluster {
  const server = textIn(cluster, "server") ?? "";
  if (!URL.canParse(server) || !/^https?:/.test(server))
    throw new Error(
      `${file} has the address ${JSON.stringify(server)} for the API server: it must begin with https://.`,
    );
  return {
    server: new URL(server),
    authority: dataOf(cluster, "certificate-authority", folder),
    serverName: textIn(cluster, "tls-server-name"),
    isUnchecked: cluster["insecure-skip-tls-verify"] === true,
  };
}

function userOf(user: Values, folder: string): NamedUser {
  const [token, tokenFile] = [textIn(user, "token"), textIn(user, "tokenFile")];
  return {
    token:
      tokenFile === undefined
        ? token === undefined
          ? undefined
          : () => token
        : () => readFileSync(path.resolve(folder, tokenFile), "utf8").trim(),
    certificate: dataOf(user, "client-certificate", folder),
    key: dataOf(user, "client-key", folder),
    exec: user["exec"] === undefined ? undefined : execOf(mapOf(user["exec"]), folder),
  };
}

/** A value in base64 below NAME-data, or a file below NAME. */
function dataOf(values: Values, name: string, folder: string): (() => Buffer) | undefined {
  const data = textIn(values, `${name}-data`);
  const file = textIn(values, name);
  if (data !== undefined) return () => Buffer.from(data, "base64");
  return file === undefined ? undefined : () => readFileSync(path.resolve(folder, file));
}

function execOf(exec: Values, folder: string): ExecSource {
  const command = textIn(exec, "command") ?? "";
  const env = Array.isArray(exec["env"]) ? exec["env"].map(mapOf) : [];
  return {
    // A command with a slash is relative to the file, as for kubectl.
    command: command.includes("/") ? path.resolve(folder, command) : command,
    args: Array.isArray(exec["args"]) ? exec["args"].map(String) : [],
    env: Object.fromEntries(env.map((one) => [textIn(one, "name") ?? "", textIn(one, "value") ?? ""])),
    apiVersion: textIn(exec, "apiVersion") ?? "client.authentication.k8s.io/v1",
  };
}

function mapOf(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

function textIn(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
