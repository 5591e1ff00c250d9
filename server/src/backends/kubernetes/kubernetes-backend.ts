import path from "node:path";
import process from "node:process";
import type { Backend } from "#backends/backend";
import { imagePolicy, type ImagePolicy } from "#backends/containers/images/image-policy";
import { connectionOf, type ConnectionSource } from "#backends/kubernetes/api/connection";
import { maybeNoCvmfs } from "#backends/kubernetes/cvmfs";
import { POD_VARIABLES } from "#backends/kubernetes/describe";
import type { PodSettings } from "#backends/kubernetes/pod-settings";
import { KubernetesPlace } from "#backends/kubernetes/kubernetes-place";
import type { PullSecretSettings } from "#backends/kubernetes/pull-secrets";
import { readPodParts } from "#backends/kubernetes/pod-parts";
import { openRecordBackend, type RecordBackendOptions } from "#backends/record/record-backend";
import { RecordFiles } from "#backends/record/record-files";
import { openRecordReader } from "#backends/record/record-reader";
import { systemClock } from "#plumbing/clock";
import { messageOf } from "#plumbing/errors";
import type { BackendCapabilities, JobFeature } from "#workflow/capabilities";

/** The name of the backend in job rows and in REANA's job records. */
export const KUBERNETES = "Kubernetes";

const FEATURES: readonly JobFeature[] = [
  "time-limit",
  "output-limit",
  "memory-limit",
  "core-limit",
  "image",
  "sandbox",
  "user",
  "kerberos",
];

/** The word of `compute_backend` is REANA's. */
export const KUBERNETES_CAPABILITIES: BackendCapabilities = {
  computeBackends: ["kubernetes"],
  provides: () => FEATURES,
  maxGpus: () => Infinity,
};

/** The folder of the records, below the folder of all jobs. */
const FOLDER = "kubernetes";

export type KubernetesOptions = Pick<
  RecordBackendOptions,
  "hostId" | "clock" | "removeTree" | "log" | "maxOutputBytes" | "times" | "environment"
> &
  Omit<PodSettings, "records" | "user" | "parts"> &
  Pick<PullSecretSettings, "pullSecrets"> &
  ImagePolicy & {
    /** The folder of all jobs. */
    readonly folder: string;
    readonly source: ConnectionSource;
    /** The file with parts of each Pod. */
    readonly podFile?: string | undefined;
  };

/** A reader has no settings: there a step for Kubernetes counts as a step of the local backend. */
const READER_CAPABILITIES: BackendCapabilities = { ...KUBERNETES_CAPABILITIES, computeBackends: [] };

/** Opens the logs of jobs on Kubernetes for a process that runs no jobs. */
export function openKubernetesReader(folder: string): Backend {
  return openRecordReader({
    name: KUBERNETES,
    capabilities: READER_CAPABILITIES,
    root: path.join(folder, FOLDER),
    exportPath: FOLDER,
    clock: systemClock,
  });
}

/** Returns why this process cannot run jobs on Kubernetes. */
export async function kubernetesProblem(
  source: ConnectionSource,
  uses: Pick<KubernetesOptions, "pullSecrets" | "podFile"> = {},
): Promise<string | undefined> {
  try {
    const { pullSecrets, podFile } = uses;
    const parts = podFile === undefined ? undefined : readPodParts(podFile);
    const images = { pullImages: "never", pullTimeoutMs: 0 } as const;
    const settings = { pullSecrets, parts, ...images, records: "none", user: ownUser() };
    const place = new KubernetesPlace({ connection: connectionOf(source), settings, clock: systemClock });
    return await place.problem().finally(() => place.close());
  } catch (error) {
    return messageOf(error);
  }
}

/** Runs each job as a Pod. The nodes see the workspace and the record of a job, and nothing else of the data folder. */
export function openKubernetesBackend({ folder, source, podFile, ...options }: KubernetesOptions): Backend {
  const root = path.join(folder, FOLDER);
  const parts = podFile === undefined ? undefined : readPodParts(podFile);
  const records = new RecordFiles(root).open();
  const privateRepositories = path.join(root, "private-images");
  const settings = { ...options, parts, records, privateRepositories, user: ownUser() };
  const place = new KubernetesPlace({ connection: connectionOf(source), settings, clock: options.clock });
  letGroupWrite();
  return openRecordBackend({
    ...options,
    capabilities: {
      ...KUBERNETES_CAPABILITIES,
      ...imagePolicy(options),
      cvmfsProblem: async () => maybeNoCvmfs(parts),
    },
    place,
    root,
    exportPath: FOLDER,
    outsideVariables: POD_VARIABLES,
    inImage: true,
  });
}

function ownUser(): PodSettings["user"] {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

const GROUP_WRITES = 0o070;

/** Lets jobs of another user (`kubernetes_uid`) write in the folders that the server makes: they have its group. */
function letGroupWrite(): void {
  process.umask(process.umask() & ~GROUP_WRITES);
}
