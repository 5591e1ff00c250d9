import { counted } from "#plumbing/text/counted";

/** The images and limits that the administrator allows everybody, or the members of a group. */
export interface Policy {
  /** Patterns of the images in which jobs may run. Null if the policy does not limit images. */
  readonly images: readonly string[] | null;
  /** Limits of each user. Null: the policy does not set this limit. 0: no limit. */
  readonly cpuMs: number | null;
  readonly diskBytes: number | null;
  /** Total time of all runs, from start to end. */
  readonly wallMs: number | null;
  /** Most runs of a user that are active at once. */
  readonly maxRuns: number | null;
}

/** The name that stands for all users where a group is expected. */
export const EVERYBODY = "everybody";

/** A policy with the group to which the policy applies: null for everybody. */
export interface AppliedPolicy extends Policy {
  readonly groupId: string | null;
}

/**
 * Returns the policy for a user. If several groups of the user set a limit, the most generous limit holds. If
 * no group sets a limit, the policy for everybody decides. An image is allowed if any of these policies
 * allows it.
 */
export function effectivePolicy(policies: readonly AppliedPolicy[]): Policy {
  const groups = policies.filter(({ groupId }) => groupId !== null);
  const everybody = policies.find(({ groupId }) => groupId === null);
  const limit = (name: "cpuMs" | "diskBytes" | "wallMs" | "maxRuns") =>
    mostGenerous(groups.map((one) => one[name])) ?? everybody?.[name] ?? null;
  const images = policies.flatMap((one) => (one.images === null ? [] : [one.images]));
  return {
    images: images.length === 0 ? null : images.flat(),
    cpuMs: limit("cpuMs"),
    diskBytes: limit("diskBytes"),
    wallMs: limit("wallMs"),
    maxRuns: limit("maxRuns"),
  };
}

function mostGenerous(limits: readonly (number | null)[]): number | null {
  const given = limits.filter((limit) => limit !== null);
  if (given.length === 0) return null;
  return given.includes(0) ? 0 : Math.max(...given);
}

/** Returns why a queued run waits although the server has room for it. */
export function waitsForOwnRuns(maxRuns: number): string {
  return `Queued: this server's policy allows you ${counted(maxRuns, "active run")}. The next one starts when one has ended.`;
}
