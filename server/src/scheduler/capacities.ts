import type { Capacity } from "#runner/jobs/capacity";
import { createHostCapacity, type HostCapacity } from "#scheduler/host-capacity";
import type { Resources } from "#workflow/job/job";

/** More than any job needs. The place of the job has its own limits, and its own queue. */
const UNLIMITED: Resources = { cores: Infinity, memoryBytes: Infinity, gpus: Infinity };

/**
 * Shares out the capacity of this host among the jobs running here. Jobs elsewhere get their share at once,
 * while `mayStart` returns true.
 */
export function createCapacities(
  ofHost: Resources,
  mayStart: () => boolean,
): Capacity & Pick<HostCapacity, "grantSoon" | "hold" | "gpusInUse" | "waitingForGpus"> {
  const here = createHostCapacity(ofHost, mayStart);
  const elsewhere = createHostCapacity(UNLIMITED, mayStart);
  const of = ({ usesHost }: { readonly usesHost: boolean }) => (usesHost ? here : elsewhere);
  return {
    tryAcquire: (request) => of(request).tryAcquire(request),
    acquire: (request) => of(request).acquire(request),
    enqueue: (request, onAcquired) => of(request).enqueue(request, onAcquired),
    release(jobId) {
      here.release(jobId);
      elsewhere.release(jobId);
    },
    grantSoon() {
      here.grantSoon();
      elsewhere.grantSoon();
    },
    // Shares elsewhere are unlimited: an uncounted running job takes no capacity from other jobs.
    hold: () => here.hold(),
    gpusInUse: () => here.gpusInUse(),
    waitingForGpus: () => here.waitingForGpus(),
  };
}
