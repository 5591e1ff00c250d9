import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** An image, and as whom REANA runs it. */
export interface RuntimeEnvironment {
  readonly image: string;
  readonly uid: number;
  readonly gid: number;
}

const DEFAULT_UID = 1000;
const GID = 0;

/** Each once, of the steps of a serial workflow; those of other languages are known to their engines alone. */
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
