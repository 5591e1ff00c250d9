import type { Difference } from "#workflow/job/decision";
import type { Job } from "#workflow/job/job";

/** Facts that decide the image of a job. */
export type ImageChoice = Pick<Job, "image" | "backend">;

/** Stands for the digest of an image that is not on this machine. Never equal to any digest. */
export const UNKNOWN_DIGEST = "unknown";

/**
 * Compares the digests of the image in which a job ran and of the one in which it would run now. Null stands for a job
 * without a container. The name of the image does not decide, because a tag may be moved to another image. Returns
 * nothing if neither has a container, or if the present image is unknown, because it is pulled only if the job runs.
 */
export function imageFacts(before: string | null, now: string | null | undefined): Difference[] {
  if (now === undefined || now === UNKNOWN_DIGEST || (before === null && now === null)) return [];
  return [{ field: IMAGE_DIGEST, before, now }];
}

export const IMAGE_DIGEST = "image_digest";

/** Returns the sentence of a fact of `imageFacts` that differs. `run` is the name of the earlier run. */
export function imageSentence({ before, now }: Difference, run: string): string {
  if (before === null) return `It ran without a container in ${run}, and would run in one now.`;
  if (now === null) return `It ran in a container in ${run}, and would run without one now.`;
  return `Its image is not the one that it ran in in ${run}, although it has the same name.`;
}
