import type { Backend } from "#backends/backend";
import { computeBackendsOf } from "#workflow/capabilities";
import type { Job } from "#workflow/job/job";

/** The backends of a server, by name. The first backend runs the jobs that name no backend. */
export interface Backends {
  readonly all: readonly Backend[];
  /**
   * Returns the backend with the name in a job's row. Throws an `AbsentBackendError` if this server has no
   * such backend.
   */
  named(name: string): Backend;
  /**
   * Returns the backend that the job asks for. A program of this machine runs on this machine. Throws an
   * `AbsentBackendError` if this server has no such backend.
   */
  forJob(job: Pick<Job, "backend" | "isHostProgram">): Backend;
}

/**
 * Thrown if this server has no backend of that name. Another server, or other settings, may offer the
 * backend.
 */
export class AbsentBackendError extends Error {
  constructor(name: string, known: readonly string[]) {
    super(`This server has no compute backend "${name}" (it has: ${known.join(", ")}).`);
    this.name = "AbsentBackendError";
  }
}

/** Returns the queue reason of a job until its backend reports the first state. Null for a job that starts at once. */
export function firstQueueReason(backend: Pick<Backend, "mayQueue">, job: Job): string | null {
  return backend.mayQueue?.(job) ? "it has not been sent yet" : null;
}

export function backendsOf(all: readonly Backend[]): Backends {
  const byName = new Map(all.map((backend) => [backend.name, backend]));
  if (byName.size < all.length) throw new Error("Two backends have the same name.");
  const claims = all.flatMap((backend) =>
    backend.capabilities.computeBackends.map((word) => [word, backend] as const),
  );
  const byWord = new Map(claims);
  const [twice] = claims.find(([word, backend]) => byWord.get(word) !== backend) ?? [];
  if (twice !== undefined) throw new Error(`Two backends claim the word "${twice}".`);
  const words = computeBackendsOf(all.map(({ capabilities }) => capabilities));
  const [first] = all;
  if (!first) throw new Error("A server needs a backend.");
  const ofHost = all.find(({ isHostBound }) => isHostBound) ?? first;
  return {
    all,
    named(name) {
      const backend = byName.get(name);
      if (!backend) throw new AbsentBackendError(name, [...byName.keys()]);
      return backend;
    },
    forJob({ backend: wanted, isHostProgram }) {
      if (wanted === undefined) return isHostProgram ? ofHost : first;
      const backend = byWord.get(wanted.name);
      if (!backend) throw new AbsentBackendError(wanted.name, words);
      return backend;
    },
  };
}
