import type { PodSettings } from "#backends/kubernetes/pod-settings";

const PULL_POLICIES = { always: "Always", missing: "IfNotPresent", never: "Never" } as const;

/** Returns when a node pulls an image, in the words of Kubernetes. */
export function pullPolicy({ pullImages }: Pick<PodSettings, "pullImages">): string {
  return PULL_POLICIES[pullImages];
}

/** Returns what a container may do. A namespace with the Pod security level `restricted` accepts it. */
export function containerSecurity(uid: number, { user }: Pick<PodSettings, "user">): object {
  return {
    runAsUser: uid,
    runAsGroup: user.gid,
    ...(uid !== 0 && { runAsNonRoot: true }),
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
  };
}
