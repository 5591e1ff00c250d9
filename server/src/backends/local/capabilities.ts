import type { Containers } from "#backends/containers/containers";
import type { Runtime } from "#backends/containers/runtime";
import type { JobGroups } from "#backends/process/cgroups/job-groups";
import type { Wall } from "#backends/walls/wall";
import type { BackendCapabilities, JobFeature } from "#workflow/capabilities";

/** The name of the local backend in job rows. */
export const LOCAL = "Local";

/** The features of every job. Memory and the bytes that are written are measured through /proc. */
const OF_ALL: readonly JobFeature[] = [
  "time-limit",
  "output-limit",
  "kerberos",
  "voms-proxy",
  "rucio",
  ...(process.platform === "linux" ? (["memory-limit", "disk-limit"] as const) : []),
];

/**
 * A step of an analysis made for REANA may name Kubernetes, REANA's default: the step runs on this machine.
 */
export const LOCAL_CAPABILITIES: BackendCapabilities = {
  computeBackends: ["local", "kubernetes"],
  provides: () => OF_ALL,
};

/** Mechanisms that enforce limits on jobs and separate jobs. */
interface Places {
  readonly wall?: Pick<Wall, "provides"> | undefined;
  readonly groups?: Pick<JobGroups, "controllers"> | undefined;
  readonly containers?: Pick<Containers, "runtimeOf" | "usualRuntime" | "hasDefaultImage"> | undefined;
}

/** Returns the features that are enforced for a prepared job. */
export function featuresFor(id: string, places: Places): readonly JobFeature[] {
  const runtime = places.containers?.runtimeOf(id);
  return runtime ? featuresIn(runtime, places) : featuresOutside(places);
}

/**
 * Features that only a job with an image asks for. Such a job runs in a container if a runtime is available.
 */
const WITH_IMAGE: readonly JobFeature[] = ["image", "user"];

/**
 * Returns the features that are enforced for every job, in a container or not, as far as the working runtime
 * is known.
 */
export function featuresForAll(places: Places): readonly JobFeature[] {
  const outside = featuresOutside(places);
  const runtime = places.containers?.usualRuntime();
  if (!runtime) return outside;
  // Jobs without an image are programs of the machine, such as notebooks. These jobs ask for no features.
  const asked = places.containers?.hasDefaultImage === true ? featuresIn(runtime, places) : WITH_IMAGE;
  return featuresIn(runtime, places).filter(
    (feature) => outside.includes(feature) || (feature !== "sandbox" && asked.includes(feature)),
  );
}

/** Returns the features that are enforced for a job without a container. */
export function featuresOutside({ wall, groups }: Places): readonly JobFeature[] {
  const limited: JobFeature[] = groups?.controllers.includes("cpu") ? ["core-limit"] : [];
  return [...new Set([...OF_ALL, ...limited, ...(wall?.provides ?? [])])];
}

const CONTAINED: readonly JobFeature[] = [
  "image",
  "sandbox",
  "network",
  "writable-folders",
  "user",
  "mounts",
];

/**
 * The keeper does not ask docker where containers run, and therefore cannot measure them. Podman without root
 * limits no cores. Apptainer without root keeps the number of the server's user, and its jobs have the server's own
 * control groups.
 */
function featuresIn(
  { name, isRootless }: Pick<Runtime, "name" | "isRootless">,
  { groups }: Pick<Places, "groups">,
): readonly JobFeature[] {
  const isDocker = name === "docker";
  if (name === "apptainer")
    return [
      ...OF_ALL,
      ...CONTAINED.filter((feature) => !isRootless || feature !== "user"),
      ...(groups?.controllers.includes("cpu") ? (["core-limit"] as const) : []),
    ];
  return [
    ...OF_ALL.filter((feature) => !isDocker || feature !== "disk-limit"),
    ...CONTAINED,
    ...(isDocker || !isRootless ? (["core-limit"] as const) : []),
  ];
}
