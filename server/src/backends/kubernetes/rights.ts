import type { ApiClient } from "#backends/kubernetes/api/api-client";
import { KUEUE_GROUP, usesKueue } from "#backends/kubernetes/kueue";
import type { PodParts } from "#backends/kubernetes/pod-parts";

/** A right of a server: on objects of one namespace, or on the nodes of the cluster. */
export interface Right {
  readonly verb: string;
  readonly resource: "pods" | "nodes" | "secrets" | "workloads";
  /** The group of the resource in the API. Default: the group of Pods. */
  readonly group?: string;
}

/** The rights that every server uses. The guide and the chart give these, and no others. */
export const RIGHTS: readonly Right[] = [
  ...["create", "list", "watch", "delete"].map((verb) => ({ verb, resource: "pods" as const })),
  { verb: "list", resource: "nodes" },
];

/** The rights of a server that gives Pods the registry credentials of their users. No right reads a Secret. */
const PULL_SECRET_RIGHTS: readonly Right[] = ["create", "delete"].map((verb) => ({
  verb,
  resource: "secrets",
}));

/** The right of a server whose Pods wait in a queue of Kueue: to read why they wait. */
const KUEUE_RIGHTS: readonly Right[] = [{ verb: "list", resource: "workloads", group: KUEUE_GROUP }];

/** Settings that need further rights. */
export interface Uses {
  readonly pullSecrets?: boolean | undefined;
  readonly parts?: PodParts | undefined;
}

/** Returns the rights that a server with these settings uses. */
export function rightsFor({ pullSecrets, parts }: Uses): readonly Right[] {
  return [...RIGHTS, ...(pullSecrets ? PULL_SECRET_RIGHTS : []), ...(usesKueue(parts) ? KUEUE_RIGHTS : [])];
}

interface Review {
  readonly status?: { readonly allowed?: boolean };
}

/** Returns a sentence with each missing right of the server. Undefined if no right is missing. */
export async function missingRights(api: ApiClient, rights: readonly Right[]): Promise<string | undefined> {
  const { namespace } = api.connection;
  const given = await Promise.all(rights.map((right) => isGiven(api, right)));
  const missing = rights.filter((_, index) => !given[index]);
  if (missing.length === 0) return undefined;
  const listed = missing.map(({ verb, resource }) => `${verb} ${resource}`).join(", ");
  return `Kubernetes does not let this server ${listed} (namespace ${namespace}). The guide to Kubernetes has the role that it needs.`;
}

async function isGiven(api: ApiClient, { verb, resource, group = "" }: Right): Promise<boolean> {
  const { namespace } = api.connection;
  const where = resource === "nodes" ? {} : { namespace };
  const { status } = await api.call<Review>({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb, resource, group, ...where } },
    },
    does: `asking for the right to ${verb} ${resource}`,
  });
  return status?.allowed === true;
}
