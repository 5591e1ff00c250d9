import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** An image, and the user and group that REANA runs it as. */
export interface RuntimeEnvironment {
  readonly image: string;
  readonly uid: number;
  readonly gid: number;
}

const DEFAULT_UID = 1000;
const GID = 0;

/**
 * Returns the distinct environments of a serial workflow's steps. For other languages, only their engines know them.
 */
export function findEnvironments({ workflow }: Specification): RuntimeEnvironment[] {
  const { specification } = workflow;
  const steps = isObject(specification) && Array.isArray(specification.steps) ? specification.steps : [];
  const found = new Map<string, RuntimeEnvironment>();
  for (const step of workflow.type === "serial" ? (steps as unknown[]) : []) {
    if (!isObject(step) || typeof step.environment !== "string") continue;
    const uid = Number.isInteger(step.kubernetes_uid) ? (step.kubernetes_uid as number) : DEFAULT_UID;
    found.set(`${uid} ${step.environment}`, { image: step.environment, uid, gid: GID });
  }
  return [...found.values()];
}
