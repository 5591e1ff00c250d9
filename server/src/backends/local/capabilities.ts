import { standInProblem, type ImageSettings } from "#backends/local/images/image-map";
import type { JobGroups } from "#backends/local/cgroups/job-groups";
import type { Wall } from "#backends/local/walls/wall";
import type { BackendCapabilities, JobFeature } from "#workflow/capabilities";

/** The name of the local backend in job rows. */
export const LOCAL = "Local";

/** Memory and the bytes that are written are measured through /proc. */
const MEASURED: readonly JobFeature[] = process.platform === "linux" ? ["memory-limit", "disk-limit"] : [];

/** A step of an analysis made for REANA may name Kubernetes, REANA's default: it runs on this machine. */
export const LOCAL_CAPABILITIES: BackendCapabilities = {
  computeBackends: ["local", "kubernetes"],
  provides: ["time-limit", "output-limit", "kerberos", ...MEASURED],
};

/** Returns what the local backend can do with its wall, its control groups and its stand-ins for images. */
export function capabilitiesWith(
  wall: Pick<Wall, "provides"> | undefined,
  {
    images,
    groups,
  }: { readonly images?: ImageSettings | undefined; readonly groups?: JobGroups | undefined } = {},
): BackendCapabilities {
  const limited: JobFeature[] = groups?.controllers.includes("cpu") ? ["core-limit"] : [];
  return {
    ...LOCAL_CAPABILITIES,
    provides: [...new Set([...LOCAL_CAPABILITIES.provides, ...limited, ...(wall?.provides ?? [])])],
    ...(images && { imageProblem: (image) => standInProblem(images, image) }),
  };
}
