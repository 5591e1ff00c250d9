import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { ApiClient, type ApiCall } from "#backends/kubernetes/api/api-client";
import { connectionOf } from "#backends/kubernetes/api/connection";
import { isProgram } from "#plumbing/files/find-program";

const SCRIPT = path.join(import.meta.dirname, "kubernetes-fixture.sh");
const ROOT = path.join(import.meta.dirname, "..", "..", "..", "..");
/** The four programs of Kubernetes, unpacked. */
const CACHE = path.join(
  process.env["XDG_CACHE_HOME"] ?? path.join(os.homedir(), ".cache"),
  "reprise-clusters",
  "kubernetes",
);
/** The programs, compressed, next to the checkout. */
const SOURCE = process.env["REPRISE_TEST_KUBERNETES"] ?? path.join(ROOT, "..", "shared", "kubernetes");

/** The image that the nodes have, with bash and busybox. */
export const TEST_IMAGE = "reprise-test:1";

/** Returns whether the programs of Kubernetes are in the cache. */
export function isUnpacked(): boolean {
  return existsSync(path.join(CACHE, "bin", "kubelet"));
}

/** Returns why this machine cannot start a Kubernetes. */
export function whatIsMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "they need root";
  const folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];
  const tools = ["etcd", "containerd", "runc", "ctr", "ip", "unshare", "openssl", "busybox", "curl", "xz"];
  const absent = tools.filter((tool) => !folders.some((folder) => isProgram(path.join(folder, tool))));
  if (!existsSync("/usr/lib/cni/bridge")) absent.push("containernetworking-plugins");
  if (absent.length > 0) return `this machine has no ${absent.join(", ")}`;
  if (isUnpacked() || existsSync(path.join(SOURCE, "kubelet.xz"))) return undefined;
  return `neither ${CACHE} nor ${SOURCE} has the programs of Kubernetes`;
}

/** A real Kubernetes with two nodes, both on this machine. */
export interface Cluster {
  readonly folder: string;
  /** The words before a command that run the command in the network of the nodes. */
  readonly inNetwork: readonly string[];
  /** A file for kubectl. Its user may do everything. */
  readonly kubeconfig: string;
  /** Starts the daemons that have ended. */
  up(): void;
  kill(
    daemon: "kube-apiserver" | "kube-scheduler" | "kube-controller-manager" | "kubelet-1" | "kubelet-2",
  ): void;
  /** Kills the kubelet of a node, and the containers there. */
  stopNode(node: 1 | 2): void;
  /** Cuts all connections to the API server, and refuses new ones until `comeBack`. */
  leave(): void;
  comeBack(): void;
  /** Calls the API as an administrator. */
  call<Answer>(method: ApiCall["method"], path: string, body?: object): Promise<Answer>;
  /** Returns the metrics of the API server. */
  metrics(): Promise<string>;
  /** Changes an object as an administrator. Server-side apply also creates it. */
  patch(
    path: string,
    body: object,
    kind: "apply-patch+yaml" | "merge-patch+json" | "strategic-merge-patch+json",
  ): Promise<void>;
  /** Gives the nodes an image of the server, with this Node and the package that npm has installed in a folder. */
  addServerImage(folder: string): void;
  /** Starts a registry for one user, such as `ada:password`. Returns the host in the names of its images. */
  startRegistry(user: string): string;
  /** Returns an address of this machine that leads to a Service. The API server picks one of its Pods for each request. */
  addressOf(namespace: string, service: string): Promise<string>;
  /** Writes a file for kubectl with the token of a user without rights, and returns its path. */
  configFor(token: string): string;
}

