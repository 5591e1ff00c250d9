import { removeTree } from "#backends/backend-fixture";
import { type KubernetesOptions, openKubernetesBackend } from "#backends/kubernetes/kubernetes-backend";
import { type Cluster, TEST_IMAGE } from "#backends/kubernetes/started-kubernetes-fixture";
import type { Right } from "#backends/kubernetes/rights";
import { systemClock } from "#plumbing/clock";

const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};

/** Opens a backend for jobs in a folder, with short times. Default: as an administrator of the cluster. */
export function openOn(cluster: Cluster, folder: string, change: Partial<KubernetesOptions> = {}) {
  return openKubernetesBackend({
    folder,
    hostId: "host",
    clock: systemClock,
    removeTree,
    log,
    maxOutputBytes: 2 ** 20,
    times: { newsMs: 50, listMs: 300, doubtMs: 1000 },
    source: { kubeconfig: cluster.kubeconfig },
    defaultImage: TEST_IMAGE,
    pullImages: "never",
    pullTimeoutMs: 60_000,
    ...change,
  });
}

const RBAC = "rbac.authorization.k8s.io";

/** Gives the user `reprise` of the cluster rights in the default namespace, and no others. */
export async function giveRights(cluster: Cluster, rights: readonly Right[]): Promise<void> {
  const give = async (kind: "Role" | "ClusterRole", where: string, given: readonly Right[]) => {
    const role = { apiVersion: `${RBAC}/v1`, metadata: { name: "reprise" } };
    const root = `/apis/${RBAC}/v1${where}/${kind.toLowerCase()}`;
    const rules = given.map(({ verb, resource, group = "" }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: [verb],
    }));
    await cluster.call("POST", `${root}s`, { ...role, kind, rules });
    await cluster.call("POST", `${root}bindings`, {
      ...role,
      kind: `${kind}Binding`,
      subjects: [{ kind: "User", name: "reprise", apiGroup: RBAC }],
      roleRef: { kind, name: "reprise", apiGroup: RBAC },
    });
  };
  await give(
    "Role",
    "/namespaces/default",
    rights.filter(({ resource }) => resource !== "nodes"),
  );
  await give(
    "ClusterRole",
    "",
    rights.filter(({ resource }) => resource === "nodes"),
  );
}
