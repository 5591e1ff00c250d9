import type { ApiClient } from "#backends/kubernetes/api/api-client";

/** A right of a server: on the Pods of one namespace, or on the nodes of the cluster. */
interface Right {
  readonly verb: string;
  readonly resource: "pods" | "nodes";
}

/** The rights that a server uses. The guide and the chart give these, and no others. */
export const RIGHTS: readonly Right[] = [
  ...["create", "list", "watch", "delete"].map((verb) => ({ verb, resource: "pods" as const })),
  { verb: "list", resource: "nodes" },
];

interface Review {
  readonly status?: { readonly allowed?: boolean };
}

/** Returns a sentence with each missing right of the server. Undefined if no right is missing. */
export async function missingRights(api: ApiClient): Promise<string | undefined> {
  const { namespace } = api.connection;
  const given = await Promise.all(RIGHTS.map((right) => isGiven(api, right)));
  const missing = RIGHTS.filter((_, index) => !given[index]);
  if (missing.length === 0) return undefined;
  const listed = missing.map(({ verb, resource }) => `${verb} ${resource}`).join(", ");
  return `Kubernetes does not let this server ${listed} (namespace ${namespace}). The guide to Kubernetes has the role that it needs.`;
}

async function isGiven(api: ApiClient, { verb, resource }: Right): Promise<boolean> {
  const { namespace } = api.connection;
  const where = resource === "pods" ? { namespace } : {};
  const { status } = await api.call<Review>({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb, resource, ...where } },
    },
    does: `asking for the right to ${verb} ${resource}`,
  });
  return status?.allowed === true;
}