/** Starts a Kubernetes. `down` ends it and removes its folder. */
export async function startKubernetes(): Promise<Cluster & { down(): void }> {
  // Daemons inherit the pipes of a caller and keep them open.
  const script = (...words: readonly string[]) =>
    void execFileSync("bash", [SCRIPT, ...words], { stdio: "ignore" });
  if (!isUnpacked()) script("programs", SOURCE, CACHE);
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-kubernetes-"));
  const up = () => script("up", folder, CACHE);
  up();
  const relay = await openRelay(path.join(folder, "api"));
  const configFor = (token: string) => writeConfig(folder, relay.port, token);
  const kubeconfig = configFor("admin-token");
  const api = new ApiClient({ connection: connectionOf({ kubeconfig }) });
  const sending = {
    host: "127.0.0.1",
    port: relay.port,
    servername: "localhost",
    ca: readFileSync(path.join(folder, "pki", "ca.crt")),
  };
  const services: http.Server[] = [];
  return {
    folder,
    inNetwork: [
      "nsenter",
      "-t",
      readFileSync(path.join(folder, "run", "holder.pid"), "utf8").trim(),
      "-n",
      "--",
    ],
    kubeconfig,
    up,
    kill: (daemon) => script("kill", folder, daemon),
    stopNode: (node) => script("stop-node", folder, String(node)),
    leave: relay.leave,
    comeBack: relay.comeBack,
    call: (method, at, body) =>
      api.call({ method, path: at, does: `${method} ${at}`, ...(body && { body }) }),
    metrics: () => readMetrics(sending),
    patch: (at, body, kind) => sendPatch(sending, at, body, kind),
    addServerImage: (in_) => script("server-image", folder, process.execPath, in_),
    startRegistry(user) {
      script("registry", folder, process.execPath, user);
      return "localhost:25000";
    },
    async addressOf(namespace, service) {
      const root = `/api/v1/namespaces/${namespace}/services/${service}:http/proxy`;
      const { server, url } = await openProxy(sending, root);
      services.push(server);
      return url;
    },
    configFor,
    down() {
      for (const server of services) server.close().closeAllConnections();
      api.close();
      relay.close();
      script("down", folder);
    },
  };
}

type Sending = Pick<https.RequestOptions, "host" | "port" | "servername" | "ca">;

const AS_ADMIN = { authorization: "Bearer admin-token" };

async function readMetrics(sending: Sending): Promise<string> {
  const request = https.get({ ...sending, path: "/metrics", headers: AS_ADMIN });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  return text(response);
}

/** The API client of the product changes nothing, so the tests have a call of their own. */
async function sendPatch(sending: Sending, at: string, body: object, kind: string): Promise<void> {
  const headers = { ...AS_ADMIN, "content-type": `application/${kind}` };
  const request = https.request({ ...sending, method: "PATCH", path: at, headers });
  request.end(JSON.stringify(body));
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  const answer = await text(response);
  if (response.statusCode! >= 300) throw new Error(`PATCH ${at}: ${answer}`);
}

/** Leads HTTP requests to a path of the API server. */
async function openProxy(sending: Sending, root: string): Promise<{ server: http.Server; url: string }> {
  const server = http.createServer((from, answer) => {
    const headers = { ...from.headers, ...AS_ADMIN };
    const to = https.request({ ...sending, method: from.method, path: root + from.url, headers });
    to.on("response", (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    to.on("error", (error) => answer.destroy(error));
    from.pipe(to);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}` };
}

function writeConfig(folder: string, port: number, token: string): string {
  const authority = readFileSync(path.join(folder, "pki", "ca.crt")).toString("base64");
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": authority };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  };
  const file = path.join(folder, `${token}.json`);
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** Leads a port of this machine to a socket, so that a test can cut the line. */
async function openRelay(socket: string) {
  const open = new Set<net.Socket>();
  let isAway = false;
  const server = net.createServer((from) => {
    if (isAway) return void from.destroy();
    const to = net.connect(socket);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => open.delete(one));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const one of open) one.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    leave() {
      isAway = true;
      cut();
    },
    comeBack: () => void (isAway = false),
    close() {
      server.close();
      cut();
    },
  };
}
