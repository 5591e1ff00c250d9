import path from "node:path";
import type { PodSettings } from "#backends/kubernetes/pod-settings";
import type { SentJob } from "#backends/record/place";
import { isWithin } from "#plumbing/files/is-within";

type ClaimSettings = Pick<PodSettings, "claim">;

/** A part of the data folder that a job sees, at its own path. */
interface Part {
  readonly volume: string;
  readonly folder: string;
}

function partsOf({ workspaceFolder, orderFile }: SentJob): readonly Part[] {
  return [
    { volume: "workspace", folder: workspaceFolder },
    { volume: "record", folder: path.dirname(orderFile) },
  ];
}

/** Returns the volumes with the data folder, or with the two folders of a job. */
export function volumesOf(sent: SentJob, { claim }: ClaimSettings): readonly object[] {
  if (claim) return [{ name: "data", persistentVolumeClaim: { claimName: claim.name } }];
  return partsOf(sent).map(({ volume, folder }) => ({ name: volume, hostPath: { path: folder } }));
}

/** Returns the mounts of the workspace and the record, at the paths of the server. */
export function mountsOf(sent: SentJob, { claim }: ClaimSettings): readonly object[] {
  return partsOf(sent).map(({ volume, folder }) =>
    claim
      ? { name: "data", mountPath: folder, subPath: subPathOf(folder, claim) }
      : { name: volume, mountPath: folder },
  );
}

/** Returns a mount of a folder in the record of a job, without its place in the container. */
export function inRecord(folder: string, { orderFile }: SentJob, { claim }: ClaimSettings): object {
  if (claim) return { name: "data", subPath: subPathOf(folder, claim) };
  return { name: "record", subPath: path.relative(path.dirname(orderFile), folder) };
}

function subPathOf(folder: string, { name, root }: NonNullable<ClaimSettings["claim"]>): string {
  if (!isWithin(folder, root))
    throw new Error(
      `${folder} is not in the claim ${name}, which is mounted at ${root} (--kubernetes-claim).`,
    );
  return path.relative(root, folder);
}
