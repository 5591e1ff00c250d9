import path from "node:path";
import type { Addition } from "#backends/kubernetes/addition";
import type { PodParts } from "#backends/kubernetes/pod-parts";
import { CVMFS, maybeCvmfsFolder } from "#backends/walls/cvmfs";
import type { SentJob } from "#backends/record/place";

/** Returns why the Pods of a server see no CVMFS. Undefined if they see it. */
export function maybeNoCvmfs(parts: PodParts | undefined): string | undefined {
  if (parts?.cvmfs) return undefined;
  return "Pods of this server see no CVMFS: its administrator names the volume, as cvmfs in the file of --kubernetes-pod.";
}

/**
 * Returns the mounts of the repositories of CVMFS that a job names: each one alone, read-only, at its usual place. A repository that
 * the node mounts later, as an automounter does, is passed on.
 */
export function cvmfsAddition(
  { job }: Pick<SentJob, "job">,
  { parts }: { readonly parts?: PodParts | undefined },
): Addition {
  const repositories = (job.mounts ?? []).filter(({ from, at, mode }) => {
    const isCvmfs = maybeCvmfsFolder({ from, at, mode }, CVMFS) !== undefined;
    return isCvmfs && from === at;
  });
  if (repositories.length === 0) return {};
  const problem = maybeNoCvmfs(parts);
  if (problem !== undefined)
    throw new Error(`The step ${JSON.stringify(job.name)} needs ${repositories[0]!.at}. ${problem}`);
  return {
    volumes: [{ name: VOLUME, ...parts!.cvmfs }],
    volumeMounts: repositories.map(({ at }) => ({
      name: VOLUME,
      mountPath: at,
      subPath: path.posix.relative(CVMFS, at),
      readOnly: true,
      mountPropagation: "HostToContainer",
    })),
  };
}

const VOLUME = "cvmfs";
