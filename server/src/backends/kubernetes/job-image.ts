import { fullImageName, type ImageName, parseImageName } from "#backends/containers/images/image-name";
import type { Job } from "#workflow/job/job";

/** Returns the image of a job. Throws a sentence if the job has none. */
export function imageOf({ image, name }: Job, defaultImage: string | undefined): ImageName {
  const wanted = image ?? defaultImage;
  if (wanted === undefined)
    throw new Error(
      `The step ${JSON.stringify(name)} names no image, and on Kubernetes each step runs in one. Name it in the step, or set --default-image on the server.`,
    );
  const parsed = parseImageName(wanted);
  if (!parsed) throw new Error(`${JSON.stringify(wanted)} is not the name of an image, such as python:3.12.`);
  return parsed;
}

/** Returns the complete name of the image of a job. */
export function imageTextOf(job: Job, defaultImage: string | undefined): string {
  return fullImageName(imageOf(job, defaultImage));
}
