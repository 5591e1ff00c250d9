import { shownValue } from "#workflow/specification/shown-value";
import { type Faults, isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";

/** An image, with the user and group under which REANA runs the image. */
export interface RuntimeEnvironment {
  readonly image: string;
  readonly uid: number;
  readonly gid: number;
}

const DEFAULT_UID = 1000;
const GID = 0;

/** Finds images of serial steps without a tag or digest: another image may have that name tomorrow. Tags of images of other languages are not checked. */
export function* findUntaggedImages(specification: Specification): Faults {
  const images = new Set(findEnvironments(specification).map(({ image }) => image));
  for (const image of images) {
    if (/[:@]/.test(image.slice(image.lastIndexOf("/") + 1))) continue;
    const message = `Environment image ${shownValue(image)} does not have an explicit tag.`;
    yield { code: "image_tag", path: "workflow.specification.steps", message };
  }
}

/**
 * Returns the distinct environments of a serial workflow's steps. In other languages, only the engine knows
 * the environments.
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
