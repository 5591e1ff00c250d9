import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Pod } from "#backends/kubernetes/pod";

const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/** A question whether the own user has a right. */
interface Review {
  readonly spec: { readonly resourceAttributes: { readonly verb: string; readonly resource: string } };
}

/** A Secret with the credentials for a registry. */
interface Secret {
  readonly metadata: { readonly name: string };
  readonly stringData: { readonly ".dockerconfigjson": string };
}

type Reply = { readonly status: number; readonly body: object };

/** A stand-in for the routes of the API server that a server uses. Its refusals are recorded answers of Kubernetes 1.34. */
export interface FakeApi {
  readonly url: URL;
  readonly pods: Map<string, Pod>;
  /** The content of each Secret, by its name. */
  readonly secrets: Map<string, string>;
  /** The calls so far: method and path, without the query. */
  readonly calls: string[];
  /** The rights that the server lacks: `list nodes`. */
  readonly denied: Set<string>;
  /** Answers the next call of this method in place of the API. `lost`: carries it out, and cuts the connection. */
  next(method: string, reply: Reply | "lost"): void;
  /** Changes a Pod and tells the watches. Undefined deletes the Pod. */
  change(name: string, pod: Pod | undefined): void;
  /** Sends a line to all watches. */
  tell(event: object): void;
  /** Ends all watches, cleanly or by a cut. */
  endWatches(how: "end" | "cut"): void;
  close(): void;
}

/** Recorded answers of Kubernetes 1.34.4. */
export const RECORDED = {
  exists: status(409, "AlreadyExists", 'pods "reprise-1" already exists'),
  secretExists: status(409, "AlreadyExists", 'secrets "reprise-1" already exists'),
  noSecret: status(404, "NotFound", 'secrets "reprise-1" not found'),
  unauthorized: status(401, "Unauthorized", "Unauthorized"),
  forbidden: status(
    403,
    "Forbidden",
    'pods is forbidden: User "reprise" cannot create resource "pods" in API group "" in the namespace "default"',
  ),
  nodesForbidden: status(
    403,
    "Forbidden",
    'nodes is forbidden: User "reprise" cannot list resource "nodes" in API group "" at the cluster scope',
  ),
  quota: status(
    403,
    "Forbidden",
    'pods "reprise-1" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1',
  ),
  policy: status(
    403,
    "Forbidden",
    'pods "reprise-1" is forbidden: violates PodSecurity "restricted:latest": hostPath volumes (volume "record")',
  ),
  invalid: status(
    422,
    "Invalid",
    'Pod "reprise-1" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
  ),
  noNamespace: status(404, "NotFound", 'namespaces "jobs" not found'),
  tooMany: status(
    429,
    "TooManyRequests",
    "the server has received too many requests and has asked us to try again later",
  ),
  expired: status(410, "Expired", "The provided continue parameter is too old"),
} as const;

function status(code: number, reason: string, message: string): Reply {
  return {
    status: code,
    body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code },
  };
}

export async function startFakeApi(): Promise<FakeApi> {
  const pods = new Map<string, Pod>();
  const secrets = new Map<string, string>();
  const calls: string[] = [];
  const denied = new Set<string>();
  const replies = new Map<string, (Reply | "lost")[]>();
  const watches = new Set<http.ServerResponse>();
  let version = 1;
  const tell = (event: object) => {
    for (const watch of watches) watch.write(`${JSON.stringify(event)}\n`);
  };
  const change = (name: string, pod: Pod | undefined) => {
    const before = pods.get(name);
    const next = pod ?? before!;
    const resourceVersion = String((version += 1));
    const object = { ...next, metadata: { uid: name, ...next.metadata, resourceVersion } };
    if (pod) pods.set(name, object);
    else pods.delete(name);
    tell({ type: pod ? (before ? "MODIFIED" : "ADDED") : "DELETED", object });
  };
  const answerSecret = (url: URL, body: string): Reply => {
    const name = /\/secrets\/([^/]+)$/.exec(url.pathname)?.[1];
    if (name !== undefined && !secrets.delete(name)) return RECORDED.noSecret;
    if (name !== undefined) return { status: 200, body: {} };
    const { metadata, stringData } = JSON.parse(body) as Secret;
    if (secrets.has(metadata.name)) return RECORDED.secretExists;
    secrets.set(metadata.name, stringData[".dockerconfigjson"]);
    return { status: 201, body: {} };
  };
  const answer = (method: string, url: URL, body: string): Reply => {
    if (url.pathname.includes("/secrets")) return answerSecret(url, body);
    const name = /\/pods\/([^/]+)$/.exec(url.pathname)?.[1];
    if (method === "GET" && url.pathname.endsWith("/nodes")) return { status: 200, body: { items: [] } };
    if (method === "GET")
      return {
        status: 200,
        body: { metadata: { resourceVersion: String(version) }, items: [...pods.values()] },
      };
    if (method === "DELETE") {
      if (pods.has(name!)) change(name!, undefined);
      return { status: 200, body: {} };
    }
    if (url.pathname === REVIEWS) {
      const { verb, resource } = (JSON.parse(body) as Review).spec.resourceAttributes;
      return { status: 201, body: { status: { allowed: !denied.has(`${verb} ${resource}`) } } };
    }
    const pod = JSON.parse(body) as Pod;
    if (pods.has(pod.metadata.name)) return RECORDED.exists;
    change(pod.metadata.name, pod);
    return { status: 201, body: pods.get(pod.metadata.name)! };
  };
  const server = http.createServer((request, response) => {
    const url = new URL(request.url!, "http://fake");
    const { method = "" } = request;
    let body = "";
    request.on("data", (part: Buffer) => (body += String(part)));
    request.on("end", () => {
      const isWatch = url.searchParams.get("watch") === "true";
      const kind = isWatch ? "WATCH" : method;
      calls.push(`${kind} ${url.pathname}`);
      const reply = replies.get(kind)?.shift();
      if (isWatch && !reply) {
        watches.add(response);
        response.on("close", () => watches.delete(response));
        response.writeHead(200).flushHeaders();
        return;
      }
      const given = reply === undefined || reply === "lost" ? answer(method, url, body) : reply;
      if (reply === "lost") return void request.socket.destroy();
      response
        .writeHead(given.status, { "content-type": "application/json" })
        .end(JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    pods,
    secrets,
    calls,
    denied,
    next: (method, reply) => void replies.set(method, [...(replies.get(method) ?? []), reply]),
    change,
    tell,
    endWatches(how) {
      for (const watch of watches) {
        if (how === "end") watch.end();
        else watch.destroy();
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
